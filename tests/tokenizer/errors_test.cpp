// Vocabularies that contradict themselves, each with its message.
#include <gmock/gmock.h>

#include <functional>

#include "quince/error.h"
#include "tokenizer/data.h"

namespace quince::testing {
namespace {

TokenizerData small() {
  TokenizerData data;
  data.pre = "gpt-2";
  data.tokens = {"a", "b", "ab", "<end>"};
  data.types = {1, 1, 1, 3};
  data.merges = {"a b"};
  data.bos = 3;
  data.eos = 3;
  return data;
}

void expect_error(const std::function<void(TokenizerData&)>& spoil, ErrorCode code, const std::string& message) {
  TokenizerData data = small();
  spoil(data);
  try {
    Tokenizer tokenizer(data);
    ADD_FAILURE() << "no error; expected: " << message;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code);
    EXPECT_EQ(error.message(), message);
  }
}

TEST(TokenizerErrors, SmallVocabularyIsFine) { EXPECT_EQ(Tokenizer(small()).encode("abba<end>"), (Ids{2, 1, 0, 3})); }

TEST(TokenizerErrors, Model) {
  expect_error([](auto& d) { d.model = "llama"; }, ErrorCode::unsupported,
               "tokenizer model \"llama\" is not supported; supported: gpt2 (byte-level BPE)");
}

TEST(TokenizerErrors, Pretokenizer) {
  expect_error([](auto& d) { d.pre = "dbrx"; }, ErrorCode::unsupported,
               "pre-tokenizer \"dbrx\" is not supported; supported: gpt-2, phi-2, smollm, qwen2, deepseek-r1-qwen, "
               "llama-bpe, llama3, llama-v3");
}

TEST(TokenizerErrors, Counts) {
  expect_error([](auto& d) { d.tokens.clear(); }, ErrorCode::format, "the tokenizer has no tokens");
  expect_error([](auto& d) { d.merges.clear(); }, ErrorCode::format, "the tokenizer has no merges");
  expect_error([](auto& d) { d.types.pop_back(); }, ErrorCode::format, "4 tokens but 3 token types");
}

TEST(TokenizerErrors, Types) {
  expect_error([](auto& d) { d.types[1] = 7; }, ErrorCode::format, "token 1 has type 7; types are 1 to 6");
  expect_error([](auto& d) { d.types[1] = 0; }, ErrorCode::format, "token 1 has type 0; types are 1 to 6");
}

TEST(TokenizerErrors, Duplicates) {
  expect_error([](auto& d) { d.tokens[2] = "a"; }, ErrorCode::format, "tokens 0 and 2 are both \"a\"");
}

TEST(TokenizerErrors, Merges) {
  expect_error([](auto& d) { d.merges.push_back("b c"); }, ErrorCode::format,
               "merge 1 \"b c\" needs \"c\", which is not a token");
  expect_error([](auto& d) { d.merges.push_back("b a"); }, ErrorCode::format,
               "merge 1 \"b a\" needs \"ba\", which is not a token");
  for (const char* merge : {"ab", "", " ", "a ", " b", "a b a"}) {
    expect_error([&](auto& d) { d.merges[0] = merge; }, ErrorCode::format,
                 "merge 0 \"" + std::string(merge) + "\" is not two parts with a space between");
  }
}

TEST(TokenizerErrors, SpecialIds) {
  expect_error([](auto& d) { d.bos = 4; }, ErrorCode::format, "the bos token is 4, outside the vocabulary of 4");
  expect_error([](auto& d) { d.eos = -1; }, ErrorCode::format, "the eos token is -1, outside the vocabulary of 4");
  expect_error([](auto& d) { d.unk = 99; }, ErrorCode::format, "the unk token is 99, outside the vocabulary of 4");
  expect_error([](auto& d) { d.sep = 4; }, ErrorCode::format, "the sep token is 4, outside the vocabulary of 4");
  expect_error([](auto& d) { d.pad = 4; }, ErrorCode::format, "the pad token is 4, outside the vocabulary of 4");
  expect_error([](auto& d) { d.eot = 4; }, ErrorCode::format, "the eot token is 4, outside the vocabulary of 4");
  expect_error([](auto& d) { d.eom = 4; }, ErrorCode::format, "the eom token is 4, outside the vocabulary of 4");
}

TEST(TokenizerErrors, MissingBosOrEos) {
  expect_error(
      [](auto& d) {
        d.bos.reset();
        d.add_bos = true;
      },
      ErrorCode::format, "the tokenizer adds a bos token but names none");
  expect_error(
      [](auto& d) {
        d.eos.reset();
        d.add_eos = true;
      },
      ErrorCode::format, "the tokenizer adds an eos token but names none");
  TokenizerData data = small();
  data.bos.reset();
  try {
    Tokenizer(data).encode("a", {.add_bos = true});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    EXPECT_EQ(error.message(), "the tokenizer has no bos token to add");
  }
}

TEST(TokenizerErrors, LongSpecialToken) {
  expect_error([](auto& d) { d.tokens[3] = std::string(257, 'x'); }, ErrorCode::unsupported,
               "special token 3 has 257 bytes; at most 256 are supported");
}

TEST(TokenizerErrors, EmptySpecialTokenNeverMatches) {
  TokenizerData data = small();
  data.tokens[3] = "";
  EXPECT_EQ(Tokenizer(data).encode("ab"), Ids{2});
}

}  // namespace
}  // namespace quince::testing
