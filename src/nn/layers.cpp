// Matrix products and normalisations.
#include "quince/nn/layers.h"

#include <fmt/format.h>

#include "nn/count.h"
#include "nn/lanes.h"
#include "quince/error.h"
#include "quince/nn/elementwise.h"

namespace quince::nn {
namespace {

/// The dtype products are formed and summed in.
DType accumulation_dtype(DType t) {
  if (is_float(t)) return at_least_f32(t);
  return bit_width(t) < 32 ? DType::i32 : t;
}

[[noreturn]] void shapes_do_not_fit(std::string_view function, const Tensor& a, const Tensor& b) {
  throw Error(ErrorCode::shape_mismatch,
              fmt::format("shapes {} and {} do not fit", to_string(a.shape()), to_string(b.shape())),
              std::string(function));
}

void require_last_extent(std::string_view function, const Tensor& x, const Tensor& vector) {
  if (x.rank() < 1 || vector.rank() != 1 || !equal_extents(x, x.extent(-1), vector.extent(0))) {
    shapes_do_not_fit(function, x, vector);
  }
}

/// v·rsqrt(mean(v²) + ε) over the last axis.
Tensor normalised(const Tensor& v, double eps) {
  const Tensor square = times_reciprocal(mul(v, v).sum({-1}, true), v.extent(-1));
  return mul(v, recip(sqrt(square + eps)));
}

}  // namespace

Tensor matmul(const Tensor& a, const Tensor& b) {
  require_number("matmul", a);
  require_same_dtype("matmul", a, b);
  if (a.rank() < 1 || b.rank() < 1) shapes_do_not_fit("matmul", a, b);
  const bool row = a.rank() == 1;
  const bool column = b.rank() == 1;
  const Tensor left = row ? a.unsqueeze(0) : a;
  const Tensor right = column ? b.unsqueeze(1) : b;
  if (!equal_extents(a, left.extent(-1), right.extent(-2))) shapes_do_not_fit("matmul", a, b);
  const DType wide = accumulation_dtype(a.dtype());
  const Tensor rows = as(left, wide).unsqueeze(-2);                        // […, m, 1, k]
  const Tensor columns = as(right, wide).transpose(-1, -2).unsqueeze(-3);  // […, 1, n, k]
  broadcast_shape("matmul", {&rows, &columns});
  Tensor product = mul(rows, columns).sum({-1});
  if (is_float(a.dtype())) product = as(product, a.dtype());
  if (column) product = product.squeeze(-1);
  if (row) product = product.squeeze(column ? -1 : -2);
  return product;
}

Tensor linear(const Tensor& x, const Tensor& weight, const std::optional<Tensor>& bias) {
  require_float("linear", x);
  require_same_dtype("linear", x, weight);
  if (weight.rank() != 2) shapes_do_not_fit("linear", x, weight);
  if (x.rank() < 1 || !equal_extents(x, x.extent(-1), weight.extent(1))) shapes_do_not_fit("linear", x, weight);
  const DType wide = at_least_f32(x.dtype());
  Tensor y = mul(as(x, wide).unsqueeze(-2), as(weight, wide)).sum({-1});
  if (bias) {
    require_same_dtype("linear", x, *bias);
    require_last_extent("linear", y, *bias);
    y = add(y, as(*bias, wide));
  }
  return as(y, x.dtype());
}

Tensor layer_norm(const Tensor& x, const std::optional<Tensor>& weight, const std::optional<Tensor>& bias, double eps) {
  require_float("layer_norm", x);
  if (x.rank() < 1) throw Error(ErrorCode::shape_mismatch, "an operand without axes", "layer_norm");
  const DType wide = at_least_f32(x.dtype());
  const Tensor v = as(x, wide);
  const Tensor centred = add(v, times_reciprocal(v.sum({-1}, true), v.extent(-1), -1));
  Tensor y = normalised(centred, eps);
  for (const auto* parameter : {&weight, &bias}) {
    if (!*parameter) continue;
    require_same_dtype("layer_norm", x, **parameter);
    require_last_extent("layer_norm", x, **parameter);
    const Tensor p = as(**parameter, wide);
    y = parameter == &weight ? mul(y, p) : add(y, p);
  }
  return as(y, x.dtype());
}

Tensor rms_norm(const Tensor& x, const Tensor& weight, double eps) {
  require_float("rms_norm", x);
  require_same_dtype("rms_norm", x, weight);
  require_last_extent("rms_norm", x, weight);
  const DType wide = at_least_f32(x.dtype());
  return as(mul(normalised(as(x, wide), eps), as(weight, wide)), x.dtype());
}

}  // namespace quince::nn
