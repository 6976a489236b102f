// Sums of monomials: addition, multiplication, division of monomials.
#include "expr/polynomial.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "expr/checked.h"

namespace quince::detail {

namespace {

/// Products of sums are expanded up to this many terms; beyond it the sums stay factors of a product.
constexpr std::size_t kMaxExpandedTerms = 128;

using Exprs = boost::container::small_vector<Expr, 8>;

bool before(Expr a, Expr b) { return Expr::compare(a, b) < 0; }

std::size_t term_count(Expr sum) { return sum.operands().size() + (sum.value() != 0 ? 1 : 0); }

bool has_sum_factor(const Factors& factors) {
  return std::any_of(factors.begin(), factors.end(), [](Expr f) { return is_sum(f); });
}

/// Sorts and merges equal monomials.
void collect_terms(Polynomial& p) {
  std::sort(p.terms.begin(), p.terms.end(),
            [](const Term& a, const Term& b) { return before(a.monomial, b.monomial); });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < p.terms.size();) {
    Term term = p.terms[i];
    for (++i; i < p.terms.size() && p.terms[i].monomial == term.monomial; ++i) {
      p.overflowed |= __builtin_add_overflow(term.coefficient, p.terms[i].coefficient, &term.coefficient);
    }
    if (term.coefficient != 0) p.terms[kept++] = term;
  }
  p.terms.erase(p.terms.begin() + static_cast<std::ptrdiff_t>(kept), p.terms.end());
}

/// Divides a sum by its content, signed so that its first term is positive; returns that content.
Polynomial take_content(Polynomial& p) {
  Term content = content_of(p);
  if (p.terms.front().coefficient < 0) content.coefficient = -content.coefficient;
  Polynomial taken;
  taken.add(content.monomial, content.coefficient);
  if (auto left = divide_exactly(p, taken); left && !taken.overflowed) {
    p = *std::move(left);
    return taken;
  }
  return Polynomial(1);
}

/// The product of monomials of which some have sums as factors: sums are merged pairwise, smallest first, while the
/// result stays under the cap, so that the outcome does not depend on the order of multiplication.
Polynomial multiply_with_sums(const Factors& x, const Factors& y) {
  Exprs atoms;
  Exprs sums;
  for (const Factors* factors : {&x, &y}) {
    for (Expr f : *factors) (is_sum(f) ? sums : atoms).push_back(f);
  }
  Polynomial result(1);
  const auto smaller = [](Expr a, Expr b) {
    return term_count(a) != term_count(b) ? term_count(a) < term_count(b) : before(a, b);
  };
  std::sort(sums.begin(), sums.end(), smaller);
  while (sums.size() >= 2 && term_count(sums[0]) * term_count(sums[1]) <= kMaxExpandedTerms) {
    Polynomial merged = multiply(Polynomial(sums[0]), Polynomial(sums[1]));
    sums.erase(sums.begin(), sums.begin() + 2);
    if (merged.overflowed || merged.is_constant() || merged.terms.size() + (merged.constant != 0 ? 1 : 0) == 1) {
      result = multiply(result, merged);
      continue;
    }
    result = multiply(result, take_content(merged));
    const Expr sum = to_expr(merged);
    sums.insert(std::upper_bound(sums.begin(), sums.end(), sum, smaller), sum);
  }
  std::sort(atoms.begin(), atoms.end(), before);
  if (sums.size() >= 2) {
    atoms.insert(atoms.end(), sums.begin(), sums.end());
    std::sort(atoms.begin(), atoms.end(), before);
    sums.clear();
  }
  Polynomial product;
  product.add(monomial_of({atoms.data(), atoms.size()}), 1);
  if (!sums.empty()) product = multiply(product, Polynomial(sums[0]));
  return result.constant == 1 && result.is_constant() ? product : multiply(result, product);
}

/// The sums themselves become factors of one monomial.
Polynomial multiply_capped(const Polynomial& a, const Polynomial& b) {
  Polynomial x = a;
  Polynomial y = b;
  const Polynomial content = multiply(take_content(x), take_content(y));
  std::array<Expr, 2> factors = {to_expr(std::move(x)), to_expr(std::move(y))};
  std::sort(factors.begin(), factors.end(), before);
  Polynomial result;
  result.add(monomial_of(factors), 1);
  return multiply(result, content);
}

}  // namespace

