// Repair of broken UTF-8, as Python and the Unicode standard do it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace quince {

inline constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

/// Length of the longest prefix that is valid UTF-8.
std::size_t valid_utf8_prefix(std::string_view bytes);

/// Appends `bytes` to `out` with every maximal ill-formed part replaced by one U+FFFD. Unless `final`, a sequence
/// that is cut off by the end but valid so far is left out. Returns how many bytes were used.
std::size_t append_repaired_utf8(std::string_view bytes, bool final, std::string& out);

/// The whole text, repaired.
std::string repaired_utf8(std::string_view bytes);

/// Appends one code point; surrogates and values past U+10FFFF give U+FFFD.
void append_utf8(char32_t code, std::string& out);

/// The code point at `at` of valid UTF-8; `at` moves past it.
char32_t next_code_point(std::string_view text, std::size_t& at);

}  // namespace quince
