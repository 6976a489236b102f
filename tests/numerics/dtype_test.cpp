// The table of dtypes, and every code of the narrow floats (docs/ops-numerics.md, N1–N8).
#include "quince/graph/dtype.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <string>

namespace quince {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// A float format as N2 states it.
struct Format {
  DType dtype;
  int exponent_bits;
  int mantissa_bits;
  std::uint64_t largest;  ///< code
  std::uint64_t nan;      ///< code; largest where there is none
  bool has_infinity;
};

constexpr Format kFormats[] = {
    {DType::f16, 5, 10, 0x7bff, 0x7e00, true}, {DType::bf16, 8, 7, 0x7f7f, 0x7fc0, true},
    {DType::f8e5m2, 5, 2, 0x7b, 0x7f, true},   {DType::f8e4m3, 4, 3, 0x7e, 0x7f, false},
    {DType::f4e2m1, 2, 1, 0x7, 0x7, false},
};

/// A finite code's value, and what would come after the largest.
double value_of(const Format& f, std::uint64_t magnitude) {
  const auto exponent = static_cast<int>(magnitude >> f.mantissa_bits);
  const auto mantissa = static_cast<double>(magnitude & ((1u << f.mantissa_bits) - 1));
  const int bias = (1 << (f.exponent_bits - 1)) - 1;
  const double scale = std::ldexp(1.0, -f.mantissa_bits);
  if (exponent == 0) return std::ldexp(mantissa * scale, 1 - bias);
  return std::ldexp(1 + mantissa * scale, exponent - bias);
}

class NarrowFloat : public ::testing::TestWithParam<Format> {};

TEST_P(NarrowFloat, EveryCodeDecodesExactly) {
  const Format f = GetParam();
  const int width = bit_width(f.dtype);
  for (std::uint64_t code = 0; code < (1u << width); ++code) {
    const std::uint64_t magnitude = code & ((1u << (width - 1)) - 1);
    const bool negative = code != magnitude;
    const double got = decode_float(f.dtype, code);
    if (magnitude > f.largest) {
      if (f.has_infinity && magnitude == f.largest + 1) {
        EXPECT_EQ(got, negative ? -kInf : kInf) << code;
      } else {
        EXPECT_TRUE(std::isnan(got)) << code;
      }
      continue;
    }
    EXPECT_EQ(got, negative ? -value_of(f, magnitude) : value_of(f, magnitude)) << code;
    EXPECT_EQ(std::signbit(got), negative) << code;
    EXPECT_EQ(encode_float(f.dtype, got), code);
  }
}

TEST_P(NarrowFloat, RoundsToNearestEvenAtEveryMidpoint) {
  const Format f = GetParam();
  const std::uint64_t sign = std::uint64_t{1} << (bit_width(f.dtype) - 1);
  for (std::uint64_t code = 0; code <= f.largest; ++code) {
    // Beyond the largest, infinity or saturation.
    const std::uint64_t above = code < f.largest || f.has_infinity ? code + 1 : code;
    const double middle = (value_of(f, code) + value_of(f, code + 1)) / 2;
    const std::uint64_t even = code % 2 == 0 ? code : above;
    EXPECT_EQ(encode_float(f.dtype, middle), even) << code;
    EXPECT_EQ(encode_float(f.dtype, -middle), even | sign) << code;
    // One step of f64 away: rounding first to f32 would lose it.
    EXPECT_EQ(encode_float(f.dtype, std::nextafter(middle, 0)), code);
    EXPECT_EQ(encode_float(f.dtype, std::nextafter(middle, kInf)), above);
    EXPECT_EQ(encode_float(f.dtype, -std::nextafter(middle, kInf)), above | sign);
  }
}

TEST_P(NarrowFloat, OverflowsAndTakesNan) {
  const Format f = GetParam();
  const std::uint64_t over = f.has_infinity ? f.largest + 1 : f.largest;
  const std::uint64_t sign = std::uint64_t{1} << (bit_width(f.dtype) - 1);
  for (const double huge : {1e39, 1e300, std::numeric_limits<double>::max(), kInf}) {
    EXPECT_EQ(encode_float(f.dtype, huge), over) << huge;
    EXPECT_EQ(encode_float(f.dtype, -huge), over | sign) << huge;
  }
  for (const double tiny : {5e-324, 1e-300, 1e-46}) {
    EXPECT_EQ(encode_float(f.dtype, tiny), 0u);
    EXPECT_EQ(encode_float(f.dtype, -tiny), sign);
  }
  EXPECT_EQ(encode_float(f.dtype, kNan), f.nan);
  EXPECT_EQ(encode_float(f.dtype, -kNan), f.nan);
}

INSTANTIATE_TEST_SUITE_P(Formats, NarrowFloat, ::testing::ValuesIn(kFormats),
                         [](const auto& format) { return std::string(name(format.param.dtype)); });

TEST(F8E8M0, IsAPowerOfTwo) {
  for (std::uint64_t code = 0; code < 255; ++code) {
    EXPECT_EQ(decode_float(DType::f8e8m0, code), std::ldexp(1.0, static_cast<int>(code) - 127));
    EXPECT_EQ(encode_float(DType::f8e8m0, std::ldexp(1.0, static_cast<int>(code) - 127)), code);
    EXPECT_EQ(encode_float(DType::f8e8m0, -std::ldexp(1.0, static_cast<int>(code) - 127)), code);
    if (code == 0) continue;
    const double half_way = std::ldexp(1.5, static_cast<int>(code) - 127);
    EXPECT_EQ(encode_float(DType::f8e8m0, half_way), code + 1);
    EXPECT_EQ(encode_float(DType::f8e8m0, std::nextafter(half_way, 0)), code);
  }
  EXPECT_TRUE(std::isnan(decode_float(DType::f8e8m0, 255)));
  for (const double x : {kNan, kInf, -kInf, 3e38}) EXPECT_EQ(encode_float(DType::f8e8m0, x), 255u) << x;
  for (const double x : {0.0, -0.0, 5e-324, 0x1p-128}) EXPECT_EQ(encode_float(DType::f8e8m0, x), 0u) << x;
  EXPECT_EQ(encode_float(DType::f8e8m0, std::nextafter(0x1p-127, 1)), 1u);
}

TEST(DType, Table) {
  const std::string names =
      "bool i8 i16 i32 i64 u8 u16 u32 u64 u1 u2 u4 i4 f4e2m1 f8e4m3 f8e5m2 f8e8m0 f16 bf16 f32 f64";
  const int widths[] = {8, 8, 16, 32, 64, 8, 16, 32, 64, 1, 2, 4, 4, 4, 8, 8, 8, 16, 16, 32, 64};
  const std::set<DType> storage_only{DType::u1, DType::u2, DType::u4, DType::i4, DType::f4e2m1, DType::f8e8m0};
  std::string all;
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto t = static_cast<DType>(i);
    all += (i == 0 ? "" : " ") + std::string(name(t));
    EXPECT_EQ(bit_width(t), widths[i]);
    EXPECT_EQ(dtype_from_name(name(t)), t);
    EXPECT_EQ(is_float(t), name(t).find('f') != std::string_view::npos);
    EXPECT_EQ(is_integer(t), name(t)[0] == 'i' || name(t)[0] == 'u');
    EXPECT_EQ(is_signed_integer(t), name(t)[0] == 'i');
    EXPECT_EQ(is_storage_only(t), storage_only.contains(t));
  }
  EXPECT_EQ(all, names);
  for (const char* unknown : {"", "F32", "f", "u3", "f32 "}) EXPECT_EQ(dtype_from_name(unknown), std::nullopt);
}

