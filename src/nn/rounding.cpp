// Rounding to integers and division.
#include "quince/nn/rounding.h"

#include <fmt/format.h>

#include "nn/lanes.h"
#include "quince/error.h"
#include "quince/nn/elementwise.h"

namespace quince::nn {
namespace {

Tensor one(const Tensor& x, double value) { return literal(x, x.dtype(), value); }

/// ⌊x⌋ − x from −x clamped at −C and C: the divisor −1 makes a zero result negative, so that −0 stays.
Tensor step_down(const Tensor& negative_clamped) { return mod(negative_clamped, one(negative_clamped, -1)); }

/// −1 where x < 0, else 1. Three ops.
Tensor sign_of(const Tensor& x) { return table(x.dtype(), {1, -1}, as_index(less_than(x, one(x, 0)))); }

/// −min(a, C): enough of a clamp where a is not negative.
Tensor negative_capped(const Tensor& a) { return lane(neg(a), -integers_from(a.dtype())).max({-1}); }

}  // namespace

Tensor floor(const Tensor& x) {
  require_number("floor", x);
  if (!is_float(x.dtype())) return x;
  const double c = integers_from(x.dtype());
  return add(x, step_down(lane(neg(lane(x, -c).max({-1})), -c).max({-1})));
}

Tensor ceil(const Tensor& x) {
  require_number("ceil", x);
  if (!is_float(x.dtype())) return x;
  const double c = integers_from(x.dtype());
  const Tensor negative = neg(x);
  const Tensor clamped = lane(neg(lane(negative, -c).max({-1})), -c).max({-1});
  return neg(add(negative, step_down(clamped)));
}

Tensor trunc(const Tensor& x) {
  require_number("trunc", x);
  if (!is_float(x.dtype())) return x;
  const Tensor s = sign_of(x);
  const Tensor a = mul(s, x);
  return mul(s, add(a, step_down(negative_capped(a))));
}

Tensor round(const Tensor& x) {
  require_number("round", x);
  if (!is_float(x.dtype())) return x;
  const double c = integers_from(x.dtype());
  const Tensor s = sign_of(x);
  const Tensor a = mul(s, x);
  const Tensor capped_negative = negative_capped(a);
  // Adding C leaves no fraction bits; a is not negative, so the rounding is half to even as in any sign.
  const Tensor rounded_negative = add(add(capped_negative, one(x, -c)).pinned(), one(x, c)).pinned();
  const Tensor excess = add(neg(capped_negative), rounded_negative);
  return mul(s, add(a, neg(excess)));
}

Tensor div(const Tensor& a, const Tensor& b) {
  require_float("div", a);
  require_same_dtype("div", a, b);
  const DType wide = at_least_f32(a.dtype());
  return as(mul(as(a, wide), recip(as(b, wide))), a.dtype());
}

Tensor div_exact(const Tensor& a, const Tensor& b) {
  require_number("div_exact", a);
  require_same_dtype("div_exact", a, b);
  if (is_integer(a.dtype())) return div_exact(cast(a, DType::f32), cast(b, DType::f32));
  const DType wide = one_wider(a.dtype());
  return as(mul(as(a, wide), recip(as(b, wide))), a.dtype());
}

Tensor remainder(const Tensor& a, const Tensor& b) {
  require_number("remainder", a);
  return mod(a, b);
}

Tensor floor_divide(const Tensor& a, const Tensor& b) {
  require_integer("floor_divide", a);
  require_same_dtype("floor_divide", a, b);
  const int bits = bit_width(a.dtype());
  if (bits > 32) {
    throw Error(ErrorCode::unsupported, fmt::format("{} is wider than 32 bits", name(a.dtype())), "floor_divide");
  }
  const bool narrow = bits <= 16;
  const DType wide = narrow ? DType::f32 : DType::f64;
  const Tensor exact_multiple = sub(cast(a, wide), cast(mod(a, b), wide));
  const Tensor r = recip(cast(b, wide));
  // The factor lifts a quotient that came out just below its integer; it is too small to reach the next one.
  const Tensor lifted = mul(r, literal(r, wide, narrow ? 1 + 0x1p-20 : 1 + 0x1p-40));
  return cast(cast(mul(exact_multiple, lifted), DType::i64), a.dtype());
}

}  // namespace quince::nn
