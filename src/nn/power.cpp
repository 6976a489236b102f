// Powers with every edge value of C's pow.
#include <cmath>
#include <limits>

#include "nn/lanes.h"
#include "quince/error.h"
#include "quince/nn/elementwise.h"
#include "quince/nn/math.h"

namespace quince::nn {
namespace {

/// The factor of |x|^y, by the sign bit of x, whether log₂|x| is finite (0 and ±inf have no fractional trouble), and
/// y mod 2 as 0: an even integer, 1 and 3: not an integer, 2: an odd integer.
Tensor sign_factor(const Tensor& x, const Tensor& log, const Tensor& y) {
  const DType t = x.dtype();
  const double below_one = std::nextafter(1.0, 0.0);
  const Tensor parity = mod(y, literal(y, t, 2));
  const Tensor passed = less_than(literals(y, t, {0, below_one, 1}), parity.unsqueeze(parity.rank()));
  const Tensor kind = cast(passed, DType::i32).sum({-1});

  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Shape shape{2, 2, 4};
  const Tensor factors = literals(x, t, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, 1, 1, nan, -1, nan}).reshape(shape);
  const Tensor indices[] = {signbit(x), isfinite(log), kind};
  return gather(factors, Map(x.shape(), shape, {Expr::slot(0, 0, 1), Expr::slot(1, 0, 1), Expr::slot(2, 0, 3)}),
                indices);
}

Tensor pow_of_f64(const Tensor& base, const Tensor& exponent) {
  const Shape shape = broadcast_shape("pow", {&base, &exponent});
  const Tensor x = base.expand(shape);
  const Tensor y = exponent.expand(shape);
  const Tensor log = log2(abs(x));
  // Clamped so that 0·inf is 0: 1^inf and inf^0 are 1.
  const double f = largest_finite(DType::f64);
  const Tensor factors = clamp(pair("pow", log, y), -f, f);
  const Tensor magnitude = exp2(mul(factors.select(-1, 0), factors.select(-1, 1)));
  const Tensor power = mul(magnitude, sign_factor(x, log, y));
  // 1^NaN and NaN^0 are 1: where the square of x − 1 or of y vanishes.
  const Tensor distance = pair("pow", x + -1.0, y);
  const Tensor is_one = less_than(mul(distance, distance), literal(x, x.dtype(), 0x1p-1022)).max({-1});
  return where(is_one, 1.0, power);
}

}  // namespace

Tensor pow(const Tensor& x, const Tensor& y) {
  require_float("pow", x);
  require_same_dtype("pow", x, y);
  return as(pow_of_f64(as(x, DType::f64), as(y, DType::f64)), x.dtype());
}

Tensor pow(const Tensor& x, double y) {
  require_float("pow", x);
  const auto squared = [](const Tensor& v) { return mul(v, v); };
  if (y == 1) return x;
  if (y == -1) return via_f32(x, [](const Tensor& v) { return recip(v); });
  if (y == 0.5) return via_f32(x, [](const Tensor& v) { return sqrt(v); });
  if (y == -0.5) return rsqrt(x);
  if (y == 2) return via_f32(x, squared);
  if (y == -2) return via_f32(x, [&](const Tensor& v) { return recip(squared(v)); });
  if (y == 3) return via_f32(x, [&](const Tensor& v) { return mul(v, squared(v)); });
  if (y == 4) return via_f32(x, [&](const Tensor& v) { return squared(squared(v)); });
  return pow(x, literal(x, x.dtype(), y));
}

}  // namespace quince::nn
