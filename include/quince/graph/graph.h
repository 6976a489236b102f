// The graph: a DAG of the fifteen ops over symbolic shapes, in which every movement of data is a view.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "quince/error.h"
#include "quince/expr/map.h"
#include "quince/graph/array.h"
#include "quince/graph/dtype.h"

namespace quince {

class Tensor;

/// The fifteen ops, and the two leaves beside them.
enum class Op : std::uint8_t {
  input,
  constant,
  log2,
  exp2,
  sin,
  sqrt,
  recip,
  add,
  mul,
  mod,
  less_than,
  sum_reduce,
  max_reduce,
  iota,
  gather,
  scatter,
  cast,
};
inline constexpr int kOpCount = 17;

/// "Add", "SumReduce", "Input", …
std::string_view name(Op op);
std::optional<Op> op_from_name(std::string_view name);
/// One value per element from one value of each operand: unary and binary ops and Cast.
bool is_elementwise(Op op);

using NodeId = std::uint32_t;

/// Reads as `fill` where `predicate` (over the view's axes, and its slots) is 0.
struct Mask {
  Expr predicate;
  Scalar fill;
  bool operator==(const Mask&) const = default;
};

/// How an operand reads its node: at the map where all masks hold, else the fill of the first mask that fails.
struct View {
  Map map;
  std::vector<Mask> masks;
  bool is_identity() const { return masks.empty() && map.is_identity(); }
  bool operator==(const View&) const = default;
};

struct Operand {
  NodeId node = 0;
  View view;
  bool operator==(const Operand&) const = default;
};

/// One op. Operands have the node's shape as their view's domain, except
///  - reductions: the node's shape followed by the `reduced` trailing axes;
///  - Gather: operand 0's map may read slots s0 s1 s2, whose values are operands 1… (integer or bool);
///  - Scatter: operand 0 is `dest` (the node's shape), 1 is `src`, 2… are the values of the slots of `target`; src
///    and slots share the domain of src, over which `target` gives the coordinates written (not clamped: a target
///    outside is dropped).
struct Node {
  Op op = Op::input;
  DType dtype = DType::f32;
  Shape shape{};
  std::vector<Operand> operands{};
  int reduced = 0;             ///< reductions: how many trailing axes of the operand are reduced
  Expr index{};                ///< Iota: the value, over the axes
  std::vector<Expr> target{};  ///< Scatter: where src goes, one coordinate per axis of dest
  bool pinned = false;         ///< rules of class real and approx leave it alone
  bool is_state = false;       ///< Input: a linear state
  std::string name{};          ///< Input, and Constants that have one
  Array value{};               ///< Constant; its storage is empty in a graph parsed without its data
  std::string hash{};          ///< Constant without data: the content hash its text gave
};

/// A named result; the view is applied when it is written out.
struct Output {
  std::string name;
  Operand value;
};

/// State `input` is replaced by `next` after a run; next is reached from it only through Scatters.
struct StateUpdate {
  NodeId input = 0;
  NodeId next = 0;
};

/// A graph under construction and its finished form. Nodes are numbered in topological order. Not copied or moved:
/// Tensors point into it.
class Graph {
 public:
  Graph() = default;
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  // Leaves. Names are unique per graph and not empty; dims of one name must be equal (range and multiple).
  Tensor input(std::string_view name, DType dtype, Shape shape);
  /// A buffer that lives across runs, updated in place (DESIGN "State is linear").
  Tensor state(std::string_view name, DType dtype, Shape shape);
  Tensor constant(Array value, std::string_view name = {});
  /// A 0-d constant of a dtype.
  Tensor scalar(DType dtype, double value);
  /// An integer expression of the axes of `shape`.
  Tensor iota(DType dtype, Shape shape, Expr index);

  /// Names a result. Errors: name taken, tensor of another graph.
  void output(std::string_view name, const Tensor& value);
  /// Declares the value a state has after a run. Errors name the state and, where one reads the old value too late
  /// or at another index than the one written, that reader.
  void set_next(const Tensor& state, const Tensor& next);
  /// A fact about dims that holds in every run, e.g. ge(ctx, t); checked when a run binds its dims. Views use it to
  /// drop clamps. Errors: the predicate mentions axes or slots; the graph already has nodes.
  void assume(Expr predicate);

  const std::vector<Node>& nodes() const { return nodes_; }
  const Node& node(NodeId id) const { return nodes_[id]; }
  const std::vector<Output>& outputs() const { return outputs_; }
  const std::vector<StateUpdate>& updates() const { return updates_; }
  const std::vector<Expr>& assumptions() const { return assumptions_; }
  /// The assumptions as expressions known to be ≥ 0, as the prover takes them.
  const std::vector<Expr>& facts() const { return facts_; }
  /// Every dim mentioned, by name.
  const std::map<std::string, Expr, std::less<>>& dims() const { return dims_; }
  /// How many nodes of each op, indexed by Op.
  std::vector<std::int64_t> count_ops() const;

  /// Checks every rule of docs/ops.md about structure. Throws what building would have thrown.
  void verify() const;

  /// Appends a node after checking it; for the tensor API and the parser.
  NodeId append(Node node);
  /// Marks a node as pinned.
  void pin(NodeId id) { nodes_[id].pinned = true; }

 private:
  Tensor add_leaf(Node node);
  void note_dims(Expr e, std::string_view where);
  void note_dims(const View& view, std::string_view where);
  /// One form for a view however it was composed: clamped where the facts prove no less, no mask that always holds.
  void normalise(View& view) const;

  std::vector<Node> nodes_;
  std::vector<Output> outputs_;
  std::vector<StateUpdate> updates_;
  std::vector<Expr> assumptions_;
  std::vector<Expr> facts_;
  std::map<std::string, Expr, std::less<>> dims_;
  std::set<std::string> input_names_;
};

/// Readers of a state's old value (and of every link of its Scatter chain) run before the Scatter that overwrites
/// it: pairs (reader, writer). Throws, naming the reader, where that order cannot be had.
struct OrderEdge {
  NodeId reader = 0;
  NodeId writer = 0;
};
std::vector<OrderEdge> order_edges(const Graph& graph);
/// The state Input whose buffer a node's value lives in: itself for a state, its dest's for a Scatter on a state.
std::optional<NodeId> state_of(const Graph& graph, NodeId id);
/// "%3 'x' f32[s, 4]", for messages.
std::string describe(const Graph& graph, const Operand& operand);

}  // namespace quince
