// The search for lower bounds: see prover.h.
#include "expr/prover.h"

#include <algorithm>
#include <numeric>

#include "expr/checked.h"

namespace quince::detail {

namespace {

constexpr int kMaxSteps = 400;
constexpr int kMaxSearchDepth = 24;
constexpr std::int64_t kUnknown = -kInf;

/// a·x + b.
Polynomial substituted(const SplitBy& split, const Polynomial& x) {
  Polynomial result = multiply(split.coefficient, x);
  result.add(split.rest);
  return result;
}

/// Numbers that cannot be negated are left to others.
bool has_extreme(const Polynomial& p) {
  return p.constant == INT64_MIN ||
         std::ranges::any_of(p.terms, [](const Term& t) { return t.coefficient == INT64_MIN; });
}

std::int64_t ceil_of_quotient(std::int64_t bound, std::int64_t divisor) {
  return bound == kUnknown || bound == kInf ? bound : -checked_floor_div(-bound, divisor);
}

}  // namespace

Prover::Prover(Assumptions assume) {
  for (Expr fact : assume) add_fact(fact);
}

void Prover::refine(Expr dim, Range range) {
  if (const std::int64_t m = dim.dim_multiple(); m > 1) {
    if (range.lo > 0) range.lo = end_of(-static_cast<__int128>(m) * checked_floor_div(-range.lo, m));
  }
  const Range before = atom_range(dim);
  range = {std::max(range.lo, before.lo), std::min(range.hi, before.hi)};
  if (range.hi < range.lo) return;  // contradictory facts: nothing is gained by using them
  for (Refined& r : refined_) {
    if (r.dim == dim) {
      r.range = range;
      return;
    }
  }
  refined_.push_back({dim, range});
}

void Prover::add_fact(Expr not_negative) {
  if (not_negative.is_constant()) return;
  const Polynomial fact(not_negative);
  if (range(fact).lo >= 0) return;
  if (fact.terms.size() == 1) {
    const Term& t = fact.terms.front();
    const std::int64_t k = t.coefficient;
    if (t.monomial.kind() == ExprKind::dim && fact.constant != INT64_MIN && k != INT64_MIN) {
      if (k > 0) refine(t.monomial, {-checked_floor_div(fact.constant, k), kInf});
      if (k < 0) refine(t.monomial, {-kInf, checked_floor_div(fact.constant, -k)});
      return;
    }
    if (k > 0 && fact.constant < 0 && t.monomial.kind() == ExprKind::product) {
      const auto factors = t.monomial.operands();
      if (std::ranges::all_of(factors, [&](Expr f) { return atom_range(f).lo >= 0; })) {
        for (Expr f : factors) {
          if (f.kind() == ExprKind::dim) refine(f, {1, kInf});
        }
      }
    }
  }
  if (std::ranges::find(facts_, fact) == facts_.end()) facts_.push_back(fact);
}

void Prover::mention(Expr e) {
  const ExprNode& node = *e.node();
  if ((node.axes | node.slots) == 0 || std::ranges::find(mentioned_, &node) != mentioned_.end()) return;
  if (node.kind == ExprKind::axis || node.kind == ExprKind::slot) {
    mentioned_.push_back(&node);
    if (!node.operands[node.operand_count - 1].is_constant()) {
      add_fact(node.kind == ExprKind::axis ? node.operands[0] - 1 : node.operands[1] - node.operands[0]);
    }
    return;
  }
  for (Expr operand : e.operands()) mention(operand);
}

Range Prover::atom_range(Expr atom) const {
  if (atom.kind() == ExprKind::dim) {
    for (const Refined& r : refined_) {
      if (r.dim == atom) return r.range;
    }
  }
  return range_of(atom);
}

Range Prover::range(Expr monomial) const {
  if (refined_.empty()) return range_of(monomial);
  if (monomial.kind() != ExprKind::product) return atom_range(monomial);
  Range r{1, 1};
  for (Expr f : monomial.operands()) r = multiply(r, atom_range(f));
  const Range known = range_of(monomial);
  return {std::max(r.lo, known.lo), std::min(r.hi, known.hi)};
}

Range Prover::range(const Polynomial& p) const {
  Range r{end_of(p.constant), end_of(p.constant)};
  for (const Term& t : p.terms) r = quince::detail::add(r, scale(range(t.monomial), t.coefficient));
  return r;
}

std::int64_t Prover::lower_bound(const Polynomial& p, std::int64_t enough) {
  if (p.overflowed) return kUnknown;
  if (const std::int64_t quick = range_of(p).lo; quick >= enough || p.is_constant()) return quick;
  for (const Term& t : p.terms) mention(t.monomial);
  steps_left_ = kMaxSteps;
  try {
    return search(p, enough, 0);
  } catch (const Error&) {
    return range_of(p).lo;  // an intermediate form outgrew the limits of expressions
  }
}

std::int64_t Prover::search(const Polynomial& p, std::int64_t enough, int depth) {
  if (p.overflowed || has_extreme(p)) return kUnknown;
  std::int64_t best = range(p).lo;
  if (best >= enough || p.is_constant()) return best;
  if (depth > kMaxSearchDepth || steps_left_-- <= 0) return best;
  const Expr* deepest = nullptr;
  for (const Term& t : p.terms) {
    for (const Expr& f : Factors(t.monomial)) {
      if (deepest == nullptr || f.node()->depth > deepest->node()->depth) deepest = &f;
    }
  }
  if (deepest->kind() != ExprKind::dim) {
    best = std::max(best, eliminate(*deepest, p, enough, depth));
    return best >= enough ? best : std::max(best, by_facts(p, *deepest, enough, depth));
  }
  best = std::max(best, by_facts(p, *deepest, enough, depth));
  if (best >= enough) return best;
  // Among dims, one whose coefficient has a known sign needs one end only.
  Expr dim = *deepest;
  for (const Term& t : p.terms) {
    for (Expr f : Factors(t.monomial)) {
      const Range slope = f.kind() == ExprKind::dim ? range(split_by(p, f).coefficient) : Range{};
      if (slope.lo >= 0 || slope.hi <= 0) {
        const std::int64_t end = slope.lo >= 0 ? atom_range(f).lo : atom_range(f).hi;
        if (end == kInf || end == -kInf) continue;
        return std::max(best, eliminate(f, p, enough, depth));
      }
    }
  }
  return std::max(best, eliminate(dim, p, enough, depth));
}

int Prover::sign(const Polynomial& p, int depth) {
  const Range r = range(p);
  if (r.lo >= 0) return 1;
  if (r.hi <= 0) return -1;
  if (search(p, 0, depth + 1) >= 0) return 1;
  Polynomial negated = p;
  negated.scale(-1);
  return search(negated, 0, depth + 1) >= 0 ? -1 : 0;
}

bool Prover::positive(Expr e, int depth) {
  if (range(e).lo >= 1) return true;
  if (e.is_constant()) return false;
  Polynomial p(e);
  p.add_constant(-1);
  return search(p, 0, depth + 1) >= 0;
}

std::int64_t Prover::eliminate(Expr atom, const Polynomial& p, std::int64_t enough, int depth) {
  const SplitBy split = split_by(p, atom);
  switch (atom.kind()) {
    case ExprKind::axis: {
      const Polynomial lo(0);
      Polynomial hi(atom.operands()[0]);
      hi.add_constant(-1);
      return by_ends(split, &lo, &hi, enough, depth);
    }
    case ExprKind::slot: {
      const Polynomial lo(atom.operands()[0]);
      const Polynomial hi(atom.operands()[1]);
      return by_ends(split, &lo, &hi, enough, depth);
    }
    case ExprKind::floor_div: return by_quotient(split, atom, enough, depth);
    case ExprKind::mod: return by_remainder(split, atom, enough, depth);
    case ExprKind::min:
    case ExprKind::max: return by_extremum(split, atom, enough, depth);
    default: return by_numbers(split, atom, enough, depth);
  }
}

std::int64_t Prover::by_ends(const SplitBy& split, const Polynomial* lo, const Polynomial* hi, std::int64_t enough,
                             int depth) {
  const int s = sign(split.coefficient, depth);
  if ((s >= 0 && lo == nullptr) || (s <= 0 && hi == nullptr)) return kUnknown;
  if (s > 0) return search(substituted(split, *lo), enough, depth + 1);
  if (s < 0) return search(substituted(split, *hi), enough, depth + 1);
  const std::int64_t at_lo = search(substituted(split, *lo), enough, depth + 1);
  if (at_lo == kUnknown) return kUnknown;
  return std::min(at_lo, search(substituted(split, *hi), enough, depth + 1));
}

std::int64_t Prover::by_numbers(const SplitBy& split, Expr atom, std::int64_t enough, int depth) {
  const Range r = atom_range(atom);
  const Polynomial lo(r.lo);
  const Polynomial hi(r.hi);
  return by_ends(split, r.lo == -kInf ? nullptr : &lo, r.hi == kInf ? nullptr : &hi, enough, depth);
}

std::int64_t Prover::by_quotient(const SplitBy& split, Expr atom, std::int64_t enough, int depth) {
  const Expr x = atom.operands()[0];
  const Expr c = atom.operands()[1];
  std::int64_t best = kUnknown;
  const int s = positive(c, depth) ? sign(split.coefficient, depth) : 0;
  if (s != 0) {
    // x − c + 1 ≤ c·(x // c) ≤ x.
    Polynomial scaled(x);
    if (s > 0) {
      scaled.add(Polynomial(c), -1);
      scaled.add_constant(1);
    }
    if (const auto slope = divide_exactly(split.coefficient, Polynomial(c))) {
      best = search(substituted({*slope, split.rest}, scaled), enough, depth + 1);
    } else {
      // c·p ≥ v gives p ≥ ⌈v / c⌉.
      Polynomial rest = multiply(split.rest, Polynomial(c));
      Polynomial times_c = substituted({split.coefficient, rest}, scaled);
      if (const auto divisor = c.as_constant()) {
        const std::int64_t goal = enough >= kInf / *divisor || enough <= -kInf / *divisor ? kInf : enough * *divisor;
        best = ceil_of_quotient(search(times_c, goal, depth + 1), *divisor);
      } else {
        times_c.add(Polynomial(c));
        times_c.add_constant(-1);
        if (search(times_c, 0, depth + 1) >= 0) best = 0;
      }
    }
  }
  return best >= enough ? best : std::max(best, by_numbers(split, atom, enough, depth));
}

std::int64_t Prover::by_remainder(const SplitBy& split, Expr atom, std::int64_t enough, int depth) {
  const Expr x = atom.operands()[0];
  const Expr c = atom.operands()[1];
  if (!positive(c, depth)) return by_numbers(split, atom, enough, depth);
  const Polynomial lo(0);
  Polynomial hi(c);
  hi.add_constant(-1);
  std::int64_t best = by_ends(split, &lo, &hi, enough, depth);
  if (best < enough && range(x).lo >= 0) {
    const Polynomial whole(x);
    best = std::max(best, by_ends(split, &lo, &whole, enough, depth));
  }
  if (best < enough && atom.node()->quotient != nullptr) {
    Polynomial exact = multiply(Polynomial(Expr(atom.node()->quotient)), Polynomial(c));
    exact.scale(-1);
    exact.add(Polynomial(x));
    best = std::max(best, search(substituted(split, exact), enough, depth + 1));
  }
  return best;
}

std::int64_t Prover::by_extremum(const SplitBy& split, Expr atom, std::int64_t enough, int depth) {
  const int s = sign(split.coefficient, depth);
  if (s == 0) return by_numbers(split, atom, enough, depth);
  // Where the slope and the extremum point the same way every operand has to do, else any one will.
  const bool every = (atom.kind() == ExprKind::min) == (s > 0);
  std::int64_t best = every ? kInf : kUnknown;
  for (Expr operand : atom.operands()) {
    const std::int64_t bound = search(substituted(split, Polynomial(operand)), enough, depth + 1);
    best = every ? std::min(best, bound) : std::max(best, bound);
    if (every ? best == kUnknown : best >= enough) break;
  }
  return best;
}

std::int64_t Prover::by_facts(const Polynomial& p, Expr atom, std::int64_t enough, int depth) {
  const bool any_dim = atom.kind() == ExprKind::dim;
  std::int64_t best = kUnknown;
  for (const Polynomial& fact : facts_) {
    for (const Term& u : fact.terms) {
      for (const Term& t : p.terms) {
        if ((u.coefficient > 0) != (t.coefficient > 0)) continue;
        if (!any_dim && !divide_monomial(u.monomial, atom)) continue;
        const auto factor = divide_monomial(t.monomial, u.monomial);
        if (!factor || range(*factor).lo < 0) continue;
        // m·p − n·factor·fact loses the term t.
        const std::int64_t g = std::gcd(t.coefficient, u.coefficient);
        const std::int64_t m = u.coefficient / g < 0 ? -(u.coefficient / g) : u.coefficient / g;
        const std::int64_t n = t.coefficient / g < 0 ? t.coefficient / g : -(t.coefficient / g);
        Polynomial reduced = p;
        reduced.scale(m);
        Polynomial by;
        by.add(*factor, n);
        reduced.add(multiply(fact, by));
        const std::int64_t goal = enough >= kInf / m || enough <= -kInf / m ? kInf : enough * m;
        best = std::max(best, ceil_of_quotient(search(reduced, goal, depth + 1), m));
        if (best >= enough) return best;
      }
    }
  }
  return best;
}

}  // namespace quince::detail
