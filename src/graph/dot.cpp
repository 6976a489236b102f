// The graph as Graphviz source: ops as boxes, views written on the edges.
#include <fmt/format.h>

#include "quince/graph/text.h"

namespace quince {
namespace {

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
  }
  return result;
}

std::string edge_label(const Operand& operand) {
  if (operand.view.is_identity()) return "";
  std::string label = to_string(Shape(operand.view.map.coords()));
  for (const Mask& mask : operand.view.masks) label += " if " + to_string(mask.predicate);
  return fmt::format(" [label=\"{}\"]", escaped(label));
}

std::string_view style(const Node& node) {
  if (node.op == Op::input)
    return node.is_state ? "shape=box3d, fillcolor=lightgoldenrod" : "shape=invhouse, fillcolor=lightblue";
  if (node.op == Op::constant) return "shape=ellipse, fillcolor=lightgrey";
  if (node.op == Op::sum_reduce || node.op == Op::max_reduce) return "shape=invtrapezium, fillcolor=lightsalmon";
  if (node.op == Op::gather || node.op == Op::scatter) return "shape=hexagon, fillcolor=lightgreen";
  return "shape=box, fillcolor=white";
}

}  // namespace

std::string to_dot(const Graph& graph) {
  std::string text =
      "digraph quince {\n  node [style=filled, fontname=\"Helvetica\", fontsize=10];\n"
      "  edge [fontname=\"Helvetica\", fontsize=8];\n";
  for (NodeId id = 0; id < graph.nodes().size(); ++id) {
    const Node& node = graph.node(id);
    text += fmt::format("  n{} [label=\"%{} {}{}\\n{} {}\", {}];\n", id, id, name(node.op),
                        node.name.empty() ? "" : " " + escaped(node.name), name(node.dtype),
                        escaped(to_string(node.shape)), style(node));
    for (const Operand& operand : node.operands) {
      text += fmt::format("  n{} -> n{}{};\n", operand.node, id, edge_label(operand));
    }
  }
  for (std::size_t i = 0; i < graph.outputs().size(); ++i) {
    const Output& output = graph.outputs()[i];
    text += fmt::format("  out{} [label=\"{}\", shape=house, fillcolor=lightblue];\n  n{} -> out{}{};\n", i,
                        escaped(output.name), output.value.node, i, edge_label(output.value));
  }
  for (const StateUpdate& update : graph.updates()) {
    text += fmt::format("  n{} -> n{} [style=dashed, constraint=false, label=\"next\"];\n", update.next, update.input);
  }
  return text + "}\n";
}

}  // namespace quince