Polynomial::Polynomial(Expr e) {
  switch (e.kind()) {
    case ExprKind::constant: constant = e.value(); break;
    case ExprKind::sum: {
      constant = e.value();
      const auto monomials = e.operands();
      const auto coefficients = e.coefficients();
      terms.reserve(monomials.size());
      for (std::size_t i = 0; i < monomials.size(); ++i) terms.push_back({monomials[i], coefficients[i]});
      break;
    }
    default: terms.push_back({e, 1});
  }
}

void Polynomial::add_constant(std::int64_t value) { overflowed |= __builtin_add_overflow(constant, value, &constant); }

void Polynomial::add(Expr monomial, std::int64_t k) {
  if (k == 0) return;
  if (monomial.is_constant() || is_sum(monomial)) {
    add(Polynomial(monomial), k);
    return;
  }
  const auto place = std::lower_bound(terms.begin(), terms.end(), monomial,
                                      [](const Term& t, Expr m) { return t.monomial != m && before(t.monomial, m); });
  if (place == terms.end() || place->monomial != monomial) {
    terms.insert(place, {monomial, k});
    return;
  }
  overflowed |= __builtin_add_overflow(place->coefficient, k, &place->coefficient);
  if (place->coefficient == 0) terms.erase(place);
}

void Polynomial::add(const Polynomial& other, std::int64_t k) {
  std::int64_t scaled = 0;
  overflowed |= other.overflowed;
  overflowed |= __builtin_mul_overflow(other.constant, k, &scaled);
  add_constant(scaled);
  if (other.terms.size() <= 1) {
    for (const Term& t : other.terms) {
      overflowed |= __builtin_mul_overflow(t.coefficient, k, &scaled);
      add(t.monomial, scaled);
    }
    return;
  }
  boost::container::small_vector<Term, 6> merged;
  merged.reserve(terms.size() + other.terms.size());
  auto a = terms.begin();
  for (const Term& t : other.terms) {
    overflowed |= __builtin_mul_overflow(t.coefficient, k, &scaled);
    while (a != terms.end() && a->monomial != t.monomial && before(a->monomial, t.monomial)) merged.push_back(*a++);
    if (a != terms.end() && a->monomial == t.monomial) {
      overflowed |= __builtin_add_overflow(scaled, a->coefficient, &scaled);
      ++a;
    }
    if (scaled != 0) merged.push_back({t.monomial, scaled});
  }
  merged.insert(merged.end(), a, terms.end());
  terms.swap(merged);
}

void Polynomial::scale(std::int64_t k) {
  if (k == 0) {
    terms.clear();
    constant = 0;
    return;
  }
  overflowed |= __builtin_mul_overflow(constant, k, &constant);
  for (Term& t : terms) overflowed |= __builtin_mul_overflow(t.coefficient, k, &t.coefficient);
}

std::int64_t Polynomial::coefficient_of(Expr monomial) const {
  for (const Term& t : terms) {
    if (t.monomial == monomial) return t.coefficient;
  }
  return 0;
}

bool Polynomial::operator==(const Polynomial& other) const {
  return constant == other.constant && std::equal(terms.begin(), terms.end(), other.terms.begin(), other.terms.end(),
                                                  [](const Term& a, const Term& b) {
                                                    return a.monomial == b.monomial && a.coefficient == b.coefficient;
                                                  });
}

Polynomial multiply(const Polynomial& a, const Polynomial& b) {
  if (a.is_constant() || b.is_constant()) {
    Polynomial result = a.is_constant() ? b : a;
    result.scale(a.is_constant() ? a.constant : b.constant);
    result.overflowed |= a.overflowed || b.overflowed;
    return result;
  }
  const std::size_t rows = a.terms.size() + (a.constant != 0 ? 1 : 0);
  const std::size_t columns = b.terms.size() + (b.constant != 0 ? 1 : 0);
  if (rows > 1 && columns > 1 && rows * columns > kMaxExpandedTerms) return multiply_capped(a, b);
  Polynomial result;
  result.overflowed = a.overflowed || b.overflowed;
  Polynomial extra;
  for (const Term& s : a.terms) {
    for (const Term& t : b.terms) {
      std::int64_t k = 0;
      result.overflowed |= __builtin_mul_overflow(s.coefficient, t.coefficient, &k);
      const Factors x(s.monomial);
      const Factors y(t.monomial);
      if (has_sum_factor(x) || has_sum_factor(y)) {
        extra.add(multiply_with_sums(x, y), k);
        continue;
      }
      Exprs factors;
      factors.resize(x.size() + y.size(), s.monomial);
      std::merge(x.begin(), x.end(), y.begin(), y.end(), factors.begin(), before);
      result.terms.push_back({monomial_of({factors.data(), factors.size()}), k});
    }
  }
  if (result.terms.size() > 1) collect_terms(result);
  if (!extra.is_zero() || extra.overflowed) result.add(extra);
  if (a.constant != 0) {
    Polynomial terms_only = b;
    terms_only.constant = 0;
    result.add(terms_only, a.constant);
  }
  if (b.constant != 0) result.add(a, b.constant);
  return result;
}

