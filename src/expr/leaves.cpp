// Constants, dims, axes and slots, and what can be asked of a node directly.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "expr/checked.h"
#include "expr/leaves.h"
#include "expr/node.h"

namespace quince {

using namespace detail;

namespace {

constexpr std::int64_t kSmallest = -64;
constexpr std::int64_t kLargest = 1024;

std::vector<Expr> make_small_constants() {
  std::vector<Expr> all;
  all.reserve(static_cast<std::size_t>(kLargest - kSmallest + 1));
  for (std::int64_t v = kSmallest; v <= kLargest; ++v) all.push_back(intern({.kind = ExprKind::constant, .value = v}));
  return all;
}

bool is_word_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

namespace detail {

bool is_leaf_name(std::string_view name) {
  return name.size() > 1 && (name[0] == 'a' || name[0] == 's') && std::ranges::all_of(name.substr(1), is_digit);
}

bool is_dim_name(std::string_view name) {
  constexpr std::array<std::string_view, 7> kWords = {"and", "or", "not", "min", "max", "ceildiv", "clamp"};
  return !name.empty() && is_word_start(name[0]) &&
         std::ranges::all_of(name, [](char c) { return is_word_start(c) || is_digit(c); }) && !is_leaf_name(name) &&
         std::ranges::find(kWords, name) == kWords.end();
}

}  // namespace detail

Expr Expr::constant(std::int64_t value) {
  static const auto& kSmall = *new std::vector<Expr>(make_small_constants());  // outlives every user
  if (value >= kSmallest && value <= kLargest) return kSmall[static_cast<std::size_t>(value - kSmallest)];
  return intern({.kind = ExprKind::constant, .value = value});
}

Expr Expr::dim(std::string_view name, Range range, std::int64_t multiple) {
  if (!is_dim_name(name)) {
    throw Error(ErrorCode::invalid_argument, fmt::format("'{}' cannot be the name of a dim", name));
  }
  if (multiple < 1) throw Error(ErrorCode::invalid_argument, fmt::format("dim {}: multiple {} < 1", name, multiple));
  range = {std::max(range.lo, -kInf), range.hi};
  const bool empty = range.lo > range.hi || (range.lo != -kInf && range.hi != kInf &&
                                             -static_cast<__int128>(checked_floor_div(-range.lo, multiple)) >
                                                 checked_floor_div(range.hi, multiple));
  if (empty) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("dim {}: no multiple of {} in [{}, {}]", name, multiple, range.lo, range.hi));
  }
  return intern({.kind = ExprKind::dim, .name = name, .dim_range = range, .dim_multiple = multiple});
}

Expr Expr::axis(int position, Expr extent) {
  if (position < 0) throw Error(ErrorCode::invalid_argument, fmt::format("axis position {} < 0", position));
  if (range_of(extent) == Range{1, 1}) return 0;
  if (!is_uniform(extent)) throw Error(ErrorCode::invalid_argument, "an extent mentions axes or slots");
  return intern({.kind = ExprKind::axis, .value = position, .operands = {&extent, 1}});
}

Expr Expr::slot(int index, Expr lo, Expr hi) {
  if (index < 0) throw Error(ErrorCode::invalid_argument, fmt::format("slot index {} < 0", index));
  if (!is_uniform(lo) || !is_uniform(hi)) {
    throw Error(ErrorCode::invalid_argument, "a slot's range mentions axes or slots");
  }
  const std::array<Expr, 2> ends = {lo, hi};
  return intern({.kind = ExprKind::slot, .value = index, .operands = ends});
}

ExprKind Expr::kind() const { return node_->kind; }

bool Expr::is_constant(std::int64_t value) const { return node_->kind == ExprKind::constant && node_->value == value; }

std::optional<std::int64_t> Expr::as_constant() const {
  if (node_->kind != ExprKind::constant) return std::nullopt;
  return node_->value;
}

std::span<const Expr> Expr::operands() const { return {node_->operands, node_->operand_count}; }

std::span<const std::int64_t> Expr::coefficients() const {
  return {node_->coefficients, node_->coefficients == nullptr ? 0 : node_->operand_count};
}

std::int64_t Expr::value() const { return node_->value; }

const std::string& Expr::dim_name() const {
  if (node_->name == nullptr) throw Error(ErrorCode::internal, "dim_name of an expression that is no dim");
  return *node_->name;
}

Range Expr::dim_range() const { return node_->dim_range; }

std::int64_t Expr::dim_multiple() const { return node_->dim_multiple; }

std::size_t Expr::hash() const { return node_->hash; }

namespace {

/// Axes print first, then slots, dims and what is composed of them.
int rank_of(ExprKind kind) {
  switch (kind) {
    case ExprKind::constant: return 0;
    case ExprKind::axis: return 1;
    case ExprKind::slot: return 2;
    case ExprKind::dim: return 3;
    default: return 4 + static_cast<int>(kind);
  }
}

template <typename T>
int three_way(const T& a, const T& b) {
  return a < b ? -1 : b < a ? 1 : 0;
}

}  // namespace

int Expr::compare(Expr a, Expr b) {
  if (a == b) return 0;
  const ExprNode& x = *a.node_;
  const ExprNode& y = *b.node_;
  if (int c = three_way(rank_of(x.kind), rank_of(y.kind))) return c;
  if (x.kind == ExprKind::dim) {
    if (int c = x.name->compare(*y.name)) return c < 0 ? -1 : 1;
    if (int c = three_way(x.dim_range.lo, y.dim_range.lo)) return c;
    if (int c = three_way(x.dim_range.hi, y.dim_range.hi)) return c;
    return three_way(x.dim_multiple, y.dim_multiple);
  }
  if (x.kind != ExprKind::sum) {
    if (int c = three_way(x.value, y.value)) return c;
  }
  const std::uint32_t n = std::min(x.operand_count, y.operand_count);
  for (std::uint32_t i = 0; i < n; ++i) {
    if (x.operands[i] != y.operands[i]) return compare(x.operands[i], y.operands[i]);
  }
  if (int c = three_way(x.operand_count, y.operand_count)) return c;
  for (std::uint32_t i = 0; x.coefficients != nullptr && i < n; ++i) {
    if (int c = three_way(x.coefficients[i], y.coefficients[i])) return c;
  }
  return three_way(x.value, y.value);
}

}  // namespace quince
