// Lowering: views are composed by substitution, so a kernel's coordinates are expressions over its own axes.
#include "backend/reference/lower.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>

namespace quince::backend::reference {
namespace {

using Coordinates = std::vector<Expr>;

/// Slots with this range make no promise: values beyond it drop the write (docs/ops.md V9).
constexpr std::int64_t kUnconstrained = std::int64_t{1} << 40;

/// The integer dtype that holds a narrow float's bits.
DType bits_of(DType t) {
  if (!is_float(t) || t == DType::f32 || t == DType::f64) return t;
  switch (bit_width(t)) {
    case 4: return DType::u4;
    case 8: return DType::u8;
    default: return DType::u16;
  }
}

/// Whether casting an integer (or bool) to the other changes no i64 that holds it.
bool is_held_alike(DType from, DType to) {
  if (bit_width(to) == 64) return true;
  const bool from_bool = from == DType::boolean;
  const std::int64_t lo = from_bool ? 0 : integer_min(from);
  const std::uint64_t hi = from_bool ? 1 : integer_max(from);
  return lo >= integer_min(to) && hi <= integer_max(to);
}

class Lowering {
 public:
  Lowering(const Graph& graph, const Plan& plan, Numbers& numbers, const Shape& box)
      : graph_(graph), plan_(plan), numbers_(numbers) {
    for (Expr extent : box) axes_.push_back({extent});
  }

  /// Lowers `root` over the box; where a coordinate divides an axis by a constant that divides its extent, the axis is
  /// split in two and the root lowered again, which mostly leaves coordinates that are sums of axes.
  template <class RootFn>
  Kernel run(RootFn root) {
    for (int tries = 0;; ++tries) {
      kernel_ = {};
      split_.reset();
      slots_.clear();
      indices_.clear();
      values_.clear();
      root(*this);
      if (!split_ || tries == kMostSplits) break;
      apply_split();
    }
    for (const auto& pieces : axes_) {
      for (Expr extent : pieces) kernel_.extents.push_back(numbers_.add(extent));
    }
    return std::move(kernel_);
  }

  Kernel& kernel() { return kernel_; }

  /// The position on each axis of the box, over the kernel's axes.
  Coordinates box_position() const {
    Coordinates position;
    int axis = 0;
    for (const auto& pieces : axes_) {
      Expr e = 0;
      for (Expr extent : pieces) e = e * extent + Expr::axis(axis++, extent);
      position.push_back(e);
    }
    return position;
  }

  /// How many kernel axes the first n axes of the box became.
  int kernel_axes(std::size_t n) const {
    int count = 0;
    for (std::size_t i = 0; i < n; ++i) count += static_cast<int>(axes_[i].size());
    return count;
  }

  /// Only moves bits: from here to the stored nodes there are only views and Gathers.
  bool only_moves(NodeId id) const {
    const Node& node = graph_.node(id);
    return plan_.stored[id] || (node.op == Op::gather && only_moves(node.operands[0].node));
  }

  void move_bits() { raw_ = true; }

  /// Reads an operand where its consumer stands at `position`. `guards` are 0 where the value is not used.
  Reg read(const Operand& operand, const Coordinates& position, const std::vector<Reg>& guards) {
    return read_with(operand, {.dims = {}, .axes = by_axis(position), .slots = {}}, guards, std::nullopt);
  }

  /// The value of a node at a position in its box.
  Reg value(NodeId id, const Coordinates& position, const std::vector<Reg>& guards) {
    const auto key = std::tuple(id, raw_, ids_of(position), guards);
    if (const auto it = values_.find(key); it != values_.end()) return it->second;
    const Reg reg = plan_.stored[id] ? load(id, position, std::nullopt) : compute(id, position, guards);
    values_.emplace(key, reg);
    return reg;
  }

  /// The same for a node of this kernel's root, though it is stored.
  Reg compute(NodeId id, const Coordinates& position, const std::vector<Reg>& guards) {
    const Node& node = graph_.node(id);
    switch (node.op) {
      case Op::iota: {
        const Reg index = compile(substitute(node.index, {.dims = {}, .axes = by_axis(position), .slots = {}}));
        return append({.kind = StepKind::index, .dtype = node.dtype, .args = {index}});
      }
      case Op::gather: return gather(id, node, position, guards);
      case Op::cast: return cast(node, position, guards);
      default: break;
    }
    Step step{.kind = node.operands.size() == 1 ? StepKind::unary : StepKind::binary,
              .op = node.op,
              .dtype = node.dtype,
              .from = graph_.node(node.operands[0].node).dtype,
              .lane = lane_of(node.dtype)};
    for (const Operand& operand : node.operands) step.args.push_back(read(operand, position, guards));
    return append(std::move(step));
  }

