// Statements of the chat template language.
#include "io/jinja_parser.h"

#include "io/jinja_expression.h"

namespace quince::jinja {
namespace {

class Parser {
 public:
  explicit Parser(std::string_view source) : stream_(source), expressions_(stream_) {}

  Block run() {
    Block block = body({});
    if (!stream_.at(TokenKind::end)) unknown_tag();
    return block;
  }

 private:
  /// Statements up to a tag named in `ends`, whose name is then the current token, or up to the end of the template.
  Block body(std::initializer_list<std::string_view> ends) {
    Nesting nesting(stream_);
    Block block;
    while (!stream_.at(TokenKind::end)) {
      int line = stream_.current().line;
      if (stream_.at(TokenKind::text)) {
        block.push_back({.kind = Statement::Kind::text, .line = line, .text = stream_.take().text});
      } else if (stream_.at(TokenKind::output_begin)) {
        stream_.take();
        block.push_back({.kind = Statement::Kind::output, .line = line, .expression = expressions_.tuple()});
        stream_.expect(TokenKind::output_end, "\"}}\"");
      } else {
        stream_.take();
        for (std::string_view end : ends) {
          if (stream_.at_name(end)) return block;
        }
        if (!tag(line, block)) return block;
      }
    }
    if (ends.size() > 0) stream_.fail(fmt::format("\"{}\" is missing", *(ends.end() - 1)));
    return block;
  }

  /// One statement from the name of its tag on; false at a name that begins none.
  bool tag(int line, Block& block) {
    using Kind = Statement::Kind;
    if (stream_.take_name("if")) {
      block.push_back(branch(line));
    } else if (stream_.take_name("for")) {
      block.push_back(loop(line));
    } else if (stream_.take_name("set")) {
      block.push_back(set(line));
    } else if (stream_.take_name("generation")) {
      end_of_tag();
      block.push_back({.kind = Kind::group, .line = line, .body = body({"endgeneration"})});
      closing("endgeneration");
    } else if (stream_.at_name("break") || stream_.at_name("continue")) {
      bool breaks = stream_.take().text == "break";
      if (loops_ == 0) stream_.fail("break and continue belong inside a for");
      block.push_back({.kind = breaks ? Kind::break_loop : Kind::continue_loop, .line = line});
      end_of_tag();
    } else {
      unknown_tag();
    }
    return true;
  }

  [[noreturn]] void unknown_tag() {
    const Token& found = stream_.current();
    if (found.kind != TokenKind::name) stream_.fail("the name of a tag is missing");
    for (std::string_view stray : {"elif", "else", "endif", "endfor", "endset", "endgeneration"}) {
      if (found.text == stray) stream_.fail(fmt::format("unexpected \"{}\"", stray));
    }
    stream_.unsupported(fmt::format("the tag \"{}\"", found.text));
  }

  void end_of_tag() { stream_.expect(TokenKind::tag_end, "\"%}\""); }

  void closing(std::string_view name) {
    if (!stream_.take_name(name)) stream_.fail(fmt::format("\"{}\" is missing", name));
    end_of_tag();
  }

  /// After "if" or "elif".
  Statement branch(int line) {
    Nesting nesting(stream_);
    Statement statement{.kind = Statement::Kind::branch, .line = line, .expression = expressions_.tuple()};
    end_of_tag();
    statement.body = body({"elif", "else", "endif"});
    int next_line = stream_.current().line;
    if (stream_.take_name("elif")) {
      statement.otherwise.push_back(branch(next_line));
      return statement;
    }
    if (stream_.take_name("else")) {
      end_of_tag();
      statement.otherwise = body({"endif"});
    }
    closing("endif");
    return statement;
  }

  Statement loop(int line) {
    Statement statement{.kind = Statement::Kind::loop, .line = line, .names = names()};
    if (!stream_.take_name("in")) stream_.fail("\"in\" is missing");
    statement.expression = expressions_.tuple_without_condition();
    if (stream_.take_name("if")) statement.condition = expressions_.expression();
    if (stream_.at_name("recursive")) stream_.unsupported("a recursive for");
    end_of_tag();
    ++loops_;
    statement.body = body({"else", "endfor"});
    --loops_;
    if (stream_.take_name("else")) {
      end_of_tag();
      statement.otherwise = body({"endfor"});
    }
    closing("endfor");
    return statement;
  }

  Statement set(int line) {
    Statement statement{.kind = Statement::Kind::set, .line = line, .names = names()};
    if (statement.names.size() == 1 && stream_.take_op(".")) {
      statement.attribute = stream_.expect(TokenKind::name, "the name of an attribute").text;
    }
    if (stream_.take_op("=")) {
      statement.expression = expressions_.tuple();
      end_of_tag();
      return statement;
    }
    if (stream_.at_op("|")) stream_.unsupported("a filter in a block set");
    if (statement.names.size() != 1 || !statement.attribute.empty()) stream_.fail("\"=\" is missing");
    end_of_tag();
    statement.kind = Statement::Kind::capture;
    // What is captured runs in a scope of its own, so a loop around it cannot be left from inside.
    int loops = std::exchange(loops_, 0);
    statement.body = body({"endset"});
    loops_ = loops;
    closing("endset");
    return statement;
  }

  std::vector<std::string> names() {
    std::vector<std::string> names;
    bool bracket = stream_.take_op("(");
    do {
      names.push_back(stream_.expect(TokenKind::name, "the name of a variable").text);
    } while (stream_.take_op(","));
    if (bracket && !stream_.take_op(")")) stream_.fail("\")\" is missing");
    return names;
  }

  TokenStream stream_;
  ExpressionParser expressions_;
  int loops_ = 0;
};

}  // namespace

Block parse(std::string_view source) { return Parser(source).run(); }

}  // namespace quince::jinja
