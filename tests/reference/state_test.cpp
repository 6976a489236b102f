// Scatter and linear state: in place, in order, shared programs.
#include <gtest/gtest.h>

#include <thread>

#include "backend/reference/reference.h"
#include "reference/naive.h"

namespace quince::test {
namespace {

constexpr std::int64_t kAnywhere = std::int64_t{1} << 40;

Array floats(std::vector<std::int64_t> shape, std::vector<float> values) {
  return Array::of<float>(DType::f32, std::move(shape), values);
}

Array integers(std::vector<std::int64_t> shape, std::vector<std::int32_t> values) {
  return Array::of<std::int32_t>(DType::i32, std::move(shape), values);
}

std::vector<float> to_floats(const Array& array) {
  const auto data = array.data<float>();
  return {data.begin(), data.begin() + array.count()};
}

/// dest[rows[i]] = src[i], with a slot of the given range.
Tensor write_rows(const Tensor& dest, const Tensor& src, const Tensor& rows, Expr lo, Expr hi) {
  const std::vector<Expr> axes = axes_of(src.shape());
  const Tensor indices[] = {rows};
  return scatter(dest, src, {Expr::slot(0, lo, hi)}, indices);
}

TEST(ReferenceScatter, LastOfEqualTargetsWinsAndOthersAreDropped) {
  Graph graph;
  const Tensor dest = graph.input("dest", DType::f32, {4});
  const Tensor src = graph.input("src", DType::f32, {6});
  const Tensor rows = graph.input("rows", DType::i64, {6});
  graph.output("y", write_rows(dest, src, rows, -kAnywhere, kAnywhere));
  backend::Request request;
  request.inputs[0] = floats({4}, {10, 11, 12, 13});
  request.inputs[1] = floats({6}, {1, 2, 3, 4, 5, 6});
  request.inputs[2] = Array::of<std::int64_t>(DType::i64, {6}, std::vector<std::int64_t>{2, 2, 4, -1, INT64_MIN, 0});
  const auto result = backend::reference::compile(graph, {.threads = 2})->run(request);
  EXPECT_EQ(to_floats(result[0]), (std::vector<float>{6, 11, 2, 13}));
  EXPECT_EQ(to_floats(request.inputs[0]), (std::vector<float>{10, 11, 12, 13})) << "dest itself stays";
}

TEST(ReferenceScatter, ASlotBeyondTheUnconstrainedRangeDropsTheWrite) {
  // The coordinate alone would be inside the box for any value.
  Graph graph;
  const Tensor dest = graph.input("dest", DType::f32, {4});
  const Tensor src = graph.input("src", DType::f32, {5});
  const Tensor rows = graph.input("rows", DType::i64, {5});
  const Tensor indices[] = {rows};
  graph.output("y", scatter(dest, src, {mod(Expr::slot(0, -kAnywhere, kAnywhere), 4)}, indices));
  backend::Request request;
  request.inputs[0] = floats({4}, {10, 11, 12, 13});
  request.inputs[1] = floats({5}, {1, 2, 3, 4, 5});
  request.inputs[2] = Array::of<std::int64_t>(
      DType::i64, {5}, std::vector<std::int64_t>{kAnywhere, kAnywhere + 1, -kAnywhere - 2, INT64_MAX, INT64_MIN + 1});
  const auto result = backend::reference::compile(graph, {.threads = 1})->run(request);
  EXPECT_EQ(to_floats(result[0]), (std::vector<float>{1, 11, 12, 13}));
}

TEST(ReferenceScatter, ASlotWithADeclaredRangeIsChecked) {
  Graph graph;
  const Tensor dest = graph.input("dest", DType::f32, {4});
  const Tensor src = graph.input("src", DType::f32, {2});
  const Tensor rows = graph.input("rows", DType::i32, {2});
  graph.output("y", write_rows(dest, src, rows, 0, 3));
  backend::Request request;
  request.inputs[0] = floats({4}, {0, 0, 0, 0});
  request.inputs[1] = floats({2}, {1, 2});
  request.inputs[2] = integers({2}, {1, 4});
  const auto executable = backend::reference::compile(graph, {.threads = 1});
  try {
    executable->run(request);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::out_of_range);
    EXPECT_EQ(error.message(), "Scatter %3: slot s0 is 4, outside [0, 3]");
  }
}

TEST(ReferenceGather, ASlotOutOfRangeIsAnErrorUnlessMasked) {
  Graph graph;
  const Tensor data = graph.input("data", DType::f32, {4});
  const Tensor rows = graph.input("rows", DType::i32, {3});
  const Expr a0 = axes_of({3})[0];
  const Map map({3}, {4}, {Expr::slot(0, 0, 3)});
  const Tensor indices[] = {rows};
  View view{map, {{lt(a0, 2), Scalar::of(DType::f32, 7)}}};
  Node node{.op = Op::gather, .dtype = DType::f32, .shape = {3}};
  node.operands = {{data.node(), view}, rows.operand()};
  const NodeId id = graph.append(node);
  graph.output("y", Tensor(&graph, id, View{Map::identity({3}), {}}));
  backend::Request request;
  request.inputs[0] = floats({4}, {10, 11, 12, 13});
  const auto executable = backend::reference::compile(graph, {.threads = 1});
  request.inputs[1] = integers({3}, {3, 0, 99});
  EXPECT_EQ(to_floats(executable->run(request)[0]), (std::vector<float>{13, 10, 7}));
  request.inputs[1] = integers({3}, {3, -1, 99});
  try {
    executable->run(request);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::out_of_range);
    EXPECT_EQ(error.message(), "Gather %2: slot s0 is -1, outside [0, 3]");
  }
}

