// Reading a graph back from its text.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "graph/scalar_text.h"
#include "graph/text_cursor.h"
#include "graph/text_form.h"
#include "quince/graph/tensor.h"
#include "quince/graph/text.h"

namespace quince {
namespace {

/// An operand as written: its coordinates are parsed once the box they range over is known.
struct RawView {
  NodeId node = 0;
  bool identity = true;
  std::vector<Piece> coords;
  std::vector<std::pair<Piece, Piece>> masks;  ///< predicate, fill
};

struct RawSlot {
  std::vector<Piece> range;
  RawView view;
};

class GraphParser {
 public:
  GraphParser(std::string_view text, const ConstantSource& constants) : text_(text), constants_(constants) {}

  std::unique_ptr<Graph> run() {
    for (std::size_t number = 1; !text_.empty(); ++number) {
      const std::size_t end = text_.find('\n');
      const std::string_view line = text_.substr(0, end);
      text_.remove_prefix(end == std::string_view::npos ? text_.size() : end + 1);
      TextCursor cursor(line, number);
      if (number == 1) {
        if (line != kGraphVersionLine) cursor.fail(fmt::format("expected '{}'", kGraphVersionLine));
        seen_version_ = true;
      } else if (!cursor.done() && !cursor.at('#')) {
        located(cursor, [&] { statement(cursor); });
      }
    }
    if (!seen_version_) TextCursor("", 1).fail(fmt::format("expected '{}'", kGraphVersionLine));
    graph_->verify();
    return std::move(graph_);
  }

 private:
  /// Errors that know no place yet get the line's.
  template <class F>
  static void located(const TextCursor& cursor, F action) {
    try {
      action();
    } catch (const Error& error) {
      if (error.message().starts_with("line ")) throw;
      cursor.fail(error.what());
    }
  }

  void statement(TextCursor& c) {
    if (c.take("dim")) return dim(c);
    if (c.take("assume")) return graph_->assume(expr(c, c.until("\n"), {}, {}));
    if (c.take("next")) return next(c);
    if (c.take("output")) return output(c);
    node(c);
    c.expect_done();
  }

  void dim(TextCursor& c) {
    const std::string dim_name(c.word("a dim's name"));
    Range range;
    c.expect("in");
    range.lo = c.integer("the smallest value");
    c.expect("..");
    range.hi = c.integer("the largest value");
    const std::int64_t multiple = c.take("multiple") ? c.integer("the multiple") : 1;
    c.expect_done();
    if (!dims_.emplace(dim_name, Expr::dim(dim_name, range, multiple)).second) {
      c.fail(fmt::format("dim '{}' is declared twice", dim_name));
    }
  }

  Expr expr(const TextCursor& c, Piece piece, const Shape& box, const std::vector<Expr>& slots) const {
    try {
      return parse_expr(piece.text, {dims_, axes_of(box), slots});
    } catch (const Error& error) {
      c.fail_at(piece.column, error.what());
    }
  }

  Shape shape(TextCursor& c) const {
    Shape result;
    for (const Piece& part : c.bracketed()) result.push_back(expr(c, part, {}, {}));
    return result;
  }

  NodeId id(TextCursor& c) const {
    c.expect("%");
    const std::int64_t number = c.integer("a node's number");
    if (number < 0 || static_cast<std::size_t>(number) >= graph_->nodes().size()) {
      c.fail(fmt::format("there is no node %{} yet", number));
    }
    return static_cast<NodeId>(number);
  }

  RawView raw_view(TextCursor& c) const {
    RawView raw;
    raw.node = id(c);
    c.skip_spaces();
    if (c.at('[')) {
      raw.identity = false;
      raw.coords = c.bracketed();
    }
    while (c.take("where")) {
      if (raw.identity) c.fail("a mask needs the coordinates before it");
      const Piece predicate = c.until("else");
      c.expect("else");
      c.skip_spaces();
      const std::size_t begin = c.column();
      raw.masks.emplace_back(predicate, Piece{c.scalar_text(), begin});
    }
    return raw;
  }

  Operand resolve(const TextCursor& c, const RawView& raw, const Shape& domain, const std::vector<Expr>& slots) const {
    const Node& source = graph_->node(raw.node);
    if (raw.identity) {
      if (!same_shape(source.shape, domain)) {
        c.fail(fmt::format("%{} has shape {}, not {}", raw.node, to_string(source.shape), to_string(domain)));
      }
      return {raw.node, View{Map::identity(source.shape), {}}};
    }
    std::vector<Expr> coords;
    for (const Piece& part : raw.coords) coords.push_back(expr(c, part, domain, slots));
    View view{Map(domain, source.shape, std::move(coords), graph_->facts()), {}};
    for (const auto& [predicate, fill] : raw.masks) {
      const auto value = parse_scalar(source.dtype, fill.text);
      if (!value) c.fail_at(fill.column, fmt::format("expected a value of {}", name(source.dtype)));
      view.masks.push_back({expr(c, predicate, domain, slots), *value});
    }
    return {raw.node, std::move(view)};
  }

  /// ", s0 in [0, 9] = %4[a0]" …: the slot leaves, and the operands that supply them.
  std::vector<RawSlot> raw_slots(TextCursor& c) const {
    std::vector<RawSlot> slots;
    while (c.take(",")) {
      c.expect(fmt::format("s{}", slots.size()));
      c.expect("in");
      RawSlot slot;
      slot.range = c.bracketed();
      if (slot.range.size() != 2) c.fail("expected [lowest, highest]");
      c.expect("=");
      slot.view = raw_view(c);
      slots.push_back(std::move(slot));
    }
    return slots;
  }

