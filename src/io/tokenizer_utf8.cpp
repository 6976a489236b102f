// Repair of broken UTF-8, as Python and the Unicode standard do it.
#include "io/tokenizer_utf8.h"

#include <cstdint>
#include <cstring>

namespace quince {
namespace {

struct Sequence {
  std::size_t length = 1;  // bytes of the character, or of the ill-formed part
  bool valid = false;
  bool cut = false;  // the text ended inside a sequence that was valid so far
};

/// Table 3-7 of the Unicode standard: the second byte's range depends on the first, later ones are 80..BF.
Sequence scan(std::string_view text, std::size_t at) {
  auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  std::uint8_t first = byte(at);
  if (first < 0x80) return {1, true, false};
  if (first < 0xC2 || first > 0xF4) return {};
  std::size_t size = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  std::uint8_t low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  std::uint8_t high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
  for (std::size_t i = 1; i < size; ++i) {
    if (at + i == text.size()) return {i, false, true};
    if (byte(at + i) < low || byte(at + i) > high) return {i, false, false};
    low = 0x80;
    high = 0xBF;
  }
  return {size, true, false};
}

}  // namespace

std::size_t valid_utf8_prefix(std::string_view bytes) {
  std::size_t at = 0;
  while (at < bytes.size()) {
    std::uint64_t word;
    while (at + sizeof word <= bytes.size()) {  // eight ASCII bytes at once
      std::memcpy(&word, bytes.data() + at, sizeof word);
      if (word & 0x8080808080808080u) break;
      at += sizeof word;
    }
    if (at == bytes.size()) break;
    Sequence next = scan(bytes, at);
    if (!next.valid) break;
    at += next.length;
  }
  return at;
}

std::size_t append_repaired_utf8(std::string_view bytes, bool final, std::string& out) {
  std::size_t at = 0;
  while (true) {
    std::size_t valid = valid_utf8_prefix(bytes.substr(at));
    out.append(bytes, at, valid);
    at += valid;
    if (at == bytes.size()) return at;
    Sequence broken = scan(bytes, at);
    if (broken.cut && !final) return at;
    out += kReplacement;
    at += broken.length;
  }
}

std::string repaired_utf8(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  append_repaired_utf8(bytes, true, out);
  return out;
}

void append_utf8(char32_t code, std::string& out) {
  if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) {
    out += kReplacement;
  } else if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | code >> 6);
    out += static_cast<char>(0x80 | (code & 63));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | code >> 12);
    out += static_cast<char>(0x80 | (code >> 6 & 63));
    out += static_cast<char>(0x80 | (code & 63));
  } else {
    out += static_cast<char>(0xF0 | code >> 18);
    out += static_cast<char>(0x80 | (code >> 12 & 63));
    out += static_cast<char>(0x80 | (code >> 6 & 63));
    out += static_cast<char>(0x80 | (code & 63));
  }
}

char32_t next_code_point(std::string_view text, std::size_t& at) {
  auto first = static_cast<std::uint8_t>(text[at++]);
  if (first < 0x80) return first;
  int more = first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3;
  char32_t code = first & (0x3F >> more);
  for (; more > 0; --more) code = code << 6 | (static_cast<std::uint8_t>(text[at++]) & 0x3F);
  return code;
}

}  // namespace quince
