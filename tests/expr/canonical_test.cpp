// Equal expressions are one node however they were built; building is safe from many threads.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <thread>

#include "expr/random_expr.h"
#include "quince/error.h"

namespace quince::testing {
namespace {

using Choices = std::vector<std::uint8_t>;

class Canonical : public ::testing::Test {
 protected:
  Expr s = Expr::dim("s", {0, 100});
  Expr t = Expr::dim("t", {1, 100});
  Expr a0 = Expr::axis(0, 12);
  Expr a1 = Expr::axis(1, s);
  Expr a2 = Expr::axis(2, 7);
};

TEST_F(Canonical, SumsAndProducts) {
  EXPECT_EQ(a0 + a1, a1 + a0);
  EXPECT_EQ((a0 + a1) + a2, a0 + (a2 + a1));
  EXPECT_EQ(a0 * (a1 + s), a0 * a1 + s * a0);
  EXPECT_EQ((a0 + 1) * (a0 - 1), a0 * a0 - 1);
  EXPECT_EQ(3 * (a0 + 2) - 6, a0 * 3);
  EXPECT_EQ(a0 - a0, Expr(0));
  EXPECT_EQ(a0 + a0 + a0, 3 * a0);
  EXPECT_EQ((a0 + s) * (a1 + t) * (a2 + 2), (a2 + 2) * (s + a0) * (t + a1));
}

TEST_F(Canonical, QuotientsAndRemainders) {
  EXPECT_EQ(floor_div(6 * a1, 4), a1 + floor_div(a1, 2));
  EXPECT_EQ(floor_div(floor_div(a1, 3), 4), floor_div(a1, 12));
  EXPECT_EQ(floor_div(a1, -4), floor_div(-a1, 4));
  EXPECT_EQ(mod(a1, -4), -mod(-a1, 4));
  EXPECT_EQ(mod(mod(a1, 12), 4), mod(a1, 4));
  EXPECT_EQ(mod(5 * a1 + 9, 4), mod(a1 + 1, 4));
  EXPECT_EQ(ceil_div(a1, 4), -floor_div(-a1, 4));
  EXPECT_EQ(ceil_div(a1 * 4, 4), a1);
  EXPECT_EQ(floor_div(mod(a1, 32), 16), mod(floor_div(a1, 16), 2));
  EXPECT_EQ(floor_div(a0 * 7 + a2, 7), a0);
  EXPECT_EQ(mod(a0 * 14 + a2, 28), mod(a0, 2) * 14 + a2);
  EXPECT_EQ(floor_div(a0 * 14 + a2, 28), floor_div(a0, 2));
  EXPECT_EQ(floor_div(a0, 12), Expr(0));
  EXPECT_EQ(floor_div(a0 - 12, 12), Expr(-1));
}

TEST_F(Canonical, Extrema) {
  EXPECT_EQ(min(a0, min(s, a1)), min(min(a1, s), a0)) << "a1 < s";
  EXPECT_EQ(min(a0, 11), a0);
  EXPECT_EQ(max(a0, 0), a0);
  EXPECT_EQ(clamp(a0, 0, 11), a0);
  EXPECT_EQ(min(a1, s - 1), a1);
  EXPECT_EQ(max(min(a1, s), 0), a1);
  EXPECT_EQ(clamp(a1 + a0, 0, s + 10), a1 + a0);
}

TEST_F(Canonical, Predicates) {
  EXPECT_EQ(lt(a0, a1), logical_not(ge(a0, a1)));
  EXPECT_EQ(ge(2 * a0, 5), ge(a0, 3));
  EXPECT_EQ(ge(floor_div(a1, 4), 3), ge(a1, 12));
  EXPECT_EQ(lt(floor_div(a1, 4), a2), lt(a1, a2 * 4));
  EXPECT_EQ(lt(a0, 12), Expr(1));
  EXPECT_EQ(logical_and(ge(a0, 3), ge(a0, 5)), ge(a0, 5));
  EXPECT_EQ(logical_or(ge(a0, 3), ge(a0, 5)), ge(a0, 3));
  EXPECT_EQ(logical_and(lt(a0, 3), ge(a0, 5)), Expr(0));
  EXPECT_EQ(logical_or(lt(a0, 5), ge(a0, 3)), Expr(1));
  EXPECT_EQ(logical_not(logical_and(ge(a0, 3), ge(a2, 2))), logical_or(lt(a2, 2), lt(a0, 3)));
  EXPECT_EQ(ge(ge(a0, 3), 1), ge(a0, 3));
  EXPECT_EQ(lt(ge(a0, 3), 1), lt(a0, 3));
  EXPECT_EQ(logical_not(logical_not(a2)), ge(a2, 1));
  EXPECT_EQ(eq(a0, a0), Expr(1));
}

TEST_F(Canonical, ExtentOneIsZero) {
  EXPECT_EQ(Expr::axis(3, 1), Expr(0));
  EXPECT_EQ(Expr::axis(3, Expr::dim("one", {1, 1})), Expr(0));
  EXPECT_EQ(substitute(a1 + a0, {{{"s", 1}}, {}, {}}), a0);
}

TEST_F(Canonical, SubstitutionIsSimultaneous) {
  EXPECT_EQ(substitute(a0 + 2 * a2, {{}, {{0, a2}, {2, a0}}, {}}), a2 + 2 * a0);
  const Expr slot = Expr::slot(0, 0, s);
  EXPECT_EQ(substitute(slot + a0, {{}, {}, {{0, a2 + 1}}}), a0 + a2 + 1);
  EXPECT_EQ(substitute(a1, {{{"s", t}}, {}, {}}), Expr::axis(1, t));
}

TEST_F(Canonical, LeavesAreFound) {
  const Expr e = floor_div(a1 + a0, 5) + Expr::slot(2, 0, t) * a2;
  EXPECT_TRUE(mentions_axis(e, 1));
  EXPECT_FALSE(mentions_axis(e, 3));
  EXPECT_TRUE(mentions_slot(e, 2));
  EXPECT_FALSE(mentions_slot(e, 0));
  EXPECT_TRUE(mentions_any_axis(e));
  EXPECT_FALSE(mentions_any_slot(a1));
  EXPECT_EQ(collect(e, ExprKind::dim), (std::vector<Expr>{s, t}));
  EXPECT_EQ(collect(e, ExprKind::axis), (std::vector<Expr>{a0, a1, a2}));
  const auto affine = affine_in(a0 * s + 3 * a0 + a2, a0);
  ASSERT_TRUE(affine);
  EXPECT_EQ(affine->coefficient, s + 3);
  EXPECT_EQ(affine->rest, a2);
  EXPECT_FALSE(affine_in(floor_div(a0, 5) + a0, a0));
}

TEST_F(Canonical, LongProductsStayFactored) {
  Expr x = 0;
  Expr y = 0;
  for (int i = 0; i < 20; ++i) {
    x = x + Expr::dim("x" + std::to_string(i));
    y = y + Expr::dim("y" + std::to_string(i));
  }
  EXPECT_EQ((x * y).kind(), ExprKind::product);
  EXPECT_EQ(x * y, y * x);
  EXPECT_EQ((2 * x) * (-3 * y) * a0, a0 * -6 * (y * x));
  ExprScope scope{{}, {a0}, {}};
  for (Expr d : collect(x + y, ExprKind::dim)) scope.dims.emplace(d.dim_name(), d);
  EXPECT_EQ(parse_expr(to_string(x * y * a0 * 5), scope), x * y * a0 * 5);
}

RC_GTEST_PROP(CanonicalProperty, OrderOfBuildingDoesNotMatter, (const Choices& choices)) {
  Tape tape(choices);
  const World world(tape);
  std::vector<Expr> terms;
  for (int i = 0; i < 5; ++i) terms.push_back(random_sample(tape, world, 2).expr);
  const auto shuffled = [&](int op) {
    std::vector<Expr> left = terms;
    while (left.size() > 1) {
      const auto i = static_cast<std::size_t>(tape.next(static_cast<std::int64_t>(left.size())));
      std::swap(left[i], left.back());
      const Expr x = left.back();
      left.pop_back();
      const auto j = static_cast<std::size_t>(tape.next(static_cast<std::int64_t>(left.size())));
      left[j] = build(op, x, left[j]);
    }
    return left[0];
  };
  RC_ASSERT(shuffled(0) == shuffled(0));
  RC_ASSERT(shuffled(2) == shuffled(2));
  const Expr x = terms[0];
  const Expr y = terms[1];
  const Expr z = terms[2];
  RC_ASSERT(x * (y + z) == x * y + x * z);
  RC_ASSERT(x - y == x + -1 * y);
  RC_ASSERT(min(x, y) == min(y, x));
  RC_ASSERT(max(x, min(y, z)) == max(min(z, y), x));
  RC_ASSERT(logical_and(x, y) == logical_and(y, x));
}

TEST_F(Canonical, ThreadsBuildTheSameNodes) {
  constexpr int kThreads = 4;
  std::vector<std::vector<Expr>> built(kThreads);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&built, thread] {
      for (std::uint32_t seed = 0; seed < 300; ++seed) {
        std::mt19937 random(seed + 1000);
        std::vector<std::uint8_t> choices(60);
        for (auto& c : choices) c = static_cast<std::uint8_t>(random());
        Tape tape(choices);
        const World world(tape);
        built[static_cast<std::size_t>(thread)].push_back(random_sample(tape, world, 4).expr);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int thread = 1; thread < kThreads; ++thread) EXPECT_EQ(built[static_cast<std::size_t>(thread)], built[0]);
}

}  // namespace
}  // namespace quince::testing
