// What tokenizer_data reads from a GGUF file.
#include <gmock/gmock.h>

#include "gguf/gguf_bytes.h"
#include "quince/error.h"
#include "tokenizer/data.h"

namespace quince::testing {
namespace {

/// Metadata of a small tokenizer; entries are added before the file is read.
class TokenizerFile {
 public:
  explicit TokenizerFile(std::string_view pre) { string("model", "gpt2").string("pre", pre); }

  TokenizerFile& string(std::string_view key, std::string_view value) {
    body_.key(full(key), GgufType::string).string(value);
    return counted();
  }
  TokenizerFile& strings(std::string_view key, const std::vector<std::string>& values) {
    body_.array(full(key), GgufType::string, values.size());
    for (const std::string& value : values) body_.string(value);
    return counted();
  }
  TokenizerFile& ints(std::string_view key, const std::vector<std::int32_t>& values) {
    body_.array(full(key), GgufType::i32, values.size());
    for (std::int32_t value : values) body_.put(value);
    return counted();
  }
  TokenizerFile& id(std::string_view role, std::uint64_t value) {
    body_.key(full(std::string(role) + "_token_id"), GgufType::u64).u64(value);
    return counted();
  }
  TokenizerFile& flag(std::string_view key, bool value) {
    body_.key(full(key), GgufType::boolean).put(static_cast<std::uint8_t>(value));
    return counted();
  }
  TokenizerFile& small() { return strings("tokens", {"a", "b", "ab", "<s>"}).strings("merges", {"a b"}); }

  TokenizerData read() {
    test::GgufBytes file;
    file.header(0, entries_);
    file.raw({reinterpret_cast<const char*>(body_.bytes().data()), body_.bytes().size()});
    return tokenizer_data(file.open());
  }

 private:
  static std::string full(std::string_view key) {
    return key.starts_with("tokenizer.") ? std::string(key) : "tokenizer.ggml." + std::string(key);
  }
  TokenizerFile& counted() {
    ++entries_;
    return *this;
  }

  test::GgufBytes body_;
  std::uint64_t entries_ = 0;
};

TEST(TokenizerGguf, ReadsEveryKey) {
  TokenizerData data = TokenizerFile("qwen2")
                           .small()
                           .ints("token_type", {1, 1, 1, 3})
                           .id("bos", 0)
                           .id("eos", 3)
                           .id("unknown", 1)
                           .id("seperator", 2)
                           .id("padding", 3)
                           .id("eot", 1)
                           .id("eom", 0)
                           .flag("add_bos_token", true)
                           .flag("add_eos_token", true)
                           .string("tokenizer.chat_template", "{{ 1 }}")
                           .read();
  EXPECT_EQ(data.model, "gpt2");
  EXPECT_EQ(data.pre, "qwen2");
  EXPECT_EQ(data.tokens, (std::vector<std::string>{"a", "b", "ab", "<s>"}));
  EXPECT_EQ(data.types, (Ids{1, 1, 1, 3}));
  EXPECT_EQ(data.merges, std::vector<std::string>{"a b"});
  EXPECT_EQ(data.bos, 0);
  EXPECT_EQ(data.eos, 3);
  EXPECT_EQ(data.unk, 1);
  EXPECT_EQ(data.sep, 2);
  EXPECT_EQ(data.pad, 3);
  EXPECT_EQ(data.eot, 1);
  EXPECT_EQ(data.eom, 0);
  EXPECT_TRUE(data.add_bos);
  EXPECT_TRUE(data.add_eos);
  EXPECT_EQ(data.chat_template, "{{ 1 }}");
  EXPECT_EQ(Tokenizer(data).encode("ab<s>"), (Ids{0, 2, 3, 3}));
}

TEST(TokenizerGguf, WhatIsNotSaidIsAbsent) {
  TokenizerData data = TokenizerFile("gpt-2").small().read();
  EXPECT_TRUE(data.types.empty());
  EXPECT_FALSE(data.bos || data.eos || data.unk || data.sep || data.pad || data.eot || data.eom);
  EXPECT_FALSE(data.add_bos || data.add_eos);
  EXPECT_EQ(data.chat_template, "");
}

TEST(TokenizerGguf, Llama3FilesThatSayNothingAddBos) {
  EXPECT_TRUE(TokenizerFile("llama-bpe").small().id("bos", 3).read().add_bos);
  EXPECT_FALSE(TokenizerFile("llama-bpe").small().id("bos", 3).flag("add_bos_token", false).read().add_bos);
  EXPECT_FALSE(TokenizerFile("llama-bpe").small().read().add_bos);
  EXPECT_FALSE(TokenizerFile("smollm").small().id("bos", 3).read().add_bos);
}

TEST(TokenizerGguf, Errors) {
  auto message = [](TokenizerFile& file) {
    try {
      Tokenizer tokenizer(file.read());
    } catch (const Error& error) {
      return std::string(name(error.code())) + ": " + error.message();
    }
    return std::string("no error");
  };
  TokenizerFile far("gpt-2"), typed("gpt-2"), counted("gpt-2"), unnamed(""), none("gpt-2");
  EXPECT_EQ(message(far.small().id("bos", 1ull << 31)),
            "format: tokenizer.ggml.bos_token_id is 2147483648, which no token id can be");
  EXPECT_EQ(message(typed.small().string("bos_token_id", "3")).substr(0, 46),
            "format: metadata 'tokenizer.ggml.bos_token_id'");
  EXPECT_EQ(message(counted.small().ints("token_type", {1})).substr(0, 44),
            "format: metadata 'tokenizer.ggml.token_type'");
  EXPECT_THAT(message(unnamed.small()), ::testing::StartsWith("unsupported: pre-tokenizer \"\" is not supported"));
  EXPECT_EQ(message(none.strings("tokens", {"a"})), "format: the tokenizer has no merges");
}

}  // namespace
}  // namespace quince::testing
