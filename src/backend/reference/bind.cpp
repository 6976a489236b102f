// Binding: symbolic strides become numbers, axes are merged, and steps that never change are told apart.
#include "backend/reference/bind.h"

#include <fmt/format.h>

#include <algorithm>

#include "quince/error.h"

namespace quince::backend::reference {
namespace {

class Binder {
 public:
  Binder(const Kernel& kernel, std::span<const std::int64_t> numbers, const Buffers& buffers, Along along)
      : kernel_(kernel), buffers_(buffers), along_(along) {
    bound_.kernel = &kernel;
    bound_.numbers = numbers;
  }

  Bound run() {
    const auto axes = static_cast<int>(kernel_.extents.size());
    for (int axis = 0; axis < axes; ++axis) {
      extents_.push_back(number(kernel_.extents[static_cast<std::size_t>(axis)]));
      (is_inner(axis) ? bound_.inner_count : bound_.outer_count) *= extents_.back();
    }
    bound_.axis_outer.resize(extents_.size());
    bound_.axis_inner.resize(extents_.size());
    const std::size_t count = kernel_.steps.size();
    bound_.loads.resize(count);
    bound_.has_lanes.assign(count, false);
    changes_.assign(count, false);
    if (bound_.inner_count == 0 || bound_.outer_count == 0) return std::move(bound_);
    for (std::size_t i = 0; i < count; ++i) {
      bind_step(kernel_.steps[i], static_cast<Reg>(i));
      (changes_[i] ? bound_.each : bound_.once).push_back(static_cast<Reg>(i));
    }
    return std::move(bound_);
  }

 private:
  bool is_inner(int axis) const { return (axis < kernel_.outputs) == (along_ == Along::outputs); }
  std::int64_t number(NumberId id) const { return bound_.numbers[static_cast<std::size_t>(id)]; }

  /// Builds the walk of something whose stride on each axis is given.
  template <class StrideOf>
  void walk(Strides& outer, Strides& inner, StrideOf stride_of) const {
    for (auto axis = static_cast<int>(extents_.size()) - 1; axis >= 0; --axis) {
      (is_inner(axis) ? inner : outer).wrap(extents_[static_cast<std::size_t>(axis)], stride_of(axis));
    }
  }

  void bind_step(const Step& step, Reg reg) {
    const auto i = static_cast<std::size_t>(reg);
    bool lanes = step.kind >= StepKind::load;
    bool changes = false;
    for (Reg arg : step.args) {
      lanes = lanes || bound_.has_lanes[static_cast<std::size_t>(arg)];
      changes = changes || changes_[static_cast<std::size_t>(arg)];
    }
    if (step.kind == StepKind::axis) {
      const auto a = static_cast<std::size_t>(step.axis);
      walk(bound_.axis_outer[a], bound_.axis_inner[a], [&](int axis) { return axis == step.axis ? 1 : 0; });
      lanes = is_inner(step.axis) && extents_[a] > 1;
      changes = extents_[a] > 1;
    } else if (step.kind == StepKind::load) {
      bind_load(step, bound_.loads[i]);
      const BoundLoad& load = bound_.loads[i];
      changes = !load.outer.is_fixed() || !load.inner.is_fixed();
      for (const auto& part : load.indirect) changes = changes || changes_[static_cast<std::size_t>(part.index)];
    }
    bound_.has_lanes[i] = lanes;
    changes_[i] = changes;
  }

  void bind_load(const Step& step, BoundLoad& load) const {
    load.data = buffers_[step.source];
    load.strides.assign(extents_.size(), 0);
    std::int64_t stride = 1;
    for (std::size_t i = step.coordinates.size(); i-- > 0;) {
      const Coordinate& coordinate = step.coordinates[i];
      const std::int64_t extent = number(coordinate.extent);
      if (extent == 0) {
        load.is_empty = true;
        return;
      }
      if (coordinate.index != kNoReg) {
        load.indirect.push_back({coordinate.index, extent, stride});
      } else {
        check_inside(coordinate, extent, step.source);
        load.base += number(coordinate.constant) * stride;
        for (const auto& [axis, coefficient] : coordinate.terms) {
          load.strides[static_cast<std::size_t>(axis)] += number(coefficient) * stride;
        }
      }
      stride *= extent;
    }
    walk(load.outer, load.inner, [&](int axis) { return load.strides[static_cast<std::size_t>(axis)]; });
  }

  void check_inside(const Coordinate& coordinate, std::int64_t extent, NodeId source) const {
    std::int64_t lo = number(coordinate.constant);
    std::int64_t hi = lo;
    for (const auto& [axis, coefficient] : coordinate.terms) {
      const std::int64_t reach = number(coefficient) * (extents_[static_cast<std::size_t>(axis)] - 1);
      lo += std::min<std::int64_t>(reach, 0);
      hi += std::max<std::int64_t>(reach, 0);
    }
    if (lo >= 0 && hi < extent) return;
    throw Error(ErrorCode::internal,
                fmt::format("%{} reads %{} at [{}, {}], outside its extent {}", kernel_.node, source, lo, hi, extent));
  }

  const Kernel& kernel_;
  const Buffers& buffers_;
  const Along along_;
  Bound bound_;
  std::vector<std::int64_t> extents_;
  std::vector<bool> changes_;
};

}  // namespace

Bound bind(const Kernel& kernel, std::span<const std::int64_t> numbers, const Buffers& buffers, Along along) {
  return Binder(kernel, numbers, buffers, along).run();
}

}  // namespace quince::backend::reference
