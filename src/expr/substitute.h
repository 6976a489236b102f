// Replacement of axes by position, as maps need it.
#pragma once

#include <span>

#include "quince/expr/expr.h"

namespace quince::detail {

/// e with axis i replaced by axes[i] (those beyond the span stay) and slot k by slot k + slot_shift.
Expr substitute_axes(Expr e, std::span<const Expr> axes, int slot_shift = 0);

}  // namespace quince::detail
