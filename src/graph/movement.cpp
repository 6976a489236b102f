// Movement: permute, slice, pad, reshape and the rest, each as a new view of the same node.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "quince/error.h"
#include "quince/graph/tensor.h"

namespace quince {

namespace {

[[noreturn]] void fail(ErrorCode code, std::string_view op, const Tensor& x, std::string_view what) {
  throw Error(code, fmt::format("{} of {}: {}", op, describe(x.graph(), x.operand()), what));
}

int checked_axis(std::string_view op, const Tensor& x, int axis) {
  const int rank = x.rank();
  if (axis < -rank || axis >= rank) {
    fail(ErrorCode::out_of_range, op, x, fmt::format("there is no axis {}", axis));
  }
  return axis < 0 ? axis + rank : axis;
}

/// Reads x at `map` (whose source is x's shape), then fills where `masks` (over the map's domain) fail.
Tensor viewed(const Tensor& x, const Map& map, std::vector<Mask> masks = {}) {
  View view{compose(x.view().map, map), std::move(masks)};
  for (const Mask& mask : x.view().masks) {
    const Expr predicate = pull(mask.predicate, map);
    if (!predicate.is_constant(1)) view.masks.push_back({predicate, mask.fill});
  }
  return {&x.graph(), x.node(), std::move(view)};
}

/// The same with the coordinates given; clamps that the graph's assumptions prove needless are left out.
Tensor viewed(const Tensor& x, Shape domain, std::vector<Expr> coords, std::vector<Mask> masks = {}) {
  return viewed(x, Map(std::move(domain), x.shape(), std::move(coords), x.graph().facts()), std::move(masks));
}

}  // namespace

Expr Tensor::extent(int axis) const { return shape()[static_cast<std::size_t>(checked_axis("extent", *this, axis))]; }

DType Tensor::dtype() const { return graph_->node(node_).dtype; }

Tensor Tensor::at(const Map& map) const {
  if (!same_shape(map.source(), shape())) {
    fail(ErrorCode::shape_mismatch, "at", *this, fmt::format("the map reads {}", to_string(map.source())));
  }
  if (map.slot_count() > 0) fail(ErrorCode::invalid_argument, "at", *this, "the map has slots; use gather");
  return viewed(*this, map);
}

Tensor Tensor::permute(std::vector<int> order) const {
  std::vector<bool> seen(shape().size(), false);
  if (order.size() != shape().size()) fail(ErrorCode::invalid_argument, "permute", *this, "wrong number of axes");
  Shape domain(order.size());
  std::vector<std::size_t> from(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    from[i] = static_cast<std::size_t>(checked_axis("permute", *this, order[i]));
    if (seen[from[i]]) fail(ErrorCode::invalid_argument, "permute", *this, fmt::format("axis {} twice", order[i]));
    seen[from[i]] = true;
    domain[i] = shape()[from[i]];
  }
  std::vector<Expr> coords(order.size());
  const std::vector<Expr> axes = axes_of(domain);
  for (std::size_t i = 0; i < order.size(); ++i) coords[from[i]] = axes[i];
  return viewed(*this, std::move(domain), std::move(coords));
}

Tensor Tensor::transpose(int a, int b) const {
  std::vector<int> order(shape().size());
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[static_cast<std::size_t>(checked_axis("transpose", *this, a))],
            order[static_cast<std::size_t>(checked_axis("transpose", *this, b))]);
  return permute(std::move(order));
}

Tensor Tensor::expand(Shape to) const {
  if (to.size() < shape().size()) {
    fail(ErrorCode::shape_mismatch, "expand", *this, fmt::format("{} has fewer axes", to_string(to)));
  }
  const std::size_t shift = to.size() - shape().size();
  const std::vector<Expr> axes = axes_of(to);
  std::vector<Expr> coords(shape().size());
  for (std::size_t i = 0; i < shape().size(); ++i) {
    if (prove_equal(shape()[i], to[i + shift], graph_->facts())) {
      coords[i] = axes[i + shift];
    } else if (prove_equal(shape()[i], 1)) {
      coords[i] = 0;
    } else {
      fail(ErrorCode::shape_mismatch, "expand", *this, fmt::format("does not broadcast to {}", to_string(to)));
    }
  }
  return viewed(*this, std::move(to), std::move(coords));
}

Tensor Tensor::slice(int axis, Expr begin, Expr end, std::int64_t step) const {
  const auto a = static_cast<std::size_t>(checked_axis("slice", *this, axis));
  const Expr n = shape()[a];
  const auto& facts = graph_->facts();
  if (step < 1) fail(ErrorCode::invalid_argument, "slice", *this, fmt::format("step {} is not positive", step));
  if (prove_lt(begin, 0)) begin = begin + n;
  if (prove_lt(end, 0)) end = end + n;
  if (prove_lt(begin, 0, facts) || prove_lt(n, end, facts) || prove_lt(end, begin, facts)) {
    fail(ErrorCode::out_of_range, "slice", *this,
         fmt::format("[{}, {}) is outside axis {} of extent {}", to_string(begin), to_string(end), a, to_string(n)));
  }
  Shape domain = shape();
  domain[a] = ceil_div(end - begin, step);
  std::vector<Expr> coords = axes_of(domain);
  coords[a] = begin + coords[a] * step;
  return viewed(*this, std::move(domain), std::move(coords));
}

