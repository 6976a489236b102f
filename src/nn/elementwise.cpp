// Arithmetic, selection and comparison.
#include "quince/nn/elementwise.h"

#include <limits>

#include "nn/lanes.h"

namespace quince::nn {
namespace {

/// −1 < max{a; b; −0}: false exactly where a NaN is among the two.
Tensor ordered(const Tensor& three_lanes) {
  return less_than(literal(three_lanes, three_lanes.dtype(), -1), three_lanes.max({-1}));
}

bool is_unsigned(DType t) { return is_integer(t) && !is_signed_integer(t); }

}  // namespace

Tensor neg(const Tensor& x) {
  require_number("neg", x);
  return mul(x, literal(x, x.dtype(), -1));
}

Tensor sub(const Tensor& a, const Tensor& b) {
  require_number("sub", b);
  require_same_dtype("sub", a, b);
  return add(a, neg(b));
}

Tensor abs(const Tensor& x) {
  require_number("abs", x);
  if (is_unsigned(x.dtype())) return x;
  return lanes(x, {1, -1}).max({-1});
}

Tensor sign(const Tensor& x) {
  require_number("sign", x);
  const Tensor positive_negative = cast(less_than(lane_before(0, x), lane(x, 0)), x.dtype());
  return mul(positive_negative, literals(x, x.dtype(), {1, -1})).sum({-1});
}

Tensor where(const Tensor& c, const Tensor& a, const Tensor& b) {
  require_bool("where", c);
  require_same_dtype("where", a, b);
  const Shape shape = broadcast_shape("where", {&c, &a, &b});
  return pick(pair("where", b.expand(shape), a.expand(shape)), as_index(c.expand(shape)));
}

Tensor where(const Tensor& c, const Tensor& a, double b) {
  require_bool("where", c);
  const Shape shape = broadcast_shape("where", {&c, &a});
  return pick(lane_before(b, a.expand(shape)), as_index(c.expand(shape)));
}

Tensor where(const Tensor& c, double a, const Tensor& b) {
  require_bool("where", c);
  const Shape shape = broadcast_shape("where", {&c, &b});
  return pick(lane(b.expand(shape), a), as_index(c.expand(shape)));
}

Tensor masked_fill(const Tensor& x, const Tensor& mask, double value) { return where(mask, value, x); }

Tensor maximum(const Tensor& a, const Tensor& b) { return pair("maximum", a, b).max({-1}); }

Tensor minimum(const Tensor& a, const Tensor& b) {
  if (is_float(a.dtype())) return neg(neg(pair("minimum", a, b)).max({-1}));
  require_same_dtype("minimum", a, b);
  return where(less_than(a, b), a, b);
}

Tensor clamp(const Tensor& x, std::optional<double> lo, std::optional<double> hi) {
  require_number("clamp", x);
  const Tensor above = lo ? lane(x, *lo).max({-1}) : x;
  if (!hi) return above;
  if (is_float(x.dtype())) return neg(lane(neg(above), -*hi).max({-1}));
  return where(less_than(above, literal(x, x.dtype(), *hi)), above, *hi);
}

Tensor clamp(const Tensor& x, const Tensor& lo, const Tensor& hi) {
  require_number("clamp", x);
  return minimum(maximum(x, lo), hi);
}

Tensor isfinite(const Tensor& x) {
  require_float("isfinite", x);
  return less_than(mul(x, literal(x, x.dtype(), 0)).pinned(), literal(x, x.dtype(), 1));
}

Tensor notnan(const Tensor& x) {
  require_float("notnan", x);
  return less_than(literal(x, x.dtype(), -1), mul(x, x).pinned());
}

Tensor isnan(const Tensor& x) {
  require_float("isnan", x);
  return negate(notnan(x));
}

Tensor isinf(const Tensor& x) {
  require_float("isinf", x);
  return less_than(literal(x, x.dtype(), largest_finite(x.dtype())), abs(x));
}

Tensor signbit(const Tensor& x) {
  require_float("signbit", x);
  return less_than(recip(lane(x, -0.0).max({-1})), literal(x, x.dtype(), 0));
}

Tensor lt(const Tensor& a, const Tensor& b) { return less_than(a, b); }

Tensor gt(const Tensor& a, const Tensor& b) { return less_than(b, a); }

Tensor le(const Tensor& a, const Tensor& b) {
  if (!is_float(a.dtype())) return negate(less_than(b, a));
  return less_than(less_than(b, a), ordered(pair("le", a, b, 1)));
}

Tensor ge(const Tensor& a, const Tensor& b) { return le(b, a); }

Tensor eq(const Tensor& a, const Tensor& b) {
  if (!is_float(a.dtype())) return negate(add(less_than(a, b), less_than(b, a)));
  const Tensor s = pair("eq", a, b, 1);
  const Tensor both = s.slice(-1, 0, 2);
  return less_than(less_than(both, both.flip(-1)).max({-1}), ordered(s));
}

Tensor ne(const Tensor& a, const Tensor& b) {
  if (!is_float(a.dtype())) return add(less_than(a, b), less_than(b, a));
  return negate(eq(a, b));
}

Tensor logical_and(const Tensor& p, const Tensor& q) {
  require_bool("logical_and", p);
  return mul(p, q);
}

Tensor logical_or(const Tensor& p, const Tensor& q) {
  require_bool("logical_or", p);
  return add(p, q);
}

Tensor logical_not(const Tensor& p) {
  require_bool("logical_not", p);
  return negate(p);
}

Tensor logical_xor(const Tensor& p, const Tensor& q) {
  require_bool("logical_xor", p);
  return add(less_than(p, q), less_than(q, p));
}

}  // namespace quince::nn
