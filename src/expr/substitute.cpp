// Rebuilding an expression with leaves replaced, and finding the leaves it has.
#include "expr/substitute.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "expr/logic.h"
#include "expr/polynomial.h"

namespace quince {

using namespace detail;

namespace {

/// Rebuilds bottom-up; `Leaf` maps a leaf to its replacement, `Skip` says which nodes cannot change.
template <typename Leaf, typename Skip>
class Rebuilder {
 public:
  Rebuilder(Leaf leaf, Skip skip) : leaf_(leaf), skip_(skip) {}

  Expr operator()(Expr e) {
    if (skip_(*e.node())) return e;
    switch (e.kind()) {
      case ExprKind::constant: return e;
      case ExprKind::dim:
      case ExprKind::axis:
      case ExprKind::slot: return leaf_(e, *this);
      default: break;
    }
    for (const auto& [from, to] : done_) {
      if (from == e) return to;
    }
    const Expr result = rebuild(e);
    done_.push_back({e, result});
    return result;
  }

 private:
  Expr rebuild(Expr e) {
    const auto operands = e.operands();
    switch (e.kind()) {
      case ExprKind::sum: {
        Polynomial p(e.value());
        for (std::size_t i = 0; i < operands.size(); ++i) p.add((*this)(operands[i]), e.coefficients()[i]);
        return to_expr(std::move(p));
      }
      case ExprKind::product: {
        Polynomial p(1);
        for (Expr f : operands) p = multiply(p, Polynomial((*this)(f)));
        return to_expr(std::move(p));
      }
      case ExprKind::floor_div: return floor_div((*this)(operands[0]), (*this)(operands[1]));
      case ExprKind::mod: return mod((*this)(operands[0]), (*this)(operands[1]));
      case ExprKind::not_negative: return ge((*this)(operands[0]), 0);
      default: break;
    }
    std::vector<Expr> parts;
    parts.reserve(operands.size());
    for (Expr o : operands) parts.push_back((*this)(o));
    if (e.kind() == ExprKind::min || e.kind() == ExprKind::max) return extremum_of(e.kind(), parts);
    return connective_of(e.kind(), parts);
  }

  Leaf leaf_;
  Skip skip_;
  boost::container::small_vector<std::pair<Expr, Expr>, 8> done_;
};

}  // namespace

Expr detail::substitute_axes(Expr e, std::span<const Expr> axes, int slot_shift) {
  const auto leaf = [&](Expr l, auto&) {
    if (l.kind() == ExprKind::axis) {
      const auto i = static_cast<std::size_t>(l.value());
      return i < axes.size() ? axes[i] : l;
    }
    if (l.kind() == ExprKind::slot && slot_shift != 0) {
      return Expr::slot(static_cast<int>(l.value()) + slot_shift, l.operands()[0], l.operands()[1]);
    }
    return l;
  };
  const auto skip = [&](const ExprNode& node) { return node.axes == 0 && (slot_shift == 0 || node.slots == 0); };
  return Rebuilder(leaf, skip)(e);
}

Expr substitute(Expr e, const Substitution& by) {
  const auto leaf = [&](Expr l, auto& rebuild) -> Expr {
    switch (l.kind()) {
      case ExprKind::dim: {
        const auto found = by.dims.find(l.dim_name());
        return found == by.dims.end() ? l : found->second;
      }
      case ExprKind::axis: {
        const auto found = by.axes.find(static_cast<int>(l.value()));
        if (found != by.axes.end()) return found->second;
        return Expr::axis(static_cast<int>(l.value()), rebuild(l.operands()[0]));
      }
      default: {
        const auto found = by.slots.find(static_cast<int>(l.value()));
        if (found != by.slots.end()) return found->second;
        return Expr::slot(static_cast<int>(l.value()), rebuild(l.operands()[0]), rebuild(l.operands()[1]));
      }
    }
  };
  const auto skip = [&](const ExprNode& node) {
    return (by.dims.empty() || !node.has_dim) && (by.axes.empty() || node.axes == 0) &&
           (by.slots.empty() || node.slots == 0);
  };
  return Rebuilder(leaf, skip)(e);
}

namespace {

bool mentions(Expr e, ExprKind leaf, std::int64_t index) {
  const ExprNode& node = *e.node();
  const std::uint64_t set = leaf == ExprKind::axis ? node.axes : node.slots;
  if ((set & leaf_bit(index)) == 0) return false;
  if (index < 63) return true;
  if (node.kind == leaf) return node.value == index;
  return std::ranges::any_of(e.operands(), [&](Expr o) { return mentions(o, leaf, index); });
}

void collect_into(Expr e, ExprKind leaf, std::unordered_set<Expr>& seen, std::vector<Expr>& found) {
  const ExprNode& node = *e.node();
  if (leaf == ExprKind::dim ? !node.has_dim : leaf == ExprKind::axis ? node.axes == 0 : node.slots == 0) return;
  if (!seen.insert(e).second) return;
  if (node.kind == leaf) {
    found.push_back(e);
    return;
  }
  for (Expr o : e.operands()) collect_into(o, leaf, seen, found);
}

}  // namespace

bool mentions_axis(Expr e, int position) { return position >= 0 && mentions(e, ExprKind::axis, position); }
bool mentions_any_axis(Expr e) { return e.node()->axes != 0; }
bool mentions_slot(Expr e, int index) { return index >= 0 && mentions(e, ExprKind::slot, index); }
bool mentions_any_slot(Expr e) { return e.node()->slots != 0; }

int slot_count(Expr e) {
  int count = 0;
  if (!mentions_any_slot(e)) return count;
  for (Expr slot : collect(e, ExprKind::slot)) count = std::max(count, static_cast<int>(slot.value()) + 1);
  return count;
}

std::vector<Expr> collect(Expr e, ExprKind leaf) {
  std::vector<Expr> found;
  if (leaf != ExprKind::dim && leaf != ExprKind::axis && leaf != ExprKind::slot) return found;
  std::unordered_set<Expr> seen;
  collect_into(e, leaf, seen, found);
  std::ranges::sort(found, [](Expr a, Expr b) { return Expr::compare(a, b) < 0; });
  return found;
}

std::optional<Affine> affine_in(Expr e, Expr leaf) {
  const SplitBy split = split_by(Polynomial(e), leaf);
  const auto has_leaf = [&](const Polynomial& p) {
    return std::ranges::any_of(p.terms, [&](const Term& t) {
      switch (leaf.kind()) {
        case ExprKind::axis: return mentions_axis(t.monomial, static_cast<int>(leaf.value()));
        case ExprKind::slot: return mentions_slot(t.monomial, static_cast<int>(leaf.value()));
        default: {
          const std::vector<Expr> dims = collect(t.monomial, ExprKind::dim);
          return std::ranges::find(dims, leaf) != dims.end();
        }
      }
    });
  };
  if (has_leaf(split.coefficient) || has_leaf(split.rest)) return std::nullopt;
  return Affine{to_expr(split.coefficient), to_expr(split.rest)};
}

}  // namespace quince
