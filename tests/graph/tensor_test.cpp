// The tensor API: shapes, views and broadcasting as they are recorded, and the errors that building gives.
#include "quince/graph/tensor.h"

#include <gtest/gtest.h>

#include "quince/error.h"
#include "quince/graph/text.h"

namespace quince {
namespace {

template <class F>
std::string message_of(F action) {
  try {
    action();
  } catch (const Error& error) {
    return std::string(name(error.code())) + ": " + error.what();
  }
  return "no error";
}

const Expr kS = Expr::dim("s", {1, 64});
const Expr kB = Expr::dim("b", {1, 8});

std::string coords(const Tensor& x) { return to_string(Shape(x.view().map.coords())); }

TEST(Movement, OnlyChangesTheView) {
  Graph g;
  const Tensor x = g.input("x", DType::f32, {kB, kS, 6});
  const Tensor y = x.transpose(0, 2).reshape({6, kS * kB}).slice(0, 1, 5, 2).flip(1).unsqueeze(0);
  EXPECT_EQ(g.nodes().size(), 1u);
  EXPECT_EQ(y.node(), x.node());
  EXPECT_EQ(to_string(y.shape()), to_string(Shape{1, 2, kB * kS}));
}

TEST(Movement, SplittingAndMergingHeadsCancels) {
  Graph g;
  const Tensor x = g.input("x", DType::f32, {kB, kS, 576});
  const Tensor heads = x.reshape({kB, kS, 9, 64});
  EXPECT_EQ(coords(heads), "[a0, a1, 64*a2 + a3]");
  const Tensor back = heads.transpose(1, 2).transpose(1, 2).merge(2);
  EXPECT_TRUE(back.view().is_identity());
}

TEST(Movement, ReshapeOverSymbolicDimsCancels) {
  Graph g;
  const Tensor x = g.input("x", DType::f32, {kB, kS, 64});
  EXPECT_TRUE(x.reshape({kB * kS, 64}).reshape({kB, kS, 64}).view().is_identity());
  EXPECT_TRUE(x.reshape({kB * kS * 64}).reshape({kB, kS, 64}).view().is_identity());
  EXPECT_TRUE(x.split(2, 16).merge(2).view().is_identity());
}

TEST(Movement, AssumptionsDropClamps) {
  Graph g;
  const Expr t = Expr::dim("t", {1, 64});
  g.assume(ge(t, kS));
  const Tensor x = g.input("x", DType::f32, {t});
  EXPECT_EQ(coords(x.slice(0, 0, kS)), "[a0]");
}

TEST(Movement, PadMasksAndClamps) {
  Graph g;
  const Tensor x = g.input("x", DType::f32, {4});
  const Tensor y = x.pad(0, 1, 2, -1);
  EXPECT_EQ(to_string(y.shape()), "[7]");
  ASSERT_EQ(y.view().masks.size(), 1u);
  EXPECT_EQ(y.view().masks[0].fill, Scalar::of(DType::f32, -1));
  for (int i = 0; i < 7; ++i) {
    const Bindings at{.dims = {}, .axes = {i}, .slots = {}};
    EXPECT_EQ(evaluate(y.view().masks[0].predicate, at), i >= 1 && i < 5);
    const std::int64_t source = evaluate(y.view().map.coords()[0], at);
    EXPECT_EQ(source, std::clamp(i - 1, 0, 3));
  }
}

TEST(Movement, WindowsSlide) {
  Graph g;
  const Tensor x = g.input("x", DType::f32, {10});
  const Tensor y = x.window(0, 3, 2, 2);
  EXPECT_EQ(to_string(y.shape()), "[3, 3]");
  EXPECT_EQ(coords(y), "[2*a0 + 2*a1]");
}

TEST(Broadcasting, FollowsNumPy) {
  Graph g;
  const Tensor x = g.input("x", DType::f32, {kB, 1, 4});
  const Tensor y = g.input("y", DType::f32, {kS, 1});
  EXPECT_EQ(to_string((x + y).shape()), to_string(Shape{kB, kS, 4}));
}

TEST(Reductions, MoveTheirAxesLast) {
  Graph g;
  const Tensor x = g.input("x", DType::f32, {2, 3, 4});
  const Tensor y = x.sum({0, 2});
  EXPECT_EQ(to_string(y.shape()), "[3]");
  EXPECT_EQ(g.node(y.node()).reduced, 2);
  EXPECT_EQ(to_string(Shape(g.node(y.node()).operands[0].view.map.coords())), "[a1, a0, a2]");
  EXPECT_EQ(to_string(x.max({1}, true).shape()), "[2, 1, 4]");
}

TEST(Errors, NameTheOpAndItsOperands) {
  Graph g;
  const Tensor x = g.input("x", DType::f32, {kS, 4});
  const Tensor y = g.input("y", DType::f16, {4});
  const Tensor z = g.input("z", DType::f32, {3});
  EXPECT_EQ(message_of([&] { add(x, y); }),
            "dtype_mismatch: Add of %0 'x' f32[s, 4] and %1 'y' f16[4]: the operands differ in dtype");
  EXPECT_EQ(message_of([&] { mul(x, z); }),
            "shape_mismatch: Mul of %0 'x' f32[s, 4] and %2 'z' f32[3]: 4 and 3 do not broadcast");
  EXPECT_EQ(message_of([&] { x.reshape({kS, 5}); }),
            "shape_mismatch: reshape of %0 'x' f32[s, 4]: [s, 5] does not provably have as many elements");
  EXPECT_EQ(message_of([&] { x.slice(1, 2, 5); }),
            "out_of_range: slice of %0 'x' f32[s, 4]: [2, 5) is outside axis 1 of extent 4");
  EXPECT_EQ(message_of([&] { x.select(1, 4); }),
            "out_of_range: select of %0 'x' f32[s, 4]: index 4 is outside axis 1 of extent 4");
  EXPECT_EQ(message_of([&] { x.permute({0, 0}); }), "invalid_argument: permute of %0 'x' f32[s, 4]: axis 0 twice");
  EXPECT_EQ(message_of([&] { x.squeeze(0); }),
            "shape_mismatch: squeeze of %0 'x' f32[s, 4]: axis 0 is not provably of extent 1");
  EXPECT_EQ(message_of([&] { x.sum({2}); }),
            "out_of_range: SumReduce of %0 'x' f32[s, 4]: axis 2 does not exist or is named twice");
  EXPECT_EQ(message_of([&] { sin(g.input("i", DType::i32, {2})); }),
            "dtype_mismatch: Sin of %3 'i' i32[2]: needs a float");
  EXPECT_EQ(message_of([&] { take(x, 1, z); }),
            "dtype_mismatch: Gather of %0 'x' f32[s, 3], %2 'z' f32[s, 3]: slot 0 is f32, not an integer");
  EXPECT_EQ(message_of([&] { add(Tensor(), x); }), "invalid_argument: Add of an empty tensor");
}

TEST(Errors, NamesAndDims) {
  Graph g;
  const Tensor x = g.input("x", DType::f32, {kS});
  EXPECT_EQ(message_of([&] { g.input("x", DType::f32, {2}); }), "invalid_argument: there are two Inputs named 'x'");
  EXPECT_EQ(message_of([&] { g.input("", DType::f32, {2}); }), "invalid_argument: an Input needs a name");
  EXPECT_EQ(message_of([&] { g.input("y", DType::f32, {Expr::dim("s", {1, 65})}); }),
            "invalid_argument: Input: dim 's' is declared twice, with different ranges or multiples");
  EXPECT_EQ(message_of([&] { g.assume(ge(kS, 2)); }), "invalid_argument: assumptions come before the first node");
  g.output("y", x);
  EXPECT_EQ(message_of([&] { g.output("y", x); }), "invalid_argument: there are two outputs named 'y'");
  Graph other;
  EXPECT_EQ(message_of([&] { other.output("y", x); }), "invalid_argument: output 'y' is a tensor of another graph");
}

TEST(Text, RoundTripsWhatTheApiBuilds) {
  Graph g;
  const Expr ctx = Expr::dim("ctx", {1, 128}, 2);
  g.assume(ge(ctx, kS));
  const Tensor x = g.input("x", DType::f32, {kB, kS, 8});
  const Tensor pos = g.input("a \"quoted\"\n name", DType::i32, {kB});
  const Tensor cache = g.state("cache", DType::f32, {kB, ctx, 8});
  const std::vector<Expr> axes = axes_of(x.shape());
  const Tensor start = pos.at(Map(x.shape(), {kB}, {axes[0]}));
  const Tensor next = scatter(cache, x, {axes[0], axes[1] + Expr::slot(0, 0, ctx - kS), axes[2]}, std::span(&start, 1));
  g.set_next(cache, next);
  const Tensor big = g.constant(Array::zeros(DType::u4, {8, 8}), "w");
  const Tensor y = (next * cast(big, DType::f32).select(0, 3)).sum({-1}).pad(1, 2, 0, 0.1);
  const Tensor odd = g.scalar(DType::f16, 0.1).pinned();
  g.output("y", cast(y, DType::f16) + odd);
  g.output("row", take(x, 1, g.iota(DType::u8, {3}, mod(Expr::axis(0, 3), 2))).transpose(0, 1));
  const std::string text = to_text(g);
  const auto parsed = parse_graph(text);
  EXPECT_EQ(to_text(*parsed), text);
  EXPECT_EQ(parsed->nodes().size(), g.nodes().size());
  const auto with_data = parse_graph(
      text, [&](std::string_view, std::string_view) { return std::optional(Array::zeros(DType::u4, {8, 8})); });
  EXPECT_EQ(to_text(*with_data), text);
  EXPECT_NE(to_dot(g).find("digraph"), std::string::npos);
}

}  // namespace
}  // namespace quince
