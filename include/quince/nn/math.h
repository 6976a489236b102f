// Exponentials, logarithms, powers and trigonometry of floats.
#pragma once

#include "quince/graph/tensor.h"

namespace quince::nn {

/// e^x, one step wider: Exp2(Lx), L = log₂ e. n = 4. f32 u 0.5; f64 (n = 2) u 392 at the largest arguments.
Tensor exp(const Tensor& x);
/// ln x, one step wider: l·Log2 x. n = 4. f32 u 0.5, f64 u 1.
Tensor log(const Tensor& x);
/// ln(1 + x), one step wider: log(1 + x). n = 5. f32 u 0.5; relative accuracy is lost below 1e-8.
Tensor log1p(const Tensor& x);
/// e^x − 1, one step wider: exp(x) − 1. n = 5. f32 u 0.5; relative accuracy is lost below 1e-8; −0 gives +0.
Tensor expm1(const Tensor& x);
/// log₁₀ x, one step wider. n = 4.
Tensor log10(const Tensor& x);

/// 1/√x, via f32: Recip Sqrt. n = 2. =
Tensor rsqrt(const Tensor& x);
/// x^y in f64: Exp2(y·Log2|x|) with both factors clamped to finite values, times 1, −1 or NaN by the sign of x and the
/// parity of y; 1 where x = 1 or y = 0. n = 31. All edge values of C's pow. f32 u 0.5; f64 loses log₂|y·log₂x| bits,
/// and takes |y| below 1e-305 for 0 where x is 0 or infinite.
Tensor pow(const Tensor& x, const Tensor& y);
/// Constant exponent: −2, −1, −½, ½, 1, 2, 3, 4 by products, Recip and Sqrt, n = 0 to 2 (so ½ and −½ have Sqrt's values
/// at −0 and −inf, as PyTorch's f32 has); others by the general form.
Tensor pow(const Tensor& x, double y);

/// cos x = 1 − 2·Sin²(x/2), via f32. n = 5. t 0.02 at any x; relative accuracy is lost at the zeros.
Tensor cos(const Tensor& x);
/// tan x, one step wider: Sin x·Recip(cos x). n = 10. f32 u 0.5; f64 loses relative accuracy at the poles.
Tensor tan(const Tensor& x);
/// erf x, via f32: 1 − 2·Recip(1 + Exp2(x·P(x²))) with P of degree 4, n = 15, t 0.3; f64: degree 6, n = 19, within
/// PyTorch's tolerance of 1e-7.
Tensor erf(const Tensor& x);

}  // namespace quince::nn
