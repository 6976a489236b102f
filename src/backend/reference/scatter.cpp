// The writes of a Scatter: a target coordinate per axis, added up to an offset or dropped.
#include "backend/reference/scatter.h"

#include <algorithm>
#include <array>
#include <memory>

#include "backend/reference/frame.h"
#include "backend/reference/memory.h"

namespace quince::backend::reference {
namespace {

/// One coordinate of the target at given dims.
struct BoundTarget {
  std::int64_t extent;
  std::int64_t stride;  ///< of the buffer, in elements
  std::int64_t base;    ///< the coordinate at the first element; then `walk` adds to it
  Strides walk;
  Reg index;
};

class Writer {
 public:
  Writer(const Bound& bound, std::byte* out) : kernel_(*bound.kernel), out_(out) {
    const auto number = [&](NumberId id) { return bound.numbers[static_cast<std::size_t>(id)]; };
    std::int64_t stride = 1;
    for (std::size_t i = kernel_.target.size(); i-- > 0;) {
      const Coordinate& coordinate = kernel_.target[i];
      BoundTarget target{number(coordinate.extent), stride, number(coordinate.constant), {}, coordinate.index};
      for (std::size_t axis = kernel_.extents.size(); axis-- > 0;) {
        std::int64_t step = 0;
        for (const auto& [a, coefficient] : coordinate.terms) {
          if (static_cast<std::size_t>(a) == axis) step = number(coefficient);
        }
        target.walk.wrap(number(kernel_.extents[axis]), step);
      }
      stride *= target.extent;
      targets_.push_back(std::move(target));
    }
  }

  /// Writes the lanes of elements [first, first + n); `frame` has their registers.
  void write(const Frame& frame, const void* lanes, std::int64_t first, int n) {
    std::fill_n(offsets_.begin(), n, 0);
    for (const BoundTarget& target : targets_) {
      if (target.index != kNoReg) {
        const lanes::Index at = frame.index(target.index);
        for (int i = 0; i < n; ++i) add(target, i, at.at(i));
      } else {
        target.walk.for_each_stretch(first, n, [&](int done, int count, std::int64_t offset, std::int64_t step) {
          for (int i = 0; i < count; ++i) add(target, done + i, target.base + offset + step * i);
        });
      }
    }
    for (Reg reg : kernel_.drop_unless) {
      const lanes::Index keep = frame.index(reg);
      for (int i = 0; i < n; ++i) {
        if (keep.at(i) == 0) offsets_[static_cast<std::size_t>(i)] = kDropped;
      }
    }
    memory::scatter(kernel_.dtype, lanes, offsets_.data(), n, out_);
  }

 private:
  static constexpr std::int64_t kDropped = -1;

  void add(const BoundTarget& target, int i, std::int64_t coordinate) {
    std::int64_t& offset = offsets_[static_cast<std::size_t>(i)];
    if (offset == kDropped) return;
    offset = coordinate < 0 || coordinate >= target.extent ? kDropped : offset + coordinate * target.stride;
  }

  const Kernel& kernel_;
  std::byte* out_;
  std::vector<BoundTarget> targets_;
  std::array<std::int64_t, kBlock> offsets_;
};

}  // namespace

void run_scatter(const Kernel& kernel, const Run& run, std::byte* out) {
  const Bound bound = bind(kernel, run.numbers, run.buffers, Along::outputs);
  const std::int64_t count = bound.inner_count;
  if (count == 0) return;
  Frame frame(bound);
  Writer writer(bound, out);
  for (std::int64_t first = 0; first < count; first += kBlock) {
    const int n = static_cast<int>(std::min<std::int64_t>(kBlock, count - first));
    writer.write(frame, frame.run(0, first, n), first, n);
  }
}

}  // namespace quince::backend::reference
