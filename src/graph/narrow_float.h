// Bit-level conversion between f32 and the narrow float formats, in straight-line code that vectorises.
#pragma once

#include <bit>
#include <cstdint>

#include "graph/multiversion.h"

namespace quince {

/// What a format does with a value beyond its largest.
enum class Overflow : std::uint8_t { infinity, saturate };

/// A sign, `E` exponent bits, `M` mantissa bits and denormals, with bias 2^(E−1) − 1. `Max` is the code of the largest
/// finite value, `Nan` that of the canonical NaN; a format without NaN names Max.
template <int E, int M, std::uint32_t Max, std::uint32_t Nan, Overflow Over>
struct NarrowFloat {
  static constexpr int kShift = 23 - M;
  static constexpr int kBias = (1 << (E - 1)) - 1;
  static constexpr std::uint32_t kSign = 1u << (E + M);
  static constexpr std::uint32_t kRebias = static_cast<std::uint32_t>(127 - kBias) << 23;
  static constexpr std::uint32_t kMinNormal = kRebias + (1u << 23);  ///< as f32 bits
  static constexpr std::uint32_t kMax = kRebias + (Max << kShift);   ///< as f32 bits
  static constexpr std::uint32_t kHalf = 1u << (kShift - 1);
  static constexpr bool kSameRange = kBias == 127;  ///< denormals coincide with f32's
  static constexpr bool kHasNan = Nan != Max;
  /// A power of two whose ulp in f32 is the format's smallest denormal: adding it rounds to that grid.
  static constexpr std::uint32_t kMagic = kSameRange ? 0u : static_cast<std::uint32_t>(127 + 1 - kBias - M + 23) << 23;
  /// The f32 bits of what overflow gives.
  static constexpr std::uint32_t kOver = Over == Overflow::infinity ? 0x7f800000u : kMax;
  static constexpr std::uint32_t kOverCode = Over == Overflow::infinity ? Max + 1 : Max;

  /// Nearest-even.
  QUINCE_INLINE static std::uint32_t encode(float value) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t a = bits & 0x7fffffffu;
    const std::uint32_t rounded = a + (kHalf - 1) + ((a >> kShift) & 1u);
    std::uint32_t code = (rounded - kRebias) >> kShift;
    code = rounded >= kMax + (1u << kShift) ? kOverCode : code;
    if constexpr (!kSameRange) {
      const float magic = std::bit_cast<float>(kMagic);
      const std::uint32_t tiny = std::bit_cast<std::uint32_t>(std::bit_cast<float>(a) + magic) - kMagic;
      code = a < kMinNormal ? tiny : code;
    }
    code |= (bits >> 31) != 0 ? kSign : 0u;
    return a > 0x7f800000u ? Nan : code;
  }

  /// Exact.
  QUINCE_INLINE static float decode(std::uint32_t code) {
    const std::uint32_t magnitude = (code & (kSign - 1)) << kShift;
    std::uint32_t bits = magnitude + kRebias;
    if constexpr (!kSameRange) {
      // A denormal is read with exponent 1, whose implicit leading one is then taken off.
      const float tiny = std::bit_cast<float>(magnitude + kMinNormal) - std::bit_cast<float>(kMinNormal);
      bits = magnitude < (1u << 23) ? std::bit_cast<std::uint32_t>(tiny) : bits;
      if constexpr (Over == Overflow::infinity) bits = magnitude > (Max << kShift) ? bits + kRebias : bits;
      if constexpr (Over == Overflow::saturate && kHasNan) bits = magnitude > (Max << kShift) ? 0x7fc00000u : bits;
    }
    return std::bit_cast<float>(bits | ((code & kSign) != 0 ? 0x80000000u : 0u));
  }

  /// decode(encode(value)) without the packing between.
  QUINCE_INLINE static float round(float value) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t a = bits & 0x7fffffffu;
    std::uint32_t r = (a + (kHalf - 1) + ((a >> kShift) & 1u)) & ~((1u << kShift) - 1);
    r = r > kMax ? kOver : r;
    if constexpr (!kSameRange) {
      const float magic = std::bit_cast<float>(kMagic);
      r = a < kMinNormal ? std::bit_cast<std::uint32_t>((std::bit_cast<float>(a) + magic) - magic) : r;
    }
    r |= bits & 0x80000000u;
    return std::bit_cast<float>(a > 0x7f800000u ? (kHasNan ? 0x7fc00000u : kMax) : r);
  }
};

using F16 = NarrowFloat<5, 10, 0x7bff, 0x7e00, Overflow::infinity>;
using BF16 = NarrowFloat<8, 7, 0x7f7f, 0x7fc0, Overflow::infinity>;
using F8E5M2 = NarrowFloat<5, 2, 0x7b, 0x7f, Overflow::infinity>;
using F8E4M3 = NarrowFloat<4, 3, 0x7e, 0x7f, Overflow::saturate>;
using F4E2M1 = NarrowFloat<2, 1, 0x7, 0x7, Overflow::saturate>;

/// A power of two 2^(code − 127); code 255 is NaN. There is no sign and no zero.
struct F8E8M0 {
  /// Of the magnitude: half-way goes up; up to 2^−127 gives code 0, what lies above it and below 2^−126 gives 1; NaN
  /// beyond 1.5·2^127.
  QUINCE_INLINE static std::uint32_t encode(float value) {
    const std::uint32_t a = std::bit_cast<std::uint32_t>(value) & 0x7fffffffu;
    const std::uint32_t normal = (a + 0x400000u) >> 23;
    const std::uint32_t tiny = a > 0x400000u ? 1u : 0u;
    const std::uint32_t code = a < 0x800000u ? tiny : normal;
    return code > 254u ? 255u : code;
  }
  QUINCE_INLINE static float decode(std::uint32_t code) {
    const std::uint32_t bits = code == 0 ? 0x400000u : code << 23;
    return std::bit_cast<float>(code == 255u ? 0x7fc00000u : bits);
  }
  QUINCE_INLINE static float round(float value) { return decode(encode(value)); }
};

/// f64 to f32 with the inexact cases left odd, so that a second rounding to a format of at most 22 bits is the only
/// one.
QUINCE_INLINE inline float round_to_odd(double value) {
  const float nearest = static_cast<float>(value);
  const double back = static_cast<double>(nearest);
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(nearest);
  // Where nearest went away from zero: one step back (from infinity too, to the largest finite value), then to odd.
  const std::uint32_t away = __builtin_fabs(back) > __builtin_fabs(value) ? 1u : 0u;
  const std::uint32_t inexact = static_cast<std::uint32_t>(back != value) & static_cast<std::uint32_t>(value == value);
  return std::bit_cast<float>((bits - away) | inexact);
}

/// The same for a 64-bit integer given as its sign and magnitude.
QUINCE_INLINE inline float round_to_odd(bool negative, std::uint64_t magnitude) {
  // The double that is exact below 2^52, and from there on one with 52 bits, the last of them sticky.
  const std::uint64_t large = std::uint64_t{0} - static_cast<std::uint64_t>((magnitude >> 52) != 0);
  const auto sticky = static_cast<std::uint64_t>((magnitude & 0xfffu) != 0);
  const std::uint64_t whole = ((magnitude >> 12 | sticky) & large) | (magnitude & ~large);
  const auto scale = std::bit_cast<double>(std::bit_cast<std::uint64_t>(1.0) + ((std::uint64_t{12} << 52) & large));
  const double value = static_cast<double>(static_cast<std::int64_t>(whole)) * scale;
  const auto sign = static_cast<std::uint64_t>(negative) << 63;
  return round_to_odd(std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) | sign));
}

}  // namespace quince
