// Ids and word splits equal those of the `tokenizers` library (stored by tests/data/tokenizer/make.py).
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "io/bpe.h"
#include "io/pretokenizer.h"
#include "io/tokenizer_utf8.h"
#include "tokenizer/data.h"

namespace quince::testing {
namespace {

const std::vector<std::string> kPres{"gpt-2", "smollm", "qwen2", "llama-bpe"};

void expect_ids(const Tokenizer& tokenizer, const nlohmann::json& expected, const EncodeOptions& options = {}) {
  ASSERT_EQ(expected.size(), texts().size());
  for (std::size_t i = 0; i < texts().size(); ++i) {
    ASSERT_EQ(tokenizer.encode(texts()[i].bytes, options), expected[i].get<Ids>())
        << "text " << i << ": " << printable(texts()[i].bytes);
  }
}

TEST(Texts, AreManyAndSomeAreBroken) {
  EXPECT_GE(texts().size(), 2000u);
  EXPECT_GE(std::count_if(texts().begin(), texts().end(), [](const Text& t) { return t.bytes != t.repaired; }), 150);
}

TEST(Utf8, IsRepairedAsPythonDoes) {
  for (const Text& text : texts()) {
    EXPECT_EQ(repaired_utf8(text.bytes), text.repaired) << printable(text.bytes);
    EXPECT_EQ(valid_utf8_prefix(text.bytes) == text.bytes.size(), text.bytes == text.repaired);
  }
}

TEST(Utf8, RepairInPiecesEqualsRepairAtOnce) {
  for (const Text& text : texts()) {
    std::string pending, out;
    for (char byte : text.bytes) {
      pending += byte;
      pending.erase(0, append_repaired_utf8(pending, false, out));
      ASSERT_LT(pending.size(), 4u);
    }
    append_repaired_utf8(pending, true, out);
    ASSERT_EQ(out, text.repaired) << printable(text.bytes);
  }
}

TEST(Pretokenizer, SplitsAsTheLibraryDoes) {
  auto expected = stored("splits.json");
  for (const std::string& pre : kPres) {
    Pretokenizer::Run run{Pretokenizer(pre)};
    for (std::size_t i = 0; i < texts().size(); ++i) {
      std::vector<std::size_t> ends, expected_ends;
      run.split(texts()[i].repaired, ends);
      for (std::size_t end = 0; std::size_t length : expected[pre][i]) expected_ends.push_back(end += length);
      ASSERT_EQ(ends, expected_ends) << pre << ", text " << i << ": " << printable(texts()[i].bytes);
    }
  }
}

TEST(Encode, TinyVocabulary) {
  auto expected = stored("tiny_ids.json");
  for (const std::string& pre : kPres) expect_ids(tiny(pre), expected[pre]);
}

TEST(Encode, SpecialTokensAreTextWhenNotParsed) {
  expect_ids(tiny("qwen2"), stored("tiny_literal_ids.json"), {.parse_special = false});
}

TEST(Encode, SmolLm2Vocabulary) {
  auto tokenizer = model_tokenizer(kSmolLm2);
  if (!tokenizer) GTEST_SKIP() << "skipped: no models/" << kSmolLm2;
  expect_ids(*tokenizer, stored("smollm2.json"));
  EXPECT_EQ(tokenizer->encode("The capital of France is"), (Ids{504, 3575, 282, 4649, 314}));
}

TEST(Encode, Qwen25Vocabulary) {
  auto tokenizer = model_tokenizer(kQwen25);
  if (!tokenizer) GTEST_SKIP() << "skipped: no models/" << kQwen25;
  expect_ids(*tokenizer, stored("qwen2.5.json"));
}

TEST(Encode, AddsBosAndEosAsToldOrAsTheModelSays) {
  TokenizerData data = tiny_data("smollm");
  data.add_bos = true;
  Tokenizer tokenizer(data);
  Ids plain = tiny().encode("hello");
  Ids with_bos{*data.bos}, with_eos = plain;
  with_bos.insert(with_bos.end(), plain.begin(), plain.end());
  with_eos.push_back(*data.eos);
  EXPECT_EQ(tokenizer.encode("hello"), with_bos);
  EXPECT_EQ(tokenizer.encode("hello", {.add_bos = false}), plain);
  EXPECT_EQ(tokenizer.encode("hello", {.add_bos = false, .add_eos = true}), with_eos);
  EXPECT_EQ(tokenizer.encode(""), Ids{*data.bos});
}

TEST(Encode, ByteWithoutTokenGivesNone) {
  TokenizerData data{.pre = "gpt-2", .tokens = {"a", "b", "ab"}, .merges = {"a b"}};
  Tokenizer tokenizer(data);
  EXPECT_EQ(tokenizer.encode("axb"), Ids{2});  // as the library: neighbours of a dropped byte may merge
  EXPECT_EQ(tokenizer.encode("x"), Ids{});
}

RC_GTEST_PROP(Encode, MergesAsTheDefinitionSays, ()) {
  // Random merges over three letters, so that many pairs overlap and compete.
  TokenizerData data{.pre = "gpt-2", .tokens = {"a", "b", "c"}};
  auto index = rc::gen::inRange<std::size_t>(0, 1000);
  auto pairs = *rc::gen::container<std::vector<std::pair<std::size_t, std::size_t>>>(60, rc::gen::pair(index, index));
  for (auto [left, right] : pairs) {
    std::string first = data.tokens[left % data.tokens.size()], second = data.tokens[right % data.tokens.size()];
    std::string merge = first + " " + second, joined = first + second;
    if (joined.size() > 8 || std::count(data.merges.begin(), data.merges.end(), merge)) continue;
    data.merges.push_back(merge);
    if (!std::count(data.tokens.begin(), data.tokens.end(), joined)) data.tokens.push_back(joined);
  }
  auto length = *rc::gen::inRange<std::size_t>(1, 200);  // short words and long ones merge by different code
  auto word = *rc::gen::container<std::string>(length, rc::gen::elementOf(std::string("abc")));

  // The definition: while any pair is listed, merge the first occurrence of the one listed first.
  std::vector<std::string> symbols;
  for (char c : word) symbols.emplace_back(1, c);
  auto rank = [&](std::size_t i) {
    return std::find(data.merges.begin(), data.merges.end(), symbols[i] + " " + symbols[i + 1]) - data.merges.begin();
  };
  while (symbols.size() > 1) {
    std::size_t best = 0;
    for (std::size_t i = 1; i + 1 < symbols.size(); ++i) {
      if (rank(i) < rank(best)) best = i;
    }
    if (rank(best) == std::ssize(data.merges)) break;
    symbols[best] += symbols[best + 1];
    symbols.erase(symbols.begin() + static_cast<std::ptrdiff_t>(best) + 1);
  }
  Tokenizer tokenizer(data);
  Ids expected;
  for (const std::string& symbol : symbols) expected.push_back(*tokenizer.find(symbol));
  RC_ASSERT(tokenizer.encode(word) == expected);
}

TEST(Encode, OneMegabyteOfAnything) {
  // Milliseconds each (bench/tokenizer.cpp measures them); a quadratic step would take minutes.
  std::string prose;
  for (const Text& text : texts()) prose += text.repaired;
  for (const std::string& unit :
       {prose, std::string("a"), std::string("7"), std::string(" "), std::string("\n"), std::string("-"),
        std::string("😀"), std::string("<|im_start|>"), std::string("<|im_start|")}) {
    std::string text;
    while (text.size() < 1'000'000) text += unit;
    Ids ids = tiny().encode(text);
    EXPECT_TRUE(tiny().decode(ids, {.show_control = true}) == text) << printable(unit, 20);
  }
}

}  // namespace
}  // namespace quince::testing
