// Rotary positions and scaled dot-product attention.
#include "quince/nn/attention.h"

#include <fmt/format.h>

#include <limits>
#include <string>

#include "nn/lanes.h"
#include "quince/error.h"
#include "quince/nn/elementwise.h"
#include "quince/nn/layers.h"
#include "quince/nn/math.h"
#include "quince/nn/reduce.h"

namespace quince::nn {
namespace {

/// Where dim i of a rotation of `dims` dims finds the other of its pair.
Expr partner(Expr i, std::int64_t dims, RopeLayout layout) {
  if (layout == RopeLayout::half) return mod(i + dims / 2, dims);
  return i + 1 - 2 * mod(i, 2);
}

/// Whether dim i is the first of its pair, and which pair it is.
bool is_first(std::int64_t i, std::int64_t dims, RopeLayout layout) {
  return layout == RopeLayout::half ? i < dims / 2 : i % 2 == 0;
}
std::int64_t pair_of(std::int64_t i, std::int64_t dims, RopeLayout layout) {
  return layout == RopeLayout::half ? i % (dims / 2) : i / 2;
}

void require_rank(std::string_view operand, const Tensor& x, int rank) {
  if (x.rank() != rank) {
    throw Error(ErrorCode::shape_mismatch,
                fmt::format("{} has shape {}, not rank {}", operand, to_string(x.shape()), rank), "attention");
  }
}

void require_equal_extent(std::string_view what, const Tensor& a, const Tensor& b, int axis_a, int axis_b) {
  if (!equal_extents(a, a.extent(axis_a), b.extent(axis_b))) {
    throw Error(ErrorCode::shape_mismatch,
                fmt::format("{} differ in shapes {} and {}", what, to_string(a.shape()), to_string(b.shape())),
                "attention");
  }
}

/// x[b, t, g, d] as [b, t, h, d] whose head i is x's head i // (h/g).
Tensor share_heads(const Tensor& x, Expr heads) {
  const auto h = heads.as_constant();
  const auto g = x.extent(2).as_constant();
  if (!h || !g || *g == 0 || *h % *g != 0) {
    throw Error(ErrorCode::shape_mismatch,
                fmt::format("{} heads cannot share the {} of shape {}", to_string(heads), to_string(x.extent(2)),
                            to_string(x.shape())),
                "attention");
  }
  Shape shape = x.shape();
  shape[2] = heads;
  std::vector<Expr> coords = axes_of(shape);
  coords[2] = floor_div(coords[2], *h / *g);
  return x.at(Map(std::move(shape), x.shape(), std::move(coords)));
}

}  // namespace

RopeTables rope_tables(const Tensor& positions, std::span<const double> frequencies, RopeLayout layout) {
  if (frequencies.empty()) throw Error(ErrorCode::invalid_argument, "no frequencies", "rope_tables");
  if (positions.dtype() != DType::f32) require_integer("rope_tables", positions);
  const auto dims = static_cast<std::int64_t>(2 * frequencies.size());
  // A negative frequency where the sine needs its minus: Sin is odd, and the cosine does not see the sign.
  Array signed_frequencies = Array::zeros(DType::f32, {dims});
  for (std::int64_t i = 0; i < dims; ++i) {
    const double f = frequencies[pair_of(i, dims, layout)];
    signed_frequencies.set(i, Scalar::of(DType::f32, is_first(i, dims, layout) ? -f : f));
  }
  const Tensor position = as(positions, DType::f32).unsqueeze(positions.rank());
  const Tensor angle = mul(position, positions.graph().constant(std::move(signed_frequencies)));
  return {cos(angle), sin(angle)};
}

Tensor rope(const Tensor& x, const Tensor& cos, const Tensor& sin, RopeLayout layout) {
  require_float("rope", x);
  const auto dims = cos.rank() > 0 ? cos.extent(-1).as_constant() : std::nullopt;
  const auto width = x.rank() > 0 ? x.extent(-1).as_constant() : std::nullopt;
  if (!dims || !width || *dims < 2 || *dims % 2 != 0 || *dims > *width || !same_shape(cos.shape(), sin.shape())) {
    throw Error(ErrorCode::shape_mismatch,
                fmt::format("tables of shapes {} and {} for an operand of shape {}", to_string(cos.shape()),
                            to_string(sin.shape()), to_string(x.shape())),
                "rope");
  }
  std::vector<Expr> coords = axes_of(x.shape());
  const Expr last = coords.back();
  coords.back() = partner(last, *dims, layout);
  const std::int64_t tail = *width - *dims;
  return via_f32(x, [&](const Tensor& v) {
    Tensor swapped = v.at(Map(v.shape(), v.shape(), coords));
    Tensor c = as(cos, v.dtype());
    Tensor s = as(sin, v.dtype());
    if (tail > 0) {  // x·1 + 0·(−0) is x, bit for bit
      swapped = swapped.masked(lt(last, *dims), 0);
      c = c.pad(-1, 0, tail, 1);
      s = s.pad(-1, 0, tail, -0.0);
    }
    return add(mul(v, c), mul(swapped, s));
  });
}

Tensor causal_mask(const Tensor& positions, Expr context) {
  require_integer("causal_mask", positions);
  const Tensor j = positions.graph().iota(positions.dtype(), {context}, Expr::axis(0, context));
  return less_than(j, (positions + 1.0).unsqueeze(positions.rank()));
}

Tensor attention(const Tensor& q, const Tensor& k, const Tensor& v, double scale, const std::optional<Tensor>& valid) {
  require_float("attention", q);
  require_same_dtype("attention", q, k);
  require_same_dtype("attention", q, v);
  require_rank("q", q, 4);
  require_rank("k", k, 4);
  require_rank("v", v, 4);
  require_equal_extent("the widths of q and k", q, k, 3, 3);
  require_equal_extent("the contexts of k and v", k, v, 1, 1);
  require_equal_extent("the heads of k and v", k, v, 2, 2);
  const DType wide = at_least_f32(q.dtype());
  const Expr heads = q.extent(2);
  const Tensor queries = as(q, wide).permute({0, 2, 1, 3}).unsqueeze(3);                   // [b, h, s, 1, d]
  const Tensor keys = share_heads(as(k, wide), heads).permute({0, 2, 1, 3}).unsqueeze(2);  // [b, h, 1, t, d]
  Tensor scores = mul(queries, keys).sum({-1}) * scale;                                    // [b, h, s, t]
  if (valid) {
    scores = where(valid->rank() > 2 ? valid->unsqueeze(-3) : *valid, scores, -std::numeric_limits<double>::infinity());
  }
  const Tensor weights = softmax(scores, -1).permute({0, 2, 1, 3}).unsqueeze(3);             // [b, s, h, 1, t]
  const Tensor values = share_heads(as(v, wide), heads).permute({0, 2, 3, 1}).unsqueeze(1);  // [b, 1, h, e, t]
  return as(mul(weights, values).sum({-1}), q.dtype());
}

}  // namespace quince::nn
