// The running state of reductions: 16 partial sums per output for SumReduce (docs/ops.md O5), one value for MaxReduce.
#pragma once

#include <cstddef>
#include <memory>

#include "backend/reference/kernel.h"

namespace quince::backend::reference {

inline constexpr int kPartials = 16;

/// One output whose elements come in blocks, in order.
class RowAccumulator {
 public:
  RowAccumulator(Root root, DType dtype) : root_(root), dtype_(dtype) {}
  void start();
  /// The next n elements; all blocks but the last are multiples of 16 long.
  void add(const void* lanes, int n);
  /// Writes the result as lane `at` of `out`.
  void finish(void* out, int at);

 private:
  template <class T>
  T* partials() {
    return reinterpret_cast<T*>(bytes_);
  }

  Root root_;
  DType dtype_;
  alignas(64) std::byte bytes_[kPartials * sizeof(double)];
};

/// A block of neighbouring outputs, whose elements come one position of the reduced axes at a time.
class ColumnAccumulator {
 public:
  /// `reduced`: how many positions there are.
  ColumnAccumulator(Root root, DType dtype, std::int64_t reduced);
  void start(int n);
  /// Element t of each of the n outputs.
  void add(std::int64_t t, const void* lanes);
  /// Writes the n results.
  void finish(void* out);

 private:
  template <class T>
  T* partial(int l) {
    return reinterpret_cast<T*>(bytes_.get()) + static_cast<std::ptrdiff_t>(l) * kBlock;
  }

  Root root_;
  DType dtype_;
  int partials_;  ///< how many are not left at +0
  int n_ = 0;
  std::unique_ptr<std::byte[]> bytes_;
};

}  // namespace quince::backend::reference