  /// Reads the slots' operands of a Gather or Scatter, whose expressions are `users`, and returns what replaces each.
  std::map<int, Expr> supply_slots(NodeId id, std::span<const Operand> operands, std::span<const Expr> users,
                                   const Coordinates& position, const std::vector<Reg>& guards) {
    std::map<int, Expr> replaced;
    for (Expr user : users) {
      for (Expr slot : collect(user, ExprKind::slot)) {
        const auto k = static_cast<int>(slot.value());
        if (replaced.contains(k)) continue;
        const bool raw = std::exchange(raw_, false);
        const Reg reg = read(operands[static_cast<std::size_t>(k)], position, guards);
        raw_ = raw;
        replaced[k] = Expr::slot(static_cast<int>(slots_.size()), slot.operands()[0], slot.operands()[1]);
        slots_.push_back({reg, id, k, graph_.node(operands[static_cast<std::size_t>(k)].node).dtype});
      }
    }
    return replaced;
  }

  /// Throws at run time where the slot's value is outside its range and no guard is 0.
  void check_slot(Expr slot, const std::vector<Reg>& guards) {
    const Slot& supplied = slots_[static_cast<std::size_t>(slot.value())];
    const Expr lo = slot.operands()[0];
    const Expr hi = slot.operands()[1];
    if (supplied.dtype == DType::boolean && prove_le(lo, 0) && prove_le(1, hi)) return;
    Step step{
        .kind = StepKind::check, .op = graph_.node(supplied.node).op, .dtype = supplied.dtype, .args = {supplied.reg}};
    step.args.insert(step.args.end(), guards.begin(), guards.end());
    step.op = graph_.node(supplied.node).op;
    step.node = supplied.node;
    step.slot = supplied.index;
    step.lo = numbers_.add(lo);
    step.hi = numbers_.add(hi);
    append(std::move(step));
  }

  void scatter(NodeId id, const Node& node) {
    const Coordinates position = box_position();
    const std::span<const Operand> operands(node.operands);
    const auto replaced = supply_slots(id, operands.subspan(2), node.target, position, {});
    for (const auto& [k, slot] : replaced) {
      if (slot.operands()[0].is_constant(-kUnconstrained) && slot.operands()[1].is_constant(kUnconstrained)) {
        drop_beyond(slot);
      } else {
        check_slot(slot, {});
      }
    }
    const Substitution by{.dims = {}, .axes = by_axis(position), .slots = replaced};
    for (std::size_t i = 0; i < node.target.size(); ++i) {
      kernel_.target.push_back(coordinate(substitute(node.target[i], by), node.shape[i]));
    }
    kernel_.result = read(operands[1], position, {});
  }

 private:
  static constexpr int kMostSplits = 6;

  struct Slot {
    Reg reg;
    NodeId node;
    int index;
    DType dtype;
  };

  static std::map<int, Expr> by_axis(const Coordinates& position) {
    std::map<int, Expr> axes;
    for (std::size_t i = 0; i < position.size(); ++i) axes[static_cast<int>(i)] = position[i];
    return axes;
  }

  static std::vector<const ExprNode*> ids_of(const Coordinates& position) {
    std::vector<const ExprNode*> ids;
    for (Expr e : position) ids.push_back(e.node());
    return ids;
  }

  DType stored_dtype(DType t) const { return raw_ ? bits_of(t) : t; }

  Reg append(Step step) {
    kernel_.steps.push_back(std::move(step));
    return static_cast<Reg>(kernel_.steps.size()) - 1;
  }

  /// As steps, not as expressions: those would take the slot's declared range for granted. A wrapped sum is negative,
  /// and so drops the write too.
  void drop_beyond(Expr slot) {
    const Reg value = slots_[static_cast<std::size_t>(slot.value())].reg;
    for (const std::int64_t sign : {1, -1}) {
      const Reg distance =
          append({.kind = StepKind::sum, .args = {value}, .constant = kUnconstrained, .coefficients = {sign}});
      kernel_.drop_unless.push_back(append({.kind = StepKind::not_negative, .args = {distance}}));
    }
  }

