// Running one kernel: splitting it over threads, and storing what its blocks give.
#pragma once

#include <span>

#include "backend/reference/bind.h"
#include "backend/reference/pool.h"

namespace quince::backend::reference {

/// What a kernel runs on.
struct Run {
  std::span<const std::int64_t> numbers;  ///< the table's values at this run's dims
  const Buffers& buffers;
  Pool& pool;
};

/// Computes the stored value, dense at `out`; of a Scatter, writes into `out`, which holds dest. The bits do not depend
/// on the number of threads. Error(out_of_range) of a slot's value.
void execute(const Kernel& kernel, const Run& run, std::byte* out);

/// Into how many parts to split `count` items of `cost` simple operations each.
int parts_for(const Pool& pool, std::int64_t count, double cost);
/// The first item of a part, a multiple of `grain` (the last part ends at count).
std::int64_t part_begin(std::int64_t count, int parts, int part, std::int64_t grain);

}  // namespace quince::backend::reference
