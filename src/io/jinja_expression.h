// Reading tokens, and the expressions made of them.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "io/jinja_lexer.h"
#include "io/jinja_parser.h"

namespace quince::jinja {

/// The tokens of a template with a current one.
class TokenStream {
 public:
  explicit TokenStream(std::string_view source) : tokens_(tokens(source)) {}

  const Token& current() const { return tokens_[at_]; }
  bool at(TokenKind kind) const { return current().kind == kind; }
  bool at_name(std::string_view name) const { return at(TokenKind::name) && current().text == name; }
  bool at_op(std::string_view op) const { return at(TokenKind::op) && current().text == op; }
  /// The token after the current one.
  const Token& following() const { return tokens_[std::min(at_ + 1, tokens_.size() - 1)]; }

  /// The current token; moves on, except from the end.
  Token take();
  bool take_name(std::string_view name);
  bool take_op(std::string_view op);
  /// Error(parse) says that `what` is missing.
  Token expect(TokenKind kind, std::string_view what);

  [[noreturn]] void fail(std::string_view message) const;
  [[noreturn]] void unsupported(std::string_view what) const;

  int depth = 0;  ///< of the constructs being read

 private:
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
};

/// Counts one level of nesting while it lives. Error(resource) past the limit, which keeps recursion off the stack's
/// end.
class Nesting {
 public:
  static constexpr int kMaxDepth = 200;
  explicit Nesting(TokenStream& stream);
  ~Nesting() { --stream_.depth; }
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;

 private:
  TokenStream& stream_;
};

/// Recursive descent over Jinja's levels of precedence.
class ExpressionParser {
 public:
  explicit ExpressionParser(TokenStream& stream) : stream_(stream) {}

  ExpressionPtr expression();
  /// An expression, or several with commas between, which make a tuple.
  ExpressionPtr tuple();
  /// As tuple, but an `if` after it is not part of it.
  ExpressionPtr tuple_without_condition();

 private:
  ExpressionPtr tuple_of(ExpressionPtr (ExpressionParser::*element)());
  ExpressionPtr disjunction();
  ExpressionPtr conjunction();
  ExpressionPtr negation();
  ExpressionPtr comparison();
  ExpressionPtr arithmetic(int level);
  ExpressionPtr unary(bool with_filters);
  ExpressionPtr primary();
  ExpressionPtr list();
  ExpressionPtr dict();
  ExpressionPtr postfix(ExpressionPtr operand);
  ExpressionPtr subscript(ExpressionPtr operand);
  ExpressionPtr filters_and_tests(ExpressionPtr operand);
  ExpressionPtr test(ExpressionPtr operand);
  void arguments(Expression& call);

  /// A node over operands; checks how deep it is.
  ExpressionPtr node(Expression::Kind kind, int line, std::string name, std::vector<ExpressionPtr> args);
  template <class... Args>
  ExpressionPtr make(Expression::Kind kind, int line, std::string name, Args... args) {
    std::vector<ExpressionPtr> list;
    (list.push_back(std::move(args)), ...);
    return node(kind, line, std::move(name), std::move(list));
  }

  TokenStream& stream_;
};

}  // namespace quince::jinja
