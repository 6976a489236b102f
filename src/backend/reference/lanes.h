// Arithmetic on blocks of values in registers (kernel.h, Lane): one op, one loop.
#pragma once

#include <cstdint>

#include "backend/reference/kernel.h"

namespace quince::backend::reference::lanes {

// Buffers hold n ≤ kBlock values of the lane the dtype has; out may be an argument.

/// Log2 Exp2 Sin Sqrt Recip of a float dtype.
void unary(Op op, DType dtype, const void* a, void* out, int n);
/// Add Mul Mod of `dtype`, or LessThan of it, whose result is i64 0 or 1.
void binary(Op op, DType dtype, const void* a, const void* b, void* out, int n);
void cast(DType from, DType to, const void* a, void* out, int n);
/// a where pick is not 0, else fill.
void blend(Lane lane, const void* a, const std::int64_t* pick, Scalar fill, void* out, int n);
void fill(Lane lane, Scalar value, void* out, int n);

/// An integer per element, or one for all of them.
struct Index {
  const std::int64_t* lanes = nullptr;  ///< null: `scalar`
  std::int64_t scalar = 0;
  std::int64_t at(int i) const { return lanes ? lanes[i] : scalar; }
};

// Index arithmetic wraps; out has room for n values, and at least one argument has lanes.

void add_product(Index a, std::int64_t coefficient, std::int64_t* sum, int n);  ///< sum += coefficient·a
void multiply(Index a, Index b, std::int64_t* out, int n);
void floor_div(Index a, Index b, std::int64_t* out, int n);
void floor_mod(Index a, Index b, std::int64_t* out, int n);
void minimum(Index a, Index b, std::int64_t* out, int n);
void maximum(Index a, Index b, std::int64_t* out, int n);
void not_negative(Index a, std::int64_t* out, int n);
void both(Index a, Index b, std::int64_t* out, int n);    ///< a ≠ 0 and b ≠ 0
void either(Index a, Index b, std::int64_t* out, int n);  ///< a ≠ 0 or b ≠ 0

std::int64_t floor_div(std::int64_t a, std::int64_t b);
std::int64_t floor_mod(std::int64_t a, std::int64_t b);
std::int64_t wrapping_add(std::int64_t a, std::int64_t b);
std::int64_t wrapping_mul(std::int64_t a, std::int64_t b);

}  // namespace quince::backend::reference::lanes
