// Lower bounds of polynomials by eliminating one atom after the other.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>

#include "expr/polynomial.h"

namespace quince::detail {

/// Finds lower bounds that hold at every binding. The deepest atom goes first: axes and slots are replaced by an end
/// of their range, quotients, remainders and extrema by expressions that bound them, so that terms over dims cancel
/// before any number is put in; dims go last. Facts (expressions ≥ 0) may be subtracted at every step. The search is
/// bounded by a count of steps, so its answer does not depend on time or on what was proven before. It builds sums and
/// products only, never quotients, extrema or predicates, which themselves ask the prover.
class Prover {
 public:
  /// Facts: the assumptions, and that what the expressions mention exists: every extent ≥ 1, every slot's lo ≤ hi.
  explicit Prover(Assumptions assume = {});
  void mention(Expr e);
  void add_fact(Expr not_negative);

  bool not_negative(const Polynomial& p) { return lower_bound(p, 0) >= 0; }
  /// The best bound found; the search stops early at `enough`.
  std::int64_t lower_bound(const Polynomial& p, std::int64_t enough);

 private:
  struct Refined {
    Expr dim;
    Range range;
  };
  struct Ends;

  Range range(Expr monomial) const;
  Range range(const Polynomial& p) const;
  Range atom_range(Expr atom) const;
  void refine(Expr dim, Range range);

  std::int64_t search(const Polynomial& p, std::int64_t enough, int depth);
  std::int64_t eliminate(Expr atom, const Polynomial& p, std::int64_t enough, int depth);
  std::int64_t by_ends(const SplitBy& split, const Polynomial* lo, const Polynomial* hi, std::int64_t enough,
                       int depth);
  std::int64_t by_numbers(const SplitBy& split, Expr atom, std::int64_t enough, int depth);
  std::int64_t by_quotient(const SplitBy& split, Expr atom, std::int64_t enough, int depth);
  std::int64_t by_remainder(const SplitBy& split, Expr atom, std::int64_t enough, int depth);
  std::int64_t by_extremum(const SplitBy& split, Expr atom, std::int64_t enough, int depth);
  std::int64_t by_facts(const Polynomial& p, Expr atom, std::int64_t enough, int depth);
  /// 1: ≥ 0 everywhere, -1: ≤ 0 everywhere, 0: unknown.
  int sign(const Polynomial& p, int depth);
  bool positive(Expr e, int depth);

  boost::container::small_vector<Refined, 4> refined_;
  boost::container::small_vector<Polynomial, 4> facts_;
  boost::container::small_vector<const ExprNode*, 8> mentioned_;
  int steps_left_ = 0;
};

}  // namespace quince::detail
