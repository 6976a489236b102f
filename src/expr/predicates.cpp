// Comparisons as e ≥ 0, and their conjunctions and disjunctions.
#include <algorithm>
#include <numeric>

#include "expr/checked.h"
#include "expr/logic.h"
#include "expr/polynomial.h"
#include "expr/prover.h"

namespace quince {

namespace detail {

namespace {

bool is_predicate(Expr e) {
  switch (e.kind()) {
    case ExprKind::constant: return e.value() == 0 || e.value() == 1;
    case ExprKind::not_negative:
    case ExprKind::all:
    case ExprKind::any: return true;
    default: return false;
  }
}

/// ±(x // c) + rest ≥ 0 as a condition on x. Returns whether there was such a term.
bool clear_quotient(Polynomial& p) {
  for (const Term& t : p.terms) {
    if (t.monomial.kind() != ExprKind::floor_div || (t.coefficient != 1 && t.coefficient != -1)) continue;
    const Expr x = t.monomial.operands()[0];
    const Expr c = t.monomial.operands()[1];
    if (range_of(c).lo < 1) continue;
    // x // c + r ≥ 0 ⟺ x + c·r ≥ 0;   r − x // c ≥ 0 ⟺ c·r + c − 1 − x ≥ 0.
    const std::int64_t sign = t.coefficient;
    Polynomial next = p;
    next.add(t.monomial, -sign);
    next = multiply(next, Polynomial(c));
    next.add(Polynomial(x), sign);
    if (sign < 0) {
      next.add(Polynomial(c));
      next.add_constant(-1);
    }
    if (next.overflowed) continue;
    p = std::move(next);
    return true;
  }
  return false;
}

/// Σ k·t + c ≥ 0 with the coefficients' gcd divided out. Returns whether it was above 1.
bool divide_by_content(Polynomial& p) {
  std::int64_t g = 0;
  for (const Term& t : p.terms) g = t.coefficient == INT64_MIN ? 1 : std::gcd(g, t.coefficient);
  if (g <= 1) return false;
  p.constant = checked_floor_div(p.constant, g);
  for (Term& t : p.terms) t.coefficient /= g;
  return true;
}

/// k·q + c ≥ 0 for a predicate q.
Expr threshold(Expr q, std::int64_t k, std::int64_t c) {
  const bool at_zero = c >= 0;
  const bool at_one = static_cast<__int128>(c) + k >= 0;
  return at_zero == at_one ? Expr(at_zero ? 1 : 0) : at_one ? q : logical_not(q);
}

/// The canonical predicate e ≥ 0.
Expr at_least_zero(Expr e) {
  for (bool changed = true; changed;) {
    if (range_of(e).lo >= 0) return 1;
    if (range_of(e).hi < 0) return 0;
    Polynomial p(e);
    changed = divide_by_content(p) || clear_quotient(p);
    if (changed) e = to_expr(std::move(p));
  }
  const Polynomial p(e);
  if (p.terms.size() == 1 && is_predicate(p.terms[0].monomial)) {
    return threshold(p.terms[0].monomial, p.terms[0].coefficient, p.constant);
  }
  if (prove_not_negative(e)) return 1;
  if (prove_lt(e, 0)) return 0;
  return intern({.kind = ExprKind::not_negative, .operands = {&e, 1}});
}

/// Where two parts are comparisons of the same terms, only the tighter (for all) or the looser (for any) counts.
void drop_implied(std::vector<Expr>& parts, bool keep_tighter) {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    for (std::size_t j = 0; j < parts.size();) {
      const bool comparable =
          i != j && parts[i].kind() == ExprKind::not_negative && parts[j].kind() == ExprKind::not_negative;
      bool implied = false;
      if (comparable) {
        Polynomial slack(parts[j].operands()[0]);
        slack.add(Polynomial(parts[i].operands()[0]), -1);
        if (!keep_tighter) slack.scale(-1);
        implied = !slack.overflowed && slack.is_constant() && slack.constant >= 0;
      }
      if (implied) {
        parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(j));
        if (j < i) --i;
      } else {
        ++j;
      }
    }
  }
}

/// e1 ≥ 0 and e2 ≥ 0 exclude each other: e1 + e2 < 0 everywhere.
bool clash(Expr e1, Expr e2) {
  Polynomial p(e1);
  p.add(Polynomial(e2));
  p.scale(-1);
  p.add_constant(-1);
  if (p.overflowed) return false;
  if (range_of(p).lo >= 0) return true;
  return Prover().not_negative(p);
}

bool any_clash(const std::vector<Expr>& parts, bool negated) {
  const auto fact = [negated](Expr part) { return negated ? -part.operands()[0] - 1 : part.operands()[0]; };
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].kind() != ExprKind::not_negative) continue;
    for (std::size_t j = 0; j < i; ++j) {
      if (parts[j].kind() == ExprKind::not_negative && clash(fact(parts[i]), fact(parts[j]))) return true;
    }
  }
  return false;
}

}  // namespace

Expr truth(Expr e) {
  if (is_predicate(e)) return e;
  if (e.is_constant()) return 1;
  const Range r = range_of(e);
  if (r.lo >= 0) return at_least_zero(e - 1);
  return logical_or(at_least_zero(e - 1), at_least_zero(-e - 1));
}

Expr connective_of(ExprKind kind, const std::vector<Expr>& operands) {
  const bool all = kind == ExprKind::all;
  std::vector<Expr> parts;
  for (Expr e : operands) {
    const Expr p = truth(e);
    if (p.is_constant(all ? 0 : 1)) return p;
    if (p.is_constant()) continue;
    if (p.kind() == kind) {
      parts.insert(parts.end(), p.operands().begin(), p.operands().end());
    } else {
      parts.push_back(p);
    }
  }
  std::ranges::sort(parts, [](Expr a, Expr b) { return Expr::compare(a, b) < 0; });
  parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
  if (parts.size() > kMaxCompared) return intern({.kind = kind, .operands = parts});
  drop_implied(parts, all);
  if (parts.empty()) return all ? 1 : 0;
  if (parts.size() == 1) return parts[0];
  if (any_clash(parts, !all)) return all ? 0 : 1;
  return intern({.kind = kind, .operands = parts});
}

}  // namespace detail

using namespace detail;

Expr ge(Expr a, Expr b) { return at_least_zero(a - b); }
Expr le(Expr a, Expr b) { return at_least_zero(b - a); }
Expr lt(Expr a, Expr b) { return at_least_zero(b - a - 1); }
Expr eq(Expr a, Expr b) { return logical_and(ge(a, b), le(a, b)); }

Expr logical_and(Expr p, Expr q) { return connective_of(ExprKind::all, {p, q}); }
Expr logical_or(Expr p, Expr q) { return connective_of(ExprKind::any, {p, q}); }

Expr logical_not(Expr p) {
  p = truth(p);
  if (p.is_constant()) return p.is_constant(0) ? 1 : 0;
  if (p.kind() == ExprKind::not_negative) return at_least_zero(-p.operands()[0] - 1);
  std::vector<Expr> denied;
  for (Expr part : p.operands()) denied.push_back(logical_not(part));
  return connective_of(p.kind() == ExprKind::all ? ExprKind::any : ExprKind::all, denied);
}

}  // namespace quince
