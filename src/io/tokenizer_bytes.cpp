// The byte alphabet of GPT-2: every byte as one printable character, so that a vocabulary is text.
#include "io/tokenizer_bytes.h"

#include "io/tokenizer_utf8.h"

namespace quince {
namespace {

constexpr auto kAlphabet = byte_alphabet();
constexpr char32_t kPastAlphabet = 0x144;  // 68 bytes are not printable
constexpr auto kByteOfCharacter = [] {
  std::array<std::int16_t, kPastAlphabet> bytes{};
  bytes.fill(-1);
  for (std::int16_t byte = 0; byte < 256; ++byte) bytes[kAlphabet[byte]] = byte;
  return bytes;
}();

}  // namespace

std::string byte_token(std::uint8_t byte) {
  std::string text;
  append_utf8(kAlphabet[byte], text);
  return text;
}

std::string bytes_of_token(std::string_view token) {
  if (valid_utf8_prefix(token) != token.size()) return std::string(token);
  std::string bytes;
  bytes.reserve(token.size());
  for (std::size_t at = 0; at < token.size();) {
    char32_t character = next_code_point(token, at);
    if (character >= kPastAlphabet || kByteOfCharacter[character] < 0) return std::string(token);
    bytes += static_cast<char>(kByteOfCharacter[character]);
  }
  return bytes;
}

}  // namespace quince
