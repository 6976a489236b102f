// Element types: their sizes, names, kinds, and scalar conversions.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace quince {

/// Sizes are in bits; u1 u2 u4 i4 f4e2m1 f8e8m0 are for storage: the only op that reads them is Cast.
enum class DType : std::uint8_t {
  boolean,
  i8,
  i16,
  i32,
  i64,
  u8,
  u16,
  u32,
  u64,
  u1,
  u2,
  u4,
  i4,
  f4e2m1,
  f8e4m3,
  f8e5m2,
  f8e8m0,
  f16,
  bf16,
  f32,
  f64,
};
inline constexpr int kDTypeCount = 21;

/// Width of one element in bits (bool 8, u4 4). Elements narrower than a byte are packed little-end first.
int bit_width(DType t);
/// "f32", "bool", "u4", …
std::string_view name(DType t);
std::optional<DType> dtype_from_name(std::string_view name);
bool is_float(DType t);
/// Signed or unsigned integer, not bool.
bool is_integer(DType t);
bool is_signed_integer(DType t);
/// Held in memory but not computed with.
bool is_storage_only(DType t);

/// Smallest and largest value of an integer dtype, or of bool (u64's largest as its bit pattern).
std::int64_t integer_min(DType t);
std::uint64_t integer_max(DType t);

/// The value of an encoded float of that dtype; exact.
double decode_float(DType t, std::uint64_t bits);
/// Nearest-even encoding of a value in a float dtype, with one rounding (docs/ops-numerics.md, N5–N8).
std::uint64_t encode_float(DType t, double value);

/// One typed element, as bits; those above the dtype's width are 0.
struct Scalar {
  DType dtype = DType::f32;
  std::uint64_t bits = 0;
  bool operator==(const Scalar&) const = default;

  /// Any dtype, as Cast from f64: floats round to nearest even, integers truncate and saturate.
  static Scalar of(DType t, double value);
  /// Any dtype, as Cast from i64: floats round to nearest even, integers wrap.
  static Scalar of_integer(DType t, std::int64_t value);
  /// The value; an integer beyond 2^53 is rounded to nearest even.
  double as_double() const;
  /// Of an integer or bool dtype; u64 as its bit pattern.
  std::int64_t as_integer() const;
  /// What the op Cast makes of it.
  Scalar cast_to(DType t) const;
};

}  // namespace quince
