// Reading coordinates as mixed-radix numbers: which atoms, and in the end which axes, their values determine.
#pragma once

#include <optional>
#include <vector>

#include "expr/polynomial.h"

namespace quince::detail {

/// Starts from expressions whose values are given and finds what else is determined by them: in Σ k·t the term with
/// the greatest |k| is a digit where |k| exceeds the spread of all others; a number is known when its quotient and its
/// remainder are; and so on until nothing new is found.
class DigitReader {
 public:
  /// The expression has this value, itself an expression over other leaves. Without a value only the fact counts.
  void learn(Expr e, std::optional<Expr> value);
  /// Finds all that follows.
  void run();

  /// Whether the value of e is determined.
  bool knows(Expr e) const;
  /// The value, in terms of the values given.
  std::optional<Expr> value_of(Expr e) const;

 private:
  struct Known {
    Expr expr;
    std::optional<Expr> value;
  };

  const Known* find(Expr e) const;
  bool read_digits(Polynomial number, std::optional<Expr> value);
  bool join_digits();

  std::vector<Known> known_;
};

}  // namespace quince::detail
