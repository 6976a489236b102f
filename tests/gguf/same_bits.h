// Comparison of f32 values bit for bit; any NaN equals any NaN.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <string_view>

namespace quince::test {

inline void expect_same_bits(std::span<const float> values, std::span<const float> expected, std::string_view what) {
  ASSERT_EQ(values.size(), expected.size()) << what;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i]) && std::isnan(expected[i])) continue;
    ASSERT_EQ(std::bit_cast<std::uint32_t>(values[i]), std::bit_cast<std::uint32_t>(expected[i]))
        << what << " element " << i << ": " << values[i] << ", expected " << expected[i];
  }
}

}  // namespace quince::test
