// Cutting a template into text and tokens.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace quince::jinja {

enum class TokenKind { text, output_begin, output_end, tag_begin, tag_end, name, string, integer, real, op, end };

struct Token {
  TokenKind kind;
  std::string text;  ///< the text, the name, the operator, or the value of a string
  int line;
  std::int64_t integer = 0;
  double real = 0;
};

/// The tokens of a template, closed by one of kind `end`. White space around tags is removed as Jinja does with
/// trim_blocks and lstrip_blocks; comments are gone. Error(parse) names the line.
std::vector<Token> tokens(std::string_view source);

/// White space as Python's str.isspace() sees it.
bool is_space(char32_t code);
/// `text` without white space at its end, or at its beginning.
std::string_view stripped_end(std::string_view text);
std::string_view stripped_begin(std::string_view text);

}  // namespace quince::jinja
