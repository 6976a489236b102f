// Floored quotients and remainders, reduced under the ranges of what they mention.
#include <array>

#include "expr/checked.h"
#include "expr/radix.h"

namespace quince {

namespace detail {

namespace {

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
  const bool alone = d.rest.terms.size() == 1 && d.rest.terms[0].coefficient == 1;
  // (x % (b·c)) // c = (x // c) % b: digits have one form.
  if (alone && d.rest.constant == 0 && d.rest.terms[0].monomial.kind() == ExprKind::mod) {
    const auto inner = d.rest.terms[0].monomial.operands();
    if (const auto b = divide_exactly(Polynomial(inner[1]), c.polynomial()); b && Divisor(a, inner[1]).positive()) {
      return mod(floor_div(inner[0], c.value()), to_expr(*b));
    }
  }
  // (x // b + k) // c = (x + k·b) // (b·c).
  if (alone && d.rest.terms[0].monomial.kind() == ExprKind::floor_div) {
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
