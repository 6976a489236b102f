// Reductions and products at sizes around the vector widths and the block, by every path, on one and on more threads.
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <sys/resource.h>

#include <random>

#include "backend/reference/reference.h"
#include "reference/naive.h"

namespace quince::test {
namespace {

Array random_array(DType dtype, std::vector<std::int64_t> shape, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Array array = Array::zeros(dtype, std::move(shape));
  for (std::int64_t i = 0; i < array.count(); ++i) {
    array.set(i, Scalar::of(dtype, static_cast<double>(random() % 8192) / 512 - 8));
  }
  return array;
}

/// Runs the graph on 1 and 3 threads and compares each with the naive evaluator.
void expect_naive(const Graph& graph, const backend::Request& request) {
  const NaiveResult expected = run_naive(graph, request);
  for (int threads : {1, 3}) {
    const std::vector<Array> actual = backend::reference::compile(graph, {.threads = threads})->run(request);
    for (std::size_t i = 0; i < actual.size(); ++i) {
      EXPECT_EQ(difference(expected.outputs[i], actual[i]), "") << "output " << i << ", threads " << threads;
    }
  }
}

/// Σ_k a[m, k]·b[n, k], with either operand stored either way round.
void expect_product(std::int64_t m, std::int64_t n, std::int64_t k, bool a_transposed, bool b_transposed) {
  SCOPED_TRACE(fmt::format("m {} n {} k {} transposed {} {}", m, n, k, a_transposed, b_transposed));
  Graph graph;
  Tensor a = graph.input("a", DType::f32, a_transposed ? Shape{k, m} : Shape{m, k});
  Tensor b = graph.input("b", DType::f32, b_transposed ? Shape{k, n} : Shape{n, k});
  if (a_transposed) a = a.transpose(0, 1);
  if (b_transposed) b = b.transpose(0, 1);
  graph.output("c", mul(a.unsqueeze(1), b.unsqueeze(0)).sum({2}));
  backend::Request request;
  request.inputs[0] = random_array(DType::f32, a_transposed ? std::vector{k, m} : std::vector{m, k}, 1);
  request.inputs[1] = random_array(DType::f32, b_transposed ? std::vector{k, n} : std::vector{n, k}, 2);
  expect_naive(graph, request);
}

TEST(ReferenceSizes, ProductsEqualTheNaiveOnesInEveryLayout) {
  for (std::int64_t k : {0, 1, 2, 15, 16, 17, 31, 32, 33, 64}) {
    for (bool a : {false, true}) {
      for (bool b : {false, true}) {
        expect_product(5, 7, k, a, b);
        expect_product(1, 17, k, a, b);
        expect_product(16, 1, k, a, b);
      }
    }
  }
  expect_product(4, 33, 577, false, false);
  expect_product(33, 4, 100, false, true);
  expect_product(0, 4, 3, false, false);
}

TEST(ReferenceSizes, BatchedProductsWithSharedHeads) {
  // Attention: queries of 6 heads read keys and values of 2.
  for (std::int64_t tokens : {1, 5}) {
    const std::int64_t context = 37;
    const std::int64_t d = 20;
    Graph graph;
    const Tensor q = graph.input("q", DType::f32, {tokens, 6, d});
    const Tensor keys = graph.input("k", DType::f32, {context, 2, d});
    const Shape box{tokens, 6, context, d};
    const std::vector<Expr> axes = axes_of(box);
    const Tensor shared = keys.at(Map(box, keys.shape(), {axes[2], floor_div(axes[1], 3), axes[3]}));
    const Tensor scores = mul(q.unsqueeze(2).expand(box), shared).sum({3});
    const Shape mixed{tokens, 6, d, context};
    const std::vector<Expr> mixed_axes = axes_of(mixed);
    const Tensor values =
        keys.at(Map(mixed, keys.shape(), {mixed_axes[3], floor_div(mixed_axes[1], 3), mixed_axes[2]}));
    graph.output("scores", scores);
    graph.output("mixed", mul(scores.unsqueeze(2).expand(mixed), values).sum({3}));
    backend::Request request;
    request.inputs[0] = random_array(DType::f32, {tokens, 6, d}, 3);
    request.inputs[1] = random_array(DType::f32, {context, 2, d}, 4);
    expect_naive(graph, request);
  }
}

TEST(ReferenceSizes, ReductionsOfEveryDtypeAndLength) {
  for (DType t : {DType::f32, DType::f64, DType::f16, DType::bf16, DType::f8e4m3, DType::f8e5m2, DType::i8, DType::u64,
                  DType::i64, DType::u16, DType::boolean}) {
    for (std::int64_t n : {0, 1, 15, 16, 17, 31, 33, 511, 512, 513, 1040}) {
      SCOPED_TRACE(fmt::format("{} {}", name(t), n));
      Graph graph;
      const Tensor x = graph.input("x", t, {3, n});
      const Tensor y = graph.input("y", t, {n, 3});
      if (t != DType::boolean) {
        graph.output("sum of rows", x.sum({1}));
        graph.output("sum of columns", y.sum({0}));
        graph.output("sum", x.sum({0, 1}));
      }
      graph.output("max of rows", x.max({1}));
      graph.output("max of columns", y.max({0}));
      backend::Request request;
      request.inputs[0] = random_array(t, {3, n}, 5);
      request.inputs[1] = random_array(t, {n, 3}, 6);
      expect_naive(graph, request);
    }
  }
}

TEST(ReferenceSizes, MaximumOrdersZerosAndSpreadsNan) {
  const float inf = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  Graph graph;
  const Tensor x = graph.input("x", DType::f32, {4, 2});
  graph.output("max", x.max({1}));
  backend::Request request;
  request.inputs[0] =
      Array::of<float>(DType::f32, {4, 2}, std::vector<float>{-0.0f, 0.0f, 0.0f, -0.0f, -nan, inf, -inf, -inf});
  const Array result = backend::reference::compile(graph, {.threads = 1})->run(request)[0];
  EXPECT_EQ(result.at(0).bits, 0u);
  EXPECT_EQ(result.at(1).bits, 0u);
  EXPECT_EQ(result.at(2).bits, 0x7fc00000u) << "one NaN, whatever the operand's sign";
  EXPECT_EQ(result.at(3).as_double(), -inf);
}

TEST(ReferenceSizes, MovingANarrowFloatKeepsEveryBit) {
  // NaNs with a payload: decoding and encoding would make them one.
  Graph graph;
  const Tensor x = graph.input("x", DType::f16, {4});
  const Tensor index = graph.input("i", DType::i32, {3});
  graph.output("moved", x.flip(0).pad(0, 1, 0, 1));
  graph.output("taken", take(x, 0, index));
  backend::Request request;
  request.inputs[0] = Array::of<std::uint16_t>(DType::f16, {4}, std::vector<std::uint16_t>{0x7e01, 0xfd23, 0x8000, 3});
  request.inputs[1] = Array::of<std::int32_t>(DType::i32, {3}, std::vector<std::int32_t>{1, 0, 3});
  const auto result = backend::reference::compile(graph, {.threads = 1})->run(request);
  const auto bits = [](const Array& a) {
    std::vector<std::uint64_t> all;
    for (std::int64_t i = 0; i < a.count(); ++i) all.push_back(a.at(i).bits);
    return all;
  };
  EXPECT_EQ(bits(result[0]), (std::vector<std::uint64_t>{0x3c00, 3, 0x8000, 0xfd23, 0x7e01}));
  EXPECT_EQ(bits(result[1]), (std::vector<std::uint64_t>{0xfd23, 0x7e01, 3}));
}

TEST(ReferenceSizes, LongElementwiseRowsAreSplitOverThreads) {
  Graph graph;
  const Tensor x = graph.input("x", DType::f32, {3, 21001});
  const Tensor q = graph.input("q", DType::u4, {3, 21001});
  graph.output("y", exp2(x * 0.25) + cast(q, DType::f32));
  graph.output("q", q.flip(1));
  backend::Request request;
  request.inputs[0] = random_array(DType::f32, {3, 21001}, 7);
  request.inputs[1] = random_array(DType::u4, {3, 21001}, 8);
  expect_naive(graph, request);
}

TEST(ReferenceSizes, AProductHasNoTemporary) {
  const std::int64_t m = 128;
  const std::int64_t n = 1024;
  const std::int64_t k = 1024;
  Graph graph;
  const Tensor a = graph.input("a", DType::f32, {m, k});
  const Tensor b = graph.input("b", DType::f16, {n, k});
  graph.output("c", mul(a.unsqueeze(1), cast(b, DType::f32).unsqueeze(0)).sum({2}));
  backend::Request request;
  request.inputs[0] = Array::zeros(DType::f32, {m, k});
  request.inputs[1] = Array::zeros(DType::f16, {n, k});
  const auto peak = [] {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss * 1024;
  };
  const auto before = peak();
  backend::reference::compile(graph, {.threads = 2})->run(request);
  EXPECT_LT(peak() - before, m * n * k);  // the temporary would have four times as many bytes
}

}  // namespace
}  // namespace quince::test
