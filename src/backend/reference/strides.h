// Strided walks: which offsets the elements of a box have in a buffer.
#pragma once

#include <algorithm>
#include <array>
#include <boost/container/small_vector.hpp>
#include <cstdint>

namespace quince::backend::reference {

struct Dim {
  std::int64_t extent;
  std::int64_t stride;  ///< in elements
  bool operator==(const Dim&) const = default;
};

/// The axes of a walk, INNERMOST first; axes of extent 1 are left out and neighbours that are one axis are merged.
class Strides {
 public:
  /// Puts an axis around those there are.
  void wrap(std::int64_t extent, std::int64_t stride) {
    if (extent == 1) return;
    if (!dims_.empty() && dims_.back().extent * dims_.back().stride == stride) {
      dims_.back().extent *= extent;
    } else {
      dims_.push_back({extent, stride});
    }
  }

  std::size_t size() const { return dims_.size(); }
  const Dim& operator[](std::size_t i) const { return dims_[i]; }
  bool operator==(const Strides&) const = default;

  /// Every element has offset 0.
  bool is_fixed() const {
    return std::ranges::all_of(dims_, [](const Dim& d) { return d.stride == 0; });
  }
  /// Element i has offset stride·i.
  bool is_line() const { return dims_.size() <= 1; }
  std::int64_t line_stride() const { return dims_.empty() ? 0 : dims_[0].stride; }

  /// The offset of element `index` in row-major order.
  std::int64_t offset(std::int64_t index) const {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < dims_.size(); ++i) {
      if (i + 1 == dims_.size()) return sum + index * dims_[i].stride;
      const std::int64_t outer = index / dims_[i].extent;
      sum += (index - outer * dims_[i].extent) * dims_[i].stride;
      index = outer;
    }
    return sum;
  }

  /// Calls f(done, count, offset, stride) for stretches of elements with a constant stride that together are
  /// [first, first + n).
  template <class F>
  void for_each_stretch(std::int64_t first, int n, F&& f) const {
    if (is_line()) {
      f(0, n, first * line_stride(), line_stride());
      return;
    }
    const std::int64_t width = dims_[0].extent;
    std::int64_t row = first / width;
    std::int64_t column = first - row * width;
    for (int done = 0; done < n;) {
      const int count = static_cast<int>(std::min<std::int64_t>(n - done, width - column));
      f(done, count, row_offset(row) + column * dims_[0].stride, dims_[0].stride);
      done += count;
      column = 0;
      ++row;
    }
  }

 private:
  std::int64_t row_offset(std::int64_t row) const {
    std::int64_t sum = 0;
    for (std::size_t i = 1; i < dims_.size(); ++i) {
      if (i + 1 == dims_.size()) return sum + row * dims_[i].stride;
      const std::int64_t outer = row / dims_[i].extent;
      sum += (row - outer * dims_[i].extent) * dims_[i].stride;
      row = outer;
    }
    return sum;
  }

  boost::container::small_vector<Dim, 4> dims_;
};

}  // namespace quince::backend::reference
