// Random graphs: the reference backend and the naive evaluator give the same bits.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "backend/reference/reference.h"
#include "quince/graph/text.h"
#include "reference/naive.h"
#include "reference/random_graph.h"

namespace quince::test {
namespace {

struct Sizes {
  std::int64_t n, m;
};

/// Runs a copy of the request's states, and returns them beside the outputs.
NaiveResult run_reference(const backend::Executable& executable, const Graph& graph, const backend::Request& request) {
  backend::Request own = request;
  for (auto& [id, array] : own.states) array = copy_of(array);
  NaiveResult result;
  result.outputs = executable.run(own);
  for (const StateUpdate& update : graph.updates()) result.states[update.input] = own.states.at(update.input);
  return result;
}

void expect_equal(const NaiveResult& expected, const NaiveResult& actual) {
  ASSERT_EQ(expected.outputs.size(), actual.outputs.size());
  for (std::size_t i = 0; i < expected.outputs.size(); ++i) {
    EXPECT_EQ(difference(expected.outputs[i], actual.outputs[i]), "") << "output " << i;
  }
  for (const auto& [id, array] : expected.states) {
    EXPECT_EQ(difference(array, actual.states.at(id)), "") << "state %" << id;
  }
}

/// False where the naive evaluator meets a slot out of range.
bool compare(std::uint64_t seed) {
  SCOPED_TRACE(fmt::format("seed {}", seed));
  RandomGraph random(seed);
  const Graph& graph = random.graph();
  try {
    graph.verify();
  } catch (const Error&) {
    return false;  // a reader of old state that comes too late
  }
  const auto one = backend::reference::compile(graph, {.threads = 1});
  const auto many = backend::reference::compile(graph, {.threads = 3});
  for (const Sizes sizes : {Sizes{3, 5}, Sizes{0, 1}, Sizes{1, 16}, Sizes{17, 2}, Sizes{33, 31}}) {
    SCOPED_TRACE(fmt::format("n = {}, m = {}", sizes.n, sizes.m));
    backend::Request request;
    NaiveResult expected;
    try {
      request = random.request(sizes.n, sizes.m);
      expected = run_naive(graph, request);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::out_of_range && error.code() != ErrorCode::unsupported) throw;
      continue;
    } catch (const std::logic_error& error) {
      ADD_FAILURE() << error.what() << "\n" << to_text(graph);
      return true;
    }
    expect_equal(expected, run_reference(*one, graph, request));
    expect_equal(expected, run_reference(*many, graph, request));
    if (testing::Test::HasFailure()) {
      ADD_FAILURE() << to_text(graph);
      break;
    }
  }
  return true;
}

TEST(ReferenceRandom, EqualsTheNaiveEvaluatorBitForBit) {
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 400 && !HasFailure(); ++seed) compared += compare(seed) ? 1 : 0;
  EXPECT_GT(compared, 300);
}

}  // namespace
}  // namespace quince::test
