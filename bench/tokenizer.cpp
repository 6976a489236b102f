// Encoding speed in bytes/s: prose, and megabytes that are one word, one token or one digit after another.
#include <benchmark/benchmark.h>

#include <string>

#include "quince/io/tokenizer.h"

namespace {

/// All bytes that UTF-8 uses, doubling merges of some characters, and common pairs of letters.
quince::Tokenizer tokenizer() {
  quince::TokenizerData data;
  data.pre = "smollm";
  for (int code = 0x21; code < 0x144; ++code) {  // the GPT-2 byte alphabet
    if ((code > 0x7E && code < 0xA1) || code == 0xAD) continue;
    std::string text = code < 0x80
                           ? std::string(1, static_cast<char>(code))
                           : std::string{static_cast<char>(0xC0 | code >> 6), static_cast<char>(0x80 | (code & 63))};
    data.tokens.push_back(text);
  }
  auto merge = [&](const std::string& left, const std::string& right) {
    data.merges.push_back(left + " " + right);
    data.tokens.push_back(left + right);
  };
  for (std::string unit : {"a", "-", "Ġ"}) {
    for (int doubling = 0; doubling < 4; ++doubling, unit += unit) merge(unit, unit);
  }
  for (char left : std::string("aeinorst")) {
    for (char right : std::string("dhlmnrstu")) merge(std::string(1, left), std::string(1, right));
  }
  data.types.assign(data.tokens.size(), 1);
  data.tokens.push_back("<|im_start|>");
  data.types.push_back(static_cast<int>(quince::TokenType::control));
  return quince::Tokenizer(std::move(data));
}

void encode(benchmark::State& state, const std::string& unit) {
  static const quince::Tokenizer made = tokenizer();
  std::string text;
  while (text.size() < 1'000'000) text += unit;
  for (auto _ : state) benchmark::DoNotOptimize(made.encode(text));
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * text.size()));
}

BENCHMARK_CAPTURE(encode, prose, "The rest is noise, and 1234 other things that nobody sees: trains at 10:45.\n");
BENCHMARK_CAPTURE(encode, one_word, "a");
BENCHMARK_CAPTURE(encode, words_of_letters, "thequickbrownfoxjumpsoverthelazydog");
BENCHMARK_CAPTURE(encode, spaces, " ");
BENCHMARK_CAPTURE(encode, digits, "7");
BENCHMARK_CAPTURE(encode, punctuation, "-");
BENCHMARK_CAPTURE(encode, emoji, "😀");
BENCHMARK_CAPTURE(encode, special, "<|im_start|>");
BENCHMARK_CAPTURE(encode, nearly_special, "<|im_start|");

}  // namespace
