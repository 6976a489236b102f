// Activation functions.
#include "quince/nn/activation.h"

#include "nn/lanes.h"
#include "nn/polynomial.h"
#include "quince/nn/elementwise.h"

namespace quince::nn {
namespace {

/// Recip(1 + Exp2(z)) = σ(−z ln 2).
Tensor logistic(const Tensor& z) { return recip(exp2(z) + 1.0); }

}  // namespace

Tensor relu(const Tensor& x) {
  require_number("relu", x);
  return lane(x, 0).max({-1});
}

Tensor leaky_relu(const Tensor& x, double alpha) {
  require_float("leaky_relu", x);
  return via_f32(x, [alpha](const Tensor& v) {
    return alpha <= 1 ? lanes(v, {1, alpha}).max({-1}) : neg(lanes(v, {-1, -alpha}).max({-1}));
  });
}

Tensor sigmoid(const Tensor& x) {
  require_float("sigmoid", x);
  return via_f32(x, [](const Tensor& v) { return logistic(v * -kLog2E); });
}

Tensor tanh(const Tensor& x) {
  require_float("tanh", x);
  return via_f32(x, [](const Tensor& v) { return logistic(v * (2 * kLog2E)) * -2.0 + 1.0; });
}

Tensor silu(const Tensor& x) {
  require_float("silu", x);
  return via_f32(x, [](const Tensor& v) { return mul(v, logistic(v * -kLog2E)); });
}

Tensor gelu_tanh(const Tensor& x) {
  require_float("gelu_tanh", x);
  static constexpr double kA = -2 * kLog2E * 0.79788456080286535588;  // √(2/π)
  static constexpr double kB = kA * 0.044715;
  return via_f32(x, [](const Tensor& v) { return mul(v, logistic(mul(v, mul(v, v) * kB + kA))); });
}

Tensor gelu(const Tensor& x) {
  require_float("gelu", x);
  // −L·logit(Φ(x))/x as a polynomial in x²: Lawson-weighted least squares on (0, 6] and (0, 7], weighted by what the
  // result gains over PyTorch's tolerance. The leading coefficients are negative, so the tails go to x and 0.
  static constexpr double kDegree4[] = {-2.302041964605846, -0.10523310024175918, 0.0003633977276604607,
                                        8.77133855704368e-05, -3.201720552883299e-06};
  static constexpr double kDegree6[] = {-2.3022066824945235,    -0.10483959507155319,    9.619028993288175e-05,
                                        0.00015924045243685586, -1.1435019688502962e-05, 3.841120455319992e-07,
                                        -5.191611404506437e-09};
  return via_f32(x, [](const Tensor& v) {
    const Tensor square = mul(v, v);
    const Tensor q = v.dtype() == DType::f64 ? horner(square, kDegree6) : horner(square, kDegree4);
    return mul(v, logistic(mul(v, q)));
  });
}

Tensor softplus(const Tensor& x) {
  require_float("softplus", x);
  return via_f32(x, [](const Tensor& v) {
    const Tensor correction = log2(exp2(abs(v) * -kLog2E) + 1.0) * kLn2;
    return add(lane(v, 0).max({-1}), correction);
  });
}

}  // namespace quince::nn