TEST(ReferenceGather, ABadConstantIndexIsReportedByTheRun) {
  Graph graph;
  const Tensor data = graph.constant(floats({4}, {0, 1, 2, 3}));
  graph.output("y", take(data, 0, graph.constant(integers({2}, {0, 4}))) + 1.0);
  const auto executable = backend::reference::compile(graph, {.threads = 1});
  EXPECT_THROW(executable->run({}), Error);
}

TEST(ReferenceState, IsUpdatedInPlaceAfterItsOldValueIsRead) {
  Graph graph;
  const Tensor state = graph.state("cache", DType::f32, {4, 2});
  const Tensor src = graph.input("src", DType::f32, {1, 2});
  const Tensor at = graph.input("at", DType::i32, {});
  const Tensor old = state.sum({0});
  const Tensor row = at.expand({1, 2});
  const std::vector<Expr> axes = axes_of({1, 2});
  const Tensor indices[] = {row};
  const Tensor next = scatter(state, src, {Expr::slot(0, 0, 3), axes[1]}, indices);
  graph.set_next(state, next);
  graph.output("new", next.sum({0}));
  graph.output("old", old);
  graph.output("both", (state * 2.0).sum({0}));
  graph.verify();
  const auto executable = backend::reference::compile(graph, {.threads = 2});
  backend::Request request;
  request.states[state.node()] = floats({4, 2}, {1, 1, 2, 2, 3, 3, 4, 4});
  request.inputs[src.node()] = floats({1, 2}, {10, 20});
  request.inputs[at.node()] = integers({}, {2});
  const std::byte* buffer = request.states[state.node()].storage.data();
  const auto result = executable->run(request);
  EXPECT_EQ(to_floats(result[0]), (std::vector<float>{17, 27}));
  EXPECT_EQ(to_floats(result[1]), (std::vector<float>{10, 10}));
  EXPECT_EQ(to_floats(result[2]), (std::vector<float>{20, 20}));
  EXPECT_EQ(request.states[state.node()].storage.data(), buffer);
  EXPECT_EQ(to_floats(request.states[state.node()]), (std::vector<float>{1, 1, 2, 2, 10, 20, 4, 4}));
}

