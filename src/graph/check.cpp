// The structural rules of docs/ops.md: operand counts, dtypes, shapes, views, slots and fills of one node.
#include "graph/check.h"

#include <fmt/format.h>

namespace quince {
namespace {

[[noreturn]] void fail(ErrorCode code, const Graph& graph, const Node& node, std::string_view what) {
  std::string operands;
  for (const Operand& operand : node.operands) {
    operands += operands.empty() ? " of " : ", ";
    operands += describe(graph, operand);
  }
  throw Error(code, fmt::format("{}{}: {}", name(node.op), operands, what));
}

DType source_dtype(const Graph& graph, const Operand& operand) { return graph.node(operand.node).dtype; }

Shape reduction_domain_prefix(const Shape& domain, int reduced) { return {domain.begin(), domain.end() - reduced}; }

void check_axes(const Graph& graph, const Node& node, Expr e, const Shape& box, bool slots_allowed,
                std::string_view where) {
  for (Expr axis : collect(e, ExprKind::axis)) {
    const auto position = static_cast<std::size_t>(axis.value());
    if (position >= box.size() || axis != Expr::axis(static_cast<int>(position), box[position])) {
      fail(ErrorCode::shape_mismatch, graph, node,
           fmt::format("the {} {} reads {}, which is not an axis of {}", where, to_string(e), to_string(axis),
                       to_string(box)));
    }
  }
  if (!slots_allowed && mentions_any_slot(e)) {
    fail(ErrorCode::invalid_argument, graph, node, fmt::format("the {} {} mentions a slot", where, to_string(e)));
  }
}

void check_view(const Graph& graph, const Node& node, std::size_t index, const Shape& domain, bool slots_allowed) {
  const Operand& operand = node.operands[index];
  if (operand.node >= graph.nodes().size()) {
    throw Error(ErrorCode::not_found,
                fmt::format("{}: operand {} is node %{}, which does not exist", name(node.op), index, operand.node));
  }
  const Node& source = graph.node(operand.node);
  const View& view = operand.view;
  if (!same_shape(view.map.source(), source.shape)) {
    fail(ErrorCode::shape_mismatch, graph, node,
         fmt::format("operand {} is read as {} but its shape is {}", index, to_string(view.map.source()),
                     to_string(source.shape)));
  }
  if (!same_shape(view.map.domain(), domain)) {
    fail(ErrorCode::shape_mismatch, graph, node,
         fmt::format("operand {} has shape {} where {} is needed", index, to_string(view.map.domain()),
                     to_string(domain)));
  }
  for (Expr coord : view.map.coords()) check_axes(graph, node, coord, view.map.domain(), slots_allowed, "map");
  for (const Mask& mask : view.masks) {
    check_axes(graph, node, mask.predicate, view.map.domain(), slots_allowed, "mask");
    if (mask.fill.dtype != source.dtype) {
      fail(ErrorCode::dtype_mismatch, graph, node,
           fmt::format("a mask of operand {} fills with {}", index, name(mask.fill.dtype)));
    }
  }
}

void check_count(const Graph& graph, const Node& node, std::size_t lo, std::size_t hi) {
  if (node.operands.size() < lo || node.operands.size() > hi) {
    fail(ErrorCode::invalid_argument, graph, node,
         fmt::format("takes {} operands, not {}", lo == hi ? fmt::format("{}", lo) : fmt::format("{} to {}", lo, hi),
                     node.operands.size()));
  }
}

/// Of the first `count` operands.
void check_same_dtype(const Graph& graph, const Node& node, std::size_t count) {
  for (std::size_t i = 1; i < count; ++i) {
    if (source_dtype(graph, node.operands[i]) != source_dtype(graph, node.operands[0])) {
      fail(ErrorCode::dtype_mismatch, graph, node, "the operands differ in dtype");
    }
  }
}

void check_result(const Graph& graph, const Node& node, DType expected) {
  if (node.dtype != expected) {
    fail(ErrorCode::dtype_mismatch, graph, node,
         fmt::format("the result is {}, not {}", name(expected), name(node.dtype)));
  }
}

void check_slots(const Graph& graph, const Node& node, std::size_t first, int used, const Shape& domain) {
  const auto given = static_cast<int>(node.operands.size() - first);
  if (used > given) {
    fail(ErrorCode::invalid_argument, graph, node,
         fmt::format("the coordinates use {} slots but {} are given", used, given));
  }
  for (std::size_t i = first; i < node.operands.size(); ++i) {
    check_view(graph, node, i, domain, false);
    const DType t = source_dtype(graph, node.operands[i]);
    if (is_storage_only(t) || !(is_integer(t) || t == DType::boolean)) {
      fail(ErrorCode::dtype_mismatch, graph, node, fmt::format("slot {} is {}, not an integer", i - first, name(t)));
    }
  }
}

void check_computable(const Graph& graph, const Node& node) {
  const DType t = source_dtype(graph, node.operands[0]);
  if (is_storage_only(t)) {
    fail(ErrorCode::dtype_mismatch, graph, node, fmt::format("{} is for storage; Cast it first", name(t)));
  }
}

void check_operands_alike(const Graph& graph, const Node& node, std::size_t count) {
  check_count(graph, node, count, count);
  for (std::size_t i = 0; i < count; ++i) check_view(graph, node, i, node.shape, false);
  check_computable(graph, node);
  check_same_dtype(graph, node, count);
}

void check_reduction(const Graph& graph, const Node& node) {
  check_count(graph, node, 1, 1);
  const Shape& domain = node.operands[0].view.map.domain();
  if (node.reduced < 0 || static_cast<std::size_t>(node.reduced) > domain.size()) {
    fail(ErrorCode::invalid_argument, graph, node,
         fmt::format("cannot reduce {} axes of {}", node.reduced, to_string(domain)));
  }
  check_view(graph, node, 0, domain, false);
  check_computable(graph, node);
  if (!same_shape(reduction_domain_prefix(domain, node.reduced), node.shape)) {
    fail(ErrorCode::shape_mismatch, graph, node, fmt::format("the result's shape is not {}", to_string(node.shape)));
  }
  const DType t = source_dtype(graph, node.operands[0]);
  if (node.op == Op::sum_reduce && t == DType::boolean) {
    fail(ErrorCode::dtype_mismatch, graph, node, "bools cannot be summed; Cast them first");
  }
  check_result(graph, node, t);
}

void check_gather(const Graph& graph, const Node& node) {
  check_count(graph, node, 1, 4);
  check_view(graph, node, 0, node.shape, true);
  const View& view = node.operands[0].view;
  int used = view.map.slot_count();
  for (const Mask& mask : view.masks) used = std::max(used, slot_count(mask.predicate));
  check_slots(graph, node, 1, used, node.shape);
  check_result(graph, node, source_dtype(graph, node.operands[0]));
}

void check_scatter(const Graph& graph, const Node& node) {
  check_count(graph, node, 2, 6);
  check_view(graph, node, 0, node.shape, false);
  const Shape& domain = node.operands[1].view.map.domain();
  check_view(graph, node, 1, domain, false);
  check_same_dtype(graph, node, 2);
  if (node.target.size() != node.shape.size()) {
    fail(ErrorCode::shape_mismatch, graph, node,
         fmt::format("the target has {} coordinates for {} axes", node.target.size(), node.shape.size()));
  }
  int used = 0;
  for (Expr coord : node.target) {
    check_axes(graph, node, coord, domain, true, "target");
    used = std::max(used, slot_count(coord));
  }
  check_slots(graph, node, 2, used, domain);
  check_result(graph, node, source_dtype(graph, node.operands[0]));
}

void check_constant(const Graph& graph, const Node& node) {
  check_count(graph, node, 0, 0);
  if (node.value.dtype != node.dtype) fail(ErrorCode::dtype_mismatch, graph, node, "the value is of another dtype");
  Shape shape(node.value.shape.begin(), node.value.shape.end());
  if (!same_shape(shape, node.shape)) fail(ErrorCode::shape_mismatch, graph, node, "the value is of another shape");
  const std::size_t need = bytes_needed(node.dtype, node.value.shape);
  if (node.value.storage.data() != nullptr && node.value.storage.size() < need) {
    fail(ErrorCode::invalid_argument, graph, node,
         fmt::format("needs {} bytes, its storage has {}", need, node.value.storage.size()));
  }
}

void check_shape(const Graph& graph, const Node& node) {
  for (Expr extent : node.shape) {
    if (mentions_any_axis(extent) || mentions_any_slot(extent)) {
      fail(ErrorCode::invalid_argument, graph, node, fmt::format("the extent {} is not over dims", to_string(extent)));
    }
    if (bounds(extent).hi < 0) {
      fail(ErrorCode::invalid_argument, graph, node, fmt::format("the extent {} is negative", to_string(extent)));
    }
  }
}

}  // namespace

void check_node(const Graph& graph, const Node& node) {
  check_shape(graph, node);
  switch (node.op) {
    case Op::input: check_count(graph, node, 0, 0); return;
    case Op::constant: check_constant(graph, node); return;
    case Op::log2:
    case Op::exp2:
    case Op::sin:
    case Op::sqrt:
    case Op::recip:
      check_operands_alike(graph, node, 1);
      if (!is_float(source_dtype(graph, node.operands[0]))) {
        fail(ErrorCode::dtype_mismatch, graph, node, "needs a float");
      }
      check_result(graph, node, source_dtype(graph, node.operands[0]));
      return;
    case Op::add:
    case Op::mul:
    case Op::mod:
      check_operands_alike(graph, node, 2);
      if (node.op == Op::mod && source_dtype(graph, node.operands[0]) == DType::boolean) {
        fail(ErrorCode::dtype_mismatch, graph, node, "bools have no remainder");
      }
      check_result(graph, node, source_dtype(graph, node.operands[0]));
      return;
    case Op::less_than:
      check_operands_alike(graph, node, 2);
      check_result(graph, node, DType::boolean);
      return;
    case Op::sum_reduce:
    case Op::max_reduce: check_reduction(graph, node); return;
    case Op::iota:
      check_count(graph, node, 0, 0);
      check_axes(graph, node, node.index, node.shape, false, "index");
      if (is_storage_only(node.dtype) || !is_integer(node.dtype)) {
        fail(ErrorCode::dtype_mismatch, graph, node, fmt::format("an index is an integer, not {}", name(node.dtype)));
      }
      return;
    case Op::gather: check_gather(graph, node); return;
    case Op::scatter: check_scatter(graph, node); return;
    case Op::cast:
      check_count(graph, node, 1, 1);
      check_view(graph, node, 0, node.shape, false);
      return;
  }
}

}  // namespace quince
