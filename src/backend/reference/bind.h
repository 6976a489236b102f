// A kernel at given dims: extents, strides and buffers are numbers and pointers.
#pragma once

#include <span>
#include <vector>

#include "backend/reference/kernel.h"
#include "backend/reference/strides.h"

namespace quince::backend::reference {

/// Which axes a block runs along; the others are stepped through one position at a time.
enum class Along {
  outputs,  ///< a block is a stretch of outputs, at one position of the reduced axes
  reduced,  ///< a block is a stretch of the reduced axes, for one output
};

struct BoundLoad {
  const std::byte* data = nullptr;
  std::int64_t base = 0;              ///< offset of the box's first element
  Strides outer, inner;               ///< offsets along the stepped and the blocked axes
  std::vector<std::int64_t> strides;  ///< by kernel axis
  struct Indirect {
    Reg index;
    std::int64_t extent;
    std::int64_t stride;
  };
  std::vector<Indirect> indirect;  ///< coordinates given by registers
  bool is_empty = false;           ///< the source has no elements: every read is masked
};

/// Shared by the threads that run it.
struct Bound {
  const Kernel* kernel = nullptr;
  std::span<const std::int64_t> numbers;
  std::int64_t outer_count = 1;
  std::int64_t inner_count = 1;
  std::vector<BoundLoad> loads;     ///< by register; empty where the step is no load
  std::vector<Strides> axis_outer;  ///< by kernel axis: its position along the stepped axes
  std::vector<Strides> axis_inner;  ///< by kernel axis: its position along the blocked axes
  std::vector<bool> has_lanes;      ///< by register: a value per element, not one for the block
  std::vector<Reg> once;            ///< steps whose value never changes
  std::vector<Reg> each;            ///< the others
};

/// Buffers by node; null where there are none yet.
using Buffers = std::vector<const std::byte*>;

/// Error(internal) where a coordinate could leave its box.
Bound bind(const Kernel& kernel, std::span<const std::int64_t> numbers, const Buffers& buffers, Along along);

}  // namespace quince::backend::reference
