// SmolLM2 against transformers' f32 run of the same file: four prompts in every way of feeding them.
#include "models/continuation.h"

namespace quince::test {
namespace {

constexpr const char* kFile = "SmolLM2-135M-Instruct.Q4_1.gguf";

class SmolLm2 : public testing::Test {
 protected:
  void SetUp() override {
    program_ = program_of(kFile);
    if (!program_) GTEST_SKIP() << "skipped: models/" << kFile << " is not there (quince pull smollm2)";
    all_ = load_continuations("smollm2.json");
  }
  std::shared_ptr<const Program> program_;
  std::vector<Continuation> all_;
};

TEST_F(SmolLm2, FirstNumbers) {
  Decoder decoder(program_, 1, 8);
  const Array logits = decoder.feed(Tokens{504, 3575, 282, 4649, 314});
  const auto top = top_logits(logits.data<float>(), 3);
  EXPECT_EQ(top[0].first, 7042);
  EXPECT_NEAR(static_cast<double>(top[0].second), 17.371, kLogitTolerance);
  EXPECT_EQ(top[1].first, 260);
  EXPECT_NEAR(static_cast<double>(top[1].second), 14.889, kLogitTolerance);
  EXPECT_EQ(top[2].first, 4528);
  EXPECT_NEAR(static_cast<double>(top[2].second), 13.245, kLogitTolerance);
}

TEST_F(SmolLm2, WholePromptAtOnce) {
  for (std::size_t i = 0; i < 4; ++i) {
    SCOPED_TRACE(i);
    expect_continuation(program_, all_[i], {all_[i].prompt.size()});
  }
}

TEST_F(SmolLm2, TokenByToken) { expect_continuation(program_, all_[0], {1}); }

TEST_F(SmolLm2, UnevenChunks) { expect_continuation(program_, all_[1], {3, 1, 2, 5}); }

TEST_F(SmolLm2, BatchOfThreeLengths) { expect_batch(program_, {all_[0], all_[2], all_[3]}); }

TEST_F(SmolLm2, EveryWayOfFeedingGivesTheSameBits) {
  const Tokens& prompt = all_[1].prompt;
  Decoder whole(program_, 1, 64);
  Decoder chunked(program_, 1, 128);
  Decoder batch(program_, 2, 64);
  ASSERT_LE(prompt.size(), 64u);
  const Array a = whole.feed(prompt);
  const auto middle = prompt.begin() + static_cast<std::ptrdiff_t>(prompt.size() / 2);
  chunked.feed(Tokens(prompt.begin(), middle));
  const Array b = chunked.feed(Tokens(middle, prompt.end()));
  const std::vector<Tokens> chunks{Tokens{1}, prompt};
  const Array c = batch.feed(chunks);
  const auto second = c.data<float>().subspan(static_cast<std::size_t>(batch.vocabulary()),
                                              static_cast<std::size_t>(batch.vocabulary()));
  EXPECT_TRUE(std::ranges::equal(a.data<float>(), b.data<float>()));
  EXPECT_TRUE(std::ranges::equal(a.data<float>(), second));
}

}  // namespace
}  // namespace quince::test
