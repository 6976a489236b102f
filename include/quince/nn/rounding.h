// Rounding to integers and division.
#pragma once

#include "quince/graph/tensor.h"

namespace quince::nn {

// Of floats; integers are returned as they are. All bit-equal to PyTorch, zero signs and ±inf included.
/// x + Mod(−clamp(x, ±C), −1), C = 2^mantissa bits. n = 5.
Tensor floor(const Tensor& x);
/// −floor(−x). n = 7.
Tensor ceil(const Tensor& x);
/// s·floor(s·x), s = ±1 by x < 0. n = 9.
Tensor trunc(const Tensor& x);
/// Half to even: s·(a − (c − R)), a = s·x, c = min(a, C), R = (c + C) − C pinned. n = 13.
Tensor round(const Tensor& x);

/// a / b of floats as a·Recip(b), via f32. n = 2. u 2.7 (f32), 1 (f64); a denormal b gives inf or NaN.
Tensor div(const Tensor& a, const Tensor& b);
/// a / b correctly rounded: one step wider, n = 5; equal to PyTorch but for ties between denormal results. f64: as
/// `div`, within 1 ulp. Integers: true division, through f32 to f32, n = 7.
Tensor div_exact(const Tensor& a, const Tensor& b);
/// a mod b with the divisor's sign, also of a zero result. n = 1.
Tensor remainder(const Tensor& a, const Tensor& b);
/// ⌊a / b⌋ of integers of up to 32 bits, b ≠ 0: Cast((fa − f(a mod b))·Recip(fb)(1 + ε)), 8 and 16 bits through f32,
/// 32 through f64. n = 11. Wraps for lowest / −1.
Tensor floor_divide(const Tensor& a, const Tensor& b);

}  // namespace quince::nn
