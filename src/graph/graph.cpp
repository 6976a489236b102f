// Building a graph: leaves, names, outputs, assumptions, and the dims they mention.
#include "quince/graph/graph.h"

#include <fmt/format.h>

#include <algorithm>

#include "graph/check.h"
#include "graph/linear_state.h"
#include "quince/graph/tensor.h"

namespace quince {
namespace {

/// A predicate as a conjunction of expressions known to be ≥ 0.
void collect_facts(Expr predicate, std::vector<Expr>& facts) {
  if (predicate.kind() == ExprKind::not_negative) {
    facts.push_back(predicate.operands()[0]);
  } else if (predicate.kind() == ExprKind::all) {
    for (Expr part : predicate.operands()) collect_facts(part, facts);
  }
}

}  // namespace

std::string describe(const Graph& graph, const Operand& operand) {
  if (operand.node >= graph.nodes().size()) return fmt::format("%{}", operand.node);
  const Node& node = graph.node(operand.node);
  return fmt::format("%{}{} {}{}", operand.node, node.name.empty() ? "" : fmt::format(" '{}'", node.name),
                     name(node.dtype), to_string(operand.view.map.domain()));
}

void Graph::note_dims(Expr e, std::string_view where) {
  for (Expr dim : collect(e, ExprKind::dim)) {
    if (dim.dim_name() == "else" || dim.dim_name() == "where") {
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("{}: '{}' is a word of the graph's text and cannot name a dim", where, dim.dim_name()));
    }
    const auto [it, added] = dims_.emplace(dim.dim_name(), dim);
    if (!added && it->second != dim) {
      throw Error(
          ErrorCode::invalid_argument,
          fmt::format("{}: dim '{}' is declared twice, with different ranges or multiples", where, dim.dim_name()));
    }
  }
}

void Graph::note_dims(const View& view, std::string_view where) {
  for (Expr extent : view.map.domain()) note_dims(extent, where);
  for (Expr coord : view.map.coords()) note_dims(coord, where);
  for (const Mask& mask : view.masks) note_dims(mask.predicate, where);
}

NodeId Graph::append(Node node) {
  check_node(*this, node);
  for (Operand& operand : node.operands) normalise(operand.view);
  const std::string_view where = name(node.op);
  for (Expr extent : node.shape) note_dims(extent, where);
  note_dims(node.index, where);
  for (Expr coord : node.target) note_dims(coord, where);
  for (const Operand& operand : node.operands) note_dims(operand.view, where);
  if (node.op == Op::input) {
    if (node.name.empty()) throw Error(ErrorCode::invalid_argument, "an Input needs a name");
    if (is_storage_only(node.dtype) && node.is_state) {
      throw Error(ErrorCode::dtype_mismatch,
                  fmt::format("state '{}': {} cannot be written", node.name, name(node.dtype)));
    }
    if (!input_names_.insert(node.name).second) {
      throw Error(ErrorCode::invalid_argument, fmt::format("there are two Inputs named '{}'", node.name));
    }
  }
  if (node.op == Op::scatter) check_state_write(*this, node);
  nodes_.push_back(std::move(node));
  return static_cast<NodeId>(nodes_.size() - 1);
}

void Graph::normalise(View& view) const {
  view.map = Map(view.map.domain(), view.map.source(), view.map.coords(), facts_);
  std::erase_if(view.masks, [](const Mask& mask) { return mask.predicate.is_constant(1); });
}

Tensor Graph::add_leaf(Node node) {
  Map identity = Map::identity(node.shape);
  const NodeId id = append(std::move(node));
  return {this, id, View{std::move(identity), {}}};
}

Tensor Graph::input(std::string_view input_name, DType dtype, Shape shape) {
  return add_leaf({.op = Op::input, .dtype = dtype, .shape = std::move(shape), .name = std::string(input_name)});
}

Tensor Graph::state(std::string_view state_name, DType dtype, Shape shape) {
  return add_leaf(
      {.op = Op::input, .dtype = dtype, .shape = std::move(shape), .is_state = true, .name = std::string(state_name)});
}

Tensor Graph::constant(Array value, std::string_view constant_name) {
  Shape shape(value.shape.begin(), value.shape.end());
  const DType dtype = value.dtype;
  return add_leaf({.op = Op::constant,
                   .dtype = dtype,
                   .shape = std::move(shape),
                   .name = std::string(constant_name),
                   .value = std::move(value)});
}

Tensor Graph::scalar(DType dtype, double value) {
  Array array = Array::zeros(dtype, {});
  array.set(0, Scalar::of(dtype, value));
  return constant(std::move(array));
}

Tensor Graph::iota(DType dtype, Shape shape, Expr index) {
  return add_leaf({.op = Op::iota, .dtype = dtype, .shape = std::move(shape), .index = index});
}

void Graph::output(std::string_view output_name, const Tensor& value) {
  if (output_name.empty()) throw Error(ErrorCode::invalid_argument, "an output needs a name");
  if (!value.valid() || &value.graph() != this) {
    throw Error(ErrorCode::invalid_argument, fmt::format("output '{}' is a tensor of another graph", output_name));
  }
  for (const Output& output : outputs_) {
    if (output.name == output_name) {
      throw Error(ErrorCode::invalid_argument, fmt::format("there are two outputs named '{}'", output_name));
    }
  }
  note_dims(value.view(), "output");
  outputs_.push_back({std::string(output_name), value.operand()});
  normalise(outputs_.back().value.view);
}

void Graph::set_next(const Tensor& state, const Tensor& next) {
  for (const Tensor* tensor : {&state, &next}) {
    if (!tensor->valid() || &tensor->graph() != this) {
      throw Error(ErrorCode::invalid_argument, "set_next takes tensors of this graph");
    }
  }
  check_next(*this, state.operand(), next.operand());
  updates_.push_back({state.node(), next.node()});
}

void Graph::assume(Expr predicate) {
  if (mentions_any_axis(predicate) || mentions_any_slot(predicate)) {
    throw Error(ErrorCode::invalid_argument, fmt::format("the assumption {} is not over dims", to_string(predicate)));
  }
  if (!nodes_.empty()) throw Error(ErrorCode::invalid_argument, "assumptions come before the first node");
  if (predicate.is_constant(0)) throw Error(ErrorCode::invalid_argument, "an assumption can never hold");
  if (predicate.is_constant()) return;
  note_dims(predicate, "assume");
  assumptions_.push_back(predicate);
  collect_facts(predicate, facts_);
}

std::vector<std::int64_t> Graph::count_ops() const {
  std::vector<std::int64_t> counts(kOpCount, 0);
  for (const Node& node : nodes_) ++counts[static_cast<std::size_t>(node.op)];
  return counts;
}

void Graph::verify() const {
  check_states(*this);
  order_edges(*this);
}

}  // namespace quince
