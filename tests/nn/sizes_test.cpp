// One symbolic graph at many sizes gives what a graph of each size gives.
#include <gtest/gtest.h>

#include <random>

#include "quince/nn/nn.h"
#include "support/array_cases.h"
#include "support/evaluate.h"

namespace quince::nn {
namespace {

using quince::testing::Compare;
using quince::testing::evaluate;
using quince::testing::same_array;

Array random(std::vector<std::int64_t> shape, unsigned seed) {
  Array a = Array::zeros(DType::f32, std::move(shape));
  std::mt19937 engine(seed);
  std::normal_distribution<float> normal;
  for (float& v : a.mutable_data<float>()) v = normal(engine);
  return a;
}

/// Builds with dims once and runs at each size; then builds anew for every size.
void expect_same(const std::vector<std::vector<Array>>& inputs, const std::vector<Shape>& shapes,
                 const quince::testing::Build& build) {
  Graph graph;
  std::vector<Tensor> in;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    in.push_back(graph.input(fmt::format("x{}", i), inputs[0][i].dtype, shapes[i]));
  }
  graph.output("y", build(graph, in).at(0));
  Session session(Program::compile(graph, {.threads = 1}));
  for (const std::vector<Array>& sized : inputs) {
    Arrays named;
    for (std::size_t i = 0; i < sized.size(); ++i) named.emplace(fmt::format("x{}", i), sized[i]);
    const Array got = session.run(named).at("y");
    EXPECT_TRUE(same_array(got, evaluate(sized, build).at(0), Compare::bits)) << sized[0].shape[0];
  }
}

constexpr std::int64_t kSizes[] = {0, 1, 2, 17, 33};

TEST(Sizes, SoftmaxAndMean) {
  std::vector<std::vector<Array>> inputs;
  for (std::int64_t n : kSizes) inputs.push_back({random({n, 3}, 1)});
  expect_same(inputs, {{Expr::dim("n"), 3}}, [](Graph&, const std::vector<Tensor>& x) {
    return std::vector{sub(softmax(x[0], 0), mean(x[0], {1}, true))};
  });
}

TEST(Sizes, ConcatOfTwoDims) {
  std::vector<std::vector<Array>> inputs;
  for (std::int64_t n : kSizes) inputs.push_back({random({n, 3}, 1), random({7 - n % 5, 3}, 2)});
  expect_same(inputs, {{Expr::dim("n"), 3}, {Expr::dim("m"), 3}},
              [](Graph&, const std::vector<Tensor>& x) { return std::vector{concat(x, 0)}; });
}

TEST(Sizes, NormalisedLinear) {
  std::vector<std::vector<Array>> inputs;
  for (std::int64_t n : kSizes) inputs.push_back({random({n, 19}, 1), random({19}, 2), random({5, 19}, 3)});
  expect_same(inputs, {{Expr::dim("n"), 19}, {19}, {5, 19}}, [](Graph&, const std::vector<Tensor>& x) {
    return std::vector{silu(linear(rms_norm(x[0], x[1], 1e-5), x[2]))};
  });
}

TEST(Sizes, CausalAttention) {
  std::vector<std::vector<Array>> inputs;
  for (std::int64_t n : kSizes) {
    Array positions = Array::zeros(DType::i32, {1, n});
    for (std::int64_t i = 0; i < n; ++i) positions.set(i, Scalar::of_integer(DType::i32, i));
    inputs.push_back({random({1, n, 4, 8}, 1), random({1, n, 2, 8}, 2), random({1, n, 2, 8}, 3), positions});
  }
  const Expr n = Expr::dim("n");
  expect_same(inputs, {{1, n, 4, 8}, {1, n, 2, 8}, {1, n, 2, 8}, {1, n}}, [](Graph&, const std::vector<Tensor>& x) {
    const double frequencies[] = {1, 0.1, 0.01, 0.001};
    const RopeTables tables = rope_tables(x[3], frequencies, RopeLayout::half);
    const auto turned = [&](const Tensor& t) {
      return rope(t, tables.cos.unsqueeze(-2), tables.sin.unsqueeze(-2), RopeLayout::half);
    };
    return std::vector{attention(turned(x[0]), turned(x[1]), x[2], 0.35, causal_mask(x[3], x[1].extent(1)))};
  });
}

}  // namespace
}  // namespace quince::nn
