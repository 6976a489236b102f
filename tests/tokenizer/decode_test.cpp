// Ids back to bytes, at once and as a stream.
#include <gmock/gmock.h>

#include "quince/error.h"
#include "tokenizer/data.h"

namespace quince::testing {
namespace {

TEST(Decode, UndoesEncode) {
  for (const char* pre : {"gpt-2", "smollm", "qwen2", "llama-bpe"}) {
    for (const Text& text : texts()) {
      Ids ids = tiny(pre).encode(text.bytes);
      ASSERT_EQ(tiny(pre).decode(ids, {.show_control = true}), text.repaired) << pre << ": " << printable(text.bytes);
    }
  }
}

TEST(Decode, ControlTokensGiveNoTextUnlessShown) {
  Ids ids = tiny().encode("<|im_start|>user\nhi <tool_call><|im_end|>");
  EXPECT_EQ(tiny().decode(ids), "user\nhi <tool_call>");
  EXPECT_EQ(tiny().decode(ids, {.show_control = true}), "<|im_start|>user\nhi <tool_call><|im_end|>");
  EXPECT_EQ(tiny().piece(ids.front()), "<|im_start|>");
  EXPECT_EQ(tiny().type(ids.front()), TokenType::control);
  EXPECT_EQ(tiny().type(0), TokenType::normal);
}

TEST(Decode, BytesNeedNotBeUtf8) {
  Ids ids{*tiny().find("ð"), *tiny().find("Ł")};  // bytes F0 and 9F of the byte alphabet
  EXPECT_EQ(tiny().decode(ids), "\xF0\x9F");
}

TEST(Decode, TokenOutsideTheByteAlphabetStandsForItself) {
  TokenizerData data = tiny_data("gpt-2");
  data.tokens.push_back("a b");
  data.types.push_back(static_cast<std::int32_t>(TokenType::normal));
  data.tokens.push_back("漢");
  data.types.push_back(static_cast<std::int32_t>(TokenType::unused));
  Tokenizer tokenizer(data);
  auto last = static_cast<std::int32_t>(tokenizer.size()) - 1;
  EXPECT_EQ(tokenizer.decode(Ids{last - 1, last}), "a b漢");
}

TEST(Decode, IdOutsideTheVocabulary) {
  auto size = static_cast<std::int32_t>(tiny().size());
  for (std::int32_t id : {size, -1}) {
    try {
      tiny().decode(Ids{0, id});
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::out_of_range);
      EXPECT_EQ(error.message(),
                "token " + std::to_string(id) + " is outside the vocabulary of " + std::to_string(size));
    }
  }
  EXPECT_THROW(tiny().piece(size), Error);
  EXPECT_THROW(tiny().type(-1), Error);
}

TEST(Decode, EndTokens) {
  TokenizerData data = tiny_data("smollm");
  data.eot = tiny().find("<|endoftext|>");
  Tokenizer tokenizer(data);
  EXPECT_TRUE(tokenizer.is_end(*data.eos));
  EXPECT_TRUE(tokenizer.is_end(*data.eot));
  EXPECT_FALSE(tokenizer.is_end(*data.bos));
  EXPECT_FALSE(tiny().is_end(*data.eot));
}

TEST(TextStream, PiecesJoinToTheWholeText) {
  for (const Text& text : texts()) {
    TextStream stream(tiny(), {.show_control = true});
    std::string joined;
    for (std::int32_t id : tiny().encode(text.bytes)) joined += stream.push(id);
    joined += stream.finish();
    ASSERT_EQ(joined, text.repaired) << printable(text.bytes);
  }
}

TEST(TextStream, HoldsBackAnUnfinishedCharacter) {
  TextStream stream(tiny());
  auto id = [](const char* token) { return *tiny().find(token); };
  EXPECT_EQ(stream.push(id("ð")), "");    // F0
  EXPECT_EQ(stream.push(id("Ł")), "");    // 9F
  EXPECT_EQ(stream.push(id("ĺ")), "");    // 98
  EXPECT_EQ(stream.push(id("Ģ")), "😀");  // 80
  EXPECT_EQ(stream.push(id("ð")), "");
  EXPECT_EQ(stream.push(id("a")), "\uFFFDa");  // F0 can no longer become a character
  EXPECT_EQ(stream.push(id("ð")), "");
  EXPECT_EQ(stream.finish(), "\uFFFD");
  EXPECT_EQ(stream.finish(), "");
  EXPECT_EQ(stream.push(id("b")), "b");
}

}  // namespace
}  // namespace quince::testing
