// Names and kinds of the ops.
#include <array>

#include "quince/graph/graph.h"

namespace quince {
namespace {

constexpr std::array<std::string_view, kOpCount> kNames = {
    "Input", "Constant", "Log2",      "Exp2",      "Sin",  "Sqrt",   "Recip",   "Add", "Mul",
    "Mod",   "LessThan", "SumReduce", "MaxReduce", "Iota", "Gather", "Scatter", "Cast"};

}  // namespace

std::string_view name(Op op) { return kNames[static_cast<std::size_t>(op)]; }

std::optional<Op> op_from_name(std::string_view text) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == text) return static_cast<Op>(i);
  }
  return std::nullopt;
}

bool is_elementwise(Op op) {
  switch (op) {
    case Op::log2:
    case Op::exp2:
    case Op::sin:
    case Op::sqrt:
    case Op::recip:
    case Op::add:
    case Op::mul:
    case Op::mod:
    case Op::less_than:
    case Op::cast: return true;
    default: return false;
  }
}

}  // namespace quince
