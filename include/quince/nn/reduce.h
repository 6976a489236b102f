// Reductions, scans, softmax. Axes count from 0, negative ones from the end; `keep` leaves extents of 1.
#pragma once

#include <vector>

#include "quince/graph/tensor.h"

namespace quince::nn {

/// Arithmetic mean of floats, via f32: Σ·(1/n). n = 2 (5 where the count has symbolic dims). t 0.2; of nothing NaN.
Tensor mean(const Tensor& x, const std::vector<int>& axes, bool keep = false);
/// Σ(x − mean)²/(n − correction) of floats, via f32, two passes. n = 6 for a constant count. f32 within 6e-8.
Tensor var(const Tensor& x, const std::vector<int>& axes, int correction = 1, bool keep = false);
/// Product along one axis of constant extent: a halving tree of Muls. n = ⌈log₂ extent⌉. Integers =. Error
/// (unsupported) for a symbolic extent.
Tensor prod(const Tensor& x, int axis, bool keep = false);
/// n = 1; of nothing −inf or the lowest integer. =
Tensor amax(const Tensor& x, const std::vector<int>& axes, bool keep = false);
/// Floats −max(−x), n = 3; integers −1 − max(−1 − x), n = 5; bool as `all`. =
Tensor amin(const Tensor& x, const std::vector<int>& axes, bool keep = false);
/// i64 position of the first largest element; where a NaN is present 0. −max where(x < m, lowest, −j). n = 7.
/// PyTorch gives the NaN's position.
Tensor argmax(const Tensor& x, int axis, bool keep = false);
/// Of bool. n = 1.
Tensor any(const Tensor& p, const std::vector<int>& axes, bool keep = false);
/// Of bool: not any(not p). n = 3.
Tensor all(const Tensor& p, const std::vector<int>& axes, bool keep = false);
/// Running sum along one axis, via f32: Σ over j ≤ i of a masked triangle, O(extent²) work. n = 1.
Tensor cumsum(const Tensor& x, int axis);

/// e^(x − m)/Σ along one axis, via f32. n = 8. t 0.01; a row of −inf gives NaN, as PyTorch's.
Tensor softmax(const Tensor& x, int axis);
/// (x − m) − ln Σ e^(x − m), via f32. n = 9. t 0.05.
Tensor log_softmax(const Tensor& x, int axis);
/// ln Σ e^x, via f32, with the maximum clamped to finite values in the exponent. n = 11. t 0.05; rows of −inf or with
/// +inf right.
Tensor logsumexp(const Tensor& x, int axis, bool keep = false);

/// The k largest elements along one axis and their i64 positions, largest first, the first of equals first; the two
/// have extent k there.
struct TopK {
  Tensor values;
  Tensor indices;
};
/// k rounds of argmax and Scatter of the lowest value: about 8k nodes plus 2(k − 1) concatenations, so for small k; k
/// is at least 1. No NaN, and no element equal to −inf or the lowest integer among the k largest.
TopK topk(const Tensor& x, int k, int axis = -1);

}  // namespace quince::nn