Range range_of(const Polynomial& p) {
  Range r{end_of(p.constant), end_of(p.constant)};
  for (const Term& t : p.terms) r = add(r, scale(range_of(t.monomial), t.coefficient));
  return r;
}

Expr monomial_of(std::span<const Expr> sorted_factors) {
  if (sorted_factors.empty()) return 1;
  if (sorted_factors.size() == 1) return sorted_factors[0];
  return intern({.kind = ExprKind::product, .operands = sorted_factors});
}

std::optional<Expr> divide_monomial(Expr monomial, Expr divisor) {
  if (monomial == divisor) return Expr(1);
  if (divisor.is_constant(1)) return monomial;
  const Factors all(monomial);
  const Factors taken(divisor);
  if (taken.size() > all.size()) return std::nullopt;
  Exprs left;
  auto next = taken.begin();
  for (Expr f : all) {
    if (next != taken.end() && *next == f) {
      ++next;
    } else {
      left.push_back(f);
    }
  }
  if (next != taken.end()) return std::nullopt;
  return monomial_of({left.data(), left.size()});
}

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
    if (t.coefficient == INT64_MIN || g == INT64_MIN) return {Expr(1), 1};
    g = std::gcd(g, t.coefficient);
    common = common ? meet(*common, t.monomial) : t.monomial;
  }
  return {common.value_or(Expr(1)), g};
}

SplitBy split_by(const Polynomial& p, Expr factor) {
  SplitBy split;
  split.rest.constant = p.constant;
  split.rest.overflowed = p.overflowed;
  for (const Term& t : p.terms) {
    if (const auto left = divide_monomial(t.monomial, factor)) {
      split.coefficient.add(*left, t.coefficient);
    } else {
      split.rest.terms.push_back(t);
    }
  }
  return split;
}

Division divide(const Polynomial& p, const Polynomial& divisor) {
  constexpr int kMaxRounds = 24;
  const auto degree = [](const Term& t) { return Factors(t.monomial).size(); };
  const Term& lead = *std::max_element(divisor.terms.begin(), divisor.terms.end(),
                                       [&](const Term& a, const Term& b) { return degree(a) < degree(b); });
  Division result{{}, p};
  if (divisor.terms.size() == 1 && divisor.constant == 0 && lead.coefficient != -1) {
    // A monomial: one pass.
    result.rest = Polynomial(p.constant);
    for (const Term& t : p.terms) {
      const auto left =
          t.coefficient / lead.coefficient != 0 ? divide_monomial(t.monomial, lead.monomial) : std::nullopt;
      if (left) result.quotient.add(*left, t.coefficient / lead.coefficient);
      result.rest.add(t.monomial, left ? t.coefficient % lead.coefficient : t.coefficient);
    }
    return result;
  }
  for (int round = 0; round < kMaxRounds && !result.rest.overflowed; ++round) {
    Polynomial part;
    for (const Term& t : result.rest.terms) {
      if (t.coefficient == INT64_MIN || t.coefficient / lead.coefficient == 0) continue;
      if (const auto left = divide_monomial(t.monomial, lead.monomial)) {
        part.add(*left, t.coefficient / lead.coefficient);
        break;
      }
    }
    if (part.is_zero()) break;
    Division next = result;
    next.quotient.add(part);
    next.rest.add(multiply(part, divisor), -1);
    if (next.rest.overflowed || next.quotient.overflowed) break;
    result = std::move(next);
  }
  return result;
}

std::optional<Polynomial> divide_exactly(const Polynomial& p, const Polynomial& divisor) {
  if (!divisor.is_constant()) {
    Division d = divide(p, divisor);
    if (!d.rest.is_zero()) return std::nullopt;
    return std::move(d.quotient);
  }
  Polynomial quotient;
  const auto constant = exact_quotient(p.constant, divisor.constant);
  if (!constant) return std::nullopt;
  quotient.constant = *constant;
  for (const Term& t : p.terms) {
    const auto k = exact_quotient(t.coefficient, divisor.constant);
    if (!k) return std::nullopt;
    quotient.terms.push_back({t.monomial, *k});
  }
  return quotient;
}

}  // namespace quince::detail
