// The fifteen ops of the tensor API: each checks its operands and appends one node.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "graph/shapes.h"
#include "quince/error.h"
#include "quince/graph/tensor.h"

namespace quince {
namespace {

Tensor whole(Graph& graph, NodeId id) { return {&graph, id, View{Map::identity(graph.node(id).shape), {}}}; }

void need_valid(Op op, const Tensor& x) {
  if (!x.valid()) throw Error(ErrorCode::invalid_argument, fmt::format("{} of an empty tensor", name(op)));
}

Tensor unary(Op op, const Tensor& x, DType result) {
  need_valid(op, x);
  Graph& graph = x.graph();
  return whole(graph, graph.append({.op = op, .dtype = result, .shape = x.shape(), .operands = {x.operand()}}));
}

Tensor binary(Op op, const Tensor& a, const Tensor& b) {
  need_valid(op, a);
  need_valid(op, b);
  Graph& graph = a.graph();
  if (&graph != &b.graph()) {
    throw Error(ErrorCode::invalid_argument, fmt::format("{} of tensors of two graphs", name(op)));
  }
  if (a.dtype() != b.dtype()) {
    throw Error(ErrorCode::dtype_mismatch, fmt::format("{} of {} and {}: the operands differ in dtype", name(op),
                                                       describe(graph, a.operand()), describe(graph, b.operand())));
  }
  Shape shape = broadcast(a.shape(), b.shape(), graph.facts(), [&](Expr x, Expr y) {
    throw Error(ErrorCode::shape_mismatch,
                fmt::format("{} of {} and {}: {} and {} do not broadcast", name(op), describe(graph, a.operand()),
                            describe(graph, b.operand()), to_string(x), to_string(y)));
  });
  const Operand x = a.expand(shape).operand();
  const Operand y = b.expand(shape).operand();
  const DType result = op == Op::less_than ? DType::boolean : a.dtype();
  return whole(graph, graph.append({.op = op, .dtype = result, .shape = std::move(shape), .operands = {x, y}}));
}

Tensor reduce(Op op, const Tensor& x, const std::vector<int>& axes, bool keep) {
  need_valid(op, x);
  const int rank = x.rank();
  std::vector<bool> reduced(static_cast<std::size_t>(rank), false);
  for (int axis : axes) {
    const int a = axis < 0 ? axis + rank : axis;
    if (a < 0 || a >= rank || reduced[static_cast<std::size_t>(a)]) {
      throw Error(ErrorCode::out_of_range, fmt::format("{} of {}: axis {} does not exist or is named twice", name(op),
                                                       describe(x.graph(), x.operand()), axis));
    }
    reduced[static_cast<std::size_t>(a)] = true;
  }
  std::vector<int> order;
  Shape shape;
  for (int a = 0; a < rank; ++a) {
    if (reduced[static_cast<std::size_t>(a)]) continue;
    order.push_back(a);
    shape.push_back(x.shape()[static_cast<std::size_t>(a)]);
  }
  for (int a = 0; a < rank; ++a) {
    if (reduced[static_cast<std::size_t>(a)]) order.push_back(a);
  }
  Graph& graph = x.graph();
  const NodeId id = graph.append({.op = op,
                                  .dtype = x.dtype(),
                                  .shape = std::move(shape),
                                  .operands = {x.permute(order).operand()},
                                  .reduced = static_cast<int>(axes.size())});
  Tensor result = whole(graph, id);
  for (int a = 0; keep && a < rank; ++a) {
    if (reduced[static_cast<std::size_t>(a)]) result = result.unsqueeze(a);
  }
  return result;
}

}  // namespace

Tensor Tensor::sum(const std::vector<int>& axes, bool keep) const { return reduce(Op::sum_reduce, *this, axes, keep); }
Tensor Tensor::max(const std::vector<int>& axes, bool keep) const { return reduce(Op::max_reduce, *this, axes, keep); }

Tensor Tensor::pinned() const {
  graph_->pin(node_);
  return *this;
}

Tensor log2(const Tensor& x) { return unary(Op::log2, x, x.dtype()); }
Tensor exp2(const Tensor& x) { return unary(Op::exp2, x, x.dtype()); }
Tensor sin(const Tensor& x) { return unary(Op::sin, x, x.dtype()); }
Tensor sqrt(const Tensor& x) { return unary(Op::sqrt, x, x.dtype()); }
Tensor recip(const Tensor& x) { return unary(Op::recip, x, x.dtype()); }
Tensor cast(const Tensor& x, DType to) { return unary(Op::cast, x, to); }
Tensor add(const Tensor& a, const Tensor& b) { return binary(Op::add, a, b); }
Tensor mul(const Tensor& a, const Tensor& b) { return binary(Op::mul, a, b); }
Tensor mod(const Tensor& a, const Tensor& b) { return binary(Op::mod, a, b); }
Tensor less_than(const Tensor& a, const Tensor& b) { return binary(Op::less_than, a, b); }
Tensor operator+(const Tensor& a, double b) { return a + a.graph().scalar(a.dtype(), b); }
Tensor operator*(const Tensor& a, double b) { return a * a.graph().scalar(a.dtype(), b); }

Tensor gather(const Tensor& data, const Map& map, std::span<const Tensor> indices) {
  need_valid(Op::gather, data);
  Graph& graph = data.graph();
  if (!same_shape(map.source(), data.shape())) {
    throw Error(ErrorCode::shape_mismatch, fmt::format("Gather of {}: the map reads {}",
                                                       describe(graph, data.operand()), to_string(map.source())));
  }
  View view{compose(data.view().map, map), {}};
  for (const Mask& mask : data.view().masks) view.masks.push_back({pull(mask.predicate, map), mask.fill});
  Node node{.op = Op::gather, .dtype = data.dtype(), .shape = map.domain()};
  node.operands.push_back({data.node(), std::move(view)});
  for (const Tensor& index : indices) node.operands.push_back(index.expand(map.domain()).operand());
  return whole(graph, graph.append(std::move(node)));
}

Tensor take(const Tensor& data, int axis, const Tensor& index) {
  const int rank = data.rank();
  const int a = axis < 0 ? axis + rank : axis;
  if (a < 0 || a >= rank) {
    throw Error(ErrorCode::out_of_range,
                fmt::format("Gather of {}: there is no axis {}", describe(data.graph(), data.operand()), axis));
  }
  Shape domain(data.shape().begin(), data.shape().begin() + a);
  domain.insert(domain.end(), index.shape().begin(), index.shape().end());
  domain.insert(domain.end(), data.shape().begin() + a + 1, data.shape().end());
  const std::vector<Expr> axes = axes_of(domain);
  std::vector<Expr> coords(axes.begin(), axes.begin() + a);
  coords.push_back(Expr::slot(0, 0, data.extent(a) - 1));
  coords.insert(coords.end(), axes.begin() + a + index.rank(), axes.end());
  // The index does not depend on data's other axes: it is read at its own axes only.
  const std::vector<Expr> index_coords(axes.begin() + a, axes.begin() + a + index.rank());
  const Tensor spread = index.at(Map(domain, index.shape(), index_coords));
  return gather(data, Map(domain, data.shape(), coords), std::span(&spread, 1));
}

Tensor scatter(const Tensor& dest, const Tensor& src, std::vector<Expr> target, std::span<const Tensor> indices) {
  need_valid(Op::scatter, dest);
  need_valid(Op::scatter, src);
  Graph& graph = dest.graph();
  Node node{.op = Op::scatter, .dtype = dest.dtype(), .shape = dest.shape()};
  node.operands = {dest.operand(), src.operand()};
  for (const Tensor& index : indices) node.operands.push_back(index.expand(src.shape()).operand());
  node.target = std::move(target);
  return whole(graph, graph.append(std::move(node)));
}

}  // namespace quince