  Reg read_with(const Operand& operand, const Substitution& by, std::vector<Reg> guards, std::optional<Lane> lane) {
    std::vector<Reg> predicates;
    for (const Mask& mask : operand.view.masks) {
      const Reg predicate = compile(substitute(mask.predicate, by));
      predicates.push_back(predicate);
      guards.push_back(predicate);
    }
    Coordinates inner;
    for (Expr coord : operand.view.map.coords()) inner.push_back(substitute(coord, by));
    if (lane) return load(operand.node, inner, lane);
    for (const auto& [k, slot] : by.slots) check_slot(slot, guards);
    Reg reg = value(operand.node, inner, guards);
    const DType dtype = stored_dtype(graph_.node(operand.node).dtype);
    for (std::size_t i = predicates.size(); i-- > 0;) {
      reg = append({.kind = StepKind::blend,
                    .dtype = dtype,
                    .lane = lane_of(dtype),
                    .args = {reg, predicates[i]},
                    .fill = {dtype, operand.view.masks[i].fill.bits}});
    }
    return reg;
  }

  Reg gather(NodeId id, const Node& node, const Coordinates& position, const std::vector<Reg>& guards) {
    const std::span<const Operand> operands(node.operands);
    std::vector<Expr> users = operands[0].view.map.coords();
    for (const Mask& mask : operands[0].view.masks) users.push_back(mask.predicate);
    auto replaced = supply_slots(id, operands.subspan(1), users, position, guards);
    return read_with(operands[0], {.dims = {}, .axes = by_axis(position), .slots = std::move(replaced)}, guards,
                     std::nullopt);
  }

  Reg cast(const Node& node, const Coordinates& position, const std::vector<Reg>& guards) {
    const Operand& operand = node.operands[0];
    const DType from = graph_.node(operand.node).dtype;
    if ((node.dtype == DType::f32 || node.dtype == DType::f64) && plan_.stored[operand.node] &&
        operand.view.masks.empty()) {
      // The load converts.
      return read_with(operand, {.dims = {}, .axes = by_axis(position), .slots = {}}, {}, lane_of(node.dtype));
    }
    const Reg reg = read(operand, position, guards);
    const bool to_integer = !is_float(node.dtype) && node.dtype != DType::boolean;
    if (from == node.dtype || (node.dtype == DType::f32 && lane_of(from) == Lane::f32) ||
        (to_integer && !is_float(from) && is_held_alike(from, node.dtype))) {
      return reg;
    }
    return append(
        {.kind = StepKind::cast, .dtype = node.dtype, .from = from, .lane = lane_of(node.dtype), .args = {reg}});
  }

  Reg load(NodeId id, const Coordinates& position, std::optional<Lane> lane) {
    const Node& node = graph_.node(id);
    const DType dtype = stored_dtype(node.dtype);
    Step step{.kind = StepKind::load, .dtype = dtype, .lane = lane.value_or(lane_of(dtype)), .source = id};
    for (std::size_t i = 0; i < position.size(); ++i) {
      step.coordinates.push_back(coordinate(position[i], node.shape[i]));
    }
    return append(std::move(step));
  }

  Coordinate coordinate(Expr e, Expr extent) {
    Coordinate result{.extent = numbers_.add(extent), .constant = 0, .terms = {}, .index = kNoReg};
    bool affine = !mentions_any_slot(e);
    Expr rest = e;
    if (affine) {
      for (Expr axis : collect(e, ExprKind::axis)) {
        const auto parts = affine_in(rest, axis);
        affine = parts && !mentions_any_axis(parts->coefficient);
        if (!affine) break;
        result.terms.emplace_back(static_cast<int>(axis.value()), numbers_.add(parts->coefficient));
        rest = parts->rest;
      }
    }
    if (affine) {
      result.constant = numbers_.add(rest);
    } else {
      result.terms.clear();
      result.index = compile(e);
    }
    return result;
  }

  /// The steps that compute an expression.
  Reg compile(Expr e) {
    if (const auto it = indices_.find(e); it != indices_.end()) return it->second;
    const Reg reg = compile_new(e);
    indices_.emplace(e, reg);
    return reg;
  }

  Reg compile_new(Expr e) {
    if (!mentions_any_axis(e) && !mentions_any_slot(e)) {
      return append({.kind = StepKind::number, .number = numbers_.add(e)});
    }
    Step step;
    switch (e.kind()) {
      case ExprKind::axis:
        step.axis = static_cast<int>(e.value());
        step.kind = StepKind::axis;
        return append(step);
      case ExprKind::slot: return slots_[static_cast<std::size_t>(e.value())].reg;
      case ExprKind::sum:
        step.kind = StepKind::sum;
        step.constant = e.value();
        step.coefficients.assign(e.coefficients().begin(), e.coefficients().end());
        break;
      case ExprKind::product: step.kind = StepKind::product; break;
      case ExprKind::floor_div: step.kind = StepKind::floor_div; break;
      case ExprKind::mod: step.kind = StepKind::floor_mod; break;
      case ExprKind::min: step.kind = StepKind::min; break;
      case ExprKind::max: step.kind = StepKind::max; break;
      case ExprKind::not_negative: step.kind = StepKind::not_negative; break;
      case ExprKind::all: step.kind = StepKind::all; break;
      case ExprKind::any: step.kind = StepKind::any; break;
      default: throw Error(ErrorCode::internal, "an index expression of unknown kind");
    }
    if (e.kind() == ExprKind::floor_div || e.kind() == ExprKind::mod) propose_split(e.operands()[0], e.operands()[1]);
    for (Expr operand : e.operands()) step.args.push_back(compile(operand));
    return append(std::move(step));
  }

