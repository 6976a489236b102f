// The byte alphabet of GPT-2: every byte as one printable character, so that a vocabulary is text.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace quince {

/// byte → its character: the byte itself where it is printable in Latin-1, else U+0100 and up in order.
constexpr std::array<char32_t, 256> byte_alphabet() {
  std::array<char32_t, 256> characters{};
  char32_t next = 0x100;
  for (char32_t byte = 0; byte < 256; ++byte) {
    bool printable = (byte > 0x20 && byte < 0x7F) || (byte > 0xA0 && byte != 0xAD);
    characters[byte] = printable ? byte : next++;
  }
  return characters;
}

/// The character of one byte, in UTF-8.
std::string byte_token(std::uint8_t byte);

/// The bytes that a token's text stands for. A text with any character outside the alphabet stands for itself.
std::string bytes_of_token(std::string_view token);

}  // namespace quince
