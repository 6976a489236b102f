// NumPy's broadcasting rule on symbolic shapes.
#pragma once

#include <utility>

#include "quince/expr/map.h"

namespace quince {

/// The shape that a and b broadcast to: missing leading axes and extents that are provably 1 give way. Two extents that
/// clash are handed to `on_clash`, which does not return.
template <class OnClash>
Shape broadcast(const Shape& a, const Shape& b, Assumptions facts, OnClash on_clash) {
  const Shape& longer = a.size() >= b.size() ? a : b;
  const Shape& shorter = a.size() >= b.size() ? b : a;
  Shape result = longer;
  const std::size_t shift = longer.size() - shorter.size();
  for (std::size_t i = 0; i < shorter.size(); ++i) {
    const Expr x = longer[i + shift];
    const Expr y = shorter[i];
    if (prove_equal(x, y, facts) || prove_equal(y, 1)) continue;
    if (!prove_equal(x, 1)) on_clash(x, y);
    result[i + shift] = y;
  }
  return result;
}

}  // namespace quince
