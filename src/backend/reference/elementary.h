// What each op computes on one element, and in bulk (docs/ops-numerics.md): the definition every backend is held to.
#pragma once

#include <cstdint>

#include "graph/multiversion.h"
#include "quince/graph/graph.h"

namespace quince::backend::reference {

// Transcendental ops, at most 1 ulp from the true value and the same bits on every machine.
float exp2(float x);
double exp2(double x);
float log2(float x);
double log2(double x);
float sin(float x);
double sin(double x);
// Correctly rounded.
float sqrt(float x);
double sqrt(double x);
float recip(float x);
double recip(double x);

/// Floored remainder: the divisor's sign, of a zero result too; NaN for an infinite x, a zero y or a NaN.
float mod(float x, float y);
double mod(double x, double y);
/// Floored remainder of integers, 0 where y is 0.
std::int64_t mod(std::int64_t x, std::int64_t y);
std::uint64_t mod(std::uint64_t x, std::uint64_t y);

// The same over n elements, faster; y may be x (or out an operand), but must not overlap it otherwise.
void exp2(const float* x, float* y, std::int64_t n);
void exp2(const double* x, double* y, std::int64_t n);
void log2(const float* x, float* y, std::int64_t n);
void log2(const double* x, double* y, std::int64_t n);
void sin(const float* x, float* y, std::int64_t n);
void sin(const double* x, double* y, std::int64_t n);
void sqrt(const float* x, float* y, std::int64_t n);
void sqrt(const double* x, double* y, std::int64_t n);
void recip(const float* x, float* y, std::int64_t n);
void recip(const double* x, double* y, std::int64_t n);
void mod(const float* x, const float* y, float* out, std::int64_t n);
void mod(const double* x, const double* y, double* out, std::int64_t n);
void mod(const std::int64_t* x, const std::int64_t* y, std::int64_t* out, std::int64_t n);
void mod(const std::uint64_t* x, const std::uint64_t* y, std::uint64_t* out, std::int64_t n);

// Add, Mul, LessThan and the combining step of MaxReduce, on the forms that values are computed in (graph/convert.h).
// The result of an integer Add or Mul is still to be wrapped to its dtype.

QUINCE_INLINE inline float add(float x, float y) { return x + y; }
QUINCE_INLINE inline double add(double x, double y) { return x + y; }
QUINCE_INLINE inline std::int64_t add(std::int64_t x, std::int64_t y) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(x) + static_cast<std::uint64_t>(y));
}
QUINCE_INLINE inline float mul(float x, float y) { return x * y; }
QUINCE_INLINE inline double mul(double x, double y) { return x * y; }
QUINCE_INLINE inline std::int64_t mul(std::int64_t x, std::int64_t y) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(x) * static_cast<std::uint64_t>(y));
}
/// Of bools held as 0 or 1.
QUINCE_INLINE inline std::int64_t add_bool(std::int64_t x, std::int64_t y) { return x | y; }
QUINCE_INLINE inline std::int64_t mul_bool(std::int64_t x, std::int64_t y) { return x & y; }

/// False where a side is NaN. On bools held as 0 or 1: (not x) and y.
template <class T>
QUINCE_INLINE inline bool less_than(T x, T y) {
  return x < y;
}
QUINCE_INLINE inline bool less_than_u64(std::int64_t x, std::int64_t y) {
  return static_cast<std::uint64_t>(x) < static_cast<std::uint64_t>(y);
}

/// NaN where a side is NaN; −0 is less than +0.
QUINCE_INLINE inline float max_of(float x, float y) {
  const bool keep = x > y || (x == y && !__builtin_signbit(x)) || x != x;
  return keep ? x : y;
}
QUINCE_INLINE inline double max_of(double x, double y) {
  const bool keep = x > y || (x == y && !__builtin_signbit(x)) || x != x;
  return keep ? x : y;
}
/// Signed integers, and bool as "any".
QUINCE_INLINE inline std::int64_t max_of(std::int64_t x, std::int64_t y) { return x > y ? x : y; }
QUINCE_INLINE inline std::int64_t max_of_u64(std::int64_t x, std::int64_t y) { return less_than_u64(x, y) ? y : x; }

/// What a MaxReduce of nothing gives: −inf, the lowest finite value where a float dtype has no infinity, the lowest
/// integer, false.
Scalar lowest(DType t);

/// Log2 Exp2 Sin Sqrt Recip of an element of a float dtype that is computed with.
Scalar apply(Op op, Scalar x);
/// Add Mul Mod LessThan of two elements of one dtype that is computed with; `max_reduce` gives the larger.
Scalar apply(Op op, Scalar x, Scalar y);

}  // namespace quince::backend::reference
