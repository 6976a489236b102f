// The choice of stored values: storing costs memory traffic and a kernel, not storing costs computing again.
#include "backend/reference/plan.h"

#include <algorithm>
#include <functional>
#include <queue>

namespace quince::backend::reference {
namespace {

/// Computing a value again may cost this many simple operations per element in total before it is stored instead.
constexpr double kRecompute = 3;
/// A kernel's steps per element; bounds its size.
constexpr double kLargestCone = 48;
/// A constant with more elements than this is kept only if its sources are of comparable size.
constexpr double kSmallConstant = 1 << 20;
/// The extent assumed for a dim when reads are counted.
constexpr std::int64_t kTypicalDim = 16;

bool over_dims(Expr e) { return !collect(e, ExprKind::dim).empty(); }

bool over_dims(const Shape& shape) {
  return std::ranges::any_of(shape, [](Expr e) { return over_dims(e); });
}

bool over_dims(const Node& node) {
  if (over_dims(node.shape) || over_dims(node.index) || over_dims(node.target)) return true;
  return std::ranges::any_of(node.operands, [](const Operand& operand) {
    return over_dims(operand.view.map.domain()) || over_dims(operand.view.map.coords()) ||
           std::ranges::any_of(operand.view.masks, [](const Mask& mask) { return over_dims(mask.predicate); });
  });
}

double own_cost(const Node& node) {
  switch (node.op) {
    case Op::log2:
    case Op::exp2:
    case Op::sin: return 8;
    case Op::sqrt:
    case Op::recip: return 2;
    case Op::mod: return 4;
    case Op::gather: return 3;
    case Op::iota: return 0.5;
    default: return 1;
  }
}

bool is_leaf(const Node& node) { return node.op == Op::input || node.op == Op::constant; }

class Planner {
 public:
  explicit Planner(const Graph& graph)
      : graph_(graph),
        count_(graph.nodes().size()),
        live_(count_, false),
        uses_(count_),
        cost_(count_, 0),
        sources_(count_, 0) {
    for (const auto& [name, dim] : graph.dims()) {
      const Range range = dim.dim_range();
      const std::int64_t m = std::max<std::int64_t>(dim.dim_multiple(), 1);
      typical_.dims[name] = (std::clamp(kTypicalDim, range.lo, range.hi) + m - 1) / m * m;
    }
  }

  Plan run() {
    plan_.stored.assign(count_, false);
    plan_.constant.assign(count_, false);
    find_live();
    find_uses();
    find_order();
    find_constants();
    for (NodeId id = 0; id < count_; ++id) {
      if (live_[id]) decide(id);
    }
    return std::move(plan_);
  }

 private:
  struct Use {
    std::optional<NodeId> consumer;  ///< none: an output
    const View* view;
  };

  void find_live() {
    std::vector<NodeId> todo;
    for (const Output& output : graph_.outputs()) todo.push_back(output.value.node);
    for (const StateUpdate& update : graph_.updates()) todo.push_back(update.next);
    while (!todo.empty()) {
      const NodeId id = todo.back();
      todo.pop_back();
      if (live_[id]) continue;
      live_[id] = true;
      for (const Operand& operand : graph_.node(id).operands) todo.push_back(operand.node);
    }
  }

  void find_uses() {
    for (NodeId id = 0; id < count_; ++id) {
      if (!live_[id]) continue;
      for (const Operand& operand : graph_.node(id).operands) add_use(operand, id);
    }
    for (const Output& output : graph_.outputs()) add_use(output.value, std::nullopt);
  }

  /// Two reads by one consumer through equal views are one.
  void add_use(const Operand& operand, std::optional<NodeId> consumer) {
    std::vector<Use>& uses = uses_[operand.node];
    const bool known = consumer && std::ranges::any_of(uses, [&](const Use& use) {
                         return use.consumer == consumer && *use.view == operand.view;
                       });
    if (!known) uses.push_back({consumer, &operand.view});
  }

