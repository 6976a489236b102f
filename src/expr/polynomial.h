// Sums of monomials with integer coefficients: the arithmetic below canonical form and the prover.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <optional>
#include <span>

#include "expr/node.h"

namespace quince::detail {

/// coefficient · monomial; the monomial is any node but a constant or a sum (a product, or one atom).
struct Term {
  Expr monomial;
  std::int64_t coefficient;
};

/// constant + Σ terms, sorted by Expr::compare, no coefficient 0. An i64 overflow sets a flag that stays; the value is
/// then meaningless.
struct Polynomial {
  std::int64_t constant = 0;
  boost::container::small_vector<Term, 6> terms;
  bool overflowed = false;

  Polynomial() = default;
  explicit Polynomial(std::int64_t value) : constant(value) {}
  explicit Polynomial(Expr e);

  bool is_constant() const { return terms.empty(); }
  bool is_zero() const { return terms.empty() && constant == 0; }

  void add_constant(std::int64_t value);
  /// += k · other.
  void add(const Polynomial& other, std::int64_t k = 1);
  /// += k · monomial; a monomial that is a constant or a sum is added as such.
  void add(Expr monomial, std::int64_t k);
  void scale(std::int64_t k);
  std::int64_t coefficient_of(Expr monomial) const;
  bool operator==(const Polynomial& other) const;
};

Polynomial multiply(const Polynomial& a, const Polynomial& b);
/// The numeric bounds of the sum of its terms.
Range range_of(const Polynomial& p);
/// Canonical expression: recombines c·(x // c) + x % c and exact divisions. Error(overflow) if the flag is set.
Expr to_expr(Polynomial p);

/// Factors of a monomial: a product's operands, or the atom itself.
class Factors {
 public:
  explicit Factors(const Expr& monomial)
      : all_(monomial.kind() == ExprKind::product ? monomial.operands() : std::span<const Expr>(&monomial, 1)) {}
  Factors(Expr&&) = delete;
  auto begin() const { return all_.begin(); }
  auto end() const { return all_.end(); }
  std::size_t size() const { return all_.size(); }

 private:
  std::span<const Expr> all_;
};

/// The product of sorted non-constant, non-sum factors; 1 when there are none.
Expr monomial_of(std::span<const Expr> sorted_factors);
/// monomial / divisor where every factor of the divisor occurs; 1 when they are equal.
std::optional<Expr> divide_monomial(Expr monomial, Expr divisor);
/// The greatest monomial, with a positive coefficient, that divides every term and the constant.
Term content_of(const Polynomial& p);
/// p / divisor where the division leaves nothing.
std::optional<Polynomial> divide_exactly(const Polynomial& p, const Polynomial& divisor);
/// p = quotient · divisor + rest by cancelling the divisor's leading monomial wherever it divides; coefficients are
/// divided toward zero. The divisor is not constant.
struct Division {
  Polynomial quotient;
  Polynomial rest;
};
Division divide(const Polynomial& p, const Polynomial& divisor);
/// p = coefficient · factor + rest, taking the factor out of each monomial once.
struct SplitBy {
  Polynomial coefficient;
  Polynomial rest;
};
SplitBy split_by(const Polynomial& p, Expr factor);

}  // namespace quince::detail
