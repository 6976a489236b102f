// Integer expressions over named dims, axis positions and slots: immutable, hash-consed, canonical.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace quince {

struct ExprNode;

/// What an expression is at its root. Canonical form uses these only: subtraction and ceildiv become sums and
/// floor_divs, `<` and `≥` become `not_negative` of a difference.
enum class ExprKind : std::uint8_t {
  constant,
  dim,        ///< a named size, with a range and a multiple
  axis,       ///< a position in the consumer's box: 0 ≤ a_i < extent
  slot,       ///< an integer supplied by an operand: lo ≤ s_i ≤ hi
  sum,        ///< constant + Σ coefficient · term, terms sorted
  product,    ///< of two or more non-constant factors, sorted; sums only where expanding would make too many terms
  floor_div,  ///< ⌊a / b⌋
  mod,        ///< a − b·⌊a / b⌋ (the divisor's sign)
  min,        ///< of two or more operands, sorted
  max,
  not_negative,  ///< 1 where its operand ≥ 0, else 0
  all,           ///< and, of 0/1 operands, sorted
  any,           ///< or
};

/// An inclusive range of i64; `kInfinity` stands for "no bound known".
struct Range {
  static constexpr std::int64_t kInfinity = INT64_MAX;
  std::int64_t lo = -kInfinity;
  std::int64_t hi = kInfinity;
  bool operator==(const Range&) const = default;
};

/// A handle to an interned expression; copying is free, equality is identity. Building is thread-safe.
///
/// Every operation may throw Error(overflow) where a folded constant leaves i64, and Error(invalid_argument) where a
/// constant divisor is 0, or Error(resource) where a result is nested deeper or larger than any index expression is
/// (400 levels, 8192 nodes). Division is floored. Interned nodes live as long as the process.
class Expr {
 public:
  Expr() : Expr(0) {}
  template <std::integral T>
  Expr(T value) : Expr(constant(static_cast<std::int64_t>(value))) {}

  static Expr constant(std::int64_t value);
  /// A named dim. The range and the multiple are part of its identity. `name` is an identifier that is not of the
  /// form a<digits> or s<digits> and not an operator's name.
  static Expr dim(std::string_view name, Range range = {0, std::int64_t{1} << 31}, std::int64_t multiple = 1);
  /// Axis `position` of a box; an extent that is provably 1 gives the constant 0.
  static Expr axis(int position, Expr extent);
  /// Slot `index`, whose value is promised to lie in [lo, hi] (expressions over dims).
  static Expr slot(int index, Expr lo, Expr hi);

  ExprKind kind() const;
  bool is_constant() const { return kind() == ExprKind::constant; }
  bool is_constant(std::int64_t value) const;
  /// The value of a constant.
  std::optional<std::int64_t> as_constant() const;
  /// Operands of the root in canonical order (a sum's are its terms without coefficients). Leaves have none, except
  /// that an axis lists its extent and a slot its lo and hi.
  std::span<const Expr> operands() const;
  /// For a sum: one coefficient per operand; else empty.
  std::span<const std::int64_t> coefficients() const;
  /// The value of a constant, the constant part of a sum, an axis's position, a slot's index.
  std::int64_t value() const;
  /// Of a dim.
  const std::string& dim_name() const;
  Range dim_range() const;
  std::int64_t dim_multiple() const;

  std::size_t hash() const;
  friend bool operator==(Expr a, Expr b) { return a.node_ == b.node_; }
  /// A total order by structure, the same in every run.
  static int compare(Expr a, Expr b);

  const ExprNode* node() const { return node_; }
  explicit Expr(const ExprNode* node) : node_(node) {}

 private:
  const ExprNode* node_;
};

Expr operator+(Expr a, Expr b);
Expr operator-(Expr a, Expr b);
Expr operator-(Expr a);
Expr operator*(Expr a, Expr b);
Expr floor_div(Expr a, Expr b);
Expr ceil_div(Expr a, Expr b);
Expr mod(Expr a, Expr b);
Expr min(Expr a, Expr b);
Expr max(Expr a, Expr b);
/// max(lo, min(e, hi)).
Expr clamp(Expr e, Expr lo, Expr hi);

