// Interned nodes of expressions and the table that makes them unique.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>

#include "quince/expr/expr.h"

namespace quince {

/// One unique node. Everything but the memo of the prover is fixed when it is interned.
struct ExprNode {
  ExprKind kind = ExprKind::constant;
  std::uint16_t depth = 0;     ///< nodes on the longest way down, extents and slot ranges included
  std::uint32_t size = 0;      ///< nodes of the tree, saturating
  std::int64_t value = 0;      ///< see Expr::value
  std::size_t hash = 0;        ///< of the structure, the same in every run
  Range range;                 ///< numeric bounds
  std::int64_t multiple = 1;   ///< a constant that divides the value; 0 for the constant 0
  std::uint64_t axes = 0;      ///< bit min(position, 63) of every axis mentioned
  std::uint64_t slots = 0;     ///< the same of slots
  bool has_dim = false;        ///< a dim occurs, also inside extents and slot ranges
  bool has_mod = false;        ///< a factor or, of a sum, a factor of a term is a mod
  bool has_exact_div = false;  ///< a factor (of a term) is an exact division by a constant
  const Expr* operands = nullptr;
  std::uint32_t operand_count = 0;
  const std::int64_t* coefficients = nullptr;
  const std::string* name = nullptr;                 ///< of a dim
  Range dim_range;                                   ///< of a dim, as declared
  std::int64_t dim_multiple = 1;                     ///< of a dim
  const ExprNode* quotient = nullptr;                ///< of x % c: x // c in canonical form
  mutable std::atomic<std::int8_t> not_negative{0};  ///< memo: 1 proven, -1 not provable, 0 not tried
};

namespace detail {

/// What makes a node unique.
struct NodeKey {
  ExprKind kind;
  std::int64_t value = 0;
  std::span<const Expr> operands = {};
  std::span<const std::int64_t> coefficients = {};
  std::string_view name = {};
  Range dim_range = {};
  std::int64_t dim_multiple = 1;
  Expr quotient{nullptr};
};

/// The node of that key, made on first use. Error(resource) beyond the limits on depth and size, which keep every
/// recursion over expressions shallow and every walk short.
Expr intern(const NodeKey& key);
/// The node if it exists already, else a null handle.
Expr find_interned(const NodeKey& key);

inline constexpr std::uint16_t kMaxDepth = 400;
inline constexpr std::uint32_t kMaxSize = 1 << 13;

inline Range range_of(Expr e) { return e.node()->range; }
inline bool is_sum(Expr e) { return e.node()->kind == ExprKind::sum; }
inline std::uint64_t leaf_bit(std::int64_t index) { return std::uint64_t{1} << (index < 63 ? index : 63); }
/// Neither axes nor slots.
inline bool is_uniform(Expr e) { return (e.node()->axes | e.node()->slots) == 0; }

}  // namespace detail
}  // namespace quince
