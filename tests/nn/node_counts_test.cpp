// How many ops each function records, as its composition says.
#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "quince/nn/nn.h"

namespace quince::nn {
namespace {

struct Count {
  std::string name;
  std::int64_t ops;
  std::function<void(Graph&)> build;
};

Tensor in(Graph& g, std::string_view name, DType t = DType::f32, Shape shape = {3, 8}) {
  return g.input(name, t, std::move(shape));
}

using Unary = Tensor (*)(const Tensor&);
using Binary = Tensor (*)(const Tensor&, const Tensor&);

Count of(std::string name, Unary f, std::int64_t ops, DType t = DType::f32) {
  return {std::move(name), ops, [=](Graph& g) { f(in(g, "x", t)); }};
}
Count of(std::string name, Binary f, std::int64_t ops, DType t = DType::f32) {
  return {std::move(name), ops, [=](Graph& g) { f(in(g, "x", t), in(g, "y", t)); }};
}

std::vector<Count> counts() {
  const Expr n = Expr::dim("n");
  std::vector<Count> rows = {
      of("neg", neg, 1),
      of("sub", sub, 2),
      of("abs", abs, 2),
      of("abs_unsigned", abs, 0, DType::u8),
      of("sign", sign, 4),
      of("maximum", maximum, 2),
      of("minimum", minimum, 4),
      of("minimum_i32", minimum, 4, DType::i32),
      of("isfinite", isfinite, 2),
      of("notnan", notnan, 2),
      of("isnan", isnan, 3),
      of("isinf", isinf, 3),
      of("signbit", signbit, 3),
      of("lt", lt, 1),
      of("gt", gt, 1),
      of("le", le, 5),
      of("le_i32", le, 2, DType::i32),
      of("eq", eq, 6),
      of("ne", ne, 7),
      of("eq_i32", eq, 4, DType::i32),
      of("logical_and", logical_and, 1, DType::boolean),
      of("logical_or", logical_or, 1, DType::boolean),
      of("logical_xor", logical_xor, 3, DType::boolean),
      of("logical_not", logical_not, 1, DType::boolean),
      of("floor", floor, 5),
      of("floor_f16", floor, 5, DType::f16),
      of("ceil", ceil, 7),
      of("trunc", trunc, 9),
      of("round", round, 13),
      of("div", div, 2),
      of("div_f16", div, 5, DType::f16),
      of("div_exact", div_exact, 5),
      of("div_exact_f64", div_exact, 2, DType::f64),
      of("div_exact_i32", div_exact, 7, DType::i32),
      of("floor_divide", floor_divide, 11, DType::i32),
      of("remainder", remainder, 1),
      of("exp", exp, 4),
      of("exp_f64", exp, 2, DType::f64),
      of("exp_bf16", exp, 4, DType::bf16),
      of("log", log, 4),
      of("log1p", log1p, 5),
      of("expm1", expm1, 5),
      of("rsqrt", rsqrt, 2),
      of("rsqrt_bf16", rsqrt, 4, DType::bf16),
      of("pow", Binary(pow), 31),
      of("cos", cos, 5),
      of("tan", tan, 10),
      of("erf", erf, 15),
      of("erf_f64", erf, 19, DType::f64),
      of("relu", relu, 1),
      of("sigmoid", sigmoid, 4),
      of("sigmoid_f16", sigmoid, 6, DType::f16),
      of("tanh", tanh, 6),
      of("silu", silu, 5),
      of("gelu_tanh", gelu_tanh, 8),
      of("gelu", gelu, 14),
      of("gelu_f64", gelu, 18, DType::f64),
      of("softplus", softplus, 9),
  };
  const std::vector<Count> more = {
      {"where", 3, [](Graph& g) { where(in(g, "c", DType::boolean), in(g, "x"), in(g, "y")); }},
      {"where_constant", 2, [](Graph& g) { where(in(g, "c", DType::boolean), in(g, "x"), 3); }},
      {"masked_fill", 2, [](Graph& g) { masked_fill(in(g, "x"), in(g, "c", DType::boolean), 3); }},
      {"clamp", 4, [](Graph& g) { clamp(in(g, "x"), 0.0, 1.0); }},
      {"clamp_i32", 4, [](Graph& g) { clamp(in(g, "x", DType::i32), 0.0, 9.0); }},
      {"clamp_tensors", 6, [](Graph& g) { clamp(in(g, "x"), in(g, "lo"), in(g, "hi")); }},
      {"leaky_relu", 2, [](Graph& g) { leaky_relu(in(g, "x")); }},
      {"leaky_relu_steep", 3, [](Graph& g) { leaky_relu(in(g, "x"), 2); }},
      {"mean", 2, [](Graph& g) { mean(in(g, "x"), {1}); }},
      {"mean_symbolic", 5, [n](Graph& g) { mean(in(g, "x", DType::f32, {n}), {0}); }},
      {"var", 6, [](Graph& g) { var(in(g, "x"), {1}); }},
      {"prod", 3, [](Graph& g) { prod(in(g, "x"), 1); }},
      {"prod_5", 3, [](Graph& g) { prod(in(g, "x", DType::f32, {5}), 0); }},
      {"amax", 1, [](Graph& g) { amax(in(g, "x"), {1}); }},
      {"amin", 3, [](Graph& g) { amin(in(g, "x"), {1}); }},
      {"amin_i8", 5, [](Graph& g) { amin(in(g, "x", DType::i8), {1}); }},
      {"argmax", 7, [](Graph& g) { argmax(in(g, "x"), 1); }},
      {"any", 1, [](Graph& g) { any(in(g, "x", DType::boolean), {1}); }},
      {"all", 3, [](Graph& g) { all(in(g, "x", DType::boolean), {1}); }},
      {"cumsum", 1, [](Graph& g) { cumsum(in(g, "x"), 1); }},
      {"softmax", 8, [](Graph& g) { softmax(in(g, "x"), 1); }},
      {"softmax_bf16", 10, [](Graph& g) { softmax(in(g, "x", DType::bf16), 1); }},
      {"log_softmax", 9, [](Graph& g) { log_softmax(in(g, "x"), 1); }},
      {"logsumexp", 11, [](Graph& g) { logsumexp(in(g, "x"), 1); }},
      {"topk_3", 3 * 7 + 2 + 4, [](Graph& g) { topk(in(g, "x"), 3); }},
      {"concat_3", 2,
       [](Graph& g) {
         const std::vector<Tensor> parts = {in(g, "x"), in(g, "y"), in(g, "z")};
         concat(parts, 0);
       }},
      {"stack_2", 1,
       [](Graph& g) {
         const std::vector<Tensor> parts = {in(g, "x"), in(g, "y")};
         stack(parts, 1);
       }},
      {"index_select", 1, [](Graph& g) { index_select(in(g, "x"), 1, in(g, "i", DType::i64, {4})); }},
      {"gather_along", 1, [](Graph& g) { gather_along(in(g, "x"), 1, in(g, "i", DType::i64, {3, 2})); }},
      {"embedding", 1, [](Graph& g) { embedding(in(g, "i", DType::i64, {4}), in(g, "x")); }},
      {"one_hot", 1, [](Graph& g) { one_hot(in(g, "i", DType::i64, {4}), 9); }},
      {"matmul", 2, [](Graph& g) { matmul(in(g, "x"), in(g, "y", DType::f32, {8, 2})); }},
      {"matmul_bf16", 5, [](Graph& g) { matmul(in(g, "x", DType::bf16), in(g, "y", DType::bf16, {8, 2})); }},
      {"matmul_i8", 4, [](Graph& g) { matmul(in(g, "x", DType::i8), in(g, "y", DType::i8, {8, 2})); }},
      {"linear", 2, [](Graph& g) { linear(in(g, "x"), in(g, "w", DType::f32, {2, 8})); }},
      {"linear_bias", 3,
       [](Graph& g) { linear(in(g, "x"), in(g, "w", DType::f32, {2, 8}), in(g, "b", DType::f32, {2})); }},
      {"layer_norm", 12,
       [](Graph& g) { layer_norm(in(g, "x"), in(g, "w", DType::f32, {8}), in(g, "b", DType::f32, {8}), 1e-5); }},
      {"rms_norm", 8, [](Graph& g) { rms_norm(in(g, "x"), in(g, "w", DType::f32, {8}), 1e-5); }},
      {"rope", 3,
       [](Graph& g) { rope(in(g, "x"), in(g, "c", DType::f32, {8}), in(g, "s", DType::f32, {8}), RopeLayout::half); }},
      {"rope_partial", 3,
       [](Graph& g) {
         rope(in(g, "x"), in(g, "c", DType::f32, {6}), in(g, "s", DType::f32, {6}), RopeLayout::interleaved);
       }},
      {"rope_tables", 8,
       [](Graph& g) {
         const double frequencies[] = {1, 0.1};
         rope_tables(in(g, "p", DType::i32, {2, 3}), frequencies, RopeLayout::half);
       }},
      {"causal_mask", 3, [](Graph& g) { causal_mask(in(g, "p", DType::i32, {2, 3}), 9); }},
      {"attention", 13,
       [](Graph& g) {
         const Tensor k = in(g, "k", DType::f32, {2, 5, 2, 8});
         attention(in(g, "q", DType::f32, {2, 3, 4, 8}), k, k, 0.3);
       }},
      {"attention_masked", 15,
       [](Graph& g) {
         const Tensor k = in(g, "k", DType::f32, {2, 5, 2, 8});
         attention(in(g, "q", DType::f32, {2, 3, 4, 8}), k, k, 0.3, in(g, "m", DType::boolean, {2, 3, 5}));
       }},
  };
  rows.insert(rows.end(), more.begin(), more.end());
  return rows;
}

class NodeCounts : public ::testing::TestWithParam<Count> {};

TEST_P(NodeCounts, AsTheCompositionSays) {
  Graph graph;
  GetParam().build(graph);
  const std::vector<std::int64_t> of_op = graph.count_ops();
  std::int64_t ops = std::accumulate(of_op.begin(), of_op.end(), std::int64_t{0});
  ops -= of_op[static_cast<std::size_t>(Op::input)] + of_op[static_cast<std::size_t>(Op::constant)];
  EXPECT_EQ(ops, GetParam().ops);
  graph.verify();
}

INSTANTIATE_TEST_SUITE_P(Nn, NodeCounts, ::testing::ValuesIn(counts()),
                         [](const ::testing::TestParamInfo<Count>& row) { return row.param.name; });

TEST(Pinned, CompensatedFormsAreMarked) {
  Graph graph;
  round(in(graph, "x"));
  isfinite(in(graph, "y"));
  int pinned = 0;
  for (const Node& node : graph.nodes()) pinned += node.pinned ? 1 : 0;
  EXPECT_EQ(pinned, 3);
}

}  // namespace
}  // namespace quince::nn