TEST(DType, IntegerLimits) {
  EXPECT_EQ(integer_min(DType::i4), -8);
  EXPECT_EQ(integer_max(DType::i4), 7u);
  EXPECT_EQ(integer_min(DType::u1), 0);
  EXPECT_EQ(integer_max(DType::u1), 1u);
  EXPECT_EQ(integer_min(DType::i32), std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ(integer_max(DType::u32), std::numeric_limits<std::uint32_t>::max());
  EXPECT_EQ(integer_min(DType::i64), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(integer_max(DType::i64), static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()));
  EXPECT_EQ(integer_max(DType::u64), std::numeric_limits<std::uint64_t>::max());
}

TEST(Scalar, KeepsItsValue) {
  EXPECT_EQ(Scalar::of_integer(DType::i4, -3).bits, 0xdu);
  EXPECT_EQ(Scalar::of_integer(DType::i4, -3).as_integer(), -3);
  EXPECT_EQ(Scalar::of_integer(DType::u2, 7).as_integer(), 3);
  EXPECT_EQ(Scalar::of_integer(DType::boolean, 256).as_integer(), 1);
  EXPECT_EQ(Scalar::of(DType::boolean, kNan).as_integer(), 1);
  EXPECT_EQ(Scalar::of(DType::boolean, -0.0).as_integer(), 0);
  EXPECT_EQ(Scalar::of(DType::u64, 1e30).as_integer(), -1);
  EXPECT_EQ(Scalar::of(DType::u64, 0x1p63).as_double(), 0x1p63);
  EXPECT_EQ(Scalar::of(DType::i32, -2.9).as_integer(), -2);
  EXPECT_EQ(Scalar::of(DType::f32, 1.5), (Scalar{DType::f32, 0x3fc00000}));
}

}  // namespace
}  // namespace quince
