// Canonical sums and products: like terms collected, products expanded, quotients and remainders recombined.
#include <algorithm>

#include "expr/checked.h"
#include "expr/polynomial.h"

namespace quince {

namespace detail {

namespace {

/// k·(x // c) → (k/c)·x where c divides both. Returns whether something changed.
bool undo_exact_division(Polynomial& p) {
  for (const Term& t : p.terms) {
    if (!t.monomial.node()->has_exact_div) continue;
    for (Expr f : Factors(t.monomial)) {
      if (f.kind() != ExprKind::floor_div || !f.node()->has_exact_div) continue;
      const std::int64_t c = f.operands()[1].value();
      if (t.coefficient % c != 0) continue;
      Polynomial rest;
      rest.add(*divide_monomial(t.monomial, f), t.coefficient / c);
      const Term old = t;
      p.add(old.monomial, -old.coefficient);
      p.add(multiply(rest, Polynomial(f.operands()[0])));
      return true;
    }
  }
  return false;
}

/// k·m·c·(y // c) + k·m·(y % c) → k·m·y. Returns whether something changed.
bool recombine(Polynomial& p) {
  for (const Term& t : p.terms) {
    if (!t.monomial.node()->has_mod) continue;
    for (Expr f : Factors(t.monomial)) {
      if (f.kind() != ExprKind::mod || f.node()->quotient == nullptr) continue;
      Polynomial scaled_quotient{Expr(f.node()->quotient)};
      scaled_quotient = multiply(scaled_quotient, Polynomial(f.operands()[1]));
      const Expr rest = *divide_monomial(t.monomial, f);
      Polynomial factor;
      factor.add(rest, t.coefficient);
      scaled_quotient = multiply(scaled_quotient, factor);
      if (scaled_quotient.overflowed || scaled_quotient.constant != 0 || scaled_quotient.terms.empty()) continue;
      const bool all_there = std::ranges::all_of(
          scaled_quotient.terms, [&](const Term& u) { return p.coefficient_of(u.monomial) == u.coefficient; });
      if (!all_there) continue;
      const Polynomial whole = multiply(factor, Polynomial(f.operands()[0]));
      if (whole.overflowed) continue;
      const Term old = t;
      p.add(scaled_quotient, -1);
      p.add(old.monomial, -old.coefficient);
      p.add(whole);
      return true;
    }
  }
  return false;
}

}  // namespace

Expr to_expr(Polynomial p) {
  for (bool changed = true; changed && !p.overflowed;) {
    bool any_mod = false;
    bool any_exact = false;
    for (const Term& t : p.terms) {
      any_mod |= t.monomial.node()->has_mod;
      any_exact |= t.monomial.node()->has_exact_div;
    }
    changed = (any_exact && undo_exact_division(p)) || (any_mod && p.terms.size() > 1 && recombine(p));
  }
  if (p.overflowed) overflow("a sum or product");
  if (p.terms.empty()) return Expr::constant(p.constant);
  if (p.terms.size() == 1 && p.constant == 0 && p.terms[0].coefficient == 1) return p.terms[0].monomial;
  boost::container::small_vector<Expr, 8> monomials;
  boost::container::small_vector<std::int64_t, 8> coefficients;
  for (const Term& t : p.terms) {
    monomials.push_back(t.monomial);
    coefficients.push_back(t.coefficient);
  }
  return intern({.kind = ExprKind::sum,
                 .value = p.constant,
                 .operands = {monomials.data(), monomials.size()},
                 .coefficients = {coefficients.data(), coefficients.size()}});
}

}  // namespace detail

using namespace detail;

Expr operator+(Expr a, Expr b) {
  if (a.is_constant(0)) return b;
  if (b.is_constant(0)) return a;
  Polynomial p(a);
  if (b.is_constant()) {
    p.add_constant(b.value());
  } else {
    p.add(Polynomial(b));
  }
  return to_expr(std::move(p));
}

Expr operator-(Expr a, Expr b) {
  if (a == b) return 0;
  if (b.is_constant(0)) return a;
  Polynomial p(a);
  p.add(Polynomial(b), -1);
  return to_expr(std::move(p));
}

Expr operator-(Expr a) {
  Polynomial p(a);
  p.scale(-1);
  return to_expr(std::move(p));
}

Expr operator*(Expr a, Expr b) {
  if (a.is_constant(1)) return b;
  if (b.is_constant(1)) return a;
  if (a.is_constant(0) || b.is_constant(0)) return 0;
  return to_expr(multiply(Polynomial(a), Polynomial(b)));
}

}  // namespace quince