  void find_order() {
    std::vector<std::vector<NodeId>> after(count_);
    std::vector<int> waiting(count_, 0);
    const auto add_edge = [&](NodeId from, NodeId to) {
      after[from].push_back(to);
      ++waiting[to];
    };
    old_state_readers_.assign(count_, false);
    for (NodeId id = 0; id < count_; ++id) {
      if (!live_[id]) continue;
      for (const Operand& operand : graph_.node(id).operands) add_edge(operand.node, id);
    }
    for (const OrderEdge& edge : order_edges(graph_)) {
      if (!live_[edge.reader] || !live_[edge.writer]) continue;
      add_edge(edge.reader, edge.writer);
      old_state_readers_[edge.reader] = true;
    }
    std::priority_queue<NodeId, std::vector<NodeId>, std::greater<>> ready;
    for (NodeId id = 0; id < count_; ++id) {
      if (live_[id] && waiting[id] == 0) ready.push(id);
    }
    while (!ready.empty()) {
      const NodeId id = ready.top();
      ready.pop();
      plan_.order.push_back(id);
      for (NodeId next : after[id]) {
        if (--waiting[next] == 0) ready.push(next);
      }
    }
  }

  void find_constants() {
    for (NodeId id = 0; id < count_; ++id) {
      const Node& node = graph_.node(id);
      plan_.constant[id] =
          node.op != Op::input && !over_dims(node) &&
          std::ranges::all_of(node.operands, [&](const Operand& o) { return bool{plan_.constant[o.node]}; });
    }
  }

  double elements(const Shape& shape) const {
    double n = 1;
    for (Expr extent : shape) n *= static_cast<double>(std::max<std::int64_t>(evaluate(extent, typical_), 1));
    return n;
  }

  void decide(NodeId id) {
    const Node& node = graph_.node(id);
    for (const Operand& operand : node.operands) {
      cost_[id] += plan_.stored[operand.node] ? 0.5 : cost_[operand.node];
      cost_[id] += static_cast<double>(operand.view.masks.size());
      sources_[id] += sources_[operand.node];
    }
    cost_[id] += own_cost(node);
    if (node.op == Op::constant) sources_[id] = elements(node.shape);
    plan_.stored[id] = is_leaf(node) || worth_storing(id, node);
  }

  bool worth_storing(NodeId id, const Node& node) const {
    if (node.op == Op::sum_reduce || node.op == Op::max_reduce || node.op == Op::scatter) return true;
    if (old_state_readers_[id]) return true;
    const std::vector<Use>& uses = uses_[id];
    const auto is_result = [](const Use& use) { return !use.consumer && use.view->is_identity(); };
    if (std::ranges::any_of(uses, is_result)) return true;
    if (node.op == Op::iota) return false;
    const double size = elements(node.shape);
    if (plan_.constant[id] && size <= std::max(kSmallConstant, 4 * sources_[id])) {
      // Constants end where a value of the run reads them: those are kept, computed once.
      const auto outlives = [&](const Use& use) { return !use.consumer || !plan_.constant[*use.consumer]; };
      if (std::ranges::any_of(uses, outlives)) return true;
    }
    if (cost_[id] > kLargestCone) return true;
    double reads = 0;
    for (const Use& use : uses) reads += std::max(1.0, elements(use.view->map.domain()) / size);
    return (reads - 1) * cost_[id] > kRecompute;
  }

  const Graph& graph_;
  std::size_t count_;
  Plan plan_;
  std::vector<bool> live_;
  std::vector<std::vector<Use>> uses_;
  std::vector<bool> old_state_readers_;
  std::vector<double> cost_;     ///< operations per element, those of unstored operands included
  std::vector<double> sources_;  ///< elements of the Constants below
  Bindings typical_;
};

}  // namespace

Plan make_plan(const Graph& graph) { return Planner(graph).run(); }

}  // namespace quince::backend::reference
