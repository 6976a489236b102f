// Loads and stores by dtype and lane; scattered offsets are taken in runs of one stride.
#include "backend/reference/memory.h"

#include "graph/convert.h"

namespace quince::backend::reference::memory {
namespace {

/// How many of the offsets from the i-th on are ≥ 0 and a constant stride apart.
int run_length(const std::int64_t* offsets, int i, int n, std::int64_t& stride) {
  stride = i + 1 < n && offsets[i + 1] >= 0 ? offsets[i + 1] - offsets[i] : 0;
  int length = 1;
  while (i + length < n && offsets[i + length] >= 0 && offsets[i + length] - offsets[i + length - 1] == stride)
    ++length;
  return length;
}

void store_strided(DType dtype, const void* lanes, int done, int n, std::byte* data, std::int64_t offset,
                   std::int64_t stride) {
  switch (lane_of(dtype)) {
    case Lane::f32: return store_f32(dtype, data, offset, stride, n, static_cast<const float*>(lanes) + done);
    case Lane::f64: return store_f64(dtype, data, offset, stride, n, static_cast<const double*>(lanes) + done);
    case Lane::i64: return store_i64(dtype, data, offset, stride, n, static_cast<const std::int64_t*>(lanes) + done);
  }
}

}  // namespace

void load(DType dtype, Lane lane, const std::byte* data, std::int64_t offset, std::int64_t stride, int n, void* lanes,
          int done) {
  switch (lane) {
    case Lane::f32: return load_f32(dtype, data, offset, stride, n, static_cast<float*>(lanes) + done);
    case Lane::f64: return load_f64(dtype, data, offset, stride, n, static_cast<double*>(lanes) + done);
    case Lane::i64: return load_i64(dtype, data, offset, stride, n, static_cast<std::int64_t*>(lanes) + done);
  }
}

void gather(DType dtype, Lane lane, const std::byte* data, const std::int64_t* offsets, int n, void* lanes) {
  for (int i = 0; i < n;) {
    std::int64_t stride = 0;
    const int length = run_length(offsets, i, n, stride);
    load(dtype, lane, data, offsets[i], stride, length, lanes, i);
    i += length;
  }
}

void store(DType dtype, const void* lanes, int n, std::byte* data, std::int64_t offset) {
  store_strided(dtype, lanes, 0, n, data, offset, 1);
}

void scatter(DType dtype, const void* lanes, const std::int64_t* offsets, int n, std::byte* data) {
  for (int i = 0; i < n;) {
    if (offsets[i] < 0) {
      ++i;
      continue;
    }
    std::int64_t stride = 0;
    const int length = run_length(offsets, i, n, stride);
    store_strided(dtype, lanes, i, length, data, offsets[i], stride);
    i += length;
  }
}

}  // namespace quince::backend::reference::memory
