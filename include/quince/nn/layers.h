// Matrix products and normalisations.
#pragma once

#include <optional>

#include "quince/graph/tensor.h"

namespace quince::nn {

/// a[…, m, k] × b[…, k, n] → […, m, n]; leading axes broadcast; a rank-1 operand is a row or a column, as PyTorch's.
/// Σ of Mul, via f32. n = 2 (16-bit 5); t about 1e-7·max. Integers narrower than 32 bits give i32 (n = 4), others
/// wrap.
Tensor matmul(const Tensor& a, const Tensor& b);
/// x[…, in] × weight[out, in] → […, out], + bias[out], via f32. n = 2, 3 with a bias.
Tensor linear(const Tensor& x, const Tensor& weight, const std::optional<Tensor>& bias = std::nullopt);

/// (x − mean)·rsqrt(var + ε)·weight + bias over the last axis, via f32; weight and bias are [width]. n = 12 with both.
/// t 0.09.
Tensor layer_norm(const Tensor& x, const std::optional<Tensor>& weight, const std::optional<Tensor>& bias, double eps);
/// x·rsqrt(mean(x²) + ε)·weight over the last axis, via f32. n = 8. t 0.09.
Tensor rms_norm(const Tensor& x, const Tensor& weight, double eps);

}  // namespace quince::nn
