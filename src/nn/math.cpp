// Exponentials, logarithms, powers and trigonometry.
#include "quince/nn/math.h"

#include <cmath>

#include "nn/lanes.h"
#include "nn/polynomial.h"
#include "quince/error.h"
#include "quince/nn/elementwise.h"

namespace quince::nn {

Tensor exp(const Tensor& x) {
  require_float("exp", x);
  return wider(x, [](const Tensor& v) { return exp2(v * kLog2E); });
}

Tensor log(const Tensor& x) {
  require_float("log", x);
  return wider(x, [](const Tensor& v) { return log2(v) * kLn2; });
}

Tensor log1p(const Tensor& x) {
  require_float("log1p", x);
  return wider(x, [](const Tensor& v) { return log2(v + 1.0) * kLn2; });
}

Tensor expm1(const Tensor& x) {
  require_float("expm1", x);
  return wider(x, [](const Tensor& v) { return exp2(v * kLog2E) + -1.0; });
}

Tensor log10(const Tensor& x) {
  require_float("log10", x);
  return wider(x, [](const Tensor& v) { return log2(v) * 0.30102999566398119521; });
}

Tensor rsqrt(const Tensor& x) {
  require_float("rsqrt", x);
  return via_f32(x, [](const Tensor& v) { return recip(sqrt(v)); });
}

Tensor cos(const Tensor& x) {
  require_float("cos", x);
  return via_f32(x, [](const Tensor& v) {
    const Tensor half = sin(v * 0.5);
    return mul(half, half) * -2.0 + 1.0;
  });
}

Tensor tan(const Tensor& x) {
  require_float("tan", x);
  return wider(x, [](const Tensor& v) { return mul(sin(v), recip(cos(v))); });
}

Tensor erf(const Tensor& x) {
  require_float("erf", x);
  // 2·atanh(erf x)·L/x as a polynomial in x²: Lawson-weighted least squares on (0, 4.2] and (0, 4.4], weighted by
  // what erf gains over PyTorch's tolerance. The leading coefficients are positive, so ±inf give ±1.
  static constexpr double kDegree4[] = {3.2557565857454955, 0.2969893585047078, -0.0014225861360639064,
                                        -0.0012007226409972032, 9.321654382864912e-05};
  static constexpr double kDegree6[] = {3.2558152002822665,     0.2965216830691303,     -0.0005384270175173895,
                                        -0.0018004362306573327, 0.00025712360280524696, -1.7007729358771446e-05,
                                        4.4448098512201906e-07};
  return via_f32(x, [](const Tensor& v) {
    const Tensor square = mul(v, v);
    const Tensor p = v.dtype() == DType::f64 ? horner(square, kDegree6) : horner(square, kDegree4);
    return recip(exp2(mul(v, p)) + 1.0) * -2.0 + 1.0;
  });
}

}  // namespace quince::nn
