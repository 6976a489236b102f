// Every op on every dtype's edge values, against stored numbers of NumPy, PyTorch and mpmath (docs/ops-numerics.md).
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <string>

#include "backend/reference/elementary.h"
#include "support/array_cases.h"

namespace quince {
namespace {

using backend::reference::apply;
using testing::ArrayCase;
using testing::Compare;
using testing::load_cases;
using testing::same_element;

Op op_of(const std::string& case_name) {
  const std::size_t begin = case_name.starts_with("near/") ? 5 : 0;
  return op_from_name(case_name.substr(begin, case_name.find('/', begin) - begin)).value();
}

std::string show(Scalar s) { return fmt::format("{} ({:#x})", s.as_double(), s.bits); }

TEST(Stored, CastOfEveryPairOfDtypes) {  // N4–N13
  int seen = 0;
  for (const ArrayCase& c : load_cases("numerics")) {
    if (!c.name.starts_with("cast/")) continue;
    ++seen;
    for (std::int64_t i = 0; i < c.in[0].count(); ++i) {
      const Scalar got = c.in[0].at(i).cast_to(c.out[0].dtype);
      EXPECT_EQ(got, c.out[0].at(i)) << c.name << " of " << show(c.in[0].at(i)) << ": " << show(got) << ", expected "
                                     << show(c.out[0].at(i));
    }
  }
  EXPECT_EQ(seen, kDTypeCount * (kDTypeCount - 1));
}

TEST(Stored, AddMulModLessThanMax) {  // N14–N20
  std::map<Op, int> seen;
  for (const ArrayCase& c : load_cases("numerics")) {
    if (c.in.size() != 2) continue;
    const Op op = op_of(c.name);
    ++seen[op];
    for (std::int64_t i = 0; i < c.in[0].count(); ++i) {
      const Scalar x = c.in[0].at(i);
      const Scalar y = c.in[1].at(i);
      const Scalar got = apply(op, x, y);
      EXPECT_TRUE(same_element(got, c.out[0].at(i), Compare::bits))
          << c.name << " of " << show(x) << ", " << show(y) << ": " << show(got) << ", expected "
          << show(c.out[0].at(i));
    }
  }
  EXPECT_EQ(seen, (std::map<Op, int>{
                      {Op::add, 15}, {Op::mul, 15}, {Op::mod, 14}, {Op::less_than, 15}, {Op::max_reduce, 15}}));
}

TEST(Stored, SqrtRecipAreCorrectlyRounded) {  // N18
  int seen = 0;
  for (const ArrayCase& c : load_cases("numerics")) {
    if (!c.name.starts_with("Sqrt/") && !c.name.starts_with("Recip/")) continue;
    ++seen;
    for (std::int64_t i = 0; i < c.in[0].count(); ++i) {
      const Scalar got = apply(op_of(c.name), c.in[0].at(i));
      EXPECT_TRUE(same_element(got, c.out[0].at(i), Compare::bits))
          << c.name << " of " << show(c.in[0].at(i)) << ": " << show(got) << ", expected " << show(c.out[0].at(i));
    }
  }
  EXPECT_EQ(seen, 12);
}

/// Codes between two floats of one dtype.
std::int64_t distance(Scalar a, Scalar b) {
  const auto rank = [](Scalar s) {
    const std::uint64_t sign = std::uint64_t{1} << (bit_width(s.dtype) - 1);
    const auto magnitude = static_cast<std::int64_t>(s.bits & (sign - 1));
    return (s.bits & sign) != 0 ? -magnitude : magnitude;
  };
  return std::abs(rank(a) - rank(b));
}

TEST(Stored, Exp2Log2SinAreWithinOneUlp) {  // N26
  int seen = 0;
  for (const ArrayCase& c : load_cases("numerics")) {
    if (!c.name.starts_with("near/")) continue;
    ++seen;
    for (std::int64_t i = 0; i < c.in[0].count(); ++i) {
      const Scalar got = apply(op_of(c.name), c.in[0].at(i));
      EXPECT_LE(distance(got, c.out[0].at(i)), 1)
          << c.name << " of " << show(c.in[0].at(i)) << ": " << show(got) << ", expected " << show(c.out[0].at(i));
    }
  }
  EXPECT_EQ(seen, 6);
}

TEST(NarrowFloats, AreComputedInF32AndRoundedOnce) {  // N14
  for (const DType t : {DType::f16, DType::bf16, DType::f8e4m3, DType::f8e5m2}) {
    for (const Op op : {Op::log2, Op::exp2, Op::sin, Op::sqrt, Op::recip}) {
      for (std::uint64_t code = 0; code < (std::uint64_t{1} << bit_width(t)); ++code) {
        const Scalar x{t, code};
        const Scalar want = apply(op, x.cast_to(DType::f32)).cast_to(t);
        ASSERT_TRUE(same_element(apply(op, x), want, Compare::bits)) << name(op) << " " << name(t) << " " << show(x);
      }
    }
  }
}

TEST(Integers, EveryPairOfI8AndU8) {  // N15, N20
  for (const DType t : {DType::i8, DType::u8}) {
    for (std::uint64_t a = 0; a < 256; ++a) {
      for (std::uint64_t b = 0; b < 256; ++b) {
        const Scalar x{t, a};
        const Scalar y{t, b};
        const auto p = static_cast<int>(x.as_integer());
        const auto q = static_cast<int>(y.as_integer());
        const int floored = q == 0 ? 0 : p - q * static_cast<int>(std::floor(static_cast<double>(p) / q));
        ASSERT_EQ(apply(Op::add, x, y), Scalar::of_integer(t, p + q));
        ASSERT_EQ(apply(Op::mul, x, y), Scalar::of_integer(t, p * q));
        ASSERT_EQ(apply(Op::mod, x, y), Scalar::of_integer(t, floored)) << p << " mod " << q;
        ASSERT_EQ(apply(Op::less_than, x, y).bits, p < q ? 1u : 0u);
        ASSERT_EQ(apply(Op::max_reduce, x, y), Scalar::of_integer(t, p < q ? q : p));
      }
    }
  }
}

TEST(MaxReduce, StartsFromTheLowest) {  // N17
  EXPECT_EQ(backend::reference::lowest(DType::f32).as_double(), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(backend::reference::lowest(DType::f16).as_double(), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(backend::reference::lowest(DType::f8e4m3).as_double(), -448);
  EXPECT_EQ(backend::reference::lowest(DType::i16).as_integer(), -32768);
  EXPECT_EQ(backend::reference::lowest(DType::u64).as_integer(), 0);
  EXPECT_EQ(backend::reference::lowest(DType::boolean).as_integer(), 0);
}

}  // namespace
}  // namespace quince
