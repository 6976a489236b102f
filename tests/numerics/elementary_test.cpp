// Exp2, Log2, Sin, Sqrt, Recip and Mod: accuracy on a dense sample, exact points, and one result on every vector unit.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "backend/reference/elementary.h"
#include "backend/reference/elementary_f32.h"
#include "backend/reference/elementary_f64.h"
#include "numerics/ulp.h"

namespace quince::backend::reference {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

/// Every 4099th f32, and the neighbourhoods of the points where an algorithm changes its path.
const std::vector<float>& sample() {
  static const std::vector<float> values = [] {
    std::vector<float> x;
    for (std::uint64_t bits = 0; bits < (std::uint64_t{1} << 32); bits += 4099) {
      x.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    }
    for (const float centre : {0.0f, 0x1p-126f, 0.5f, 0.70710678f, 1.0f, 1.41421356f, 2.0f, 0x1p17f, 128.0f, -126.0f,
                               -149.0f, -150.0f, 0x1p22f, 0x1p24f, 3.4028234e38f, kInf, -0x1p17f}) {
      for (int step = -300; step <= 300; ++step) {
        x.push_back(std::bit_cast<float>(std::bit_cast<std::uint32_t>(centre) + static_cast<std::uint32_t>(step)));
      }
    }
    for (int k = 1; k < 90000; k += 7) x.push_back(static_cast<float>(k * 1.5707963267948966));
    return x;
  }();
  return values;
}

struct Function {
  const char* name;
  void (*bulk)(const float*, float*, std::int64_t);
  float (*one)(float);
  double (*truth)(double);
};

class Elementary : public ::testing::TestWithParam<Function> {};

TEST_P(Elementary, IsWithinOneUlp) {  // N26
  std::vector<float> y(sample().size());
  GetParam().bulk(sample().data(), y.data(), static_cast<std::int64_t>(y.size()));
  for (std::size_t i = 0; i < y.size(); ++i) {
    const float x = sample()[i];
    ASSERT_LE(testing::ulps(y[i], GetParam().truth(x)), 1.0) << x << ": " << y[i];
  }
}

TEST_P(Elementary, IsTheSameOneAtATime) {  // N21: one at a time is compiled for the least machine
  std::vector<float> y(sample().size());
  GetParam().bulk(sample().data(), y.data(), static_cast<std::int64_t>(y.size()));
  for (std::size_t i = 0; i < y.size(); i += 3) {
    const float one = GetParam().one(sample()[i]);
    if (std::isnan(one) && std::isnan(y[i])) continue;
    ASSERT_EQ(std::bit_cast<std::uint32_t>(one), std::bit_cast<std::uint32_t>(y[i])) << sample()[i];
  }
}

TEST_P(Elementary, WorksInPlaceAndAtAnyLength) {
  for (const std::size_t n : {0u, 1u, 2u, 15u, 16u, 17u, 63u, 64u, 65u, 1009u}) {
    std::vector<float> x(n + 1, 0.75f);
    for (std::size_t i = 0; i < n; ++i) x[i] = 0.001f * static_cast<float>(i + 1);
    std::vector<float> y = x;
    GetParam().bulk(x.data(), y.data(), static_cast<std::int64_t>(n));
    GetParam().bulk(x.data(), x.data(), static_cast<std::int64_t>(n));
    EXPECT_EQ(x, y) << n;
    EXPECT_EQ(x.back(), 0.75f);
  }
}

INSTANTIATE_TEST_SUITE_P(F32, Elementary,
                         ::testing::Values(Function{"Exp2", exp2, exp2, std::exp2},
                                           Function{"Log2", log2, log2, std::log2}, Function{"Sin", sin, sin, std::sin},
                                           Function{"Sqrt", sqrt, sqrt, std::sqrt},
                                           Function{"Recip", recip, recip, [](double v) { return 1 / v; }}),
                         [](const auto& function) { return function.param.name; });

TEST(Exp2, IsExactAtIntegersAndAtTheEnds) {  // N22
  for (int k = -149; k < 128; ++k) EXPECT_EQ(exp2(static_cast<float>(k)), std::ldexp(1.0f, k)) << k;
  for (int k = -1074; k < 1024; ++k) EXPECT_EQ(exp2(static_cast<double>(k)), std::ldexp(1.0, k)) << k;
  EXPECT_EQ(exp2(128.0f), kInf);
  EXPECT_EQ(exp2(-150.0f), 0);
  EXPECT_EQ(exp2(std::nextafter(-150.0f, 0.0f)), 0x1p-149f);
  EXPECT_EQ(exp2(kInf), kInf);
  EXPECT_EQ(exp2(-kInf), 0);
  EXPECT_TRUE(std::isnan(exp2(kNan)));
  EXPECT_EQ(exp2(1024.0), HUGE_VAL);
  EXPECT_EQ(exp2(-1075.0), 0);
  EXPECT_EQ(exp2(-HUGE_VAL), 0);
  EXPECT_TRUE(std::isnan(exp2(static_cast<double>(kNan))));
}

TEST(Log2, IsExactAtPowersOfTwoAndAtTheEnds) {  // N23
  for (int k = -149; k < 128; ++k) EXPECT_EQ(log2(std::ldexp(1.0f, k)), static_cast<float>(k));
  for (int k = -1074; k < 1024; ++k) EXPECT_EQ(log2(std::ldexp(1.0, k)), k);
  EXPECT_FALSE(std::signbit(log2(1.0f)));
  EXPECT_FALSE(std::signbit(log2(1.0)));
  for (const float zero : {0.0f, -0.0f}) {
    EXPECT_EQ(log2(zero), -kInf);
    EXPECT_EQ(log2(static_cast<double>(zero)), -HUGE_VAL);
  }
  EXPECT_EQ(log2(kInf), kInf);
  EXPECT_EQ(log2(HUGE_VAL), HUGE_VAL);
  for (const float bad : {-1.0f, -1e-45f, -kInf, kNan}) {
    EXPECT_TRUE(std::isnan(log2(bad))) << bad;
    EXPECT_TRUE(std::isnan(log2(static_cast<double>(bad)))) << bad;
  }
  EXPECT_TRUE(std::isnan(log2(-5e-324)));
}

TEST(Sin, KeepsZerosAndIsOdd) {  // N24
  for (const float zero : {0.0f, -0.0f}) {
    EXPECT_EQ(std::signbit(sin(zero)), std::signbit(zero));
    EXPECT_EQ(std::signbit(sin(static_cast<double>(zero))), std::signbit(zero));
  }
  for (const float tiny : {1e-45f, 0x1p-126f, 1e-20f}) EXPECT_EQ(sin(tiny), tiny);
  EXPECT_EQ(sin(5e-324), 5e-324);
  for (const float bad : {kInf, -kInf, kNan}) {
    EXPECT_TRUE(std::isnan(sin(bad)));
    EXPECT_TRUE(std::isnan(sin(static_cast<double>(bad))));
  }
  for (const float x : {1.0f, 3.0f, 1e4f, 1e6f, 1e30f}) {
    EXPECT_EQ(sin(-x), -sin(x));
    EXPECT_EQ(sin(-static_cast<double>(x)), -sin(static_cast<double>(x)));
  }
}

/// f over x as compiled for each vector unit, against the first.
template <class T, class F>
void agree_on_each_unit(const std::vector<T>& x, F f) {
  std::vector<T> first;
  std::vector<T> y(x.size());
  each_vector_unit([&]() QUINCE_INLINE {
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = f(x[i]);
    if (first.empty()) first = y;
    for (std::size_t i = 0; i < x.size(); ++i) {
      ASSERT_TRUE(y[i] == first[i] || (std::isnan(y[i]) && std::isnan(first[i]))) << x[i];
    }
  });
}

TEST(EachVectorUnit, ComputesTheSame) {  // N21
  std::vector<float> x;
  std::vector<double> d;
  for (std::size_t i = 0; i < sample().size(); i += 5) {
    x.push_back(sample()[i]);
    d.push_back(sample()[i] * (1 + 0x1p-30 * static_cast<double>(i)));
  }
  agree_on_each_unit(x, [](float v) QUINCE_INLINE { return f32::exp2(v); });
  agree_on_each_unit(x, [](float v) QUINCE_INLINE { return f32::log2(v); });
  agree_on_each_unit(x, [](float v) QUINCE_INLINE { return std::abs(v) < f32::kLarge ? f32::sin(v) : 0; });
  agree_on_each_unit(d, [](double v) QUINCE_INLINE { return f64::exp2(v); });
  agree_on_each_unit(d, [](double v) QUINCE_INLINE { return f64::log2(v); });
  agree_on_each_unit(d, [](double v) QUINCE_INLINE { return std::abs(v) < f64::kLarge ? f64::sin(v) : 0; });
}

template <class T>
T any_float() {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  if (*rc::gen::arbitrary<bool>()) return static_cast<T>(*rc::gen::inRange(-2000, 2000)) / 8;
  return std::bit_cast<T>(*rc::gen::arbitrary<Bits>());
}

/// The bulk form's short cut against the exact fmod of the scalar form.
template <class T>
void mod_in_bulk() {
  const auto n = *rc::gen::inRange<std::size_t>(0, 200);
  std::vector<T> x(n);
  std::vector<T> y(n);
  for (std::size_t i = 0; i < n; ++i) {
    y[i] = any_float<T>();
    // Near a multiple of y as often as anywhere.
    x[i] = *rc::gen::arbitrary<bool>() ? any_float<T>() : y[i] * static_cast<T>(*rc::gen::inRange(-5000, 5000));
  }
  std::vector<T> r(n);
  mod(x.data(), y.data(), r.data(), static_cast<std::int64_t>(n));
  for (std::size_t i = 0; i < n; ++i) {
    const T want = mod(x[i], y[i]);
    RC_ASSERT((std::isnan(want) && std::isnan(r[i])) || (want == r[i] && std::signbit(want) == std::signbit(r[i])));
  }
}

RC_GTEST_PROP(Mod, F32InBulk, ()) { mod_in_bulk<float>(); }
RC_GTEST_PROP(Mod, F64InBulk, ()) { mod_in_bulk<double>(); }

TEST(Mod, HasTheDivisorsSign) {  // N19
  EXPECT_EQ(mod(-7.0f, 3.0f), 2);
  EXPECT_EQ(mod(7.0f, -3.0f), -2);
  EXPECT_TRUE(std::signbit(mod(6.0f, -3.0f)));
  EXPECT_FALSE(std::signbit(mod(-6.0f, 3.0f)));
  EXPECT_TRUE(std::signbit(mod(0.0f, -3.0f)));
  EXPECT_EQ(mod(5.0f, kInf), 5);
  EXPECT_EQ(mod(-5.0f, kInf), kInf);
  EXPECT_EQ(mod(5.0f, -kInf), -kInf);
  EXPECT_EQ(mod(-1e-30f, 2.0f), 2);
  EXPECT_EQ(mod(1e30f, 3.0f), std::fmod(1e30f, 3.0f));
  for (const float y : {0.0f, -0.0f, kNan}) EXPECT_TRUE(std::isnan(mod(1.0f, y)));
  EXPECT_TRUE(std::isnan(mod(kInf, 2.0f)));
}

TEST(Mod, OfIntegersNeverTraps) {  // N20
  constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(mod(kLowest, std::int64_t{-1}), 0);
  EXPECT_EQ(mod(kLowest, std::int64_t{0}), 0);
  EXPECT_EQ(mod(kLowest, std::int64_t{3}), 1);
  EXPECT_EQ(mod(std::int64_t{-7}, std::int64_t{3}), 2);
  EXPECT_EQ(mod(std::int64_t{7}, std::int64_t{-3}), -2);
  EXPECT_EQ(mod(~std::uint64_t{0}, std::uint64_t{10}), 5u);
  EXPECT_EQ(mod(std::uint64_t{1}, std::uint64_t{0}), 0u);
}

}  // namespace
}  // namespace quince::backend::reference
