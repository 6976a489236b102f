// Expressions of the chat template language.
#include "io/jinja_expression.h"

#include <algorithm>

#include "quince/error.h"
#include "quince/io/gguf.h"

namespace quince::jinja {

using Kind = Expression::Kind;

Token TokenStream::take() {
  Token token = current();
  if (at_ + 1 < tokens_.size()) ++at_;
  return token;
}

bool TokenStream::take_name(std::string_view name) {
  if (!at_name(name)) return false;
  take();
  return true;
}

bool TokenStream::take_op(std::string_view op) {
  if (!at_op(op)) return false;
  take();
  return true;
}

Token TokenStream::expect(TokenKind kind, std::string_view what) {
  if (!at(kind)) {
    const Token& found = current();
    bool has_text = found.kind == TokenKind::name || found.kind == TokenKind::op || found.kind == TokenKind::string ||
                    found.kind == TokenKind::integer || found.kind == TokenKind::real;
    fail(has_text ? fmt::format("{} expected, not \"{}\"", what, printable(found.text, 40))
                  : fmt::format("{} is missing", what));
  }
  return take();
}

void TokenStream::fail(std::string_view message) const {
  throw Error(ErrorCode::parse, fmt::format("line {}: {}", current().line, message));
}

void TokenStream::unsupported(std::string_view what) const {
  throw Error(ErrorCode::unsupported, fmt::format("line {}: {} is not supported", current().line, what));
}

Nesting::Nesting(TokenStream& stream) : stream_(stream) {
  if (stream_.depth >= kMaxDepth) {
    throw Error(ErrorCode::resource,
                fmt::format("line {}: the template nests more than {} deep", stream_.current().line, kMaxDepth));
  }
  ++stream_.depth;
}

ExpressionPtr ExpressionParser::node(Kind kind, int line, std::string name, std::vector<ExpressionPtr> args) {
  auto made = std::make_unique<Expression>(Expression{.kind = kind, .line = line, .name = std::move(name)});
  for (const ExpressionPtr& arg : args) {
    if (arg) made->depth = std::max(made->depth, arg->depth + 1);
  }
  if (made->depth > Nesting::kMaxDepth) {
    throw Error(ErrorCode::resource,
                fmt::format("line {}: an expression nests more than {} deep", line, Nesting::kMaxDepth));
  }
  made->args = std::move(args);
  return made;
}

ExpressionPtr ExpressionParser::tuple() { return tuple_of(&ExpressionParser::expression); }
ExpressionPtr ExpressionParser::tuple_without_condition() { return tuple_of(&ExpressionParser::disjunction); }

ExpressionPtr ExpressionParser::tuple_of(ExpressionPtr (ExpressionParser::*element)()) {
  int line = stream_.current().line;
  ExpressionPtr first = (this->*element)();
  if (!stream_.at_op(",")) return first;
  std::vector<ExpressionPtr> items;
  items.push_back(std::move(first));
  while (stream_.take_op(",")) {
    if (stream_.at(TokenKind::tag_end) || stream_.at(TokenKind::output_end) || stream_.at_op(")")) break;
    items.push_back((this->*element)());
  }
  return node(Kind::list, line, "tuple", std::move(items));
}

ExpressionPtr ExpressionParser::expression() {
  Nesting nesting(stream_);
  ExpressionPtr value = disjunction();
  while (stream_.at_name("if")) {
    int line = stream_.take().line;
    ExpressionPtr condition = disjunction();
    ExpressionPtr otherwise = stream_.take_name("else") ? expression() : nullptr;
    value = make(Kind::conditional, line, "", std::move(condition), std::move(value), std::move(otherwise));
  }
  return value;
}

ExpressionPtr ExpressionParser::disjunction() {
  ExpressionPtr left = conjunction();
  while (stream_.at_name("or")) {
    int line = stream_.take().line;
    left = make(Kind::logical, line, "or", std::move(left), conjunction());
  }
  return left;
}

ExpressionPtr ExpressionParser::conjunction() {
  ExpressionPtr left = negation();
  while (stream_.at_name("and")) {
    int line = stream_.take().line;
    left = make(Kind::logical, line, "and", std::move(left), negation());
  }
  return left;
}

ExpressionPtr ExpressionParser::negation() {
  if (!stream_.at_name("not")) return comparison();
  Nesting nesting(stream_);
  int line = stream_.take().line;
  return make(Kind::unary, line, "not", negation());
}

ExpressionPtr ExpressionParser::comparison() {
  constexpr std::string_view kOperators[] = {"==", "!=", "<=", ">=", "<", ">"};
  ExpressionPtr left = arithmetic(0);
  bool chained = false;
  while (true) {
    std::string op;
    int line = stream_.current().line;
    if (stream_.at_name("in")) {
      op = "in";
    } else if (stream_.at_name("not") && stream_.following().kind == TokenKind::name &&
               stream_.following().text == "in") {
      op = "not in";
    } else {
      for (std::string_view known : kOperators) {
        if (stream_.at_op(known)) op = known;
      }
    }
    if (op.empty()) return left;
    if (chained) stream_.unsupported("a chain of comparisons");
    chained = true;
    stream_.take();
    if (op == "not in") stream_.take();
    left = make(Kind::binary, line, op, std::move(left), arithmetic(0));
  }
}

ExpressionPtr ExpressionParser::arithmetic(int level) {
  // Loosest first: + -, then ~, then * / // %.
  static const std::vector<std::string_view> kLevels[] = {{"+", "-"}, {"~"}, {"*", "/", "//", "%"}};
  if (level == 3) return unary(true);
  ExpressionPtr left = arithmetic(level + 1);
  while (true) {
    if (stream_.at_op("**")) stream_.unsupported("the operator \"**\"");
    auto op = std::find_if(kLevels[level].begin(), kLevels[level].end(), [&](auto o) { return stream_.at_op(o); });
    if (op == kLevels[level].end()) return left;
    int line = stream_.take().line;
    left = make(Kind::binary, line, std::string(*op), std::move(left), arithmetic(level + 1));
  }
}

ExpressionPtr ExpressionParser::unary(bool with_filters) {
  Nesting nesting(stream_);
  ExpressionPtr value;
  if (stream_.at_op("-") || stream_.at_op("+")) {
    Token sign = stream_.take();
    value = make(Kind::unary, sign.line, sign.text, unary(false));
  } else {
    value = primary();
  }
  value = postfix(std::move(value));
  return with_filters ? filters_and_tests(std::move(value)) : std::move(value);
}

ExpressionPtr ExpressionParser::primary() {
  Token token = stream_.current();
  auto constant = [&](Value value) {
    auto made = make(Kind::constant, token.line, "");
    made->value = std::move(value);
    return made;
  };
  switch (token.kind) {
    case TokenKind::name: {
      stream_.take();
      if (token.text == "true" || token.text == "True") return constant(true);
      if (token.text == "false" || token.text == "False") return constant(false);
      if (token.text == "none" || token.text == "None") return constant(None{});
      return make(Kind::variable, token.line, token.text);
    }
    case TokenKind::string: {
      std::string joined;
      while (stream_.at(TokenKind::string)) joined += stream_.take().text;
      return constant(std::move(joined));
    }
    case TokenKind::integer: return stream_.take(), constant(token.integer);
    case TokenKind::real: return stream_.take(), constant(token.real);
    default: break;
  }
  if (stream_.take_op("(")) {
    if (stream_.take_op(")")) return make(Kind::list, token.line, "tuple");
    ExpressionPtr inner = tuple();
    if (!stream_.take_op(")")) stream_.expect(TokenKind::op, "\")\"");
    return inner;
  }
  if (stream_.take_op("[")) return list();
  if (stream_.take_op("{")) return dict();
  if (token.kind == TokenKind::op) stream_.fail(fmt::format("a value expected, not \"{}\"", token.text));
  stream_.fail("a value is missing");
}

ExpressionPtr ExpressionParser::list() {
  int line = stream_.current().line;
  std::vector<ExpressionPtr> items;
  while (!stream_.take_op("]")) {
    if (!items.empty() && !stream_.take_op(",")) stream_.fail("\"]\" or \",\" is missing");
    if (stream_.take_op("]")) break;
    items.push_back(expression());
  }
  return node(Kind::list, line, "", std::move(items));
}

ExpressionPtr ExpressionParser::dict() {
  int line = stream_.current().line;
  std::vector<ExpressionPtr> items;
  while (!stream_.take_op("}")) {
    if (!items.empty() && !stream_.take_op(",")) stream_.fail("\"}\" or \",\" is missing");
    if (stream_.take_op("}")) break;
    items.push_back(expression());
    if (!stream_.take_op(":")) stream_.fail("\":\" is missing");
    items.push_back(expression());
  }
  return node(Kind::dict, line, "", std::move(items));
}

ExpressionPtr ExpressionParser::postfix(ExpressionPtr operand) {
  while (true) {
    int line = stream_.current().line;
    if (stream_.take_op(".")) {
      if (stream_.at(TokenKind::integer)) {
        auto index = make(Kind::constant, line, "");
        index->value = stream_.take().integer;
        operand = make(Kind::item, line, "", std::move(operand), std::move(index));
      } else {
        std::string name = stream_.expect(TokenKind::name, "the name of an attribute").text;
        operand = make(Kind::attribute, line, std::move(name), std::move(operand));
      }
    } else if (stream_.take_op("[")) {
      operand = subscript(std::move(operand));
    } else if (stream_.at_op("(")) {
      operand = make(Kind::call, line, "", std::move(operand));
      arguments(*operand);
    } else {
      return operand;
    }
  }
}

ExpressionPtr ExpressionParser::subscript(ExpressionPtr operand) {
  int line = stream_.current().line;
  ExpressionPtr parts[3];
  std::size_t part = 0;
  while (!stream_.at_op("]")) {
    if (!stream_.at_op(":")) parts[part] = expression();
    if (stream_.at_op(",")) stream_.unsupported("an index of several parts");
    if (stream_.at_op("]")) break;
    if (part == 2 || !stream_.take_op(":")) stream_.fail("\"]\" is missing");
    ++part;
  }
  stream_.take();
  if (part == 0) {
    if (!parts[0]) stream_.fail("an index is missing");
    return make(Kind::item, line, "", std::move(operand), std::move(parts[0]));
  }
  return make(Kind::slice, line, "", std::move(operand), std::move(parts[0]), std::move(parts[1]), std::move(parts[2]));
}

ExpressionPtr ExpressionParser::filters_and_tests(ExpressionPtr operand) {
  while (true) {
    int line = stream_.current().line;
    if (stream_.take_op("|")) {
      std::string name = stream_.expect(TokenKind::name, "the name of a filter").text;
      operand = make(Kind::filter, line, std::move(name), std::move(operand));
      if (stream_.at_op("(")) arguments(*operand);
    } else if (stream_.take_name("is")) {
      operand = test(std::move(operand));
    } else if (stream_.at_op("(")) {
      operand = make(Kind::call, line, "", std::move(operand));
      arguments(*operand);
    } else {
      return operand;
    }
  }
}

ExpressionPtr ExpressionParser::test(ExpressionPtr operand) {
  int line = stream_.current().line;
  bool negated = stream_.take_name("not");
  std::string name = stream_.expect(TokenKind::name, "the name of a test").text;
  ExpressionPtr tested = make(Kind::test, line, std::move(name), std::move(operand));
  auto is_keyword = [&] {
    constexpr std::string_view kKeywords[] = {"else", "or", "and", "if", "is", "in", "not", "recursive"};
    return std::any_of(std::begin(kKeywords), std::end(kKeywords), [&](auto word) { return stream_.at_name(word); });
  };
  bool argument = stream_.at(TokenKind::string) || stream_.at(TokenKind::integer) || stream_.at(TokenKind::real) ||
                  stream_.at_op("[") || stream_.at_op("{") || (stream_.at(TokenKind::name) && !is_keyword());
  if (stream_.at_op("(")) {
    arguments(*tested);
  } else if (argument) {
    tested->args.push_back(postfix(primary()));
    tested->depth = std::max(tested->depth, tested->args.back()->depth + 1);
  }
  if (stream_.at_name("is")) stream_.fail("tests with \"is\" cannot be chained");
  return negated ? make(Kind::unary, line, "not", std::move(tested)) : std::move(tested);
}

void ExpressionParser::arguments(Expression& call) {
  stream_.take();
  bool first = true;
  while (!stream_.take_op(")")) {
    if (!first && !stream_.take_op(",")) stream_.fail("\")\" or \",\" is missing");
    if (stream_.take_op(")")) break;
    first = false;
    if (stream_.at_op("*") || stream_.at_op("**")) stream_.unsupported("unpacking of arguments");
    bool is_named =
        stream_.at(TokenKind::name) && stream_.following().kind == TokenKind::op && stream_.following().text == "=";
    if (is_named) {
      std::string name = stream_.take().text;
      stream_.take();
      call.named.emplace_back(std::move(name), expression());
    } else {
      if (!call.named.empty()) stream_.fail("a positional argument follows a named one");
      call.args.push_back(expression());
    }
    const Expression& added = call.named.empty() ? *call.args.back() : *call.named.back().second;
    call.depth = std::max(call.depth, added.depth + 1);
  }
}

}  // namespace quince::jinja
