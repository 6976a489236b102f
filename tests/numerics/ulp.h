// How far a computed f32 is from the true value, in units of its last place.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace quince::testing {

/// Infinite where one is NaN, or infinite, and the other is not. `want` is the true value to f64's precision.
inline double ulps(float got, double want) {
  constexpr double kWrong = std::numeric_limits<double>::infinity();
  if (std::isnan(want)) return std::isnan(got) ? 0 : kWrong;
  if (std::isnan(got)) return kWrong;
  // Values that round to infinity are those from half an ulp beyond the largest.
  if (std::isinf(got)) return static_cast<float>(want) == got ? 0 : kWrong;
  if (std::isinf(want)) return kWrong;
  int exponent = 0;
  std::frexp(want, &exponent);
  return std::abs(static_cast<double>(got) - want) / std::ldexp(1.0, std::max(exponent, -125) - 24);
}

}  // namespace quince::testing
