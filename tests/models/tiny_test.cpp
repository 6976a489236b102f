// Tiny random members of the Llama family against transformers' logits: rope variants, biases, tied and own output.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "quince/graph/text.h"
#include "quince/io/gguf.h"
#include "quince/models/language_model.h"
#include "quince/runtime/decoder.h"
#include "support/message_of.h"

namespace quince {
namespace {

std::string path_of(const std::string& model) { return QUINCE_TEST_DATA "/models/" + model + ".gguf"; }

class Tiny : public testing::TestWithParam<const char*> {
 protected:
  std::unique_ptr<Graph> graph_ = build_language_model(GgufFile::open(path_of(GetParam())));
};

TEST_P(Tiny, LogitsEqualTransformers) {
  const auto program = Program::compile(*graph_);
  std::ifstream stream(QUINCE_TEST_DATA "/models/tiny.json");
  for (const nlohmann::json& item : nlohmann::json::parse(stream).at(GetParam())) {
    Decoder decoder(program, 1, 64);
    const Array logits = decoder.feed(item.at("ids").get<Tokens>());
    const auto expected = item.at("logits").get<std::vector<float>>();
    ASSERT_EQ(logits.data<float>().size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(logits.data<float>()[i], expected[i], 2e-4) << i;
  }
}

TEST_P(Tiny, FeedingInPiecesAndBatchesGivesTheSameBits) {
  const auto program = Program::compile(*graph_);
  const Tokens all{5, 100, 7, 7, 200, 31, 64, 3, 9, 10, 11};
  Decoder whole(program, 1, 64);
  const Array expected = whole.feed(all);
  Decoder pieces(program, 1, 17);
  pieces.feed(Tokens{5, 100, 7});
  for (const std::int32_t id : {7, 200, 31}) pieces.feed(Tokens{id});
  const Array in_pieces = pieces.feed(Tokens{64, 3, 9, 10, 11});
  EXPECT_TRUE(std::ranges::equal(expected.data<float>(), in_pieces.data<float>()));

  Decoder batch(program, 3, 32);
  batch.feed(std::vector<Tokens>{{1, 2}, {5, 100, 7, 7, 200}, {}});
  const Array rows = batch.feed(std::vector<Tokens>{{3}, {31, 64, 3, 9, 10, 11}, all});
  const auto vocabulary = static_cast<std::size_t>(batch.vocabulary());
  EXPECT_TRUE(std::ranges::equal(expected.data<float>(), rows.data<float>().subspan(vocabulary, vocabulary)));
  EXPECT_TRUE(std::ranges::equal(expected.data<float>(), rows.data<float>().subspan(2 * vocabulary, vocabulary)));
  EXPECT_EQ(batch.position(0), 3);
}

TEST_P(Tiny, GraphHasOnlyTheFifteenOpsAndReadsBack) {
  const std::string text = to_text(*graph_);
  EXPECT_EQ(to_text(*parse_graph(text)), text);
}

TEST_P(Tiny, StateIsUpdatedInPlace) {
  const auto program = Program::compile(*graph_);
  Decoder decoder(program, 1, 16);
  const std::byte* before = decoder.session().state("k.1").storage.data();
  decoder.feed(Tokens{3, 4});
  EXPECT_EQ(decoder.session().state("k.1").storage.data(), before);
  const auto values = decoder.session().state("k.1").data<float>();
  const std::size_t row = values.size() / 16;
  EXPECT_TRUE(std::ranges::any_of(values.first(2 * row), [](float x) { return x != 0; }));
  EXPECT_TRUE(std::ranges::all_of(values.subspan(2 * row), [](float x) { return x == 0; }));
}

TEST_P(Tiny, ThreadsDoNotChangeTheBits) {
  const Tokens prompt{5, 100, 7, 7, 200, 31, 64};
  Decoder one(Program::compile(*graph_, {.threads = 1}), 1, 16);
  Decoder three(Program::compile(*graph_, {.threads = 3}), 1, 16);
  EXPECT_TRUE(std::ranges::equal(one.feed(prompt).data<float>(), three.feed(prompt).data<float>()));
}

INSTANTIATE_TEST_SUITE_P(Models, Tiny, testing::Values("tiny_llama", "tiny_llama3", "tiny_linear", "tiny_qwen2"),
                         [](const auto& test) { return std::string(test.param); });

TEST(Decoder, RefusesWhatDoesNotFit) {
  const auto program = Program::compile(*build_language_model(GgufFile::open(path_of("tiny_llama"))));
  Decoder decoder(program, 2, 8);
  EXPECT_EQ(test::message_of([&] { decoder.feed(std::vector<Tokens>{{}, {}}); }), "there are no tokens to feed");
  EXPECT_EQ(test::message_of([&] { decoder.feed(std::vector<Tokens>{{1}}); }), "1 chunks for 2 sequences");
  EXPECT_EQ(test::message_of([&] { decoder.feed(std::vector<Tokens>{{1}, {266}}); }),
            "token id 266 is outside the vocabulary of 266");
  EXPECT_EQ(test::message_of([&] { decoder.feed(std::vector<Tokens>{{1}, {-1}}); }),
            "token id -1 is outside the vocabulary of 266");
  decoder.feed(std::vector<Tokens>{{1, 2, 3}, {}});
  EXPECT_EQ(test::message_of([&] { decoder.feed(std::vector<Tokens>{{}, {1, 2, 3, 4, 5, 6}}); }),
            "sequence 0 holds 3 tokens and has no room for 6 more in a context of 8");
  EXPECT_EQ(test::message_of([&] { Decoder(program, 1, 65); }), "dim ctx is 65, outside 1..64");
  EXPECT_EQ(test::message_of([&] { Decoder(program, 0, 8); }), "dim b is 0, outside 1..1024");
}

}  // namespace
}  // namespace quince
