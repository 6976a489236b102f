// Activation functions of floats.
#pragma once

#include "quince/graph/tensor.h"

namespace quince::nn {

/// max[x|0]; −0 gives +0 (PyTorch keeps −0). Integers too. n = 1. =
Tensor relu(const Tensor& x);
/// x where x > 0, else α·x, via f32: max of the lanes x, αx for α ≤ 1, n = 2; −max(−x, −αx) for α > 1, n = 3. =
Tensor leaky_relu(const Tensor& x, double alpha = 0.01);
/// Recip(1 + Exp2(−Lx)), via f32. n = 4. t 0.01.
Tensor sigmoid(const Tensor& x);
/// 1 − 2·Recip(1 + Exp2(2Lx)), via f32. n = 6. t 0.02; −0 gives +0.
Tensor tanh(const Tensor& x);
/// x·sigmoid(x), via f32; −inf gives NaN, as PyTorch's. n = 5. t 0.06.
Tensor silu(const Tensor& x);
/// The tanh form of GELU: x·Recip(1 + Exp2(x(a + bx²))), via f32. n = 8. t 0.04; −inf gives NaN.
Tensor gelu_tanh(const Tensor& x);
/// The exact GELU x·Φ(x), via f32: x·Recip(1 + Exp2(x·Q(x²))), Q of degree 4 a fit of −L·logit(Φ(x))/x. n = 14. t 0.4;
/// f64: degree 6, n = 18. +inf gives inf (PyTorch: NaN).
Tensor gelu(const Tensor& x);
/// ln(1 + e^x), via f32: max[x|0] + l·Log2(1 + Exp2(−L|x|)). n = 9. t 0.05.
Tensor softplus(const Tensor& x);

}  // namespace quince::nn
