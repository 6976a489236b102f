// Exp2, Log2 and Sin on all 2^32 values of f32 (docs/ops-numerics.md, N26).
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "backend/reference/elementary.h"
#include "numerics/ulp.h"

namespace quince::backend::reference {
namespace {

/// The largest error over every f32; `at` receives where.
double worst_error(void (*bulk)(const float*, float*, std::int64_t), double (*truth)(double), float& at) {
  constexpr std::uint32_t kChunk = 1u << 16;
  std::vector<float> x(kChunk);
  std::vector<float> y(kChunk);
  double worst = 0;
  for (std::uint32_t high = 0; high < (1u << 16); ++high) {
    for (std::uint32_t low = 0; low < kChunk; ++low) x[low] = std::bit_cast<float>(high << 16 | low);
    bulk(x.data(), y.data(), kChunk);
    for (std::uint32_t i = 0; i < kChunk; ++i) {
      const double error = testing::ulps(y[i], truth(x[i]));
      if (error > worst) {
        worst = error;
        at = x[i];
      }
    }
  }
  return worst;
}

void expect_within_one_ulp(const char* name, void (*bulk)(const float*, float*, std::int64_t),
                           double (*truth)(double)) {
  float at = 0;
  const double worst = worst_error(bulk, truth, at);
  std::printf("%s: at most %.4f ulp, at %a\n", name, worst, static_cast<double>(at));
  EXPECT_LE(worst, 1.0) << name << " at " << at;
}

TEST(Exhaustive, Exp2) { expect_within_one_ulp("Exp2", exp2, std::exp2); }
TEST(Exhaustive, Log2) { expect_within_one_ulp("Log2", log2, std::log2); }
TEST(Exhaustive, Sin) { expect_within_one_ulp("Sin", sin, std::sin); }

}  // namespace
}  // namespace quince::backend::reference
