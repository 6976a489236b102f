// The value of an expression at one binding.
#include <fmt/format.h>

#include <algorithm>

#include "expr/checked.h"
#include "expr/node.h"

namespace quince {

using namespace detail;

namespace {

std::int64_t leaf_value(const std::vector<std::int64_t>& values, std::int64_t index, char letter) {
  if (index < 0 || static_cast<std::uint64_t>(index) >= values.size()) {
    throw Error(ErrorCode::not_found, fmt::format("{}{} has no value", letter, index));
  }
  return values[static_cast<std::size_t>(index)];
}

}  // namespace

std::int64_t evaluate(Expr e, const Bindings& at) {
  const auto operands = e.operands();
  switch (e.kind()) {
    case ExprKind::constant: return e.value();
    case ExprKind::dim: {
      const auto found = at.dims.find(e.dim_name());
      if (found == at.dims.end()) {
        throw Error(ErrorCode::not_found, fmt::format("dim {} has no value", e.dim_name()));
      }
      return found->second;
    }
    case ExprKind::axis: return leaf_value(at.axes, e.value(), 'a');
    case ExprKind::slot: return leaf_value(at.slots, e.value(), 's');
    case ExprKind::sum: {
      std::int64_t total = e.value();
      const auto coefficients = e.coefficients();
      for (std::size_t i = 0; i < operands.size(); ++i) {
        total = checked_add(total, checked_mul(coefficients[i], evaluate(operands[i], at)));
      }
      return total;
    }
    case ExprKind::product: {
      std::int64_t total = 1;
      for (Expr f : operands) total = checked_mul(total, evaluate(f, at));
      return total;
    }
    case ExprKind::floor_div:
    case ExprKind::mod: {
      const std::int64_t a = evaluate(operands[0], at);
      const std::int64_t b = evaluate(operands[1], at);
      if (b == 0) throw Error(ErrorCode::invalid_argument, fmt::format("the divisor of {} is 0", to_string(e)));
      return e.kind() == ExprKind::mod ? floored_mod(a, b) : checked_floor_div(a, b);
    }
    case ExprKind::min:
    case ExprKind::max: {
      std::int64_t best = evaluate(operands[0], at);
      for (Expr o : operands.subspan(1)) {
        const std::int64_t v = evaluate(o, at);
        best = e.kind() == ExprKind::min ? std::min(best, v) : std::max(best, v);
      }
      return best;
    }
    case ExprKind::not_negative: return evaluate(operands[0], at) >= 0 ? 1 : 0;
    case ExprKind::all:
    case ExprKind::any: {
      std::int64_t holding = 0;
      for (Expr o : operands) holding += evaluate(o, at) != 0 ? 1 : 0;
      return e.kind() == ExprKind::all ? holding == static_cast<std::int64_t>(operands.size()) : holding > 0;
    }
  }
  throw Error(ErrorCode::internal, "an expression of no kind");
}

}  // namespace quince
