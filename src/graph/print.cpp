// The graph as readable text, one node a line.
#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>

#include "graph/scalar_text.h"
#include "graph/text_form.h"
#include "quince/graph/text.h"

namespace quince {

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      result += fmt::format("\\x{:02x}", byte);
    } else {
      result += c;
    }
  }
  return result + '"';
}

std::string content_hash(const Array& value) {
  const std::size_t bytes = bytes_needed(value.dtype, value.shape);
  return fmt::format("{:016x}", XXH3_64bits(value.storage.data(), bytes));
}

namespace {

std::string list(const std::vector<Expr>& items) { return to_string(Shape(items)); }

std::string view_text(const Operand& operand) {
  std::string text = fmt::format("%{}", operand.node);
  if (operand.view.is_identity()) return text;
  text += list(operand.view.map.coords());
  for (const Mask& mask : operand.view.masks) {
    text += fmt::format(" where {} else {}", to_string(mask.predicate), to_string(mask.fill));
  }
  return text;
}

/// ", s0 in [0, 9] = %4[a0]" for each slot. The range is that of the slot leaf where it is used, else unbounded.
std::string slots_text(const Node& node, std::size_t first, const std::vector<Expr>& used) {
  std::string text;
  for (std::size_t i = first; i < node.operands.size(); ++i) {
    const auto slot = std::ranges::find(used, static_cast<std::int64_t>(i - first), &Expr::value);
    const Shape range = slot == used.end() ? Shape{0, 0} : Shape{slot->operands()[0], slot->operands()[1]};
    text += fmt::format(", s{} in {} = {}", i - first, to_string(range), view_text(node.operands[i]));
  }
  return text;
}

std::vector<Expr> slots_of(const std::vector<Expr>& exprs, const std::vector<Mask>& masks) {
  std::vector<Expr> slots;
  const auto add = [&](Expr e) {
    for (Expr slot : collect(e, ExprKind::slot)) slots.push_back(slot);
  };
  for (Expr e : exprs) add(e);
  for (const Mask& mask : masks) add(mask.predicate);
  return slots;
}

std::string constant_text(const Node& node) {
  std::string text = node.name.empty() ? "" : " " + quoted(node.name);
  if (node.value.storage.data() == nullptr && node.value.count() > 0)
    return text + " hash " + (node.hash.empty() ? "?" : node.hash);
  const std::int64_t count = node.value.count();
  if (count > kInlineConstant) return text + " hash " + content_hash(node.value);
  text += " = (";
  for (std::int64_t i = 0; i < count; ++i) text += (i > 0 ? ", " : "") + to_string(node.value.at(i));
  return text + ")";
}

std::string body(const Node& node) {
  switch (node.op) {
    case Op::input: return fmt::format(" {}{}", node.is_state ? "state " : "", quoted(node.name));
    case Op::constant: return constant_text(node);
    case Op::iota: return " = " + to_string(node.index);
    case Op::sum_reduce:
    case Op::max_reduce: {
      const Shape& domain = node.operands[0].view.map.domain();
      const Shape over(domain.end() - node.reduced, domain.end());
      return fmt::format(" over {} {}", to_string(over), view_text(node.operands[0]));
    }
    case Op::gather: {
      const View& view = node.operands[0].view;
      return " " + view_text(node.operands[0]) + slots_text(node, 1, slots_of(view.map.coords(), view.masks));
    }
    case Op::scatter:
      return fmt::format(" {}, {} over {} to {}{}", view_text(node.operands[0]), view_text(node.operands[1]),
                         to_string(node.operands[1].view.map.domain()), list(node.target),
                         slots_text(node, 2, slots_of(node.target, {})));
    default: break;
  }
  std::string text;
  for (const Operand& operand : node.operands) text += (text.empty() ? " " : ", ") + view_text(operand);
  return text;
}

std::string dim_line(Expr dim) {
  const Range range = dim.dim_range();
  std::string text = fmt::format("dim {} in {}..{}", dim.dim_name(), range.lo, range.hi);
  if (dim.dim_multiple() != 1) text += fmt::format(" multiple {}", dim.dim_multiple());
  return text + "\n";
}

}  // namespace

std::string to_text(const Graph& graph) {
  std::string text = std::string(kGraphVersionLine) + "\n";
  for (const auto& [dim_name, dim] : graph.dims()) text += dim_line(dim);
  for (Expr predicate : graph.assumptions()) text += fmt::format("assume {}\n", to_string(predicate));
  for (NodeId id = 0; id < graph.nodes().size(); ++id) {
    const Node& node = graph.node(id);
    text += fmt::format("%{} = {}{} {} {}{}\n", id, node.pinned ? "pinned " : "", name(node.op), name(node.dtype),
                        to_string(node.shape), body(node));
  }
  for (const StateUpdate& update : graph.updates()) text += fmt::format("next %{} = %{}\n", update.input, update.next);
  for (const Output& output : graph.outputs()) {
    text += fmt::format("output {} {} = {}\n", quoted(output.name), to_string(output.value.view.map.domain()),
                        view_text(output.value));
  }
  return text;
}

}  // namespace quince
