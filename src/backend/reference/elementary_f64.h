// Exp2, Log2 and Sin of one f64, in straight-line f64 and integer code (docs/ops-numerics.md).
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

#include "backend/reference/two_over_pi.h"
#include "graph/multiversion.h"

namespace quince::backend::reference::f64 {

QUINCE_INLINE inline double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
QUINCE_INLINE inline std::uint64_t bits_of(double x) { return std::bit_cast<std::uint64_t>(x); }
QUINCE_INLINE inline double from_bits(std::uint64_t x) { return std::bit_cast<double>(x); }

/// chosen where `pick`, else otherwise; by masks, so that no compiler makes a branch of it.
QUINCE_INLINE inline double select(bool pick, double chosen, double otherwise) {
  const std::uint64_t mask = std::uint64_t{0} - static_cast<std::uint64_t>(pick);
  return from_bits((bits_of(chosen) & mask) | (bits_of(otherwise) & ~mask));
}

/// Adding it to |x| < 2^51 rounds x to the nearest integer, whose low bits are then those of the sum.
inline constexpr double kRound = 0x1.8p52;

QUINCE_INLINE inline double exp2(double x) {
  double c = x < -1100.0 ? -1100.0 : x;
  c = c > 1030.0 ? 1030.0 : c;
  const double shifted = c + kRound;
  const double r = c - (shifted - kRound);
  double q = 0x1.0015aac9d37f2p-35;
  q = fma(q, r, 0x1.ebe194fbe15f2p-32);
  q = fma(q, r, 0x1.e4aa7b3b36d35p-28);
  q = fma(q, r, 0x1.b5238a62d6cccp-24);
  q = fma(q, r, 0x1.62c02a5c5eacap-20);
  q = fma(q, r, 0x1.ffcbfd2430288p-17);
  q = fma(q, r, 0x1.430912f6da107p-13);
  q = fma(q, r, 0x1.5d87fe787a3efp-10);
  q = fma(q, r, 0x1.3b2ab6fba526ap-7);
  q = fma(q, r, 0x1.c6b08d704a1c3p-5);
  q = fma(q, r, 0x1.ebfbdff82c58ep-3);
  q = fma(q, r, 0x1.62e42fefa39efp-1);
  const double p = fma(q, r, 1.0);
  const auto n = static_cast<std::int64_t>(bits_of(shifted) - bits_of(kRound));
  const std::int64_t half = n >> 1;
  const double first = from_bits(static_cast<std::uint64_t>(half + 1023) << 52);
  const double second = from_bits(static_cast<std::uint64_t>(n - half + 1023) << 52);
  return p * first * second;
}

QUINCE_INLINE inline double log2(double x) {
  constexpr std::uint64_t kRootHalf = 0x3fe6a09e667f3bcd;  // √½
  const bool denormal = x < 0x1p-1022;
  const std::uint64_t bits = bits_of(denormal ? x * 0x1p52 : x);
  const std::int64_t exponent = static_cast<std::int64_t>(bits - kRootHalf) >> 52;
  const double f = from_bits(bits - (static_cast<std::uint64_t>(exponent) << 52)) - 1.0;
  // Small integers become doubles through kRound, which needs no conversion instruction.
  const std::uint64_t count = static_cast<std::uint64_t>(exponent - (denormal ? 52 : 0));
  const double e = from_bits(bits_of(kRound) + count) - kRound;
  // ln(1 + f) = f − f²/2 + s·(f²/2 + R(s²)), s = f/(2 + f); f − f²/2 is kept in two parts.
  const double s = f / (2.0 + f);
  const double z = s * s;
  double r = 0x1.0f11c7bb29649p-3;
  r = fma(r, z, 0x1.0f66dd510f799p-3);
  r = fma(r, z, 0x1.3b2028a14f8d1p-3);
  r = fma(r, z, 0x1.745ce1b39de25p-3);
  r = fma(r, z, 0x1.c71c724b9f092p-3);
  r = fma(r, z, 0x1.24924924395cp-2);
  r = fma(r, z, 0x1.9999999999d12p-2);
  r = fma(r, z, 0x1.5555555555555p-1);
  const double g = 0.5 * f;
  const double half = g * f;
  const double difference = f - half;
  const double below = ((f - difference) - half) - fma(g, f, -half);
  const double tail = fma(s, fma(r, z, half), below);
  const double ln = difference + tail;
  const double ln_low = (difference - ln) + tail;
  constexpr double kHi = 0x1.71547652b82fep+0;
  constexpr double kLo = 0x1.777d0ffda0d24p-56;
  const double hi = ln * kHi;
  const double lo = fma(ln, kHi, -hi) + fma(ln, kLo, ln_low * kHi);
  const double sum = e + hi;
  const double rest = hi - (sum - e);
  double y = sum + (rest + lo);
  y = select(x < std::numeric_limits<double>::infinity(), y, x);
  y = select(x == 0, -std::numeric_limits<double>::infinity(), y);
  return select(x < 0, std::numeric_limits<double>::quiet_NaN(), y);
}

/// A reduced angle: |x| = quadrant·π/2 + hi + lo, with |hi + lo| little above π/4.
struct Angle {
  std::uint64_t quadrant;
  double hi;
  double lo;
};

inline constexpr double kPiHalf1 = 0x1.921fb54442d18p+0;
inline constexpr double kPiHalf2 = 0x1.1a62633145c07p-54;
inline constexpr double kPiHalf3 = -0x1.f1976b7ed8fbcp-110;
/// From here on, and for NaN, `reduce` gives nothing useful.
inline constexpr double kLarge = 0x1p20;

QUINCE_INLINE inline Angle reduce(double a) {
  const double shifted = fma(a, 0x1.45f306dc9c883p-1, kRound);
  const double k = shifted - kRound;
  const double first = fma(-k, kPiHalf1, a);  // exact
  const double product = k * kPiHalf2;
  const double hi = first - product;
  const double error = (first - hi) - product;
  const double lo = fma(-k, kPiHalf3, error - fma(k, kPiHalf2, -product));
  return {bits_of(shifted), hi, lo};
}

__extension__ using Int128 = __int128;
__extension__ using Uint128 = unsigned __int128;

/// For finite a ≥ 1.
inline Angle reduce_large(double a) {
  const std::uint64_t bits = bits_of(a);
  const Uint128 m = (bits & 0xfffffffffffffu) | 0x10000000000000u;
  // a = m·2^(e − 52): the window of 192 bits begins where a bit of 2/π times 2^(e − 52) weighs 2.
  const int skip = static_cast<int>(bits >> 52) - 1023 - 54;
  const Uint128 top = m * two_over_pi_bits(skip);
  const Uint128 middle = m * two_over_pi_bits(skip + 64);
  const Uint128 bottom = m * two_over_pi_bits(skip + 128);
  // m·2/π in quarter turns modulo 4: two bits before the point, 126 after it.
  const Uint128 turns = (top << 64) + middle + (bottom >> 64);
  const Uint128 quadrant = (turns + (Uint128{1} << 125)) >> 126;
  const auto fraction = static_cast<Int128>(turns - (quadrant << 126));
  const auto high = static_cast<double>(fraction);
  const auto low = static_cast<double>(fraction - static_cast<Int128>(high));
  const double hi = high * (kPiHalf1 * 0x1p-126);
  const double lo = fma(high, kPiHalf1 * 0x1p-126, -hi) + fma(high, kPiHalf2 * 0x1p-126, low * (kPiHalf1 * 0x1p-126));
  return {static_cast<std::uint64_t>(quadrant), hi, lo};
}

/// Sine of a reduced angle; `sign` is x's.
QUINCE_INLINE inline double sin_of(Angle angle, std::uint64_t sign) {
  const double z = angle.hi * angle.hi;
  // 1 − hi²/2, and what rounding it lost.
  const double half = 0.5 * angle.hi;
  const double w = fma(-half, angle.hi, 1.0);
  const double rest = fma(-half, angle.hi, 1.0 - w);
  double s = 0x1.5d8b557faa5e3p-33;
  s = fma(s, z, -0x1.ae5e4b83a809cp-26);
  s = fma(s, z, 0x1.71de35552b1b6p-19);
  s = fma(s, z, -0x1.a01a019be9215p-13);
  s = fma(s, z, 0x1.111111110f73p-7);
  s = fma(s, z, -0x1.5555555555548p-3);
  const double sine = angle.hi + fma(angle.hi * z, s, angle.lo * w);
  double c = -0x1.8fa553873a0c9p-37;
  c = fma(c, z, 0x1.1ee9d9c687aabp-29);
  c = fma(c, z, -0x1.27e4f7ef0d5a9p-22);
  c = fma(c, z, 0x1.a01a019c8c7d6p-16);
  c = fma(c, z, -0x1.6c16c16c15005p-10);
  c = fma(c, z, 0x1.555555555554bp-5);
  const double cosine = w + (rest + fma(z * z, c, -(angle.hi * angle.lo)));
  const double y = select((angle.quadrant & 1u) != 0, cosine, sine);
  return from_bits(bits_of(y) ^ ((angle.quadrant & 2u) << 62) ^ sign);
}

/// For |x| < kLarge.
QUINCE_INLINE inline double sin(double x) {
  const std::uint64_t bits = bits_of(x);
  const std::uint64_t magnitude = bits & 0x7fffffffffffffffu;
  return sin_of(reduce(from_bits(magnitude)), bits ^ magnitude);
}

inline double sin_large(double x) {
  const std::uint64_t bits = bits_of(x);
  const std::uint64_t magnitude = bits & 0x7fffffffffffffffu;
  const double a = from_bits(magnitude);
  if (!(a < std::numeric_limits<double>::infinity())) return std::numeric_limits<double>::quiet_NaN();
  return sin_of(reduce_large(a), bits ^ magnitude);
}

/// Floored remainder where |x/y| < 2^51 and y is finite. The nearest integer n is ⌊x/y⌋ or one more, x − n·y is exact,
/// and has the wrong sign where one y is missing.
QUINCE_INLINE inline double mod(double x, double y) {
  constexpr std::uint64_t kSign = 0x8000000000000000u;
  const double n = (x / y + kRound) - kRound;
  const double r = fma(-n, y, x);
  const std::uint64_t differ = std::uint64_t{0} - ((bits_of(r) ^ bits_of(y)) >> 63);
  const double fixed = r + from_bits((bits_of(y) & differ) | (kSign & ~differ));
  return select(r == 0, from_bits(bits_of(y) & kSign), fixed);
}

}  // namespace quince::backend::reference::f64
