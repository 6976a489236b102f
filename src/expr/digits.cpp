// Mixed-radix reading of coordinates: see digits.h.
#include "expr/digits.h"

#include <algorithm>

#include "expr/checked.h"
#include "expr/prover.h"
#include "expr/uniform_bounds.h"

namespace quince::detail {

namespace {

/// Numbers met on the way; maps have a handful of coordinates.
constexpr std::size_t kMaxKnown = 64;

/// A monomial as weight · atom, where the weight is over dims and the atom is the one factor that varies.
struct Weighted {
  Expr atom;
  Polynomial weight;
};

std::optional<Weighted> weighted(const Term& t) {
  const Factors factors(t.monomial);
  std::optional<Expr> atom;
  for (Expr f : factors) {
    if (is_uniform(f)) continue;
    if (atom) return std::nullopt;
    atom = f;
  }
  if (!atom) return std::nullopt;
  Weighted result{*atom, {}};
  result.weight.add(*divide_monomial(t.monomial, *atom), t.coefficient);
  return result;
}

}  // namespace

void DigitReader::learn(Expr e, std::optional<Expr> value) {
  if (find(e) == nullptr) known_.push_back({e, value});
}

const DigitReader::Known* DigitReader::find(Expr e) const {
  const auto found = std::ranges::find(known_, e, &Known::expr);
  return found == known_.end() ? nullptr : &*found;
}

bool DigitReader::knows(Expr e) const {
  if (is_uniform(e) || find(e) != nullptr) return true;
  const ExprKind kind = e.kind();
  if (kind == ExprKind::axis || kind == ExprKind::slot) return false;
  return std::ranges::all_of(e.operands(), [&](Expr o) { return knows(o); });
}

std::optional<Expr> DigitReader::value_of(Expr e) const {
  if (is_uniform(e)) return e;
  if (const Known* known = find(e)) return known->value;
  switch (e.kind()) {
    case ExprKind::sum:
    case ExprKind::product: break;
    case ExprKind::floor_div:
    case ExprKind::mod: {
      const auto x = value_of(e.operands()[0]);
      const auto c = value_of(e.operands()[1]);
      if (!x || !c || c->is_constant(0)) return std::nullopt;
      return e.kind() == ExprKind::mod ? mod(*x, *c) : floor_div(*x, *c);
    }
    default: return std::nullopt;
  }
  const bool sum = e.kind() == ExprKind::sum;
  Expr total = sum ? e.value() : 1;
  for (std::size_t i = 0; i < e.operands().size(); ++i) {
    const auto part = value_of(e.operands()[i]);
    if (!part) return std::nullopt;
    total = sum ? total + e.coefficients()[i] * *part : total * *part;
  }
  return total;
}

bool DigitReader::read_digits(Polynomial number, std::optional<Expr> value) {
  bool changed = false;
  while (true) {
    // What is known already says nothing new.
    Polynomial left(number.constant);
    for (const Term& t : number.terms) {
      if (!knows(t.monomial)) left.add(t.monomial, t.coefficient);
    }
    left.constant = 0;
    if (value) {
      Polynomial settled = number;
      settled.add(left, -1);
      const auto known = value_of(to_expr(settled));
      value = known ? std::optional(*value - *known) : std::nullopt;
    }
    number = left;
    bool found = false;
    for (const Term& t : number.terms) {
      const auto digit = weighted(t);
      if (!digit) continue;
      // The same atom may have several weights, as in a0·s + 2·a0.
      const SplitBy split = split_by(number, digit->atom);
      if (!std::ranges::all_of(split.coefficient.terms, [](const Term& w) { return is_uniform(w.monomial); })) continue;
      const bool reversed = range_of(split.coefficient).hi <= 0;
      Polynomial weight = split.coefficient;
      Polynomial rest = split.rest;
      if (reversed) {
        weight.scale(-1);
        rest.scale(-1);
      }
      if (weight.overflowed || rest.overflowed) continue;
      const auto spread = uniform_bounds(to_expr(rest));
      if (!spread) continue;
      Polynomial room = weight;
      room.add_constant(-1);
      room.add(rest, -1);
      room.add(Polynomial(spread->lo));
      Prover prover;
      prover.mention(to_expr(number));
      if (room.overflowed || !prover.not_negative(room)) continue;
      std::optional<Expr> digit_value;
      if (value) {
        const Expr w = to_expr(weight);
        if (!w.is_constant(0)) digit_value = floor_div((reversed ? -*value : *value) - spread->lo, w);
      }
      known_.push_back({digit->atom, digit_value});
      changed = found = true;
      break;
    }
    if (!found) return changed;
  }
}

bool DigitReader::join_digits() {
  bool changed = false;
  for (std::size_t i = 0; i < known_.size(); ++i) {
    const Known low = known_[i];
    if (low.expr.kind() != ExprKind::mod || low.expr.node()->quotient == nullptr) continue;
    const Expr whole = low.expr.operands()[0];
    const Expr quotient(low.expr.node()->quotient);
    const Expr divisor = low.expr.operands()[1];
    if (!is_uniform(divisor) || find(whole) != nullptr) continue;
    if (knows(quotient)) {
      const auto q = value_of(quotient);
      learn(whole, q && low.value ? std::optional(*q * divisor + *low.value) : std::nullopt);
      changed = true;
      continue;
    }
    // e = k·(y // c) + … and y % c give c·e + k·(y % c), where quotient and remainder have met.
    for (std::size_t j = 0; j < known_.size() && known_.size() < kMaxKnown; ++j) {
      const Known high = known_[j];
      const std::int64_t k = Polynomial(high.expr).coefficient_of(quotient);
      if (k == 0) continue;
      const Expr met = divisor * high.expr + k * low.expr;
      if (find(met) != nullptr) continue;
      learn(met, high.value && low.value ? std::optional(divisor * *high.value + k * *low.value) : std::nullopt);
      changed = true;
    }
  }
  return changed;
}

void DigitReader::run() {
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < known_.size(); ++i) {
      const Known number = known_[i];
      changed |= read_digits(Polynomial(number.expr), number.value);
    }
    changed |= join_digits();
  }
}

}  // namespace quince::detail