  std::vector<Expr> slot_leaves(const TextCursor& c, const std::vector<RawSlot>& raw) const {
    std::vector<Expr> leaves;
    for (std::size_t i = 0; i < raw.size(); ++i) {
      leaves.push_back(
          Expr::slot(static_cast<int>(i), expr(c, raw[i].range[0], {}, {}), expr(c, raw[i].range[1], {}, {})));
    }
    return leaves;
  }

  void node(TextCursor& c) {
    c.expect("%");
    const std::int64_t number = c.integer("a node's number");
    if (number != static_cast<std::int64_t>(graph_->nodes().size())) {
      c.fail(fmt::format("expected %{}", graph_->nodes().size()));
    }
    c.expect("=");
    Node result;
    result.pinned = c.take("pinned");
    const std::string_view op_text = c.word("an op");
    const auto op = op_from_name(op_text);
    if (!op) c.fail(fmt::format("there is no op '{}'", op_text));
    result.op = *op;
    const std::string_view dtype_text = c.word("a dtype");
    const auto dtype = dtype_from_name(dtype_text);
    if (!dtype) c.fail(fmt::format("there is no dtype '{}'", dtype_text));
    result.dtype = *dtype;
    result.shape = shape(c);
    body(c, result);
    located(c, [&] { graph_->append(std::move(result)); });
  }

  void body(TextCursor& c, Node& node) const {
    switch (node.op) {
      case Op::input:
        node.is_state = c.take("state");
        node.name = c.quoted();
        return;
      case Op::constant: constant(c, node); return;
      case Op::iota:
        c.expect("=");
        node.index = expr(c, c.until("\n"), node.shape, {});
        return;
      case Op::sum_reduce:
      case Op::max_reduce: {
        c.expect("over");
        const Shape over = shape(c);
        Shape domain = node.shape;
        domain.insert(domain.end(), over.begin(), over.end());
        node.reduced = static_cast<int>(over.size());
        node.operands = {resolve(c, raw_view(c), domain, {})};
        return;
      }
      case Op::gather: {
        const RawView data = raw_view(c);
        const std::vector<RawSlot> slots = raw_slots(c);
        node.operands = {resolve(c, data, node.shape, slot_leaves(c, slots))};
        for (const RawSlot& slot : slots) node.operands.push_back(resolve(c, slot.view, node.shape, {}));
        return;
      }
      case Op::scatter: scatter(c, node); return;
      default: break;
    }
    do {
      node.operands.push_back(resolve(c, raw_view(c), node.shape, {}));
    } while (c.take(","));
  }

  void scatter(TextCursor& c, Node& node) const {
    const RawView dest = raw_view(c);
    c.expect(",");
    const RawView src = raw_view(c);
    c.expect("over");
    const Shape domain = shape(c);
    c.expect("to");
    const std::vector<Piece> target = c.bracketed();
    const std::vector<RawSlot> slots = raw_slots(c);
    const std::vector<Expr> leaves = slot_leaves(c, slots);
    node.operands = {resolve(c, dest, node.shape, {}), resolve(c, src, domain, {})};
    for (const Piece& part : target) node.target.push_back(expr(c, part, domain, leaves));
    for (const RawSlot& slot : slots) node.operands.push_back(resolve(c, slot.view, domain, {}));
  }

  void constant(TextCursor& c, Node& node) const {
    std::vector<std::int64_t> extents;
    for (Expr extent : node.shape) {
      const auto value = extent.as_constant();
      if (!value || *value < 0) c.fail("a Constant's shape is made of numbers");
      extents.push_back(*value);
    }
    if (c.at_quote()) node.name = c.quoted();
    node.value = {node.dtype, extents, {}};
    bytes_needed(node.dtype, extents);
    if (c.take("hash")) {
      const std::string hash(c.take("?") ? "?" : c.word("a hash"));
      const auto found = constants_ ? constants_(node.name, hash) : std::nullopt;
      if (!found) {
        node.hash = hash == "?" ? "" : hash;
        return;
      }
      if (found->dtype != node.dtype || found->shape != extents || (hash != "?" && content_hash(*found) != hash)) {
        c.fail(fmt::format("the data supplied for constant '{}' is another", node.name));
      }
      node.value = *found;
      return;
    }
    c.expect("=");
    const std::vector<Piece> values = c.bracketed('(', ')');
    if (static_cast<std::int64_t>(values.size()) != node.value.count()) {
      c.fail(fmt::format("expected {} values, not {}", node.value.count(), values.size()));
    }
    node.value = Array::zeros(node.dtype, extents);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto value = parse_scalar(node.dtype, values[i].text);
      if (!value) c.fail_at(values[i].column, fmt::format("expected a value of {}", name(node.dtype)));
      node.value.set(static_cast<std::int64_t>(i), *value);
    }
  }

  Tensor tensor(NodeId node_id) const {
    return {graph_.get(), node_id, View{Map::identity(graph_->node(node_id).shape), {}}};
  }

  void next(TextCursor& c) {
    const NodeId state = id(c);
    c.expect("=");
    const NodeId value = id(c);
    c.expect_done();
    graph_->set_next(tensor(state), tensor(value));
  }

  void output(TextCursor& c) {
    const std::string output_name = c.quoted();
    const Shape domain = shape(c);
    c.expect("=");
    const Operand value = resolve(c, raw_view(c), domain, {});
    c.expect_done();
    graph_->output(output_name, {graph_.get(), value.node, value.view});
  }

  std::string_view text_;
  const ConstantSource& constants_;
  bool seen_version_ = false;
  std::unique_ptr<Graph> graph_ = std::make_unique<Graph>();
  std::map<std::string, Expr, std::less<>> dims_;
};

}  // namespace

std::unique_ptr<Graph> parse_graph(std::string_view text, const ConstantSource& constants) {
  return GraphParser(text, constants).run();
}

}  // namespace quince
