// Every stored prompt of every model that is there, against its reference.
#include "models/continuation.h"

namespace quince::test {
namespace {

struct Model {
  const char* file;
  const char* expected;
};

class Continuations : public testing::TestWithParam<Model> {};

TEST_P(Continuations, EveryPrompt) {
  const auto program = program_of(GetParam().file);
  if (!program) GTEST_SKIP() << "skipped: models/" << GetParam().file << " is not there";
  const std::vector<Continuation> all = load_continuations(GetParam().expected);
  ASSERT_GE(all.size(), 20u);
  for (std::size_t i = 0; i < all.size(); ++i) {
    SCOPED_TRACE(i);
    expect_continuation(program, all[i], {all[i].prompt.size()});
    expect_continuation(program, all[i], {1});
    expect_continuation(program, all[i], {2, 5, 1, 7, 3});
  }
  for (std::size_t i = 0; i + 2 < all.size(); i += 3) {
    SCOPED_TRACE(i);
    expect_batch(program, {all[i], all[i + 1], all[i + 2]});
  }
}

std::string test_name(const testing::TestParamInfo<Model>& test) {
  const std::string expected = test.param.expected;
  return expected.substr(0, expected.find('.'));
}

INSTANTIATE_TEST_SUITE_P(Models, Continuations,
                         testing::Values(Model{"SmolLM2-135M-Instruct.Q4_1.gguf", "smollm2.json"},
                                         Model{"qwen2.5-coder-0.5b-instruct.gguf", "qwen25.json"}),
                         test_name);

}  // namespace
}  // namespace quince::test
