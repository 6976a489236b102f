// A recursive-descent parser of infix expressions; its recursion is bounded.
#include <fmt/format.h>

#include <charconv>

#include "expr/leaves.h"
#include "expr/logic.h"
#include "expr/node.h"
#include "quince/error.h"

namespace quince {

using namespace detail;

namespace {

constexpr int kMaxNesting = 128;
constexpr std::size_t kMaxText = std::size_t{1} << 16;

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c); }

/// Combines a list pairwise, so that long chains make short intermediate results.
template <typename Combine>
Expr balanced(std::span<const Expr> parts, Combine combine) {
  if (parts.size() == 1) return parts[0];
  const std::size_t half = parts.size() / 2;
  return combine(balanced(parts.first(half), combine), balanced(parts.subspan(half), combine));
}

class Parser {
 public:
  Parser(std::string_view text, const ExprScope& scope) : text_(text), scope_(scope) {}

  Expr run() {
    if (text_.size() > kMaxText) fail(fmt::format("at most {} characters", kMaxText));
    const Expr e = disjunction();
    skip_space();
    if (at_ != text_.size()) fail("an operator or the end");
    return e;
  }

 private:
  [[noreturn]] void fail(std::string_view expected) const {
    throw Error(ErrorCode::parse, fmt::format("expression: expected {} at position {}", expected, at_));
  }

  void skip_space() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }

  std::string_view rest() {
    skip_space();
    return text_.substr(at_);
  }

  bool take(std::string_view token) {
    if (!rest().starts_with(token)) return false;
    at_ += token.size();
    return true;
  }

  bool take_word(std::string_view word) {
    const std::string_view left = rest();
    if (!left.starts_with(word) || (left.size() > word.size() && is_word(left[word.size()]))) return false;
    at_ += word.size();
    return true;
  }

  void require(std::string_view token) {
    if (!take(token)) fail(fmt::format("'{}'", token));
  }

  /// Counts nesting for as long as it lives.
  class Nested {
   public:
    explicit Nested(Parser& parser) : parser_(parser) {
      if (++parser_.nesting_ > kMaxNesting) parser_.fail(fmt::format("nesting of at most {}", kMaxNesting));
    }
    ~Nested() { --parser_.nesting_; }
    Nested(const Nested&) = delete;
    Nested& operator=(const Nested&) = delete;

   private:
    Parser& parser_;
  };

  Expr disjunction() {
    const Nested nested(*this);
    std::vector<Expr> parts = {conjunction()};
    while (take_word("or")) parts.push_back(conjunction());
    return parts.size() == 1 ? parts[0] : connective_of(ExprKind::any, parts);
  }

  Expr conjunction() {
    std::vector<Expr> parts = {negation()};
    while (take_word("and")) parts.push_back(negation());
    return parts.size() == 1 ? parts[0] : connective_of(ExprKind::all, parts);
  }

  Expr negation() {
    bool negated = false;
    while (take_word("not")) negated = !negated;
    const Expr p = comparison();
    return negated ? logical_not(p) : p;
  }

  Expr comparison() {
    const Expr left = sum();
    if (take(">=")) return ge(left, sum());
    if (take("<=")) return le(left, sum());
    if (take("==")) return eq(left, sum());
    if (take("!=")) return logical_not(eq(left, sum()));
    if (take("<")) return lt(left, sum());
    if (take(">")) return lt(sum(), left);
    return left;
  }

  Expr sum() {
    std::vector<Expr> parts = {product()};
    while (true) {
      if (take("+")) {
        parts.push_back(product());
      } else if (take("-")) {
        parts.push_back(-product());
      } else {
        break;
      }
    }
    return balanced(parts, [](Expr a, Expr b) { return a + b; });
  }

  Expr product() {
    std::vector<Expr> factors = {signed_atom()};
    const auto product_so_far = [&] { return balanced(factors, [](Expr a, Expr b) { return a * b; }); };
    while (true) {
      if (take("*")) {
        factors.push_back(signed_atom());
      } else if (take("//")) {
        const Expr dividend = product_so_far();
        factors = {floor_div(dividend, signed_atom())};
      } else if (take("%")) {
        const Expr dividend = product_so_far();
        factors = {mod(dividend, signed_atom())};
      } else {
        return product_so_far();
      }
    }
  }

  Expr signed_atom() {
    bool negative = false;
    while (take("-")) negative = !negative;
    const std::string_view left = rest();
    if (!left.empty() && is_digit(left[0])) return number(negative);
    const Expr e = atom();
    return negative ? -e : e;
  }

  Expr number(bool negative) {
    std::size_t end = at_;
    while (end < text_.size() && is_digit(text_[end])) ++end;
    std::string digits = negative ? "-" : "";
    digits += text_.substr(at_, end - at_);
    std::int64_t value = 0;
    if (std::from_chars(digits.data(), digits.data() + digits.size(), value).ec != std::errc()) {
      fail("a number of 64 bits");
    }
    at_ = end;
    return value;
  }

  Expr atom() {
    if (take("(")) {
      const Expr e = disjunction();
      require(")");
      return e;
    }
    const std::string_view left = rest();
    std::size_t length = 0;
    while (length < left.size() && is_word(left[length])) ++length;
    const std::string_view name = left.substr(0, length);
    if (name == "min" || name == "max" || name == "ceildiv" || name == "clamp") {
      at_ += length;
      return call(name);
    }
    if (is_leaf_name(name)) return leaf(name);
    if (const auto found = scope_.dims.find(name); found != scope_.dims.end()) {
      at_ += length;
      return found->second;
    }
    if (is_dim_name(name)) fail(fmt::format("a known dim instead of '{}'", name));
    fail("a number, a name or '('");
  }

  Expr leaf(std::string_view name) {
    const std::vector<Expr>& known = name[0] == 'a' ? scope_.axes : scope_.slots;
    std::size_t index = 0;
    const auto [end, code] = std::from_chars(name.data() + 1, name.data() + name.size(), index);
    if (code != std::errc() || index >= known.size()) {
      fail(fmt::format("one of {} {} instead of '{}'", known.size(), name[0] == 'a' ? "axes" : "slots", name));
    }
    at_ += name.size();
    return known[index];
  }

  Expr call(std::string_view name) {
    require("(");
    std::vector<Expr> arguments = {disjunction()};
    while (take(",")) arguments.push_back(disjunction());
    require(")");
    if (name == "min") return extremum_of(ExprKind::min, arguments);
    if (name == "max") return extremum_of(ExprKind::max, arguments);
    const std::size_t count = name == "clamp" ? 3 : 2;
    if (arguments.size() != count) fail(fmt::format("{} arguments of {} before", count, name));
    return count == 3 ? clamp(arguments[0], arguments[1], arguments[2]) : ceil_div(arguments[0], arguments[1]);
  }

  std::string_view text_;
  const ExprScope& scope_;
  std::size_t at_ = 0;
  int nesting_ = 0;
};

}  // namespace

Expr parse_expr(std::string_view text, const ExprScope& scope) { return Parser(text, scope).run(); }

}  // namespace quince
