// A cursor over one line of graph text: tokens, brackets and errors with line and column.
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <string>
#include <string_view>
#include <vector>

#include "quince/error.h"

namespace quince {

/// A piece of a line and the column (from 0) where it starts.
struct Piece {
  std::string_view text;
  std::size_t column = 0;
};

class TextCursor {
 public:
  TextCursor(std::string_view line, std::size_t number) : line_(line), number_(number) {}

  [[noreturn]] void fail_at(std::size_t column, std::string_view what) const {
    throw Error(ErrorCode::parse, fmt::format("line {}, column {}: {}", number_, column + 1, what));
  }
  [[noreturn]] void fail(std::string_view what) const { fail_at(at_, what); }

  void skip_spaces() {
    while (at_ < line_.size() && line_[at_] == ' ') ++at_;
  }
  bool done() {
    skip_spaces();
    return at_ == line_.size();
  }
  void expect_done() {
    if (!done()) fail("expected the end of the line");
  }
  std::size_t column() const { return at_; }

  /// Takes `token` if it comes next. A word must end there.
  bool take(std::string_view token) {
    skip_spaces();
    if (!line_.substr(at_).starts_with(token)) return false;
    const std::size_t end = at_ + token.size();
    if (is_word(token.back()) && end < line_.size() && is_word(line_[end])) return false;
    at_ = end;
    return true;
  }
  void expect(std::string_view token) {
    if (!take(token)) fail(fmt::format("expected '{}'", token));
  }
  std::string_view word(std::string_view what) {
    skip_spaces();
    const std::size_t begin = at_;
    while (at_ < line_.size() && is_word(line_[at_])) ++at_;
    if (at_ == begin) fail(fmt::format("expected {}", what));
    return line_.substr(begin, at_ - begin);
  }
  std::int64_t integer(std::string_view what) {
    skip_spaces();
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(line_.data() + at_, line_.data() + line_.size(), value);
    if (error != std::errc{}) fail(fmt::format("expected {}", what));
    at_ = static_cast<std::size_t>(end - line_.data());
    return value;
  }
  /// A scalar: everything up to a space, comma or bracket.
  std::string_view scalar_text() {
    skip_spaces();
    const std::size_t begin = at_;
    while (at_ < line_.size() && std::string_view(" ,)]").find(line_[at_]) == std::string_view::npos) ++at_;
    return line_.substr(begin, at_ - begin);
  }
  std::string quoted();
  bool at_quote() {
    skip_spaces();
    return at_ < line_.size() && line_[at_] == '"';
  }
  bool at(char c) const { return at_ < line_.size() && line_[at_] == c; }

  /// "[x, y, …]" as its parts, split at commas outside inner brackets.
  std::vector<Piece> bracketed(char open = '[', char close = ']');
  /// The text up to `word` (a whole word, outside brackets), or up to the end of the line.
  Piece until(std::string_view word);

 private:
  static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  }

  std::string_view line_;
  std::size_t number_;
  std::size_t at_ = 0;
};

}  // namespace quince
