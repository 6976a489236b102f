// Bounds of an expression as expressions over dims alone.
#pragma once

#include <optional>

#include "quince/expr/expr.h"

namespace quince::detail {

struct UniformBounds {
  Expr lo;
  Expr hi;
};

/// lo ≤ e ≤ hi at every binding, with neither axes nor slots in lo and hi; nothing where no such form is found.
std::optional<UniformBounds> uniform_bounds(Expr e);

}  // namespace quince::detail
