// Floored quotients and remainders, reduced under the ranges of what they mention.
#include <algorithm>
#include <array>
#include <numeric>

#include "expr/checked.h"
#include "expr/polynomial.h"
#include "expr/prover.h"

namespace quince {

namespace detail {

namespace {

/// Remainders of a divisor: a numeric one is checked by numbers, a symbolic one by the prover.
class Divisor {
 public:
  Divisor(Expr dividend, Expr divisor) : value_(divisor), polynomial_(divisor) {
    if (!divisor.is_constant()) {
      prover_.emplace();
      prover_->mention(dividend);
      prover_->mention(divisor);
    }
  }

  Expr value() const { return value_; }
  const Polynomial& polynomial() const { return polynomial_; }

  bool positive() {
    if (range_of(value_).lo >= 1) return true;
    if (!prover_) return false;
    Polynomial p = polynomial_;
    p.add_constant(-1);
    return prover_->not_negative(p);
  }

  /// The j with j·d ≤ p < (j + 1)·d at every binding, for d > 0.
  std::optional<std::int64_t> quotient(const Polynomial& p, const Polynomial& d) {
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

 private:
  bool fits(const Polynomial& p, const Polynomial& d, std::int64_t j) {
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

  Expr value_;
  Polynomial polynomial_;
  std::optional<Prover> prover_;
};

/// A term whose value is known to be a multiple of c without its coefficient being one: its exact quotient, if any.
std::optional<Polynomial> divide_exact_term(const Term& t, std::int64_t c) {
  if (t.coefficient == INT64_MIN) return std::nullopt;
  const std::int64_t g = std::gcd(t.coefficient, c);
  const std::int64_t left = c / g;
  for (Expr f : Factors(t.monomial)) {
    if (f.node()->multiple % left != 0) continue;
    if (f == t.monomial && t.coefficient == 1) return std::nullopt;  // already the atom f // c
    Polynomial quotient;
    quotient.add(*divide_monomial(t.monomial, f), t.coefficient / g);
    return multiply(quotient, Polynomial(floor_div(f, left)));
  }
  return std::nullopt;
}

/// p = quotient·c + rest with every multiple of c taken out and a rest whose constant lies in [0, c).
Division take_multiples(const Polynomial& p, const Polynomial& divisor) {
  if (!divisor.is_constant()) return divide(p, divisor);
  const std::int64_t c = divisor.constant;
  Division d;
  d.quotient.constant = checked_floor_div(p.constant, c);
  d.rest.constant = floored_mod(p.constant, c);
  for (const Term& t : p.terms) {
    if (t.coefficient / c != 0) d.quotient.add(t.monomial, t.coefficient / c);
    if (t.coefficient % c == 0) continue;
    const Term left{t.monomial, t.coefficient % c};
    const bool alone = p.terms.size() == 1 && d.quotient.is_zero() && d.rest.constant == 0;
    if (alone && left.coefficient == 1 && t.monomial.kind() != ExprKind::product) {
      d.rest.add(left.monomial, left.coefficient);
    } else if (auto exact = divide_exact_term(left, c)) {
      d.quotient.add(*exact);
    } else if (left.coefficient == 1 && left.monomial.kind() != ExprKind::product &&
               left.monomial.node()->multiple % c == 0) {
      d.quotient.add(floor_div(left.monomial, divisor.constant), 1);
    } else {
      d.rest.add(left.monomial, left.coefficient);
    }
  }
  return d;
}

/// m·(y % b) + E with E ≡ m·b·(y // b) modulo c is m·y up to a multiple of c: the digits of y meet again although
/// the higher one's weight was reduced modulo c. Returns whether something changed.
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

/// The greatest monomial, with its coefficient, that divides every term.
Term content_of(const Polynomial& p) {
  std::int64_t g = p.constant;
  std::optional<Expr> common;
  if (p.constant != 0) common = Expr(1);
  const auto meet = [](Expr a, Expr b) {
    boost::container::small_vector<Expr, 4> both;
    if (a.is_constant() || b.is_constant()) return Expr(1);
    Expr left = b;
    for (Expr f : Factors(a)) {
      if (left.is_constant()) break;
      if (const auto rest = divide_monomial(left, f)) {
        both.push_back(f);
        left = *rest;
      }
    }
    return monomial_of({both.data(), both.size()});
  };
  for (const Term& t : p.terms) {
    if (t.coefficient == INT64_MIN || g == INT64_MIN) return {1, 1};
    g = std::gcd(g, t.coefficient);
    common = common ? meet(*common, t.monomial) : t.monomial;
  }
  return {common.value_or(Expr(1)), g};
}

/// p = d·(outer) + inner with 0 ≤ inner < d, for a common factor d > 1 of the divisor c = d·reduced.
struct GcdSplit {
  Polynomial d;
  Polynomial outer;
  Polynomial inner;
  Polynomial reduced;
};

std::optional<GcdSplit> split_by_gcd(const Polynomial& p, Divisor& c) {
  const Term content = content_of(c.polynomial());
  if (content.monomial.is_constant() && content.coefficient == 1) return std::nullopt;
  boost::container::small_vector<Term, 6> tried;
  for (const Term& t : p.terms) {
    Polynomial pair;
    pair.add(content.monomial, content.coefficient);
    Polynomial with_multiple;
    const std::int64_t m = t.monomial.kind() == ExprKind::product ? 1 : t.monomial.node()->multiple;
    std::int64_t k = 0;
    if (__builtin_mul_overflow(t.coefficient, m, &k) || k == INT64_MIN) continue;
    pair.terms.push_back({t.monomial, k});
    Term d = content_of(pair);
    if (content.monomial.is_constant()) d = {1, std::gcd(content.coefficient, k)};
    if ((d.monomial.is_constant() && d.coefficient == 1) ||
        (d.monomial == content.monomial && d.coefficient == content.coefficient && c.polynomial().terms.size() <= 1)) {
      continue;
    }
    if (std::ranges::any_of(
            tried, [&](const Term& o) { return o.monomial == d.monomial && o.coefficient == d.coefficient; })) {
      continue;
    }
    tried.push_back(d);
  }
  // The greatest factor first: smaller ones are then found in what is left.
  std::ranges::sort(tried, [](const Term& a, const Term& b) {
    const std::size_t x = a.monomial.is_constant() ? 0 : Factors(a.monomial).size();
    const std::size_t y = b.monomial.is_constant() ? 0 : Factors(b.monomial).size();
    if (x != y) return x > y;
    if (a.coefficient != b.coefficient) return a.coefficient > b.coefficient;
    return Expr::compare(a.monomial, b.monomial) < 0;
  });
  for (const Term& d : tried) {
    GcdSplit split;
    split.d.add(d.monomial, d.coefficient);
    Polynomial left = p;
    if (d.monomial.is_constant()) {
      split.outer.constant = checked_floor_div(p.constant, d.coefficient);
      left.constant = floored_mod(p.constant, d.coefficient);
    }
    split.inner.constant = left.constant;
    for (const Term& t : left.terms) {
      const auto monomial = divide_monomial(t.monomial, d.monomial);
      if (monomial && t.coefficient % d.coefficient == 0) {
        split.outer.add(*monomial, t.coefficient / d.coefficient);
      } else if (d.monomial.is_constant()) {
        if (auto exact = divide_exact_term(t, d.coefficient)) {
          split.outer.add(*exact);
        } else if (t.coefficient == 1 && t.monomial.kind() != ExprKind::product &&
                   t.monomial.node()->multiple % d.coefficient == 0) {
          split.outer.add(floor_div(t.monomial, d.coefficient), 1);
        } else {
          split.inner.add(t.monomial, t.coefficient);
        }
      } else {
        split.inner.add(t.monomial, t.coefficient);
      }
    }
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

/// Inside a remainder modulo c, m·(y % b) may be m·y where c divides m·b.
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

Expr atom(ExprKind kind, Expr a, Expr b) {
  const std::array<Expr, 2> operands = {a, b};
  return intern({.kind = kind, .operands = operands});
}

Expr quotient_by_positive(Expr a, Divisor& c) {
  Division d = take_multiples(Polynomial(a), c.polynomial());
  while (a.node()->has_mod && rejoin_digits(d, c.polynomial())) {
  }
  if (d.quotient.overflowed || d.rest.overflowed) overflow("a division");
  if (const auto j = c.quotient(d.rest, c.polynomial())) {
    d.quotient.add_constant(*j);
    return to_expr(std::move(d.quotient));
  }
  if (!d.quotient.is_zero()) {
    const Expr rest = to_expr(d.rest);
    if (rest != a) {
      d.quotient.add(Polynomial(quotient_by_positive(rest, c)));
      return to_expr(std::move(d.quotient));
    }
  }
  if (auto split = split_by_gcd(d.rest, c)) {
    // An exact quotient by itself would be folded back by the next rule.
    const bool folds_back = split->inner.is_zero() && split->outer.terms.size() == 1 &&
                            split->outer.terms[0].coefficient == 1 &&
                            split->outer.terms[0].monomial.kind() == ExprKind::floor_div &&
                            split->outer.terms[0].monomial.node()->has_exact_div;
    if (!folds_back) return floor_div(to_expr(split->outer), to_expr(split->reduced));
  }
  // (x // b + k) // c = (x + k·b) // (b·c).
  if (d.rest.terms.size() == 1 && d.rest.terms[0].coefficient == 1 &&
      d.rest.terms[0].monomial.kind() == ExprKind::floor_div) {
    const auto inner = d.rest.terms[0].monomial.operands();
    if (Divisor(a, inner[1]).positive()) {
      Polynomial x = multiply(Polynomial(inner[1]), Polynomial(d.rest.constant));
      x.add(Polynomial(inner[0]));
      const Polynomial divisor = multiply(Polynomial(inner[1]), c.polynomial());
      if (!x.overflowed && !divisor.overflowed) return floor_div(to_expr(x), to_expr(divisor));
    }
  }
  return atom(ExprKind::floor_div, to_expr(std::move(d.rest)), c.value());
}

/// a % b as it stands. Its quotient depends on a and b alone, never on what else was known when it was built.
Expr remainder_atom(Expr a, Expr b) {
  const std::array<Expr, 2> operands = {a, b};
  NodeKey key{.kind = ExprKind::mod, .operands = operands};
  if (const Expr known = find_interned(key); known.node() != nullptr) return known;
  Divisor c(a, b);
  key.quotient = c.positive() ? quotient_by_positive(a, c) : atom(ExprKind::floor_div, a, b);
  return intern(key);
}

Expr remainder_by_positive(Expr a, Divisor& c) {
  Division d = take_multiples(Polynomial(a), c.polynomial());
  while (a.node()->has_mod && rejoin_digits(d, c.polynomial())) {
  }
  if (d.rest.overflowed) overflow("a remainder");
  if (const auto j = c.quotient(d.rest, c.polynomial())) {
    d.rest.add(c.polynomial(), -*j);
    return to_expr(std::move(d.rest));
  }
  if (drop_inner_remainder(d.rest, c.polynomial())) return remainder_by_positive(to_expr(std::move(d.rest)), c);
  if (auto split = split_by_gcd(d.rest, c)) {
    return to_expr(split->d) * mod(to_expr(split->outer), to_expr(split->reduced)) + to_expr(split->inner);
  }
  const Expr rest = to_expr(std::move(d.rest));
  if (c.value().is_constant() && rest.node()->multiple % c.value().value() == 0) return 0;
  if (rest != a) return remainder_by_positive(rest, c);
  return remainder_atom(rest, c.value());
}

/// The last results of one thread: a map's coordinates repeat the same few divisions.
struct Recent {
  struct Entry {
    const ExprNode* dividend = nullptr;
    const ExprNode* divisor = nullptr;
    const ExprNode* result = nullptr;
  };
  std::array<Entry, 1024> entries{};

  Entry& at(Expr a, Expr b) { return entries[(a.hash() ^ (b.hash() >> 7)) % entries.size()]; }
};

template <typename Compute>
Expr remembered(Recent& recent, Expr a, Expr b, Compute compute) {
  Recent::Entry& hit = recent.at(a, b);
  if (hit.dividend == a.node() && hit.divisor == b.node()) return Expr(hit.result);
  const Expr result = compute();
  recent.at(a, b) = {a.node(), b.node(), result.node()};
  return result;
}

[[noreturn]] void division_by_zero(Expr a) {
  throw Error(ErrorCode::invalid_argument, "division of " + to_string(a) + " by 0");
}

}  // namespace

}  // namespace detail

using namespace detail;

Expr floor_div(Expr a, Expr b) {
  if (b.is_constant()) {
    const std::int64_t c = b.value();
    if (c == 0) division_by_zero(a);
    if (c == 1) return a;
    if (a.is_constant()) return checked_floor_div(a.value(), c);
    if (c == INT64_MIN) return atom(ExprKind::floor_div, a, b);
  }
  if (range_of(b).hi < 0) return floor_div(-a, -b);
  thread_local Recent recent;
  return remembered(recent, a, b, [&] {
    Divisor c(a, b);
    return c.positive() ? quotient_by_positive(a, c) : atom(ExprKind::floor_div, a, b);
  });
}

Expr ceil_div(Expr a, Expr b) { return -floor_div(-a, b); }

Expr mod(Expr a, Expr b) {
  if (b.is_constant()) {
    const std::int64_t c = b.value();
    if (c == 0) division_by_zero(a);
    if (c == 1 || c == -1) return 0;
    if (a.is_constant()) return floored_mod(a.value(), c);
    if (c == INT64_MIN) return atom(ExprKind::mod, a, b);
  }
  if (range_of(b).hi < 0) return -mod(-a, -b);
  thread_local Recent recent;
  return remembered(recent, a, b, [&] {
    Divisor c(a, b);
    return c.positive() ? remainder_by_positive(a, c) : remainder_atom(a, b);
  });
}

}  // namespace quince
