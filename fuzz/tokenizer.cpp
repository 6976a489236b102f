// Any bytes: ids stay in range, valid UTF-8 comes back from decode, and a stream says the same. The first byte picks
// the pre-tokenizer and the options; some inputs are read as a vocabulary instead.
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/tokenizer_bytes.h"
#include "io/tokenizer_utf8.h"
#include "quince/error.h"
#include "quince/io/tokenizer.h"

namespace {

using quince::Tokenizer;
using quince::TokenizerData;

constexpr std::array kPres{"gpt-2", "smollm", "qwen2", "llama-bpe"};

void add_token(TokenizerData& data, std::string token, quince::TokenType type) {
  data.tokens.push_back(std::move(token));
  data.types.push_back(static_cast<std::int32_t>(type));
}

/// All bytes, some merges of letters, digits, spaces and the bytes of U+FFFD, and special tokens that share prefixes.
Tokenizer small_tokenizer(const char* pre) {
  TokenizerData data;
  data.pre = pre;
  for (int byte = 0; byte < 256; ++byte) {
    add_token(data, quince::byte_token(static_cast<std::uint8_t>(byte)), quince::TokenType::normal);
  }
  for (const char* merge :
       {"a a", "aa aa", "aaaa aa", "t h", "th e", "Ġ the", "Ġ Ġ", "ĠĠ ĠĠ", "1 2", "ï ¿", "ï¿ ½", "ðŁ ĺ"}) {
    std::string token = merge;
    token.erase(token.find(' '), 1);
    if (token == "ðŁĺ") {
      data.merges.push_back("ð Ł");
      add_token(data, "ðŁ", quince::TokenType::normal);
    }
    data.merges.push_back(merge);
    add_token(data, token, quince::TokenType::normal);
  }
  for (const char* token : {"<|s|>", "<|s|><|s", "<|", "|>a"}) add_token(data, token, quince::TokenType::control);
  add_token(data, "aa|", quince::TokenType::user_defined);
  return Tokenizer(std::move(data));
}

void check_text(const Tokenizer& tokenizer, std::string_view text, bool parse_special) {
  std::vector<std::int32_t> ids = tokenizer.encode(text, {.parse_special = parse_special});
  for (std::int32_t id : ids) {
    if (id < 0 || static_cast<std::size_t>(id) >= tokenizer.size()) __builtin_trap();
  }
  std::string repaired = quince::repaired_utf8(text);
  if (tokenizer.decode(ids, {.show_control = true}) != repaired) __builtin_trap();
  quince::TextStream stream(tokenizer, {.show_control = true});
  std::string streamed;
  for (std::int32_t id : ids) streamed += stream.push(id);
  if (streamed + stream.finish() != repaired) __builtin_trap();
}

/// Lines of the input are tokens, merges (with a space) and special tokens ("!" first).
void check_vocabulary(std::string_view text) {
  TokenizerData data;
  data.pre = "llama-bpe";
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.starts_with('!')) {
      add_token(data, std::string(line.substr(1)), quince::TokenType::control);
    } else if (line.find(' ') != line.npos) {
      data.merges.emplace_back(line);
    } else {
      add_token(data, std::string(line), quince::TokenType::normal);
    }
  }
  try {
    Tokenizer tokenizer(data);
    std::string all;
    for (const std::string& token : data.tokens) all += token + " ";
    for (std::int32_t id : tokenizer.encode(all)) tokenizer.piece(id);
  } catch (const quince::Error& error) {
    if (error.code() == quince::ErrorCode::internal || error.message().empty()) __builtin_trap();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::array<Tokenizer, 4> kTokenizers{small_tokenizer(kPres[0]), small_tokenizer(kPres[1]),
                                                    small_tokenizer(kPres[2]), small_tokenizer(kPres[3])};
  if (size == 0) return 0;
  std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] & 8) {
    check_vocabulary(text);
  } else {
    check_text(kTokenizers[data[0] & 3], text, data[0] & 4);
  }
  return 0;
}
