// The rules of linear state: one next per state, reached only through Scatters, and readers before writers.
#include "graph/linear_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace quince {
namespace {

std::string node_text(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  return fmt::format("{} %{}{}", name(node.op), id, node.name.empty() ? "" : fmt::format(" '{}'", node.name));
}

/// For each node, the Scatter that overwrites its buffer, if any.
std::vector<std::optional<NodeId>> writers(const Graph& graph) {
  std::vector<std::optional<NodeId>> result(graph.nodes().size());
  for (NodeId id = 0; id < graph.nodes().size(); ++id) {
    const Node& node = graph.node(id);
    if (node.op == Op::scatter && state_of(graph, id)) result[node.operands[0].node] = id;
  }
  return result;
}

/// Walks from a Scatter's src to every read of its dest and checks that the index read is the one written.
class InPlaceCheck {
 public:
  InPlaceCheck(const Graph& graph, const Node& scatter)
      : graph_(graph), scatter_(scatter), dest_(scatter.operands[0].node), depends_(graph.nodes().size(), false) {
    for (NodeId id = dest_; id < graph.nodes().size(); ++id) {
      depends_[id] = id == dest_ || std::ranges::any_of(graph.node(id).operands,
                                                        [&](const Operand& o) { return bool{depends_[o.node]}; });
    }
  }

  void run() {
    for (std::size_t i = 2; i < scatter_.operands.size(); ++i) {
      if (depends_[scatter_.operands[i].node]) refuse(scatter_.operands[i].node);
    }
    visit(scatter_.operands[1].node, scatter_.operands[1].view.map, nullptr);
  }

 private:
  /// `map` goes from src's axes to the node; `slots` are the operands that supply its slots.
  void visit(NodeId id, const Map& map, const std::vector<Operand>* slots) {
    if (!depends_[id]) return;
    if (id == dest_) {
      const std::vector<Operand> written(scatter_.operands.begin() + 2, scatter_.operands.end());
      const bool same_slots = slots == nullptr ? map.slot_count() == 0 : *slots == written;
      if (map.coords() != scatter_.target || !same_slots) refuse(reader_);
      return;
    }
    const Node& node = graph_.node(id);
    for (std::size_t i = 0; i < node.operands.size(); ++i) {
      const Operand& operand = node.operands[i];
      if (!depends_[operand.node]) continue;
      reader_ = id;
      const bool plain = is_elementwise(node.op) && map.slot_count() == 0;
      const bool lookup = node.op == Op::gather && i == 0 && map.is_identity();
      if (!plain && !lookup) refuse(id);
      const std::vector<Operand> supplied(node.operands.begin() + 1, node.operands.end());
      visit(operand.node, compose(operand.view.map, map), lookup ? &supplied : slots);
    }
  }

  [[noreturn]] void refuse(NodeId reader) const {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("Scatter on {}: {} in its src reads dest at another index than the one written",
                            describe(graph_, scatter_.operands[0]), node_text(graph_, reader)));
  }

  const Graph& graph_;
  const Node& scatter_;
  NodeId dest_;
  NodeId reader_ = 0;
  std::vector<bool> depends_;
};

}  // namespace

std::optional<NodeId> state_of(const Graph& graph, NodeId id) {
  for (;;) {
    const Node& node = graph.node(id);
    if (node.op == Op::input && node.is_state) return id;
    if (node.op != Op::scatter || !node.operands[0].view.is_identity()) return std::nullopt;
    id = node.operands[0].node;
  }
}

void check_state_write(const Graph& graph, const Node& scatter) {
  const Operand& dest = scatter.operands[0];
  const auto state = dest.view.is_identity() ? state_of(graph, dest.node) : std::nullopt;
  if (!state) return;
  for (NodeId id = dest.node; id < graph.nodes().size(); ++id) {
    const Node& node = graph.node(id);
    if (node.op == Op::scatter && node.operands[0].node == dest.node && node.operands[0].view.is_identity()) {
      throw Error(
          ErrorCode::invalid_argument,
          fmt::format("Scatter on {}: Scatter %{} already writes it; a state has one next", describe(graph, dest), id));
    }
  }
  InPlaceCheck(graph, scatter).run();
}

void check_next(const Graph& graph, const Operand& state, const Operand& next) {
  const Node& input = graph.node(state.node);
  if (input.op != Op::input || !input.is_state || !state.view.is_identity()) {
    throw Error(ErrorCode::invalid_argument, fmt::format("set_next of {}: not a state", describe(graph, state)));
  }
  if (!next.view.is_identity() || state_of(graph, next.node) != state.node) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("the next of state '{}' is {}, which is not reached from it through Scatters alone",
                            input.name, describe(graph, next)));
  }
  for (const StateUpdate& update : graph.updates()) {
    if (update.input == state.node) {
      throw Error(ErrorCode::invalid_argument, fmt::format("state '{}' has two nexts", input.name));
    }
  }
}

void check_states(const Graph& graph) {
  const auto writer = writers(graph);
  for (NodeId id = 0; id < graph.nodes().size(); ++id) {
    const Node& node = graph.node(id);
    if (node.op != Op::input || !node.is_state) continue;
    NodeId last = id;
    while (writer[last]) last = *writer[last];
    const auto update = std::ranges::find(graph.updates(), id, &StateUpdate::input);
    if (update == graph.updates().end()) {
      throw Error(ErrorCode::invalid_argument, fmt::format("state '{}' has no next", node.name));
    }
    if (update->next != last) {
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("state '{}' is written by Scatter %{} after its next", node.name, last));
    }
  }
  for (const Output& output : graph.outputs()) {
    if (writer[output.value.node]) {
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("output '{}' reads {} after Scatter %{} overwrites it", output.name,
                              describe(graph, output.value), *writer[output.value.node]));
    }
  }
}

std::vector<OrderEdge> order_edges(const Graph& graph) {
  const auto writer = writers(graph);
  const auto count = static_cast<NodeId>(graph.nodes().size());
  std::vector<OrderEdge> edges;
  std::vector<std::vector<NodeId>> after(count);
  std::vector<int> waiting(count, 0);
  for (NodeId id = 0; id < count; ++id) {
    std::set<NodeId> sources;
    for (const Operand& operand : graph.node(id).operands) sources.insert(operand.node);
    for (NodeId source : sources) {
      after[source].push_back(id);
      ++waiting[id];
      if (writer[source] && *writer[source] != id) {
        edges.push_back({id, *writer[source]});
        after[id].push_back(*writer[source]);
        ++waiting[*writer[source]];
      }
    }
  }
  std::vector<NodeId> ready;
  for (NodeId id = 0; id < count; ++id) {
    if (waiting[id] == 0) ready.push_back(id);
  }
  for (std::size_t i = 0; i < ready.size(); ++i) {
    for (NodeId next : after[ready[i]]) {
      if (--waiting[next] == 0) ready.push_back(next);
    }
  }
  if (ready.size() == count) return edges;
  for (const OrderEdge& edge : edges) {
    if (waiting[edge.reader] > 0 && waiting[edge.writer] > 0) {
      const NodeId state = *state_of(graph, edge.writer);
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("{} reads state '{}' as it was before {}, but depends on what comes after",
                              node_text(graph, edge.reader), graph.node(state).name, node_text(graph, edge.writer)));
    }
  }
  throw Error(ErrorCode::internal, "a graph without state readers has a cycle");
}

}  // namespace quince
