// What can be asked about all bindings at once: bounds, order, equality, predicates.
#include <algorithm>

#include "expr/checked.h"
#include "expr/prover.h"

namespace quince {

using namespace detail;

namespace {

/// p with every x % c replaced by x − c·(x // c).
Polynomial without_remainders(Polynomial p) {
  for (int i = 0; i < 32; ++i) {
    const auto term = std::ranges::find_if(p.terms, [](const Term& t) { return t.monomial.node()->has_mod; });
    if (term == p.terms.end() || p.overflowed) break;
    const Factors factors(term->monomial);
    const Expr atom = *std::find_if(factors.begin(), factors.end(), [](Expr f) { return f.node()->has_mod; });
    if (atom.kind() != ExprKind::mod || atom.node()->quotient == nullptr) break;
    Polynomial exact = multiply(Polynomial(Expr(atom.node()->quotient)), Polynomial(atom.operands()[1]));
    exact.scale(-1);
    exact.add(Polynomial(atom.operands()[0]));
    const SplitBy split = split_by(p, atom);
    p = multiply(split.coefficient, exact);
    p.add(split.rest);
  }
  return p;
}

bool not_negative(const Polynomial& p, Assumptions assume) {
  if (p.overflowed) return false;
  const Range r = range_of(p);
  if (r.lo >= 0) return true;
  if (r.hi < 0 && assume.empty()) return false;
  Prover prover(assume);
  return prover.not_negative(p);
}

/// The facts a predicate stands for when it holds: a conjunction of expressions ≥ 0, or nothing.
bool facts_of(Expr predicate, std::vector<Expr>& facts) {
  switch (predicate.kind()) {
    case ExprKind::not_negative: facts.push_back(predicate.operands()[0]); return true;
    case ExprKind::all:
      return std::ranges::all_of(predicate.operands(), [&](Expr part) { return facts_of(part, facts); });
    default: return false;
  }
}

bool contradictory(const std::vector<Expr>& facts, Assumptions assume) {
  std::vector<Expr> known(assume.begin(), assume.end());
  known.insert(known.end(), facts.begin(), facts.end());
  for (Expr fact : facts) {
    Polynomial refuted(fact);
    refuted.scale(-1);
    refuted.add_constant(-1);
    if (not_negative(refuted, known)) return true;
  }
  return false;
}

}  // namespace

Range bounds(Expr e) {
  Range r = range_of(e);
  if (e.is_constant()) return r;
  Polynomial p(e);
  r.lo = std::max(r.lo, Prover().lower_bound(p, kInf));
  p.scale(-1);
  r.hi = std::min(r.hi, neg_end(Prover().lower_bound(p, kInf)));
  if (r.hi < r.lo) r.hi = r.lo;  // no binding exists
  return r;
}

bool prove_not_negative(Expr e, Assumptions assume) {
  const ExprNode& node = *e.node();
  if (node.range.lo >= 0) return true;
  if (e.is_constant()) return false;
  if (!assume.empty()) return not_negative(Polynomial(e), assume);
  std::int8_t memo = node.not_negative.load(std::memory_order_relaxed);
  if (memo == 0) {
    memo = not_negative(Polynomial(e), {}) ? 1 : -1;
    node.not_negative.store(memo, std::memory_order_relaxed);
  }
  return memo > 0;
}

bool prove_le(Expr a, Expr b, Assumptions assume) {
  if (a == b) return true;
  Polynomial p(b);
  p.add(Polynomial(a), -1);
  return not_negative(p, assume);
}

bool prove_lt(Expr a, Expr b, Assumptions assume) {
  if (a == b) return false;
  Polynomial p(b);
  p.add(Polynomial(a), -1);
  p.add_constant(-1);
  return not_negative(p, assume);
}

bool prove_equal(Expr a, Expr b, Assumptions assume) {
  if (a == b) return true;
  if (a.is_constant() && b.is_constant()) return false;
  Polynomial p(a);
  p.add(Polynomial(b), -1);
  if (p.overflowed) return false;
  p = without_remainders(std::move(p));
  if (p.overflowed) return false;
  if (p.is_constant()) return p.constant == 0;
  if (!not_negative(p, assume)) return false;
  p.scale(-1);
  return not_negative(p, assume);
}

bool prove(Expr predicate, Assumptions assume) {
  switch (predicate.kind()) {
    case ExprKind::constant: return predicate.value() != 0;
    case ExprKind::not_negative: return prove_not_negative(predicate.operands()[0], assume);
    case ExprKind::all:
      return std::ranges::all_of(predicate.operands(), [&](Expr part) { return prove(part, assume); });
    case ExprKind::any: {
      if (std::ranges::any_of(predicate.operands(), [&](Expr part) { return prove(part, assume); })) return true;
      std::vector<Expr> denied;
      return facts_of(logical_not(predicate), denied) && contradictory(denied, assume);
    }
    default: {
      if (prove_lt(0, predicate, assume)) return true;
      return prove_lt(predicate, 0, assume);
    }
  }
}

bool prove_disjoint(Expr p, Expr q, Assumptions assume) {
  for (const auto& [one, other] : {std::pair{p, q}, std::pair{q, p}}) {
    if (one.kind() == ExprKind::any) {
      return std::ranges::all_of(one.operands(), [&, o = other](Expr part) { return prove_disjoint(part, o, assume); });
    }
  }
  if (p.is_constant(0) || q.is_constant(0)) return true;
  // A conjunction with an alternative inside: only its plain parts are used, which is sound.
  std::vector<Expr> facts;
  for (Expr side : {p, q}) {
    if (side.kind() == ExprKind::all) {
      for (Expr part : side.operands()) facts_of(part, facts);
    } else {
      facts_of(side, facts);
    }
  }
  return contradictory(facts, assume);
}

bool prove_multiple(Expr e, Expr m) {
  if (m.is_constant(0)) return e.is_constant(0);
  if (e.is_constant(0)) return true;
  if (const auto c = m.as_constant()) {
    return *c == -1 || e.node()->multiple % *c == 0;
  }
  const auto quotient = divide_exactly(Polynomial(e), Polynomial(m));
  return quotient.has_value();
}

}  // namespace quince
