// How a dividend comes apart: multiples of the divisor, digits that meet again, common factors.
#pragma once

#include <cstdint>
#include <optional>

#include "expr/polynomial.h"
#include "expr/prover.h"

namespace quince::detail {

/// A divisor, and what is known about remainders: a numeric one is checked by numbers, a symbolic one by the prover,
/// which may use that everything the dividend and the divisor mention exists.
class Divisor {
 public:
  Divisor(Expr dividend, Expr divisor);

  Expr value() const { return value_; }
  const Polynomial& polynomial() const { return polynomial_; }
  bool positive();
  /// The j with j·d ≤ p < (j + 1)·d at every binding, if there is one; that d > 0 is part of what is shown.
  std::optional<std::int64_t> quotient(const Polynomial& p, const Polynomial& d);

 private:
  bool fits(const Polynomial& p, const Polynomial& d, std::int64_t j);

  Expr value_;
  Polynomial polynomial_;
  std::optional<Prover> prover_;
};

/// p = quotient·divisor + rest with every multiple taken out; under a numeric divisor c the rest's constant lies in
/// [0, c).
Division take_multiples(const Polynomial& p, const Polynomial& divisor);

/// m·(y % b) + E with E ≡ m·b·(y // b) modulo c is m·y up to a multiple of c: the digits of y meet again although the
/// higher one's weight was reduced modulo c. Returns whether something changed.
bool rejoin_digits(Division& d, const Polynomial& c);

/// Inside a remainder modulo c, m·(y % b) may be m·y where c divides m·b. Returns whether something changed.
bool drop_inner_remainder(Polynomial& p, const Polynomial& c);

/// p = d·outer + inner with 0 ≤ inner < d, for a common factor d > 1 of the divisor d·reduced.
struct GcdSplit {
  Polynomial d;
  Polynomial outer;
  Polynomial inner;
  Polynomial reduced;
};
std::optional<GcdSplit> split_by_gcd(const Polynomial& p, Divisor& c);

}  // namespace quince::detail