TEST(ReferenceState, SourceThatReadsWhatItWritesSeesTheOldValue) {
  // A thousand writes to one place, each of twice what stood there before any of them.
  Graph graph;
  const Tensor state = graph.state("s", DType::f32, {3});
  const Tensor rows = graph.input("rows", DType::i32, {1000});
  const Map map({1000}, {3}, {Expr::slot(0, 0, 2)});
  const Tensor indices[] = {rows};
  const Tensor next = scatter(state, gather(state, map, indices) * 2.0, map.coords(), indices);
  graph.set_next(state, next);
  const auto executable = backend::reference::compile(graph, {.threads = 1});
  backend::Request request;
  request.states[state.node()] = floats({3}, {1, 2, 3});
  request.inputs[rows.node()] = integers({1000}, std::vector<std::int32_t>(1000, 1));
  executable->run(request);
  executable->run(request);
  EXPECT_EQ(to_floats(request.states[state.node()]), (std::vector<float>{1, 8, 3}));
}

TEST(ReferenceProgram, IsSharedByThreadsWithStatesOfTheirOwn) {
  Graph graph;
  const Tensor state = graph.state("s", DType::f32, {50000});
  const Tensor step = graph.input("step", DType::f32, {});
  const Tensor next = scatter(state, state + step.expand({50000}), {axes_of({50000})[0]}, {});
  graph.set_next(state, next);
  graph.output("sum", next.sum({0}));
  const auto executable = backend::reference::compile(graph, {.threads = 3});
  std::vector<std::thread> users;
  std::vector<double> sums(4);
  for (int u = 0; u < 4; ++u) {
    users.emplace_back([&, u] {
      backend::Request request;
      request.states[state.node()] = Array::zeros(DType::f32, {50000});
      request.inputs[step.node()] = floats({}, {static_cast<float>(u + 1)});
      for (int i = 0; i < 20; ++i) sums[static_cast<std::size_t>(u)] = executable->run(request)[0].at(0).as_double();
    });
  }
  for (std::thread& user : users) user.join();
  for (int u = 0; u < 4; ++u) EXPECT_EQ(sums[static_cast<std::size_t>(u)], 50000.0 * 20 * (u + 1));
}

TEST(ReferenceProgram, LetsGoOfConstantsItHasFolded) {
  std::weak_ptr<const void> plane;
  std::unique_ptr<backend::Executable> executable;
  NodeId input = 0;
  {
    Graph graph;
    auto bytes = std::make_shared<std::vector<std::byte>>(4096, std::byte{3});
    plane = bytes;
    const Tensor q = graph.constant({DType::i8, {64, 64}, Storage(bytes->data(), bytes->size(), bytes)}, "w.q");
    bytes.reset();
    const Tensor w = cast(q, DType::f32) * 0.5;
    const Tensor x = graph.input("x", DType::f32, {64});
    input = x.node();
    graph.output("y", mul(x.unsqueeze(0).expand({64, 64}), w).sum({1}));
    executable = backend::reference::compile(graph, {.threads = 1});
  }
  EXPECT_TRUE(plane.expired());
  backend::Request request;
  request.inputs[input] = floats({64}, std::vector<float>(64, 1));
  EXPECT_EQ(executable->run(request)[0].at(5).as_double(), 96);
}

TEST(ReferenceProgram, ErrorsNameTheThing) {
  Graph graph;
  const Tensor w = graph.constant({DType::f32, {2}, {}}, "weight");
  graph.output("y", w + 1.0);
  try {
    backend::reference::compile(graph, {.threads = 1});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.message(), "Constant %0 'weight' has no data");
  }
}

TEST(ReferenceProgram, StopsWhereItIsTold) {
  Graph graph;
  graph.output("y", graph.input("x", DType::f32, {2}) + 1.0);
  const auto executable = backend::reference::compile(graph, {.threads = 1});
  const std::atomic<bool> cancel = true;
  backend::Request request;
  request.inputs[0] = floats({2}, {1, 2});
  request.cancel = &cancel;
  try {
    executable->run(request);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::interrupted);
  }
}

}  // namespace
}  // namespace quince::test
