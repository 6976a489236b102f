// Exp2, Log2 and Sin of one f32, in straight-line f32 and integer code that vectorises (docs/ops-numerics.md).
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "backend/reference/two_over_pi.h"
#include "graph/multiversion.h"

namespace quince::backend::reference::f32 {

QUINCE_INLINE inline float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
QUINCE_INLINE inline std::uint32_t bits_of(float x) { return std::bit_cast<std::uint32_t>(x); }
QUINCE_INLINE inline float from_bits(std::uint32_t x) { return std::bit_cast<float>(x); }

/// chosen where `pick`, else otherwise; by masks, so that no compiler makes a branch of it.
QUINCE_INLINE inline float select(bool pick, float chosen, float otherwise) {
  const std::uint32_t mask = std::uint32_t{0} - static_cast<std::uint32_t>(pick);
  return from_bits((bits_of(chosen) & mask) | (bits_of(otherwise) & ~mask));
}

/// Adding it to |x| < 2^22 rounds x to the nearest integer, whose low bits are then those of the sum.
inline constexpr float kRound = 0x1.8p23f;

QUINCE_INLINE inline float exp2(float x) {
  // Beyond the clamps the result is 0 or infinity all the same; NaN passes both.
  float c = x < -160.0f ? -160.0f : x;
  c = c > 130.0f ? 130.0f : c;
  const float shifted = c + kRound;
  const float r = c - (shifted - kRound);
  float q = 0x1.dfd65p-17f;
  q = fma(q, r, 0x1.440ddp-13f);
  q = fma(q, r, 0x1.5da5ccp-10f);
  q = fma(q, r, 0x1.3b2a5ep-7f);
  q = fma(q, r, 0x1.c6b06ep-5f);
  q = fma(q, r, 0x1.ebfbep-3f);
  q = fma(q, r, 0x1.62e43p-1f);
  const float p = fma(q, r, 1.0f);
  // 2^n in two steps: the first leaves a normal number, so only the second can round.
  const std::int32_t n = static_cast<std::int32_t>(bits_of(shifted) - bits_of(kRound));
  const std::int32_t half = n >> 1;
  const float first = from_bits(static_cast<std::uint32_t>(half + 127) << 23);
  const float second = from_bits(static_cast<std::uint32_t>(n - half + 127) << 23);
  return p * first * second;
}

QUINCE_INLINE inline float log2(float x) {
  constexpr std::uint32_t kTwoThirds = 0x3f2aaaab;
  const bool denormal = x < 0x1p-126f;
  const std::uint32_t bits = bits_of(denormal ? x * 0x1p23f : x);
  const std::int32_t exponent = static_cast<std::int32_t>(bits - kTwoThirds) >> 23;
  const float f = from_bits(bits - (static_cast<std::uint32_t>(exponent) << 23)) - 1.0f;
  const float e = static_cast<float>(exponent - (denormal ? 23 : 0));
  // log2(1 + f) = f·C + f²·Q(f); f·C, with C in two parts, and the sum with e keep what rounding would lose.
  float q = -0x1.68e4ccp-3f;
  q = fma(q, f, 0x1.a0b2b4p-3f);
  q = fma(q, f, -0x1.6c65b6p-3f);
  q = fma(q, f, 0x1.9d1e82p-3f);
  q = fma(q, f, -0x1.ec8b36p-3f);
  q = fma(q, f, 0x1.27a39p-2f);
  q = fma(q, f, -0x1.715492p-2f);
  q = fma(q, f, 0x1.ec7014p-2f);
  q = fma(q, f, -0x1.715476p-1f);
  constexpr float kHi = 0x1.715476p+0f;
  constexpr float kLo = 0x1.4ae0cp-26f;
  const float hi = f * kHi;
  const float lo = fma(f, kLo, fma(f, kHi, -hi));
  const float sum = e + hi;
  const float rest = hi - (sum - e);
  float y = sum + (rest + fma(f * f, q, lo));
  y = select(x < std::numeric_limits<float>::infinity(), y, x);
  y = select(x == 0, -std::numeric_limits<float>::infinity(), y);
  return select(x < 0, std::numeric_limits<float>::quiet_NaN(), y);
}

/// A reduced angle: |x| = quadrant·π/2 + hi + lo, with |hi + lo| little above π/4.
struct Angle {
  std::uint32_t quadrant;
  float hi;
  float lo;
};

inline constexpr float kPiHalf1 = 0x1.921fb6p+0f;
inline constexpr float kPiHalf2 = -0x1.777a5cp-25f;
inline constexpr float kPiHalf3 = -0x1.ee59dap-50f;
/// From here on, and for NaN, `reduce` gives nothing useful.
inline constexpr float kLarge = 0x1p17f;

QUINCE_INLINE inline Angle reduce(float a) {
  const float shifted = fma(a, 0x1.45f306p-1f, kRound);
  const float k = shifted - kRound;
  const float first = fma(-k, kPiHalf1, a);  // exact
  const float product = k * kPiHalf2;
  const float hi = first - product;
  const float error = (first - hi) - product;
  const float lo = fma(-k, kPiHalf3, error - fma(k, kPiHalf2, -product));
  return {bits_of(shifted), hi, lo};
}

/// For each exponent of a large f32, the 96 bits of 2/π that matter: those before are multiples of four turns.
struct ReductionWords {
  std::array<std::array<std::uint32_t, 3>, 128> words{};
  constexpr ReductionWords() {
    for (int e = 0; e < 128; ++e) {
      // |x| = m·2^(e − 23), m of 24 bits: bit j of 2/π has weight 2^(e − 23 − j), and the window begins at weight 2.
      for (int w = 0; w < 3; ++w) {
        words[static_cast<std::size_t>(e)][static_cast<std::size_t>(w)] =
            static_cast<std::uint32_t>(two_over_pi_bits(e - 25 + 32 * w) >> 32);
      }
    }
  }
};
inline constexpr ReductionWords kReduction;

/// For finite a ≥ 1.
inline Angle reduce_large(float a) {
  const std::uint32_t bits = bits_of(a);
  const std::uint64_t m = (bits & 0x7fffffu) | 0x800000u;
  const auto& words = kReduction.words[(bits >> 23) - 127];
  // m·2/π in quarter turns modulo 4: two bits before the point, 62 after it.
  const std::uint64_t turns = (m * words[0] << 32) + m * words[1] + (m * words[2] >> 32);
  const std::uint64_t quadrant = (turns + (std::uint64_t{1} << 61)) >> 62;
  const auto fraction = static_cast<std::int64_t>(turns - (quadrant << 62));
  const auto high = static_cast<float>(fraction);
  const auto low = static_cast<float>(fraction - static_cast<std::int64_t>(high));
  const float hi = high * (kPiHalf1 * 0x1p-62f);
  const float lo = fma(high, kPiHalf1 * 0x1p-62f, -hi) + fma(high, kPiHalf2 * 0x1p-62f, low * (kPiHalf1 * 0x1p-62f));
  return {static_cast<std::uint32_t>(quadrant), hi, lo};
}

/// Sine of a reduced angle; `sign` is x's.
QUINCE_INLINE inline float sin_of(Angle angle, std::uint32_t sign) {
  const float z = angle.hi * angle.hi;
  // 1 − hi²/2, and what rounding it lost.
  const float half = 0.5f * angle.hi;
  const float w = fma(-half, angle.hi, 1.0f);
  const float rest = fma(-half, angle.hi, 1.0f - w);
  float s = -0x1.991c26p-13f;
  s = fma(s, z, 0x1.1106c6p-7f);
  s = fma(s, z, -0x1.555544p-3f);
  const float sine = angle.hi + fma(angle.hi * z, s, angle.lo * w);
  float c = 0x1.99de6ap-16f;
  c = fma(c, z, -0x1.6c0c14p-10f);
  c = fma(c, z, 0x1.55554ap-5f);
  const float cosine = w + (rest + fma(z * z, c, -(angle.hi * angle.lo)));
  const float y = select((angle.quadrant & 1u) != 0, cosine, sine);
  return from_bits(bits_of(y) ^ ((angle.quadrant & 2u) << 30) ^ sign);
}

/// For |x| < kLarge.
QUINCE_INLINE inline float sin(float x) {
  const std::uint32_t bits = bits_of(x);
  return sin_of(reduce(from_bits(bits & 0x7fffffffu)), bits & 0x80000000u);
}

inline float sin_large(float x) {
  const std::uint32_t bits = bits_of(x);
  const float a = from_bits(bits & 0x7fffffffu);
  if (!(a < std::numeric_limits<float>::infinity())) return std::numeric_limits<float>::quiet_NaN();
  return sin_of(reduce_large(a), bits & 0x80000000u);
}

/// Floored remainder where |x/y| < 2^22 and y is finite. The nearest integer n is ⌊x/y⌋ or one more, x − n·y is exact,
/// and has the wrong sign where one y is missing.
QUINCE_INLINE inline float mod(float x, float y) {
  constexpr std::uint32_t kSign = 0x80000000u;
  const float n = (x / y + kRound) - kRound;
  const float r = fma(-n, y, x);
  const std::uint32_t differ = std::uint32_t{0} - ((bits_of(r) ^ bits_of(y)) >> 31);
  const float fixed = r + from_bits((bits_of(y) & differ) | (kSign & ~differ));
  return select(r == 0, from_bits(bits_of(y) & kSign), fixed);
}

}  // namespace quince::backend::reference::f32
