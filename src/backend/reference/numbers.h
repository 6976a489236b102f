// Integers that depend on dims alone: collected when a graph is compiled, evaluated once per run.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "quince/expr/expr.h"

namespace quince::backend::reference {

using NumberId = int;

/// Distinct expressions over dims; a kernel refers to them by index.
class Numbers {
 public:
  /// `e` mentions no axis and no slot.
  NumberId add(Expr e);
  /// The value of each number. Errors: those of `evaluate`.
  std::vector<std::int64_t> evaluate_all(const std::map<std::string, std::int64_t, std::less<>>& dims) const;

 private:
  std::vector<Expr> exprs_;
  std::unordered_map<Expr, NumberId> ids_;
};

}  // namespace quince::backend::reference
