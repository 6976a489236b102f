// Arithmetic, selection and comparison, element by element; all bit-equal to PyTorch but for what is noted.
#pragma once

#include <optional>

#include "quince/graph/tensor.h"

namespace quince::nn {

/// A 0-d constant of x's graph; integers wrap (−1 is the all-ones pattern of an unsigned dtype), floats round.
Tensor literal(const Tensor& like, DType dtype, double value);

/// −x = x·(−1); integers wrap. n = 1.
Tensor neg(const Tensor& x);
/// a − b = a + (−1)·b. n = 2.
Tensor sub(const Tensor& a, const Tensor& b);
inline Tensor operator-(const Tensor& a, const Tensor& b) { return sub(a, b); }
inline Tensor operator-(const Tensor& x) { return neg(x); }
/// |x| = max of the lanes x, −x; the lowest integer stays. Unsigned: x itself. n = 2.
Tensor abs(const Tensor& x);
/// −1, 0 or 1 in x's dtype; NaN gives 0. Σ (1, −1)·Cast([0, x] < [x, 0]). n = 4.
Tensor sign(const Tensor& x);

/// c ? a : b for bool c; a NaN in the branch not taken does not leak. Gather({b; a}, Cast c). n = 3.
Tensor where(const Tensor& c, const Tensor& a, const Tensor& b);
/// One side constant: Gather([a | b], Cast c). n = 2.
Tensor where(const Tensor& c, const Tensor& a, double b);
Tensor where(const Tensor& c, double a, const Tensor& b);
/// x with `value` where the bool mask is true. n = 2.
Tensor masked_fill(const Tensor& x, const Tensor& mask, double value);

/// The larger; NaN spreads. max{a; b}. n = 2. Of +0 and −0 gives +0 (PyTorch's choice depends on operand order).
Tensor maximum(const Tensor& a, const Tensor& b);
/// The smaller; NaN spreads. −max(−{a; b}), n = 4; integers and bool: where(a < b, a, b), n = 4.
Tensor minimum(const Tensor& a, const Tensor& b);
/// min(max(x, lo), hi); a missing bound does not bind. −max[−max[x|lo]|−hi]. n = 4 (lo alone 1, hi alone 3);
/// integers: max[x|lo], then where. n = 4.
Tensor clamp(const Tensor& x, std::optional<double> lo, std::optional<double> hi);
/// minimum(maximum(x, lo), hi). n = 6.
Tensor clamp(const Tensor& x, const Tensor& lo, const Tensor& hi);

// Float classification: float in, bool out.
/// x·0 < 1, pinned. n = 2.
Tensor isfinite(const Tensor& x);
/// −1 < x·x, pinned. n = 2.
Tensor notnan(const Tensor& x);
/// n = 3.
Tensor isnan(const Tensor& x);
/// F < |x|, F the largest finite value. n = 3.
Tensor isinf(const Tensor& x);
/// Whether the sign bit is set, −0 included; false for NaN. Recip(max[x|−0]) < 0. n = 3.
Tensor signbit(const Tensor& x);

// Comparisons: bool out; a comparison with NaN is false, except `ne`.
/// n = 1.
Tensor lt(const Tensor& a, const Tensor& b);
Tensor gt(const Tensor& a, const Tensor& b);
/// Floats: (b < a) < (−1 < max{a; b; −0}), n = 5; integers and bool: not (b < a), n = 2.
Tensor le(const Tensor& a, const Tensor& b);
Tensor ge(const Tensor& a, const Tensor& b);
/// Floats: any(S < S swapped) < ordered with S = {a; b; −0}, n = 6; integers and bool: not (a < b or b < a), n = 4.
Tensor eq(const Tensor& a, const Tensor& b);
/// Floats n = 7; integers and bool: a < b or b < a, n = 3.
Tensor ne(const Tensor& a, const Tensor& b);

// On bool.
/// Mul. n = 1.
Tensor logical_and(const Tensor& p, const Tensor& q);
/// Add. n = 1.
Tensor logical_or(const Tensor& p, const Tensor& q);
/// p < true. n = 1.
Tensor logical_not(const Tensor& p);
/// (p < q) + (q < p). n = 3.
Tensor logical_xor(const Tensor& p, const Tensor& q);

}  // namespace quince::nn
