// Joining and indexing.
#include "quince/nn/indexing.h"

#include <fmt/format.h>

#include "nn/lanes.h"
#include "quince/error.h"
#include "quince/nn/elementwise.h"

namespace quince::nn {
namespace {

void require_parts(std::string_view function, std::span<const Tensor> parts) {
  if (parts.empty()) throw Error(ErrorCode::invalid_argument, "no tensors", std::string(function));
  for (const Tensor& part : parts) require_same_dtype(function, parts[0], part);
}

/// Whether two shapes agree on every axis but `except`.
bool same_but(const Tensor& a, const Tensor& b, int except) {
  if (a.rank() != b.rank()) return false;
  for (int i = 0; i < a.rank(); ++i) {
    if (i != except && !equal_extents(a, a.extent(i), b.extent(i))) return false;
  }
  return true;
}

[[noreturn]] void shapes_differ(std::string_view function, const Tensor& a, const Tensor& b, int axis) {
  throw Error(ErrorCode::shape_mismatch,
              fmt::format("shapes {} and {} differ beside axis {}", to_string(a.shape()), to_string(b.shape()), axis),
              std::string(function));
}

}  // namespace

Tensor concat(std::span<const Tensor> parts, int axis) {
  require_parts("concat", parts);
  axis = checked_axis("concat", parts[0], axis);
  Expr total = 0;
  for (const Tensor& part : parts) {
    if (!same_but(parts[0], part, axis)) shapes_differ("concat", parts[0], part, axis);
    total = total + part.extent(axis);
  }
  if (parts.size() == 1) return parts[0];
  const double fill = add_identity(parts[0].dtype());
  Tensor joined;
  Expr before = 0;
  for (const Tensor& part : parts) {
    const Tensor placed = part.pad(axis, before, total - before - part.extent(axis), fill);
    joined = joined.valid() ? add(joined, placed) : placed;
    before = before + part.extent(axis);
  }
  return joined;
}

Tensor stack(std::span<const Tensor> parts, int axis) {
  require_parts("stack", parts);
  const int rank = parts[0].rank() + 1;
  if (axis < -rank || axis >= rank) {
    throw Error(ErrorCode::out_of_range,
                fmt::format("axis {} for parts of shape {}", axis, to_string(parts[0].shape())), "stack");
  }
  if (axis < 0) axis += rank;
  std::vector<Tensor> unsqueezed;
  for (const Tensor& part : parts) {
    if (!same_but(parts[0], part, -1)) shapes_differ("stack", parts[0], part, axis);
    unsqueezed.push_back(part.unsqueeze(axis));
  }
  return concat(unsqueezed, axis);
}

Tensor index_select(const Tensor& x, int axis, const Tensor& index) {
  require_integer("index_select", index);
  return take(x, checked_axis("index_select", x, axis), index);
}

Tensor gather_along(const Tensor& x, int axis, const Tensor& index) {
  require_integer("gather_along", index);
  axis = checked_axis("gather_along", x, axis);
  if (!same_but(x, index, axis)) shapes_differ("gather_along", x, index, axis);
  std::vector<Expr> coords = axes_of(index.shape());
  coords[axis] = Expr::slot(0, 0, x.extent(axis) - 1);
  const Tensor slots[] = {index};
  return gather(x, Map(index.shape(), x.shape(), std::move(coords)), slots);
}

Tensor embedding(const Tensor& ids, const Tensor& table) {
  require_integer("embedding", ids);
  if (table.rank() != 2) {
    throw Error(ErrorCode::shape_mismatch,
                fmt::format("a table of shape {} where [rows, width] is needed", to_string(table.shape())),
                "embedding");
  }
  return take(table, 0, ids);
}

Tensor one_hot(const Tensor& ids, Expr classes, DType dtype) {
  require_integer("one_hot", ids);
  Shape shape = ids.shape();
  shape.push_back(classes);
  std::vector<Expr> target = axes_of(ids.shape());
  constexpr std::int64_t kAnywhere = std::int64_t{1} << 40;  // a range that makes no promise: outside is dropped
  target.push_back(Expr::slot(0, -kAnywhere, kAnywhere));
  const Tensor slots[] = {ids};
  return scatter(literal(ids, dtype, 0).expand(std::move(shape)), literal(ids, dtype, 1).expand(ids.shape()),
                 std::move(target), slots);
}

}  // namespace quince::nn
