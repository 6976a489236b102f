// The nn functions against the C++ library and against integer arithmetic, over whole 16-bit types and random bits.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "quince/nn/nn.h"
#include "support/array_cases.h"
#include "support/evaluate.h"

namespace quince::nn {
namespace {

using quince::testing::Compare;
using quince::testing::evaluate;
using quince::testing::same_element;

Array apply(const std::vector<Array>& in, const std::function<Tensor(const std::vector<Tensor>&)>& f) {
  return evaluate(in, [&f](Graph&, const std::vector<Tensor>& x) { return std::vector<Tensor>{f(x)}; }).at(0);
}

/// All 65,536 values of a 16-bit dtype.
Array every_16_bit(DType t) {
  std::vector<std::uint16_t> values(65536);
  std::iota(values.begin(), values.end(), std::uint16_t{0});
  return Array::of<std::uint16_t>(t, {65536}, values);
}

/// Random bit patterns of f32: every magnitude, NaN and infinities now and then.
Array random_f32(std::int64_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<float> values(static_cast<std::size_t>(n));
  for (float& v : values) v = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
  return Array::of<float>(DType::f32, {n}, values);
}

void expect_elementwise(const Array& x, const Array& y, double (*f)(double), Compare how) {
  int wrong = 0;
  for (std::int64_t i = 0; i < x.count() && wrong < 5; ++i) {
    const double v = x.at(i).as_double();
    const Scalar want = Scalar::of(x.dtype, f(v));
    if (same_element(y.at(i), want, how)) continue;
    ++wrong;
    ADD_FAILURE() << "f(" << v << ") = " << y.at(i).as_double() << ", expected " << want.as_double();
  }
}

struct Rounding {
  const char* name;
  Tensor (*ours)(const Tensor&);
  double (*theirs)(double);
};

class Roundings : public ::testing::TestWithParam<Rounding> {};

TEST_P(Roundings, EqualTheLibraryOnEvery16BitValue) {
  for (DType t : {DType::f16, DType::bf16}) {
    const Array x = every_16_bit(t);
    const Array y = apply({x}, [](const auto& in) { return GetParam().ours(in[0]); });
    expect_elementwise(x, y, GetParam().theirs, Compare::bits);
  }
}

TEST_P(Roundings, EqualTheLibraryOnRandomBits) {
  const Array x = random_f32(50000, 1);
  const Array y = apply({x}, [](const auto& in) { return GetParam().ours(in[0]); });
  expect_elementwise(x, y, GetParam().theirs, Compare::bits);
}

INSTANTIATE_TEST_SUITE_P(Nn, Roundings,
                         ::testing::Values(Rounding{"floor", floor, std::floor}, Rounding{"ceil", ceil, std::ceil},
                                           Rounding{"trunc", trunc, std::trunc},
                                           Rounding{"round", round, std::nearbyint}),
                         [](const ::testing::TestParamInfo<Rounding>& row) { return row.param.name; });

TEST(FloorDivide, IsRightForEveryPairOfBytes) {
  std::vector<std::int8_t> a;
  std::vector<std::int8_t> b;
  for (int i = -128; i < 128; ++i) {
    for (int j = -128; j < 128; ++j) {
      if (j == 0) continue;
      a.push_back(static_cast<std::int8_t>(i));
      b.push_back(static_cast<std::int8_t>(j));
    }
  }
  const auto n = static_cast<std::int64_t>(a.size());
  const Array q = apply({Array::of<std::int8_t>(DType::i8, {n}, a), Array::of<std::int8_t>(DType::i8, {n}, b)},
                        [](const auto& in) { return floor_divide(in[0], in[1]); });
  for (std::size_t i = 0; i < a.size(); ++i) {
    const int want = static_cast<int>(std::floor(static_cast<double>(a[i]) / b[i]));
    ASSERT_EQ(q.data<std::int8_t>()[i], static_cast<std::int8_t>(want)) << int{a[i]} << " / " << int{b[i]};
  }
}

TEST(FloorDivide, IsRightForRandom32BitIntegers) {
  std::mt19937 random(2);
  constexpr std::int64_t kCount = 50000;
  std::vector<std::int32_t> a(kCount);
  std::vector<std::int32_t> b(kCount);
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<std::int32_t>(random()) >> (random() % 32);
    b[i] = static_cast<std::int32_t>(random()) >> (random() % 32);
    if (b[i] == 0) b[i] = 1;
  }
  const Array q =
      apply({Array::of<std::int32_t>(DType::i32, {kCount}, a), Array::of<std::int32_t>(DType::i32, {kCount}, b)},
            [](const auto& in) { return floor_divide(in[0], in[1]); });
  for (std::size_t i = 0; i < a.size(); ++i) {
    const std::int64_t x = a[i];
    const std::int64_t d = b[i];
    const std::int64_t want = x / d - ((x % d != 0 && (x < 0) != (d < 0)) ? 1 : 0);
    ASSERT_EQ(q.data<std::int32_t>()[i], static_cast<std::int32_t>(want)) << x << " / " << d;
  }
}

TEST(DivExact, IsCorrectlyRoundedInF32) {
  const Array a = random_f32(50000, 3);
  const Array b = random_f32(50000, 4);
  const Array q = apply({a, b}, [](const auto& in) { return div_exact(in[0], in[1]); });
  for (std::size_t i = 0; i < 50000; ++i) {
    const float x = a.data<float>()[i];
    const float y = b.data<float>()[i];
    const float want = x / y;
    if (std::abs(want) < std::numeric_limits<float>::min()) continue;  // ties between denormals are not promised
    EXPECT_TRUE(same_element(q.at(static_cast<std::int64_t>(i)), Scalar::of(DType::f32, want), Compare::bits))
        << x << " / " << y;
  }
}

TEST(Pow, IsTheLibrarysOnRandomBits) {
  const Array x = random_f32(20000, 5);
  Array y = random_f32(20000, 6);
  for (std::size_t i = 0; i < 20000; i += 2)
    y.mutable_data<float>()[i] = static_cast<float>(static_cast<int>(i % 41) - 20);
  const Array p = apply({x, y}, [](const auto& in) { return pow(in[0], in[1]); });
  for (std::int64_t i = 0; i < 20000; ++i) {
    const Scalar want = Scalar::of(DType::f32, std::pow(x.at(i).as_double(), y.at(i).as_double()));
    ASSERT_TRUE(same_element(p.at(i), want, Compare::close))
        << x.at(i).as_double() << " ^ " << y.at(i).as_double() << " = " << p.at(i).as_double() << ", expected "
        << want.as_double();
  }
}

TEST(Comparisons, AgreeWithTheLanguageOnRandomBits) {
  const Array a = random_f32(20000, 7);
  Array b = random_f32(20000, 8);
  for (std::size_t i = 0; i < 20000; i += 3) b.mutable_data<float>()[i] = a.data<float>()[i];
  const std::vector<Array> got = evaluate({a, b}, [](Graph&, const std::vector<Tensor>& in) {
    return std::vector<Tensor>{le(in[0], in[1]), eq(in[0], in[1]), ne(in[0], in[1]), ge(in[0], in[1])};
  });
  for (std::size_t i = 0; i < 20000; ++i) {
    const float x = a.data<float>()[i];
    const float y = b.data<float>()[i];
    const bool want[] = {x <= y, x == y, x != y, x >= y};
    for (std::size_t k = 0; k < 4; ++k)
      ASSERT_EQ(got[k].data<std::uint8_t>()[i] != 0, want[k]) << x << " " << y << " " << k;
  }
}

TEST(Where, DoesNotLetANanLeak) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float a[] = {1, nan, -0.0F};
  const float b[] = {nan, 2, nan};
  const std::uint8_t c[] = {1, 0, 1};
  const Array y = apply({Array::of<std::uint8_t>(DType::boolean, {3}, c), Array::of<float>(DType::f32, {3}, a),
                         Array::of<float>(DType::f32, {3}, b)},
                        [](const auto& in) { return where(in[0], in[1], in[2]); });
  EXPECT_EQ(y.data<float>()[0], 1);
  EXPECT_EQ(y.data<float>()[1], 2);
  EXPECT_TRUE(std::signbit(y.data<float>()[2]));
}

TEST(OneHot, AnIdOutsideGivesZeros) {
  const std::int32_t ids[] = {-1, 1, 3};
  const Array y =
      apply({Array::of<std::int32_t>(DType::i32, {3}, ids)}, [](const auto& in) { return one_hot(in[0], 3); });
  const std::vector<std::int64_t> want = {0, 0, 0, 0, 1, 0, 0, 0, 0};
  EXPECT_TRUE(std::equal(want.begin(), want.end(), y.data<std::int64_t>().begin()));
}

}  // namespace
}  // namespace quince::nn
