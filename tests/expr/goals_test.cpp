// Named goals: what a compiler of language models needs proven or cancelled, with symbolic batch, sequence and context.
#include <gtest/gtest.h>

#include "quince/expr/map.h"

namespace quince {
namespace {

class Goals : public ::testing::Test {
 protected:
  Expr b = Expr::dim("b", {0, 64});
  Expr s = Expr::dim("s", {0, 8192});
  Expr pos = Expr::dim("pos", {0, 8192});
  Expr ctx = Expr::dim("ctx", {0, 8192});
  Expr c = Expr::dim("c", {1, 4096});
  std::vector<Expr> facts = {ctx - pos - s};

  static Map permuted(const Shape& source, const std::vector<std::size_t>& order) {
    Shape domain;
    for (std::size_t i : order) domain.push_back(source[i]);
    const std::vector<Expr> axes = axes_of(domain);
    std::vector<Expr> coords(source.size());
    for (std::size_t i = 0; i < order.size(); ++i) coords[order[i]] = axes[i];
    return {domain, source, coords};
  }
};

TEST_F(Goals, SplittingHeadsAndTransposingIsPlainAxes) {
  const Map heads = reshape({b, s, 576}, {b, s, 9, 64});
  EXPECT_EQ(to_string(heads), "[b, s, 9, 64] -> (a0, a1, 64*a2 + a3) in [b, s, 576]");
  const Map transposed = compose(heads, permuted({b, s, 9, 64}, {0, 2, 1, 3}));
  EXPECT_EQ(to_string(transposed), "[b, 9, s, 64] -> (a0, a2, 64*a1 + a3) in [b, s, 576]");
}

TEST_F(Goals, MergingHeadsUndoesSplittingThem) {
  const Map heads = reshape({b, s, 576}, {b, s, 9, 64});
  const Map merged = reshape({b, s, 9, 64}, {b, s, 576});
  EXPECT_TRUE(compose(heads, merged).is_identity());
  EXPECT_TRUE(compose(merged, heads).is_identity());
}

TEST_F(Goals, FlatteningBatchAndSequenceUndoes) {
  const Map flat = reshape({b, s, 576}, {b * s, 576});
  const Map back = reshape({b * s, 576}, {b, s, 576});
  EXPECT_TRUE(compose(flat, back).is_identity());
  EXPECT_TRUE(compose(back, flat).is_identity());
  const Map all = reshape({b, s, 9, 64}, {b * s * 576});
  const Map all_back = reshape({b * s * 576}, {b, s, 9, 64});
  EXPECT_TRUE(compose(all, all_back).is_identity());
  EXPECT_TRUE(compose(all_back, all).is_identity());
}

TEST_F(Goals, ThroughABoxOfOtherDigits) {
  const Map there = reshape({6, 35}, {10, 21});
  const Map back = reshape({10, 21}, {6, 35});
  EXPECT_TRUE(compose(there, back).is_identity());
  EXPECT_TRUE(compose(back, there).is_identity());
  const Map three =
      compose(compose(reshape({24, s}, {8, 3, s}), reshape({8, 3, s}, {4, 6, s})), reshape({4, 6, s}, {24, s}));
  EXPECT_TRUE(three.is_identity());
}

TEST_F(Goals, QueryHeadReadsItsGroup) {
  const Shape queries = {b, 9, s, 64};
  const std::vector<Expr> a = axes_of(queries);
  const Map group(queries, {b, 3, s, 64}, {a[0], floor_div(a[1], 3), a[2], a[3]});
  EXPECT_EQ(group.coords()[1], floor_div(a[1], 3)) << "no clamp is left";
  const auto [injective, projection] = factor(group);
  EXPECT_TRUE(injective.is_identity());
  EXPECT_EQ(to_string(projection), "[b, 9, s, 64] -> (a0, a1//3, a2, a3) in [b, 3, s, 64]");
  EXPECT_FALSE(is_injective(group));
  EXPECT_EQ(largest_fibre(group), Expr(3));
}

TEST_F(Goals, GroupsAsSplitAxesEqualGroupsAsQuotients) {
  const Map grouped = reshape({b, 9, s, 64}, {b, 3, 3, s, 64});
  const Map expanded({b, 3, 3, s, 64}, {b, 3, s, 64}, [&] {
    const std::vector<Expr> a = axes_of({b, 3, 3, s, 64});
    return std::vector<Expr>{a[0], a[1], a[3], a[4]};
  }());
  const Map merged = compose(expanded, reshape({b, 3, 3, s, 64}, {b, 9, s, 64}));
  EXPECT_EQ(merged.coords()[1], floor_div(Expr::axis(1, 9), 3));
  EXPECT_TRUE(is_injective(grouped));
}

TEST_F(Goals, CacheWriteNeedsNoClampBySlotRange) {
  const Expr slot = Expr::slot(0, 0, ctx - s);
  const Map write({b, s}, {b, ctx}, {Expr::axis(0, b), slot + Expr::axis(1, s)});
  EXPECT_EQ(write.coords()[1], slot + Expr::axis(1, s));
  EXPECT_TRUE(is_injective(fold_slot(write, 0, 0)));
}

TEST_F(Goals, CacheWriteNeedsNoClampByAssumption) {
  const Expr at = pos + Expr::axis(1, s);
  EXPECT_EQ(Map({b, s}, {b, ctx}, {Expr::axis(0, b), at}, facts).coords()[1], at);
  EXPECT_NE(Map({b, s}, {b, ctx}, {Expr::axis(0, b), at}).coords()[1], at) << "without the fact it has to stay";
  EXPECT_TRUE(prove_lt(at, ctx, facts));
  EXPECT_FALSE(prove_lt(at + 1, ctx, facts));
  // The same scaled by the batch, as in a flat address.
  const Expr a0 = Expr::axis(0, b);
  EXPECT_TRUE(prove_lt(a0 * ctx + at, b * ctx, facts));
}

TEST_F(Goals, CausalLoopBound) {
  // The last key a query may see is inside the context, so the loop over keys may stop there.
  const Expr query = Expr::axis(1, s);
  EXPECT_TRUE(prove_le(pos + query + 1, ctx, facts));
  EXPECT_TRUE(prove_le(min(pos + s, ctx), ctx, facts));
  EXPECT_TRUE(prove_equal(min(pos + s, ctx), pos + s, facts));
  EXPECT_TRUE(prove(le(query, pos + query)));
}

TEST_F(Goals, WindowsStayInsideThePaddedExtent) {
  const Expr h = Expr::dim("h", {1, 4096});
  const Expr padded = h + 2;
  const Expr out = floor_div(padded - 3, 2) + 1;
  const Expr at = Expr::axis(0, out) * 2 + Expr::axis(1, 3);
  EXPECT_EQ(Map({out, 3}, {padded}, {at}).coords()[0], at);
  const Expr dilated = floor_div(padded - 2 * 2 - 1, 3) + 1;
  const Expr tap = Expr::axis(0, dilated) * 3 + Expr::axis(1, 3) * 2;
  EXPECT_EQ(Map({dilated, 3}, {padded}, {tap}).coords()[0], tap);
  const Expr numeric = Expr::axis(0, 15) * 2 + Expr::axis(1, 3);
  EXPECT_EQ(Map({15, 3}, {31}, {numeric}).coords()[0], numeric);
}

TEST_F(Goals, SlicesAndFlipsStayInside) {
  const Expr n = Expr::dim("n", {4, 4096});
  const Expr half = floor_div(n, 2);
  const Expr a0 = Expr::axis(0, half);
  for (Expr e : {a0, a0 * 2, a0 * 2 + 1, a0 + half, n - 1 - a0, a0 + ceil_div(n, 2)}) {
    EXPECT_EQ(Map({half}, {n}, {e}).coords()[0], e) << to_string(e);
  }
  const Expr strided = Expr::axis(0, ceil_div(n - 1, 3)) * 3 + 1;
  EXPECT_EQ(Map({ceil_div(n - 1, 3)}, {n}, {strided}).coords()[0], strided);
}

TEST_F(Goals, QuotientBySymbolicChunk) {
  const Expr a0 = Expr::axis(0, b);
  const Expr a1 = Expr::axis(1, c);
  EXPECT_EQ(floor_div(a0 * c + a1, c), a0);
  EXPECT_EQ(mod(a0 * c + a1, c), a1);
  EXPECT_EQ(floor_div(a0 * c - a1 - 1, c), a0 - 1);
  EXPECT_EQ(floor_div(a0 * (s + 3) + Expr::axis(1, s + 3), s + 3), a0);
  EXPECT_EQ(mod(a0 * (s + 3) + Expr::axis(1, s + 3), s + 3), Expr::axis(1, s + 3));
  // A common factor of dividend and divisor cancels.
  EXPECT_EQ(floor_div(Expr::axis(0, b * 4) * c + a1, c * 4), floor_div(Expr::axis(0, b * 4), 4));
  EXPECT_EQ(mod(Expr::axis(0, b * 4) * c + a1, c * 4), mod(Expr::axis(0, b * 4), 4) * c + a1);
}

TEST_F(Goals, SymbolicDigitsRecombine) {
  const Expr x = Expr::axis(0, b * s * c);
  EXPECT_EQ(c * floor_div(x, c) + mod(x, c), x);
  EXPECT_EQ(floor_div(x, s * c) * (s * c) + mod(floor_div(x, c), s) * c + mod(x, c), x);
  EXPECT_EQ(floor_div(floor_div(x, c), s), floor_div(x, s * c));
  const Expr y = Expr::axis(0, 5040);
  EXPECT_EQ(floor_div(y, 120) * 120 + mod(floor_div(y, 24), 5) * 24 + mod(floor_div(y, 6), 4) * 6 + mod(y, 6), y);
}

TEST_F(Goals, NoDivisionByAnExtentThatMayBeEmpty) {
  EXPECT_NE(floor_div(s, s), Expr(1)) << "s may be 0";
  EXPECT_EQ(floor_div(c, c), Expr(1));
  // An axis of extent s exists only where s ≥ 1.
  const Expr a1 = Expr::axis(1, s);
  EXPECT_EQ(floor_div(a1, s), Expr(0));
  EXPECT_EQ(mod(a1, s), a1);
  EXPECT_EQ(mod(Expr::axis(0, b * s), b * s), Expr::axis(0, b * s));
}

TEST_F(Goals, MultiplesOfADimCancel) {
  const Expr m = Expr::dim("m", {0, 4096}, 64);
  EXPECT_EQ(floor_div(m, 64) * 64, m);
  EXPECT_EQ(mod(m, 32), Expr(0));
  EXPECT_EQ(floor_div(m + Expr::axis(0, 64), 64), floor_div(m, 64));
  EXPECT_TRUE(prove_multiple(m * s, 64));
  EXPECT_TRUE(prove_multiple(b * s * 576, s * 64));
  EXPECT_FALSE(prove_multiple(m, 128));
  const Map blocks = reshape({b, m}, {b, floor_div(m, 64), 64});
  EXPECT_TRUE(compose(blocks, reshape({b, floor_div(m, 64), 64}, {b, m})).is_identity());
}

TEST_F(Goals, QuantisedBlocksAreDigits) {
  // Weights [out, in] as [out, in/32, 32] with the low and high nibble of 16 bytes.
  const Expr in = Expr::axis(1, 576);
  const Expr block = floor_div(in, 32);
  const Expr byte = block * 16 + mod(in, 16);
  const Expr high = floor_div(mod(in, 32), 16);
  EXPECT_EQ(floor_div(byte, 16), block);
  EXPECT_EQ(mod(byte, 16), mod(in, 16));
  EXPECT_EQ(block * 32 + high * 16 + mod(in, 16), in);
  EXPECT_TRUE(is_injective(Map({4, 576}, {4, 288, 2}, {Expr::axis(0, 4), byte, high})));
}

TEST_F(Goals, RopePairs) {
  const Expr a3 = Expr::axis(3, 64);
  const Expr partner = floor_div(a3, 2) * 2 + 1 - mod(a3, 2);
  EXPECT_TRUE(prove_not_negative(partner));
  EXPECT_TRUE(prove_lt(partner, 64));
  EXPECT_TRUE(is_injective(Map({64}, {64}, {floor_div(Expr::axis(0, 64), 2) * 2 + 1 - mod(Expr::axis(0, 64), 2)})));
  const Expr half = mod(a3 + 32, 64);
  EXPECT_EQ(mod(half, 32), mod(a3, 32));
  EXPECT_EQ(floor_div(a3, 32) * 32 + mod(a3, 32), a3);
}

TEST_F(Goals, ConcatenatedPartsAreDisjointAndComplete) {
  const Expr a0 = Expr::axis(0, s + pos);
  const Expr first = lt(a0, s);
  const Expr second = ge(a0, s);
  EXPECT_TRUE(prove_disjoint(first, second));
  EXPECT_TRUE(prove(logical_or(first, second)));
  EXPECT_EQ(logical_or(first, second), Expr(1));
  EXPECT_EQ(logical_and(first, second), Expr(0));
  EXPECT_EQ(logical_not(first), second);
  const Expr x = Expr::axis(0, 64);
  EXPECT_TRUE(prove_disjoint(logical_and(ge(x, 8), lt(x, 16)), logical_and(ge(x, 16), lt(x, 24))));
  EXPECT_FALSE(prove_disjoint(logical_and(ge(x, 8), lt(x, 17)), logical_and(ge(x, 16), lt(x, 24))));
}

TEST_F(Goals, ProductsOfDimsCompare) {
  const Expr rows = Expr::dim("rows", {1, 4096});
  EXPECT_TRUE(prove_le(s, rows * s));
  EXPECT_TRUE(prove_le(b * s, rows * b * s));
  EXPECT_TRUE(prove_lt(Expr::axis(0, b) * s + Expr::axis(1, s), b * s));
  EXPECT_TRUE(prove_le(Expr::axis(0, b) * s * 9 + Expr::axis(1, s) * 9 + 8, b * s * 9 - 1));
  EXPECT_FALSE(prove_lt(s, rows * s)) << "s may be 0, rows may be 1";
}

TEST_F(Goals, ReversalsAndTilingsAreInjective) {
  const Expr n = Expr::dim("n", {1, 4096});
  EXPECT_TRUE(is_injective(Map({n}, {n}, {n - 1 - Expr::axis(0, n)})));
  EXPECT_TRUE(is_injective(reshape({b * s, 576}, {b, s, 9, 64})));
  EXPECT_TRUE(is_injective(reshape({b, s, 9, 64}, {b * s, 576})));
  EXPECT_TRUE(is_injective(reshape({6, 35}, {10, 21})));
  EXPECT_FALSE(is_injective(Map({4, 4}, {8}, {Expr::axis(0, 4) + Expr::axis(1, 4)})));
  EXPECT_FALSE(is_injective(project_last({b, s}, 1)));
}

TEST_F(Goals, InversesAreFound) {
  const Map flat = reshape({b, s, 9, 64}, {b * s, 576});
  const auto inverse = solve(flat, Map::identity(flat.source()));
  ASSERT_TRUE(inverse);
  EXPECT_TRUE(compose(flat, *inverse).is_identity());
  // What a window of the cache wrote is read back.
  const Map written({4, 8}, {4, 32}, {Expr::axis(0, 4), Expr::axis(1, 8) + 16});
  const Map read({2, 4}, {4, 32}, {Expr::axis(0, 2) * 2, Expr::axis(1, 4) + 18});
  const auto r = solve(written, read);
  ASSERT_TRUE(r);
  EXPECT_EQ(to_string(*r), "[2, 4] -> (2*a0, a1 + 2) in [4, 8]");
  EXPECT_TRUE(image_subset(read, written));
  EXPECT_FALSE(image_subset(Map::identity({4, 32}), written));
  EXPECT_TRUE(images_disjoint(written, Map({4, 16}, {4, 32}, {Expr::axis(0, 4), Expr::axis(1, 16)})));
  EXPECT_FALSE(images_disjoint(written, read));
  const Map even({16}, {32}, {Expr::axis(0, 16) * 2});
  const Map odd({16}, {32}, {Expr::axis(0, 16) * 2 + 1});
  EXPECT_TRUE(images_disjoint(even, odd));
}

TEST_F(Goals, ChunksOfTheContext) {
  const auto [chunks, inside] = outer_split({b, ctx}, 1, 256);
  EXPECT_EQ(chunks.domain()[1], ceil_div(ctx, 256));
  EXPECT_EQ(inside, lt(Expr::axis(1, ceil_div(ctx, 256)) * 256 + Expr::axis(2, 256), ctx));
  const auto [even, always] = outer_split({b, Expr(1024)}, 1, 256);
  EXPECT_EQ(always, Expr(1));
  EXPECT_EQ(even, split({b, Expr(1024)}, 1, 256));
}

TEST_F(Goals, FootprintsOfWindows) {
  const Map window({6, 3}, {32}, {Expr::axis(0, 6) * 2 + Expr::axis(1, 3) + 4});
  EXPECT_EQ(footprint(window)[0], (std::pair<Expr, Expr>(4, 16)));
  const Expr slot = Expr::slot(0, 0, ctx - s);
  const Map cache({s}, {ctx}, {slot + Expr::axis(0, s)});
  EXPECT_EQ(footprint(cache)[0], (std::pair<Expr, Expr>(0, ctx - 1)));
}

}  // namespace
}  // namespace quince
