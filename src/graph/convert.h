// Bulk conversion between stored elements and the three forms that values are computed in: f32, f64 and i64.
#pragma once

#include <cstddef>
#include <cstdint>

#include "quince/graph/dtype.h"

namespace quince {

// Integers and bool are computed with as i64 (u64 as its bit pattern, bool as 0 or 1), f64 as itself, every other float
// as f32. `base` is where element 0 lies, at any alignment; element first + i·stride goes to out[i]. A stride may be 0
// or negative. Nothing outside the elements named is read; stores of elements narrower than a byte rewrite the whole
// byte, so that two threads must not store into one byte.

/// Cast to f32 while loading; any dtype.
void load_f32(DType t, const std::byte* base, std::int64_t first, std::int64_t stride, std::int64_t n, float* out);
/// Cast to f64 while loading; any dtype.
void load_f64(DType t, const std::byte* base, std::int64_t first, std::int64_t stride, std::int64_t n, double* out);
/// Integers and bool.
void load_i64(DType t, const std::byte* base, std::int64_t first, std::int64_t stride, std::int64_t n,
              std::int64_t* out);

/// Rounds to a float dtype while storing.
void store_f32(DType t, std::byte* base, std::int64_t first, std::int64_t stride, std::int64_t n, const float* values);
/// Rounds to a float dtype, once, while storing.
void store_f64(DType t, std::byte* base, std::int64_t first, std::int64_t stride, std::int64_t n, const double* values);
/// Wraps to an integer dtype while storing; to bool, stores whether the value is not 0.
void store_i64(DType t, std::byte* base, std::int64_t first, std::int64_t stride, std::int64_t n,
               const std::int64_t* values);

/// Rounds f32 values in place to those that a float dtype has; f32 and f64 have all.
void round_to(DType narrow, float* values, std::int64_t n);
/// Wraps i64 values in place to an integer dtype; to bool, to whether the value is not 0.
void wrap_to(DType t, std::int64_t* values, std::int64_t n);

// Cast between the forms. In and out must not overlap.

/// f64 to a float dtype other than f64, with one rounding.
void cast_f64_to_f32(DType to, const double* values, std::int64_t n, float* out);
/// To an integer dtype or bool: towards zero, saturating, NaN to 0; to bool, whether the value is not 0.
void cast_f32_to_i64(DType to, const float* values, std::int64_t n, std::int64_t* out);
void cast_f64_to_i64(DType to, const double* values, std::int64_t n, std::int64_t* out);
/// From an integer dtype or bool to a float dtype other than f64, with one rounding.
void cast_i64_to_f32(DType from, DType to, const std::int64_t* values, std::int64_t n, float* out);
void cast_i64_to_f64(DType from, const std::int64_t* values, std::int64_t n, double* out);

}  // namespace quince
