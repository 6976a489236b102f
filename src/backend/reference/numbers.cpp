// The table of integers that depend on dims alone.
#include "backend/reference/numbers.h"

namespace quince::backend::reference {

NumberId Numbers::add(Expr e) {
  const auto [it, added] = ids_.emplace(e, static_cast<NumberId>(exprs_.size()));
  if (added) exprs_.push_back(e);
  return it->second;
}

std::vector<std::int64_t> Numbers::evaluate_all(const std::map<std::string, std::int64_t, std::less<>>& dims) const {
  Bindings at;
  at.dims = dims;
  std::vector<std::int64_t> values;
  values.reserve(exprs_.size());
  for (Expr e : exprs_) {
    const auto constant = e.as_constant();
    values.push_back(constant ? *constant : evaluate(e, at));
  }
  return values;
}

}  // namespace quince::backend::reference
