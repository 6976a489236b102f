// The table of dtypes, and the scalar conversions that Cast is defined by.
#include "quince/graph/dtype.h"

#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <limits>

#include "graph/narrow_float.h"

namespace quince {
namespace {

enum class Kind : std::uint8_t { boolean, signed_integer, unsigned_integer, floating };

struct Row {
  std::string_view name;
  int bits;
  Kind kind;
  bool storage_only;
};

/// In the order of DType.
constexpr std::array<Row, kDTypeCount> kRows{{
    {"bool", 8, Kind::boolean, false},          {"i8", 8, Kind::signed_integer, false},
    {"i16", 16, Kind::signed_integer, false},   {"i32", 32, Kind::signed_integer, false},
    {"i64", 64, Kind::signed_integer, false},   {"u8", 8, Kind::unsigned_integer, false},
    {"u16", 16, Kind::unsigned_integer, false}, {"u32", 32, Kind::unsigned_integer, false},
    {"u64", 64, Kind::unsigned_integer, false}, {"u1", 1, Kind::unsigned_integer, true},
    {"u2", 2, Kind::unsigned_integer, true},    {"u4", 4, Kind::unsigned_integer, true},
    {"i4", 4, Kind::signed_integer, true},      {"f4e2m1", 4, Kind::floating, true},
    {"f8e4m3", 8, Kind::floating, false},       {"f8e5m2", 8, Kind::floating, false},
    {"f8e8m0", 8, Kind::floating, true},        {"f16", 16, Kind::floating, false},
    {"bf16", 16, Kind::floating, false},        {"f32", 32, Kind::floating, false},
    {"f64", 64, Kind::floating, false},
}};

const Row& row(DType t) { return kRows[static_cast<std::size_t>(t)]; }

std::uint64_t low_bits(int width) { return width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1; }

/// The float dtypes below f32.
std::uint32_t encode_narrow(DType t, float value) {
  switch (t) {
    case DType::f4e2m1: return F4E2M1::encode(value);
    case DType::f8e4m3: return F8E4M3::encode(value);
    case DType::f8e5m2: return F8E5M2::encode(value);
    case DType::f8e8m0: return F8E8M0::encode(value);
    case DType::f16: return F16::encode(value);
    default: assert(t == DType::bf16); return BF16::encode(value);
  }
}

std::uint64_t integer_from_double(DType t, double value) {
  if (value != value) return 0;
  const auto min = static_cast<double>(integer_min(t));
  const auto max = static_cast<double>(integer_max(t));
  // Where max is not a double (i64, u64), it was rounded up to one past it, which saturates too.
  std::uint64_t bits = 0;
  if (value <= min) {
    bits = static_cast<std::uint64_t>(integer_min(t));
  } else if (value >= max) {
    bits = integer_max(t);
  } else {
    bits = is_signed_integer(t) ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value))
                                : static_cast<std::uint64_t>(value);
  }
  return bits & low_bits(bit_width(t));
}

std::uint64_t float_from_integer(DType t, bool negative, std::uint64_t magnitude) {
  switch (t) {
    case DType::f64: {
      const auto value = static_cast<double>(magnitude);
      return std::bit_cast<std::uint64_t>(negative ? -value : value);
    }
    case DType::f32: {
      const auto value = static_cast<float>(magnitude);
      return std::bit_cast<std::uint32_t>(negative ? -value : value);
    }
    default: return encode_narrow(t, round_to_odd(negative, magnitude));
  }
}

}  // namespace

int bit_width(DType t) { return row(t).bits; }
std::string_view name(DType t) { return row(t).name; }

std::optional<DType> dtype_from_name(std::string_view name) {
  for (int i = 0; i < kDTypeCount; ++i) {
    if (kRows[static_cast<std::size_t>(i)].name == name) return static_cast<DType>(i);
  }
  return std::nullopt;
}

bool is_float(DType t) { return row(t).kind == Kind::floating; }
bool is_integer(DType t) { return row(t).kind == Kind::signed_integer || row(t).kind == Kind::unsigned_integer; }
bool is_signed_integer(DType t) { return row(t).kind == Kind::signed_integer; }
bool is_storage_only(DType t) { return row(t).storage_only; }

std::int64_t integer_min(DType t) {
  assert(!is_float(t));
  return is_signed_integer(t) ? std::numeric_limits<std::int64_t>::min() >> (64 - bit_width(t)) : 0;
}

std::uint64_t integer_max(DType t) {
  assert(!is_float(t));
  if (t == DType::boolean) return 1;
  return low_bits(is_signed_integer(t) ? bit_width(t) - 1 : bit_width(t));
}

double decode_float(DType t, std::uint64_t bits) {
  const auto code = static_cast<std::uint32_t>(bits);
  switch (t) {
    case DType::f4e2m1: return F4E2M1::decode(code);
    case DType::f8e4m3: return F8E4M3::decode(code);
    case DType::f8e5m2: return F8E5M2::decode(code);
    case DType::f8e8m0: return F8E8M0::decode(code);
    case DType::f16: return F16::decode(code);
    case DType::bf16: return BF16::decode(code);
    case DType::f32: return std::bit_cast<float>(code);
    default: assert(t == DType::f64); return std::bit_cast<double>(bits);
  }
}

std::uint64_t encode_float(DType t, double value) {
  switch (t) {
    case DType::f64: return value != value ? 0x7ff8000000000000u : std::bit_cast<std::uint64_t>(value);
    case DType::f32: return value != value ? 0x7fc00000u : std::bit_cast<std::uint32_t>(static_cast<float>(value));
    default: return encode_narrow(t, round_to_odd(value));
  }
}

Scalar Scalar::of(DType t, double value) {
  if (is_float(t)) return {t, encode_float(t, value)};
  if (t == DType::boolean) return {t, value != 0 ? 1u : 0u};
  return {t, integer_from_double(t, value)};
}

Scalar Scalar::of_integer(DType t, std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  if (is_float(t)) return {t, float_from_integer(t, value < 0, value < 0 ? 0 - bits : bits)};
  if (t == DType::boolean) return {t, value != 0 ? 1u : 0u};
  return {t, bits & low_bits(bit_width(t))};
}

double Scalar::as_double() const {
  if (is_float(dtype)) return decode_float(dtype, bits);
  return dtype == DType::u64 ? static_cast<double>(bits) : static_cast<double>(as_integer());
}

std::int64_t Scalar::as_integer() const {
  assert(!is_float(dtype));
  if (dtype == DType::boolean) return bits != 0 ? 1 : 0;
  const int unused = 64 - bit_width(dtype);
  if (is_signed_integer(dtype)) return static_cast<std::int64_t>(bits << unused) >> unused;
  return static_cast<std::int64_t>(bits & low_bits(bit_width(dtype)));
}

Scalar Scalar::cast_to(DType t) const {
  if (is_float(dtype)) return Scalar::of(t, decode_float(dtype, bits));
  if (dtype == DType::u64 && is_float(t)) return {t, float_from_integer(t, false, bits)};
  return Scalar::of_integer(t, as_integer());
}

}  // namespace quince
