// Cutting a template into text and tokens.
#include "io/jinja_lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "io/tokenizer_utf8.h"
#include "quince/error.h"
#include "quince/io/gguf.h"

namespace quince::jinja {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

/// Jinja sees "\n" for every line end and drops one at the end of the template.
std::string normalised(std::string_view source) {
  std::string out;
  out.reserve(source.size());
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (source[i] == '\r') {
      out += '\n';
      if (i + 1 < source.size() && source[i + 1] == '\n') ++i;
    } else {
      out += source[i];
    }
  }
  if (!out.empty() && out.back() == '\n') out.pop_back();
  return out;
}

class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(normalised(repaired_utf8(source))) {}

  std::vector<Token> run() {
    while (at_ < source_.size()) template_text();
    add(TokenKind::end, "");
    return std::move(tokens_);
  }

 private:
  [[noreturn]] void fail(std::string_view message) const {
    throw Error(ErrorCode::parse, fmt::format("line {}: {}", line_, message));
  }

  void add(TokenKind kind, std::string text) { tokens_.push_back({kind, std::move(text), line_}); }

  bool next_is(std::string_view text) const { return std::string_view(source_).substr(at_).starts_with(text); }

  /// Moves past `count` bytes and counts their lines.
  void skip(std::size_t count) {
    line_ += static_cast<int>(std::count(source_.begin() + static_cast<std::ptrdiff_t>(at_),
                                         source_.begin() + static_cast<std::ptrdiff_t>(at_ + count), '\n'));
    at_ += count;
  }

  /// One stretch of text and the tag, output or comment after it.
  void template_text() {
    std::string_view rest = std::string_view(source_).substr(at_);
    std::size_t open = rest.find('{');
    while (open != rest.npos &&
           (open + 1 == rest.size() || std::string_view("{%#").find(rest[open + 1]) == rest.npos)) {
      open = rest.find('{', open + 1);
    }
    std::string_view text = rest.substr(0, open);
    if (open == rest.npos) {
      add_text(text);
      skip(text.size());
      return;
    }
    char kind = rest[open + 1];
    char sign = open + 2 < rest.size() ? rest[open + 2] : ' ';
    bool has_sign = sign == '-' || sign == '+';
    std::string_view kept = sign == '-' ? stripped_end(text) : text;
    if (!has_sign && kind != '{') kept = without_indent(text);
    add_text(kept);
    skip(open + 2 + (has_sign ? 1 : 0));
    if (kind == '#') {
      comment();
    } else {
      add(kind == '{' ? TokenKind::output_begin : TokenKind::tag_begin, "");
      expression(kind == '{' ? "}}" : "%}", kind == '{' ? TokenKind::output_end : TokenKind::tag_end);
    }
  }

  void add_text(std::string_view text) {
    if (!text.empty()) add(TokenKind::text, std::string(text));
  }

  /// lstrip_blocks: white space between the beginning of the line and a tag goes.
  std::string_view without_indent(std::string_view text) const {
    std::size_t newline = text.rfind('\n');
    std::size_t begin = newline == text.npos ? 0 : newline + 1;
    bool at_line_start = newline != text.npos || at_ == 0 || source_[at_ - 1] == '\n';
    return at_line_start && stripped_begin(text.substr(begin)).empty() ? text.substr(0, begin) : text;
  }

  /// Past the end of a tag or comment, and past white space as its sign and trim_blocks say.
  void close(char sign, bool trim_newline) {
    skip(2 + (sign ? 1 : 0));
    if (sign == '-') {
      std::string_view rest = std::string_view(source_).substr(at_);
      skip(rest.size() - stripped_begin(rest).size());
    } else if (sign != '+' && trim_newline && next_is("\n")) {
      skip(1);
    }
  }

  void comment() {
    std::size_t end = source_.find("#}", at_);
    if (end == source_.npos) fail("a comment is not closed");
    char sign = end > at_ && (source_[end - 1] == '-' || source_[end - 1] == '+') ? source_[end - 1] : '\0';
    skip(end - at_ - (sign ? 1 : 0));
    close(sign, true);
  }

  /// The tokens up to and including the closing delimiter.
  void expression(std::string_view closer, TokenKind end) {
    std::string open_brackets;
    int first_line = line_;
    while (true) {
      std::string_view rest = std::string_view(source_).substr(at_);
      std::size_t spaces = rest.size() - stripped_begin(rest).size();
      if (spaces) {
        skip(spaces);
        continue;
      }
      if (rest.empty()) {
        line_ = first_line;
        fail(fmt::format("\"{}\" is missing", closer));
      }
      if (open_brackets.empty()) {
        bool tag = closer == "%}";
        char sign = rest[0] == '-' || (rest[0] == '+' && tag) ? rest[0] : '\0';
        if (rest.substr(sign ? 1 : 0).starts_with(closer)) {
          add(end, "");
          close(sign, tag);
          return;
        }
      }
      if (rest[0] == '"' || rest[0] == '\'') {
        string(rest[0]);
      } else if (is_digit(rest[0])) {
        number(rest);
      } else if (is_word(rest[0])) {
        auto length = static_cast<std::size_t>(std::find_if_not(rest.begin(), rest.end(), is_word) - rest.begin());
        add(TokenKind::name, std::string(rest.substr(0, length)));
        skip(length);
      } else {
        operation(rest, open_brackets);
      }
    }
  }

  void operation(std::string_view rest, std::string& open_brackets) {
    constexpr std::string_view kTwo[] = {"==", "!=", "<=", ">=", "//", "**"};
    for (std::string_view two : kTwo) {
      if (rest.starts_with(two)) {
        add(TokenKind::op, std::string(two));
        skip(2);
        return;
      }
    }
    char c = rest[0];
    if (c == '(' || c == '[' || c == '{') open_brackets += c == '(' ? ')' : c == '[' ? ']' : '}';
    if (c == ')' || c == ']' || c == '}') {
      if (open_brackets.empty() || open_brackets.back() != c) fail(fmt::format("unexpected \"{}\"", c));
      open_brackets.pop_back();
    } else if (std::string_view("+-*/%~<>=.:|,;([{").find(c) == std::string_view::npos) {
      std::size_t length = 0;
      next_code_point(rest, length);
      fail(fmt::format("unexpected \"{}\"", printable(rest.substr(0, length))));
    }
    add(TokenKind::op, std::string(1, c));
    skip(1);
  }

  void number(std::string_view rest) {
    std::string digits;
    std::size_t i = 0;
    int base = 10;
    if (rest[0] == '0' && rest.size() > 1) {
      char prefix = static_cast<char>(rest[1] | 0x20);
      base = prefix == 'x' ? 16 : prefix == 'o' ? 8 : prefix == 'b' ? 2 : 10;
      if (base != 10) i = 2;
    }
    auto digit_run = [&] {
      for (; i < rest.size() && (is_word(rest[i]) && (base == 16 || is_digit(rest[i]) || rest[i] == '_')); ++i) {
        if (rest[i] != '_') digits += rest[i];
      }
    };
    digit_run();
    bool real = false;
    if (base == 10 && i + 1 < rest.size() && rest[i] == '.' && is_digit(rest[i + 1])) {
      real = true;
      digits += rest[i++];
      digit_run();
    }
    if (base == 10 && i < rest.size() && (rest[i] == 'e' || rest[i] == 'E')) {
      std::size_t sign = i + 1 < rest.size() && (rest[i + 1] == '+' || rest[i + 1] == '-') ? 1 : 0;
      if (i + 1 + sign < rest.size() && is_digit(rest[i + 1 + sign])) {
        real = true;
        digits += 'e';
        if (sign) digits += rest[i + 1];
        i += 1 + sign;
        digit_run();
      }
    }
    Token token{real ? TokenKind::real : TokenKind::integer, digits, line_};
    const char *begin = digits.data(), *end = begin + digits.size();
    auto read = real ? std::from_chars(begin, end, token.real) : std::from_chars(begin, end, token.integer, base);
    if (read.ec != std::errc() || read.ptr != end)
      fail(fmt::format("bad number \"{}\"", printable(rest.substr(0, i), 40)));
    tokens_.push_back(std::move(token));
    skip(i);
  }

  /// A string literal with Python's escapes.
  void string(char quote) {
    std::string value;
    std::size_t i = at_ + 1;
    for (; i < source_.size() && source_[i] != quote; ++i) {
      if (source_[i] != '\\' || i + 1 == source_.size()) {
        value += source_[i];
        continue;
      }
      char c = source_[++i];
      switch (c) {
        case '\n': break;
        case 'n': value += '\n'; break;
        case 't': value += '\t'; break;
        case 'r': value += '\r'; break;
        case 'a': value += '\a'; break;
        case 'b': value += '\b'; break;
        case 'f': value += '\f'; break;
        case 'v': value += '\v'; break;
        case '\\':
        case '\'':
        case '"': value += c; break;
        case 'x': append_utf8(escape(i, 2, 16), value); break;
        case 'u': append_utf8(escape(i, 4, 16), value); break;
        case 'U': append_utf8(escape(i, 8, 16), value); break;
        case 'N': fail("\\N{…} in a string is not supported");
        default:
          if (c >= '0' && c <= '7') {
            --i;
            append_utf8(escape(i, 3, 8), value);
          } else {
            value += '\\';
            value += c;
          }
      }
    }
    if (i == source_.size()) fail("a string is not closed");
    add(TokenKind::string, std::move(value));
    skip(i + 1 - at_);
  }

  /// The number of up to `digits` digits after position i, which moves to the last of them; hexadecimal ones must all
  /// be there.
  char32_t escape(std::size_t& i, std::size_t digits, int base) {
    std::uint32_t code = 0;
    const char* begin = source_.data() + i + 1;
    const char* limit = source_.data() + std::min(source_.size(), i + 1 + digits);
    auto read = std::from_chars(begin, limit, code, base);
    if (read.ptr == begin || (base == 16 && read.ptr != begin + digits))
      fail("a \\ escape in a string has too few digits");
    i += static_cast<std::size_t>(read.ptr - begin);
    return code;
  }

  std::string source_;
  std::size_t at_ = 0;
  int line_ = 1;
  std::vector<Token> tokens_;
};

}  // namespace

bool is_space(char32_t code) {
  return (code >= 0x09 && code <= 0x0D) || (code >= 0x1C && code <= 0x20) || code == 0x85 || code == 0xA0 ||
         code == 0x1680 || (code >= 0x2000 && code <= 0x200A) || code == 0x2028 || code == 0x2029 || code == 0x202F ||
         code == 0x205F || code == 0x3000;
}

std::string_view stripped_begin(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    std::size_t begin = at;
    if (!is_space(next_code_point(text, at))) return text.substr(begin);
  }
  return {};
}

std::string_view stripped_end(std::string_view text) {
  while (!text.empty()) {
    std::size_t begin = text.size() - 1;
    while (begin > 0 && (text[begin] & 0xC0) == 0x80) --begin;
    std::size_t at = begin;
    if (!is_space(next_code_point(text, at))) break;
    text = text.substr(0, begin);
  }
  return text;
}

std::vector<Token> tokens(std::string_view source) { return Lexer(source).run(); }

}  // namespace quince::jinja
