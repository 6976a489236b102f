// Tensors loaded into a graph: names, shapes, node counts, and values on the reference runtime against those of the
// `gguf` package (data/gguf/make.py).
#include <gtest/gtest.h>

#include <map>
#include <numeric>

#include "gguf_bytes.h"
#include "quince/error.h"
#include "quince/graph/tensor.h"
#include "quince/io/block_format.h"
#include "quince/runtime/program.h"
#include "same_bits.h"

namespace quince {
namespace {

GgufFile formats() { return GgufFile::open(QUINCE_TEST_DATA "/gguf/formats.gguf"); }

std::vector<std::string> constant_names(const Graph& graph) {
  std::vector<std::string> names;
  for (const Node& node : graph.nodes()) {
    if (node.op == Op::constant && !node.name.empty()) names.push_back(node.name);
  }
  return names;
}

/// Ops other than leaves.
std::int64_t work_nodes(const Graph& graph) {
  const auto counts = graph.count_ops();
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0}) -
         counts[static_cast<std::size_t>(Op::constant)];
}

TEST(LoadTensor, ValuesOfEveryFormat) {
  const GgufFile file = formats();
  for (const BlockFormat& format : block_formats()) {
    Graph graph;
    const Tensor values = load_tensor(graph, file, format.name);
    EXPECT_EQ(values.dtype(), DType::f32) << format.name;
    EXPECT_TRUE(same_shape(values.shape(), {3, 512})) << format.name;
    graph.output("values", values);
    const Arrays results = Session(Program::compile(graph)).run({});
    const auto expected = load_planes(file, file.tensor(std::string(format.name) + ".expected"));
    test::expect_same_bits(results.at("values").data<float>(), expected[0].data<float>(), format.name);
  }
}

/// The node counts of OPS.md.
TEST(LoadTensor, NodeCounts) {
  const std::map<std::string_view, std::int64_t> expected = {
      {"F32", 0},  {"F16", 1},  {"BF16", 1}, {"F64", 1},  {"I8", 1},   {"I16", 1},   {"I32", 1},   {"I64", 1},
      {"Q4_0", 4}, {"Q4_1", 5}, {"Q5_0", 7}, {"Q5_1", 8}, {"Q8_0", 3}, {"Q4_K", 10}, {"Q5_K", 13}, {"Q6_K", 9}};
  const GgufFile file = formats();
  for (const BlockFormat& format : block_formats()) {
    Graph graph;
    load_tensor(graph, file, format.name);
    EXPECT_EQ(work_nodes(graph), expected.at(format.name)) << format.name;
  }
}

TEST(LoadTensor, ConstantsAreNamedForTheirPlanes) {
  const GgufFile file = formats();
  Graph graph;
  load_tensor(graph, file, "F32");
  load_tensor(graph, file, "Q4_1");
  load_tensor(graph, file, "Q5_K");
  EXPECT_EQ(constant_names(graph), (std::vector<std::string>{"F32", "Q4_1.q", "Q4_1.d", "Q4_1.m", "Q5_K.q", "Q5_K.h",
                                                             "Q5_K.sc", "Q5_K.m", "Q5_K.d", "Q5_K.dmin"}));
}

TEST(LoadTensor, F32IsTheMappedFile) {
  Graph graph;
  const GgufFile file = formats();
  const Tensor values = load_tensor(graph, file, "F32");
  EXPECT_EQ(graph.node(values.node()).value.storage.data(), file.bytes(file.tensor("F32")).data());
}

TEST(LoadTensor, GraphOutlivesTheFile) {
  Graph graph;
  {
    const GgufFile file = formats();
    graph.output("values", load_tensor(graph, file, "F32"));
  }
  const Arrays results = Session(Program::compile(graph)).run({});
  const GgufFile file = formats();
  test::expect_same_bits(results.at("values").data<float>(), load_planes(file, file.tensor("F32"))[0].data<float>(),
                         "F32");
}

/// Blocks run along the last axis only, whatever the rank.
TEST(LoadTensor, RanksOneToFour) {
  for (const std::vector<std::uint64_t>& dims :
       std::vector<std::vector<std::uint64_t>>{{64}, {32, 2}, {32, 1, 2}, {64, 2, 1, 3}}) {
    std::uint64_t count = 1;
    for (const std::uint64_t dim : dims) count *= dim;
    test::GgufBytes bytes = test::GgufBytes().header(1, 0).tensor("w", dims, 8, 0).pad();
    std::vector<float> expected;
    for (std::uint64_t block = 0; block < count / 32; ++block) {
      bytes.put(static_cast<std::uint16_t>(0x3c00 + (block << 10)));  // 2^block
      for (int i = 0; i < 32; ++i) {
        bytes.put(static_cast<std::int8_t>(i - 16));
        expected.push_back(std::ldexp(static_cast<float>(i - 16), static_cast<int>(block)));
      }
    }
    const GgufFile file = bytes.open();
    Graph graph;
    const Tensor values = load_tensor(graph, file, "w");
    EXPECT_EQ(values.rank(), static_cast<int>(dims.size()));
    graph.output("values", values);
    test::expect_same_bits(Session(Program::compile(graph)).run({}).at("values").data<float>(), expected, "w");
  }
}

TEST(LoadTensor, MissingTensor) {
  Graph graph;
  try {
    load_tensor(graph, test::GgufBytes().header(0, 0).open(), "output.weight");
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "reading x.gguf: tensor 'output.weight' is missing");
    EXPECT_EQ(error.code(), ErrorCode::not_found);
  }
}

}  // namespace
}  // namespace quince