Tensor Tensor::flip(int axis) const {
  const auto a = static_cast<std::size_t>(checked_axis("flip", *this, axis));
  std::vector<Expr> coords = axes_of(shape());
  coords[a] = shape()[a] - 1 - coords[a];
  return viewed(*this, shape(), std::move(coords));
}

Tensor Tensor::pad(int axis, Expr before, Expr after, double fill) const {
  const auto a = static_cast<std::size_t>(checked_axis("pad", *this, axis));
  if (prove_lt(before, 0) || prove_lt(after, 0)) fail(ErrorCode::out_of_range, "pad", *this, "negative padding");
  Shape domain = shape();
  domain[a] = before + domain[a] + after;
  std::vector<Expr> coords = axes_of(domain);
  const Expr inside = coords[a] - before;
  const Expr predicate = logical_and(ge(inside, 0), lt(inside, shape()[a]));
  coords[a] = inside;
  std::vector<Mask> masks;
  if (!prove(predicate)) masks.push_back({predicate, Scalar::of(dtype(), fill)});
  return viewed(*this, std::move(domain), std::move(coords), std::move(masks));
}

Tensor Tensor::squeeze(int axis) const {
  const auto a = static_cast<std::size_t>(checked_axis("squeeze", *this, axis));
  if (!prove_equal(shape()[a], 1)) {
    fail(ErrorCode::shape_mismatch, "squeeze", *this, fmt::format("axis {} is not provably of extent 1", a));
  }
  return select(axis, 0);
}

Tensor Tensor::unsqueeze(int axis) const {
  const int rank_after = rank() + 1;
  if (axis < -rank_after || axis >= rank_after) {
    fail(ErrorCode::out_of_range, "unsqueeze", *this, fmt::format("there is no place {}", axis));
  }
  const int at = axis < 0 ? axis + rank_after : axis;
  Shape domain = shape();
  domain.insert(domain.begin() + at, Expr(1));
  std::vector<Expr> coords = axes_of(domain);
  coords.erase(coords.begin() + at);
  return viewed(*this, std::move(domain), std::move(coords));
}

Tensor Tensor::reshape(const Shape& to) const {
  if (!prove_equal(element_count(shape()), element_count(to), graph_->facts())) {
    fail(ErrorCode::shape_mismatch, "reshape", *this,
         fmt::format("{} does not provably have as many elements", to_string(to)));
  }
  return viewed(*this, quince::reshape(shape(), to));
}

Tensor Tensor::split(int axis, Expr inner) const {
  const auto a = static_cast<std::size_t>(checked_axis("split", *this, axis));
  if (!prove_multiple(shape()[a], inner)) {
    fail(ErrorCode::shape_mismatch, "split", *this,
         fmt::format("{} does not provably divide extent {}", to_string(inner), to_string(shape()[a])));
  }
  Shape domain = shape();
  domain[a] = floor_div(domain[a], inner);
  domain.insert(domain.begin() + static_cast<std::ptrdiff_t>(a) + 1, inner);
  return reshape(domain);
}

Tensor Tensor::merge(int axis) const {
  const auto a = static_cast<std::size_t>(checked_axis("merge", *this, axis));
  if (a + 1 >= shape().size()) fail(ErrorCode::out_of_range, "merge", *this, "there is no axis after it");
  Shape domain = shape();
  domain[a] = domain[a] * domain[a + 1];
  domain.erase(domain.begin() + static_cast<std::ptrdiff_t>(a) + 1);
  return reshape(domain);
}

Tensor Tensor::window(int axis, std::int64_t size, std::int64_t stride, std::int64_t dilation) const {
  const auto a = static_cast<std::size_t>(checked_axis("window", *this, axis));
  if (size < 1 || stride < 1 || dilation < 1) {
    fail(ErrorCode::invalid_argument, "window", *this, "size, stride and dilation are positive");
  }
  const Expr reach = Expr(dilation) * (size - 1);
  if (prove_lt(shape()[a], reach + 1, graph_->facts())) {
    fail(ErrorCode::shape_mismatch, "window", *this, fmt::format("axis {} is shorter than one window", a));
  }
  Shape domain = shape();
  domain[a] = floor_div(domain[a] - reach - 1, stride) + 1;
  domain.emplace_back(size);
  std::vector<Expr> coords = axes_of(domain);
  const Expr tap = coords.back();
  coords.pop_back();
  coords[a] = coords[a] * stride + tap * dilation;
  return viewed(*this, std::move(domain), std::move(coords));
}

Tensor Tensor::select(int axis, Expr index) const {
  const auto a = static_cast<std::size_t>(checked_axis("select", *this, axis));
  if (prove_lt(index, 0)) index = index + shape()[a];
  if (prove_lt(index, 0) || prove_le(shape()[a], index, graph_->facts())) {
    fail(ErrorCode::out_of_range, "select", *this,
         fmt::format("index {} is outside axis {} of extent {}", to_string(index), a, to_string(shape()[a])));
  }
  Shape domain = shape();
  domain.erase(domain.begin() + static_cast<std::ptrdiff_t>(a));
  std::vector<Expr> coords = axes_of(domain);
  coords.insert(coords.begin() + static_cast<std::ptrdiff_t>(a), index);
  return viewed(*this, std::move(domain), std::move(coords));
}

Tensor Tensor::masked(Expr predicate, double fill) const {
  if (predicate.is_constant(1)) return *this;
  return viewed(*this, Map::identity(shape()), {{predicate, Scalar::of(dtype(), fill)}});
}

}  // namespace quince
