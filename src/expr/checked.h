// Integer arithmetic that reports overflow (checked) or stops at infinity (interval ends).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "quince/error.h"
#include "quince/expr/expr.h"

namespace quince::detail {

[[noreturn]] inline void overflow(std::string_view operation) {
  throw Error(ErrorCode::overflow, "an index expression leaves 64 bits in " + std::string(operation));
}

inline std::int64_t checked_add(std::int64_t a, std::int64_t b) {
  std::int64_t r = 0;
  if (__builtin_add_overflow(a, b, &r)) overflow("a sum");
  return r;
}

inline std::int64_t checked_mul(std::int64_t a, std::int64_t b) {
  std::int64_t r = 0;
  if (__builtin_mul_overflow(a, b, &r)) overflow("a product");
  return r;
}

inline std::int64_t checked_neg(std::int64_t a) {
  if (a == INT64_MIN) overflow("a negation");
  return -a;
}

/// ⌊a / b⌋ for b ≠ 0.
inline std::int64_t checked_floor_div(std::int64_t a, std::int64_t b) {
  if (a == INT64_MIN && b == -1) overflow("a division");
  return a / b - (a % b != 0 && ((a < 0) != (b < 0)) ? 1 : 0);
}

/// a − b·⌊a / b⌋ for b ≠ 0.
inline std::int64_t floored_mod(std::int64_t a, std::int64_t b) {
  if (b == -1) return 0;
  const std::int64_t r = a % b;
  return r != 0 && ((r < 0) != (b < 0)) ? r + b : r;
}

/// a / b where b divides a and the quotient fits.
inline std::optional<std::int64_t> exact_quotient(std::int64_t a, std::int64_t b) {
  if (b == 0 || (a == INT64_MIN && b == -1) || a % b != 0) return std::nullopt;
  return a / b;
}

// Ends of intervals: ±kInfinity absorb.
inline constexpr std::int64_t kInf = Range::kInfinity;

inline std::int64_t end_of(__int128 v) { return v >= kInf ? kInf : v <= -kInf ? -kInf : static_cast<std::int64_t>(v); }

/// Sum of two lower ends: no bound wins.
inline std::int64_t add_lo(std::int64_t a, std::int64_t b) {
  return a == -kInf || b == -kInf ? -kInf : end_of(static_cast<__int128>(a) + b);
}

/// Sum of two upper ends: no bound wins.
inline std::int64_t add_hi(std::int64_t a, std::int64_t b) {
  return a == kInf || b == kInf ? kInf : end_of(static_cast<__int128>(a) + b);
}

inline std::int64_t mul_end(std::int64_t a, std::int64_t b) {
  return a == 0 || b == 0 ? 0 : end_of(static_cast<__int128>(a) * b);
}

inline std::int64_t neg_end(std::int64_t a) { return a == INT64_MIN ? kInf : -a; }

inline Range add(Range a, Range b) { return {add_lo(a.lo, b.lo), add_hi(a.hi, b.hi)}; }

inline Range multiply(Range a, Range b) {
  const std::int64_t p[4] = {mul_end(a.lo, b.lo), mul_end(a.lo, b.hi), mul_end(a.hi, b.lo), mul_end(a.hi, b.hi)};
  Range r{p[0], p[0]};
  for (std::int64_t v : p) {
    if (v < r.lo) r.lo = v;
    if (v > r.hi) r.hi = v;
  }
  return r;
}

inline Range scale(Range a, std::int64_t k) {
  return k >= 0 ? Range{mul_end(a.lo, k), mul_end(a.hi, k)} : Range{mul_end(a.hi, k), mul_end(a.lo, k)};
}

}  // namespace quince::detail
