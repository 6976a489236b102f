// Taking dividends apart: see radix.h.
#include "expr/radix.h"

#include <algorithm>
#include <numeric>

#include "expr/checked.h"

namespace quince::detail {

namespace {

/// A term whose value is a multiple of c although its coefficient is not: its exact quotient, if any.
std::optional<Polynomial> divide_exact_term(const Term& t, std::int64_t c) {
  if (t.coefficient == INT64_MIN) return std::nullopt;
  const std::int64_t g = std::gcd(t.coefficient, c);
  for (Expr f : Factors(t.monomial)) {
    if (f.node()->multiple % (c / g) != 0) continue;
    Polynomial quotient;
    quotient.add(*divide_monomial(t.monomial, f), t.coefficient / g);
    return multiply(quotient, Polynomial(floor_div(f, c / g)));
  }
  return std::nullopt;
}

/// The atom of a dividend that is nothing else: its exact quotient is the atom // c itself.
bool is_lone_atom(const Polynomial& p) {
  return p.constant == 0 && p.terms.size() == 1 && p.terms[0].coefficient == 1 &&
         p.terms[0].monomial.kind() != ExprKind::product;
}

std::size_t degree(Expr monomial) { return monomial.is_constant() ? 0 : Factors(monomial).size(); }

/// Common factors of the divisor's content and of a term each, the greatest first: smaller ones are then found in
/// what is left.
boost::container::small_vector<Term, 6> common_factors(const Polynomial& p, const Polynomial& divisor) {
  boost::container::small_vector<Term, 6> found;
  const Term content = content_of(divisor);
  if (content.monomial.is_constant() && content.coefficient == 1) return found;
  const auto same = [](const Term& a, const Term& b) {
    return a.monomial == b.monomial && a.coefficient == b.coefficient;
  };
  for (const Term& t : p.terms) {
    const std::int64_t m = t.monomial.kind() == ExprKind::product ? 1 : t.monomial.node()->multiple;
    Polynomial pair;
    pair.add(content.monomial, content.coefficient);
    pair.terms.push_back({t.monomial, 0});
    std::int64_t& k = pair.terms.back().coefficient;
    if (__builtin_mul_overflow(t.coefficient, m, &k) || k == INT64_MIN) continue;
    const Term d = content_of(pair);
    const bool trivial = d.monomial.is_constant() && d.coefficient == 1;
    const bool whole = same(d, content) && divisor.terms.size() <= 1;
    if (!trivial && !whole && std::ranges::none_of(found, [&](const Term& o) { return same(o, d); })) {
      found.push_back(d);
    }
  }
  std::ranges::sort(found, [](const Term& a, const Term& b) {
    if (degree(a.monomial) != degree(b.monomial)) return degree(a.monomial) > degree(b.monomial);
    if (a.coefficient != b.coefficient) return a.coefficient > b.coefficient;
    return Expr::compare(a.monomial, b.monomial) < 0;
  });
  return found;
}

/// p = d·outer + inner with whatever d divides in outer.
GcdSplit part_by(const Polynomial& p, const Term& d) {
  GcdSplit split;
  split.d.add(d.monomial, d.coefficient);
  split.inner.constant = p.constant;
  const bool numeric = d.monomial.is_constant();
  if (numeric) {
    split.outer.constant = checked_floor_div(p.constant, d.coefficient);
    split.inner.constant = floored_mod(p.constant, d.coefficient);
  }
  for (const Term& t : p.terms) {
    const auto monomial = divide_monomial(t.monomial, d.monomial);
    if (monomial && t.coefficient % d.coefficient == 0) {
      split.outer.add(*monomial, t.coefficient / d.coefficient);
    } else if (auto exact = numeric ? divide_exact_term(t, d.coefficient) : std::nullopt) {
      split.outer.add(*exact);
    } else {
      split.inner.add(t.monomial, t.coefficient);
    }
  }
  return split;
}

}  // namespace

Divisor::Divisor(Expr dividend, Expr divisor) : value_(divisor), polynomial_(divisor) {
  if (divisor.is_constant()) return;
  prover_.emplace();
  prover_->mention(dividend);
  prover_->mention(divisor);
}

bool Divisor::positive() {
  if (range_of(value_).lo >= 1) return true;
  if (!prover_) return false;
  Polynomial p = polynomial_;
  p.add_constant(-1);
  return prover_->not_negative(p);
}

std::optional<std::int64_t> Divisor::quotient(const Polynomial& p, const Polynomial& d) {
  if (p.overflowed || d.overflowed) return std::nullopt;
  const Range r = range_of(p);
  if (d.is_constant()) {
    if (r.lo == -kInf || r.hi == kInf || d.constant < 1) return std::nullopt;
    const std::int64_t j = checked_floor_div(r.lo, d.constant);
    return j == checked_floor_div(r.hi, d.constant) ? std::optional(j) : std::nullopt;
  }
  if (r.hi >= 0 && fits(p, d, 0)) return 0;
  if (r.lo < 0 && fits(p, d, -1)) return -1;
  return std::nullopt;
}

bool Divisor::fits(const Polynomial& p, const Polynomial& d, std::int64_t j) {
  if (!prover_) prover_.emplace();
  Polynomial above = p;
  above.add(d, -j);
  if (!prover_->not_negative(above)) return false;
  Polynomial below = d;
  below.add(d, j);
  below.add(p, -1);
  below.add_constant(-1);
  return prover_->not_negative(below);
}

Division take_multiples(const Polynomial& p, const Polynomial& divisor) {
  if (!divisor.is_constant()) return divide(p, divisor);
  const std::int64_t c = divisor.constant;
  Division d;
  if (is_lone_atom(p)) {
    d.rest = p;
    return d;
  }
  d.quotient.constant = checked_floor_div(p.constant, c);
  d.rest.constant = floored_mod(p.constant, c);
  for (const Term& t : p.terms) {
    // Divided toward zero: −x // 4 stays as it is.
    if (t.coefficient / c != 0) d.quotient.add(t.monomial, t.coefficient / c);
    const Term left{t.monomial, t.coefficient % c};
    if (left.coefficient == 0) continue;
    if (auto exact = divide_exact_term(left, c)) {
      d.quotient.add(*exact);
    } else {
      d.rest.add(left.monomial, left.coefficient);
    }
  }
  return d;
}

bool rejoin_digits(Division& d, const Polynomial& c) {
  for (const Term& t : d.rest.terms) {
    if (!t.monomial.node()->has_mod) continue;
    for (Expr f : Factors(t.monomial)) {
      if (f.kind() != ExprKind::mod || f.node()->quotient == nullptr) continue;
      Polynomial m;
      m.add(*divide_monomial(t.monomial, f), t.coefficient);
      const Polynomial higher =
          multiply(multiply(m, Polynomial(f.operands()[1])), Polynomial(Expr(f.node()->quotient)));
      Polynomial surplus = higher;
      bool met = false;
      for (const Term& h : higher.terms) {
        const std::int64_t there = d.rest.coefficient_of(h.monomial);
        met |= there != 0;
        if (there != INT64_MIN) surplus.add(h.monomial, -there);
      }
      if (!met || surplus.overflowed) continue;
      const auto multiple = divide_exactly(surplus, c);
      if (!multiple) continue;
      const Term old = t;
      Division next = d;
      next.quotient.add(*multiple, -1);
      next.rest.add(surplus);
      next.rest.add(higher, -1);
      next.rest.add(old.monomial, -old.coefficient);
      next.rest.add(multiply(m, Polynomial(f.operands()[0])));
      if (next.rest.overflowed || next.quotient.overflowed) continue;
      d = std::move(next);
      return true;
    }
  }
  return false;
}

bool drop_inner_remainder(Polynomial& p, const Polynomial& c) {
  for (const Term& t : p.terms) {
    if (!t.monomial.node()->has_mod) continue;
    for (Expr f : Factors(t.monomial)) {
      if (f.kind() != ExprKind::mod || f.node()->quotient == nullptr) continue;
      Polynomial rest;
      rest.add(*divide_monomial(t.monomial, f), t.coefficient);
      const Polynomial step = multiply(rest, Polynomial(f.operands()[1]));
      const Polynomial whole = multiply(rest, Polynomial(f.operands()[0]));
      if (step.overflowed || whole.overflowed || !divide_exactly(step, c)) continue;
      const Term old = t;
      p.add(old.monomial, -old.coefficient);
      p.add(whole);
      return true;
    }
  }
  return false;
}

std::optional<GcdSplit> split_by_gcd(const Polynomial& p, Divisor& c) {
  for (const Term& d : common_factors(p, c.polynomial())) {
    GcdSplit split = part_by(p, d);
    const auto j = c.quotient(split.inner, split.d);
    if (!j) continue;
    split.outer.add_constant(*j);
    split.inner.add(split.d, -*j);
    auto reduced = divide_exactly(c.polynomial(), split.d);
    if (!reduced || split.outer.overflowed || split.inner.overflowed) continue;
    split.reduced = *std::move(reduced);
    return split;
  }
  return std::nullopt;
}

}  // namespace quince::detail
