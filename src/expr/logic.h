// N-ary extrema and connectives: the canonical forms behind min, max, and, or.
#pragma once

#include <cstddef>
#include <vector>

#include "quince/expr/expr.h"

namespace quince::detail {

/// Operands are compared with each other only up to this many, so that building stays fast.
inline constexpr std::size_t kMaxCompared = 16;

/// min or max of one or more expressions.
Expr extremum_of(ExprKind kind, const std::vector<Expr>& operands);
/// all or any of predicates.
Expr connective_of(ExprKind kind, const std::vector<Expr>& operands);
/// e ≠ 0 as a predicate; a predicate is itself.
Expr truth(Expr e);

}  // namespace quince::detail
