// Reductions and scans.
#include "quince/nn/reduce.h"

#include <fmt/format.h>

#include <limits>

#include "nn/count.h"
#include "nn/lanes.h"
#include "quince/error.h"
#include "quince/nn/elementwise.h"
#include "quince/nn/indexing.h"

namespace quince::nn {
namespace {

/// −inf or the lowest integer.
double lowest(DType t) {
  return is_float(t) ? -std::numeric_limits<double>::infinity() : static_cast<double>(integer_min(t));
}

/// The largest element along the last axis with its position, both of extent 1 there. Seven ops.
struct Best {
  Tensor value;
  Tensor index;
};
Best best_of_last(const Tensor& x) {
  const Tensor value = x.max({-1}, true);
  const Expr position = Expr::axis(0, x.extent(-1));
  const Tensor negative = x.graph().iota(DType::i64, {x.extent(-1)}, -position);
  const double never = static_cast<double>(std::numeric_limits<std::int64_t>::min());
  return {value, neg(where(less_than(x, value), never, negative).max({-1}, true))};
}

Tensor to_last(const Tensor& x, int axis) {
  std::vector<int> order;
  for (int i = 0; i < x.rank(); ++i) {
    if (i != axis) order.push_back(i);
  }
  order.push_back(axis);
  return x.permute(std::move(order));
}

Tensor from_last(const Tensor& x, int axis) {
  std::vector<int> order;
  for (int i = 0; i < x.rank(); ++i) order.push_back(i < axis ? i : i == axis ? x.rank() - 1 : i - 1);
  return x.permute(std::move(order));
}

}  // namespace

Expr reduced_count(std::string_view function, const Tensor& x, const std::vector<int>& axes) {
  Expr count = 1;
  for (int axis : axes) count = count * x.extent(checked_axis(function, x, axis));
  return count;
}

Tensor times_reciprocal(const Tensor& x, Expr count, double sign) {
  if (const auto n = count.as_constant()) return x * (sign / static_cast<double>(*n));
  const Tensor n = x.graph().iota(DType::i64, {}, sign < 0 ? -count : count);
  return mul(x, recip(cast(n, x.dtype())));
}

Tensor mean(const Tensor& x, const std::vector<int>& axes, bool keep) {
  require_float("mean", x);
  const Expr count = reduced_count("mean", x, axes);
  return via_f32(x, [&](const Tensor& v) { return times_reciprocal(v.sum(axes, keep), count); });
}

Tensor var(const Tensor& x, const std::vector<int>& axes, int correction, bool keep) {
  require_float("var", x);
  const Expr count = reduced_count("var", x, axes);
  return via_f32(x, [&](const Tensor& v) {
    const Tensor d = add(v, times_reciprocal(v.sum(axes, true), count, -1));
    return times_reciprocal(mul(d, d).sum(axes, keep), max(count - correction, 0));
  });
}

Tensor prod(const Tensor& x, int axis, bool keep) {
  axis = checked_axis("prod", x, axis);
  const auto extent = x.extent(axis).as_constant();
  if (!extent) {
    throw Error(ErrorCode::unsupported,
                fmt::format("axis {} of shape {} has a symbolic extent", axis, to_string(x.shape())), "prod");
  }
  if (*extent == 0) {
    Shape shape = x.shape();
    shape[axis] = 1;
    const Tensor ones = literal(x, x.dtype(), 1).expand(std::move(shape));
    return keep ? ones : ones.squeeze(axis);
  }
  Tensor product = x;
  for (std::int64_t n = *extent; n > 1; n = (n + 1) / 2) {
    const std::int64_t half = (n + 1) / 2;
    const Tensor upper = product.slice(axis, half, n).pad(axis, 0, 2 * half - n, 1);
    product = mul(product.slice(axis, 0, half), upper);
  }
  return keep ? product : product.squeeze(axis);
}

Tensor amax(const Tensor& x, const std::vector<int>& axes, bool keep) { return x.max(axes, keep); }

Tensor amin(const Tensor& x, const std::vector<int>& axes, bool keep) {
  if (x.dtype() == DType::boolean) return all(x, axes, keep);
  if (is_float(x.dtype())) return neg(neg(x).max(axes, keep));
  const Tensor minus_one = literal(x, x.dtype(), -1);  // −1 − x, unlike −x, is one to one on every integer dtype
  return add(neg(add(neg(x), minus_one).max(axes, keep)), minus_one);
}

Tensor argmax(const Tensor& x, int axis, bool keep) {
  require_number("argmax", x);
  axis = checked_axis("argmax", x, axis);
  const Tensor index = from_last(best_of_last(to_last(x, axis)).index, axis);
  return keep ? index : index.squeeze(axis);
}

Tensor any(const Tensor& p, const std::vector<int>& axes, bool keep) {
  require_bool("any", p);
  return p.max(axes, keep);
}

Tensor all(const Tensor& p, const std::vector<int>& axes, bool keep) {
  require_bool("all", p);
  return negate(negate(p).max(axes, keep));
}

Tensor cumsum(const Tensor& x, int axis) {
  require_number("cumsum", x);
  axis = checked_axis("cumsum", x, axis);
  return via_f32_or_integer(x, [axis](const Tensor& v) {
    const Tensor last = to_last(v, axis);
    const int rank = last.rank();
    const Tensor square = repeat_axis(last, rank - 1, last.extent(-1));
    const std::vector<Expr> at = axes_of(square.shape());
    return from_last(square.masked(le(at[rank], at[rank - 1]), 0).sum({-1}), axis);
  });
}

TopK topk(const Tensor& x, int k, int axis) {
  require_number("topk", x);
  axis = checked_axis("topk", x, axis);
  const auto extent = x.extent(axis).as_constant();
  if (k < 1 || (extent && k > *extent)) {
    throw Error(ErrorCode::out_of_range, fmt::format("k = {} of axis {} of shape {}", k, axis, to_string(x.shape())),
                "topk");
  }
  Tensor rest = to_last(x, axis);
  std::vector<Tensor> values;
  std::vector<Tensor> indices;
  for (int round = 0; round < k; ++round) {
    const Best best = best_of_last(rest);
    values.push_back(best.value);
    indices.push_back(best.index);
    if (round + 1 == k) break;
    std::vector<Expr> target = axes_of(best.index.shape());
    target.back() = Expr::slot(0, 0, rest.extent(-1) - 1);
    const Tensor slots[] = {best.index};
    rest = scatter(rest, literal(x, x.dtype(), lowest(x.dtype())).expand(best.index.shape()), target, slots);
  }
  return {from_last(concat(values, -1), axis), from_last(concat(indices, -1), axis)};
}

}  // namespace quince::nn
