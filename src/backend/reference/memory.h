// Between buffers and registers: elements of a dtype in memory, lanes of a block.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend/reference/kernel.h"

namespace quince::backend::reference::memory {

/// Whether memory and lane have the same bits, so that a register may lie in a buffer.
inline bool is_lane(DType dtype, Lane lane) {
  switch (lane) {
    case Lane::f32: return dtype == DType::f32;
    case Lane::f64: return dtype == DType::f64;
    case Lane::i64: return dtype == DType::i64 || dtype == DType::u64;
  }
  return false;
}

// Offsets are in elements; sub-byte dtypes are packed. Integers may be loaded as f32 where that is exact.

/// lanes[done + i] = data[offset + stride·i] for i < n.
void load(DType dtype, Lane lane, const std::byte* data, std::int64_t offset, std::int64_t stride, int n, void* lanes,
          int done);
/// lanes[i] = data[offsets[i]] for i < n.
void gather(DType dtype, Lane lane, const std::byte* data, const std::int64_t* offsets, int n, void* lanes);
/// data[offset + i] = lanes[i] for i < n. Threads that store to one sub-byte buffer stay a byte apart.
void store(DType dtype, const void* lanes, int n, std::byte* data, std::int64_t offset);
/// data[offsets[i]] = lanes[i] for i < n in order, where offsets[i] ≥ 0.
void scatter(DType dtype, const void* lanes, const std::int64_t* offsets, int n, std::byte* data);

}  // namespace quince::backend::reference::memory