// Predicates are expressions with values 0 and 1.
Expr lt(Expr a, Expr b);
Expr le(Expr a, Expr b);
Expr ge(Expr a, Expr b);
Expr eq(Expr a, Expr b);
Expr logical_and(Expr p, Expr q);
Expr logical_or(Expr p, Expr q);
Expr logical_not(Expr p);

// --- questions -------------------------------------------------------------------------------------------------

/// Numeric bounds that hold for every binding in range.
Range bounds(Expr e);

/// Facts that hold for every binding: each an expression known to be ≥ 0, e.g. ctx − pos − s.
using Assumptions = std::span<const Expr>;

/// True only if e ≥ 0 for every binding that satisfies the assumptions (sound, not complete).
bool prove_not_negative(Expr e, Assumptions assume = {});
bool prove_lt(Expr a, Expr b, Assumptions assume = {});
bool prove_le(Expr a, Expr b, Assumptions assume = {});
bool prove_equal(Expr a, Expr b, Assumptions assume = {});
/// True only if the predicate is 1 for every binding that satisfies the assumptions.
bool prove(Expr predicate, Assumptions assume = {});
/// True only if the two predicates never hold together.
bool prove_disjoint(Expr p, Expr q, Assumptions assume = {});
/// True only if e is a multiple of m for every binding.
bool prove_multiple(Expr e, Expr m);

/// e = coefficient · leaf + rest with neither part mentioning the leaf, where such a form exists.
struct Affine {
  Expr coefficient;
  Expr rest;
};
std::optional<Affine> affine_in(Expr e, Expr leaf);

/// Whether the leaf kinds occur anywhere in e (extents and slot ranges inside leaves do not count).
bool mentions_axis(Expr e, int position);
bool mentions_any_axis(Expr e);
bool mentions_slot(Expr e, int index);
bool mentions_any_slot(Expr e);
/// One more than the largest slot index in e; 0 without slots.
int slot_count(Expr e);
/// Every distinct leaf of that kind below e, including those inside leaves' extents and ranges for dims, sorted.
std::vector<Expr> collect(Expr e, ExprKind leaf);

// --- substitution, evaluation, text ----------------------------------------------------------------------------

/// Simultaneous replacement of leaves. Dims inside extents and ranges of leaves are replaced too; a leaf whose
/// extent became 1 becomes 0. Axes and slots that are not mentioned stay.
struct Substitution {
  std::map<std::string, Expr, std::less<>> dims;
  std::map<int, Expr> axes;
  std::map<int, Expr> slots;
};
Expr substitute(Expr e, const Substitution& by);

/// Values of the leaves.
struct Bindings {
  std::map<std::string, std::int64_t, std::less<>> dims;
  std::vector<std::int64_t> axes;
  std::vector<std::int64_t> slots;
};
/// The value of e. Errors: a leaf without a value (not_found, names it), a divisor 0, overflow.
std::int64_t evaluate(Expr e, const Bindings& at);

/// Infix text: "3*a0 + s - 1", "(a0 + 1)//4", "a1 % 64", "min(a0, s)", "a0 >= 0", "p and q".
std::string to_string(Expr e);

/// The names a parser may meet: dims by name, axes by position with their extents, slots by index.
struct ExprScope {
  std::map<std::string, Expr, std::less<>> dims;
  std::vector<Expr> axes;   ///< Expr::axis(i, extent), or the constant 0 where the extent is 1
  std::vector<Expr> slots;  ///< Expr::slot(i, lo, hi)
};
/// Reads what to_string prints (and plain infix in general). Error(parse) names the position and what was expected.
Expr parse_expr(std::string_view text, const ExprScope& scope);

}  // namespace quince

template <>
struct std::hash<quince::Expr> {
  std::size_t operator()(quince::Expr e) const { return e.hash(); }
};
