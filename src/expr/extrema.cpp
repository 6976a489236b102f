// min, max and clamp: flattened, sorted, without operands that another one always beats.
#include <algorithm>

#include "expr/logic.h"
#include "expr/node.h"

namespace quince {

namespace detail {

Expr extremum_of(ExprKind kind, const std::vector<Expr>& operands) {
  std::vector<Expr> flat;
  for (Expr e : operands) {
    if (e.kind() == kind) {
      flat.insert(flat.end(), e.operands().begin(), e.operands().end());
    } else {
      flat.push_back(e);
    }
  }
  std::ranges::sort(flat, [](Expr a, Expr b) { return Expr::compare(a, b) < 0; });
  flat.erase(std::unique(flat.begin(), flat.end()), flat.end());
  if (flat.size() > kMaxCompared) return intern({.kind = kind, .operands = flat});
  const auto beats = [kind](Expr a, Expr b) { return kind == ExprKind::min ? prove_le(a, b) : prove_le(b, a); };
  for (std::size_t i = 0; i < flat.size(); ++i) {
    for (std::size_t j = 0; j < flat.size();) {
      if (j != i && beats(flat[i], flat[j])) {
        flat.erase(flat.begin() + static_cast<std::ptrdiff_t>(j));
        if (j < i) --i;
      } else {
        ++j;
      }
    }
  }
  return flat.size() == 1 ? flat[0] : intern({.kind = kind, .operands = flat});
}

}  // namespace detail

Expr min(Expr a, Expr b) { return detail::extremum_of(ExprKind::min, {a, b}); }

Expr max(Expr a, Expr b) { return detail::extremum_of(ExprKind::max, {a, b}); }

Expr clamp(Expr e, Expr lo, Expr hi) { return max(lo, min(e, hi)); }

}  // namespace quince