  void propose_split(Expr axis, Expr divisor) {
    if (split_ || axis.kind() != ExprKind::axis || !divisor.is_constant() || divisor.value() < 2) return;
    const Expr extent = axis.operands()[0];
    if (prove_multiple(extent, divisor) && prove_lt(divisor, extent)) split_ = {axis.value(), divisor.value()};
  }

  void apply_split() {
    auto axis = split_->first;
    for (auto& pieces : axes_) {
      const auto n = static_cast<std::int64_t>(pieces.size());
      if (axis < n) {
        Expr& outer = pieces[static_cast<std::size_t>(axis)];
        outer = floor_div(outer, split_->second);
        pieces.insert(pieces.begin() + axis + 1, Expr(split_->second));
        return;
      }
      axis -= n;
    }
  }

  const Graph& graph_;
  const Plan& plan_;
  Numbers& numbers_;
  std::vector<std::vector<Expr>> axes_;  ///< per axis of the box, the extents of the kernel axes it became
  std::optional<std::pair<std::int64_t, std::int64_t>> split_;  ///< (kernel axis, divisor) to split by
  bool raw_ = false;                                            ///< narrow floats are moved as bits
  Kernel kernel_;
  std::vector<Slot> slots_;  ///< by slot number of this kernel
  std::unordered_map<Expr, Reg> indices_;
  std::map<std::tuple<NodeId, bool, std::vector<const ExprNode*>, std::vector<Reg>>, Reg> values_;
};

double cost_of(const Kernel& kernel) {
  double cost = 0;
  for (const Step& step : kernel.steps) {
    switch (step.kind) {
      case StepKind::number:
      case StepKind::axis: break;
      case StepKind::unary: cost += step.op == Op::sqrt || step.op == Op::recip ? 2 : 8; break;
      case StepKind::binary: cost += step.op == Op::mod ? 6 : 1; break;
      default: cost += 1;
    }
  }
  return cost;
}

}  // namespace

Kernel lower_copy(const Graph& graph, const Plan& plan, const Operand& operand, Numbers& numbers) {
  Lowering lowering(graph, plan, numbers, operand.view.map.domain());
  const DType dtype = graph.node(operand.node).dtype;
  const bool moves = lowering.only_moves(operand.node);
  if (moves) lowering.move_bits();
  Kernel kernel = lowering.run([&](Lowering& l) {
    l.kernel().result = l.read(operand, l.box_position(), {});
    l.kernel().outputs = l.kernel_axes(operand.view.map.domain().size());
  });
  kernel.node = operand.node;
  kernel.dtype = moves ? bits_of(dtype) : dtype;
  kernel.cost = cost_of(kernel);
  return kernel;
}

Kernel lower_node(const Graph& graph, const Plan& plan, NodeId id, Numbers& numbers) {
  const Node& node = graph.node(id);
  const bool reduces = node.op == Op::sum_reduce || node.op == Op::max_reduce;
  const bool scatters = node.op == Op::scatter;
  const Shape& box = reduces    ? node.operands[0].view.map.domain()
                     : scatters ? node.operands[1].view.map.domain()
                                : node.shape;
  Lowering lowering(graph, plan, numbers, box);
  const bool moves = (scatters && lowering.only_moves(node.operands[1].node)) ||
                     (node.op == Op::gather && lowering.only_moves(node.operands[0].node));
  if (moves) lowering.move_bits();
  Kernel kernel = lowering.run([&](Lowering& l) {
    l.kernel().outputs = l.kernel_axes(reduces ? node.shape.size() : box.size());
    if (reduces) {
      l.kernel().root = node.op == Op::sum_reduce ? Root::sum : Root::max;
      l.kernel().result = l.read(node.operands[0], l.box_position(), {});
    } else if (scatters) {
      l.kernel().root = Root::scatter;
      l.scatter(id, node);
    } else {
      l.kernel().result = l.compute(id, l.box_position(), {});
    }
  });
  kernel.node = id;
  kernel.dtype = moves ? bits_of(node.dtype) : node.dtype;
  kernel.cost = cost_of(kernel);
  return kernel;
}

}  // namespace quince::backend::reference
