// A cursor over one line of graph text: quoted strings, bracketed lists, and text up to a keyword.
#include "graph/text_cursor.h"

namespace quince {
namespace {

Piece trimmed(std::string_view line, std::size_t begin, std::size_t end) {
  while (begin < end && line[begin] == ' ') ++begin;
  while (end > begin && line[end - 1] == ' ') --end;
  return {line.substr(begin, end - begin), begin};
}

}  // namespace

std::string TextCursor::quoted() {
  expect("\"");
  std::string result;
  for (; at_ < line_.size() && line_[at_] != '"'; ++at_) {
    if (line_[at_] != '\\') {
      result += line_[at_];
      continue;
    }
    if (++at_ == line_.size()) break;
    if (line_[at_] != 'x') {
      result += line_[at_];
      continue;
    }
    unsigned byte = 0;
    const char* digits = line_.data() + at_ + 1;
    if (at_ + 2 >= line_.size() || std::from_chars(digits, digits + 2, byte, 16).ptr != digits + 2) {
      fail("expected two hex digits");
    }
    result += static_cast<char>(byte);
    at_ += 2;
  }
  expect("\"");
  return result;
}

std::vector<Piece> TextCursor::bracketed(char open, char close) {
  expect(std::string_view(&open, 1));
  std::vector<Piece> parts;
  std::size_t begin = at_;
  int depth = 0;
  for (; at_ < line_.size(); ++at_) {
    const char c = line_[at_];
    if (depth == 0 && (c == close || c == ',')) {
      const Piece part = trimmed(line_, begin, at_);
      const bool empty_list = c == close && parts.empty() && part.text.empty();
      if (!empty_list) parts.push_back(part);
      begin = at_ + 1;
      if (c == close) {
        ++at_;
        return parts;
      }
    } else if (c == '(' || c == '[') {
      ++depth;
    } else if (c == ')' || c == ']') {
      --depth;
    }
  }
  fail(fmt::format("expected '{}'", close));
}

Piece TextCursor::until(std::string_view keyword) {
  skip_spaces();
  const std::size_t begin = at_;
  while (at_ < line_.size()) {
    if (is_word(line_[at_])) {
      const std::size_t start = at_;
      while (at_ < line_.size() && is_word(line_[at_])) ++at_;
      if (line_.substr(start, at_ - start) == keyword) {
        at_ = start;
        break;
      }
    } else {
      ++at_;
    }
  }
  return trimmed(line_, begin, at_);
}

}  // namespace quince
