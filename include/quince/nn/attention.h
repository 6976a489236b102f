// Rotary positions and scaled dot-product attention.
#pragma once

#include <optional>
#include <span>

#include "quince/graph/tensor.h"

namespace quince::nn {

/// Which two dims of a head rotate together: (2i, 2i + 1) or (i, i + r/2) of the first r.
enum class RopeLayout { interleaved, half };

/// Tables of the rotation, each positions.shape + [r], r = twice the number of frequencies: per dim the cosine of its
/// pair's angle, and the sine with a minus for the first of the pair.
struct RopeTables {
  Tensor cos;
  Tensor sin;
};
/// angle = position·frequency, in f32, for integer or f32 positions of any shape; frequencies are rounded to f32.
/// n = 8 (7 for f32 positions): Cast, Mul, Sin, and 5 for the cosine.
RopeTables rope_tables(const Tensor& positions, std::span<const double> frequencies, RopeLayout layout);
/// x[…, d] with its first r dims rotated, r the last extent of the tables (as rope_tables makes them), which broadcast
/// against x[…, r]: for x[b, s, h, d] and positions [b, s] give tables.cos.unsqueeze(-2). x·cos + swap(x)·sin, via f32.
/// n = 3. The dims from r on pass through. r is a constant, even and at most d.
Tensor rope(const Tensor& x, const Tensor& cos, const Tensor& sin, RopeLayout layout);

/// bool [b, s, context]: whether cache position j ≤ positions[b, s] (integer). j < positions + 1. n = 3.
Tensor causal_mask(const Tensor& positions, Expr context);

/// Scaled dot-product attention over q[b, s, h, d], k[b, t, g, d], v[b, t, g, e] → [b, s, h, e]; head i reads k and v
/// of head i // (h/g), as a view. softmax(scale·q·k where `valid` else −inf)·v, in f32, cast back. `valid` is bool and
/// broadcasts against [b, s, t]; h and g are constants. n = 13, 15 with a mask. t 0.04. A row with nothing valid gives
/// NaN (PyTorch: 0).
Tensor attention(const Tensor& q, const Tensor& k, const Tensor& v, double scale,
                 const std::optional<Tensor>& valid = std::nullopt);

}  // namespace quince::nn
