// Expressions as infix text that parses back to the same expression.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "expr/node.h"

namespace quince {

namespace {

/// How tightly text binds: a part is put in parentheses where its level is below the one its place needs.
enum Level { kOr, kAnd, kCompare, kSum, kProduct, kAtom };

Level level_of(Expr e) {
  switch (e.kind()) {
    case ExprKind::constant: return e.value() < 0 ? kSum : kAtom;
    case ExprKind::sum: {
      const bool scaled = e.operands().size() == 1 && e.value() == 0 && e.coefficients()[0] > 0;
      return scaled ? kProduct : kSum;
    }
    case ExprKind::product:
    case ExprKind::floor_div:
    case ExprKind::mod: return kProduct;
    case ExprKind::not_negative: return kCompare;
    case ExprKind::all: return kAnd;
    case ExprKind::any: return kOr;
    default: return kAtom;
  }
}

class Printer {
 public:
  std::string text;

  void print(Expr e, Level least) {
    const bool wrapped = level_of(e) < least;
    if (wrapped) text += '(';
    print_bare(e);
    if (wrapped) text += ')';
  }

 private:
  void number(std::int64_t v) { fmt::format_to(std::back_inserter(text), "{}", v); }

  void list(std::span<const Expr> parts, std::string_view separator, Level least) {
    bool first = true;
    for (Expr part : parts) {
      if (!first) text += separator;
      first = false;
      print(part, least);
    }
  }

  void print_bare(Expr e) {
    const auto operands = e.operands();
    switch (e.kind()) {
      case ExprKind::constant: number(e.value()); break;
      case ExprKind::dim: text += e.dim_name(); break;
      case ExprKind::axis:
        text += 'a';
        number(e.value());
        break;
      case ExprKind::slot:
        text += 's';
        number(e.value());
        break;
      case ExprKind::sum: sum(operands, e.coefficients(), e.value()); break;
      case ExprKind::product: product(operands); break;
      case ExprKind::floor_div:
      case ExprKind::mod:
        // "a0*s//4" reads from the left; a quotient of a quotient is wrapped for the reader's sake.
        print(operands[0],
              operands[0].kind() == ExprKind::floor_div || operands[0].kind() == ExprKind::mod ? kAtom : kProduct);
        text += e.kind() == ExprKind::mod ? " % " : "//";
        print(operands[1], kAtom);
        break;
      case ExprKind::min:
      case ExprKind::max:
        text += e.kind() == ExprKind::min ? "min(" : "max(";
        list(operands, ", ", kSum);
        text += ')';
        break;
      case ExprKind::not_negative: comparison(operands[0]); break;
      case ExprKind::all: list(operands, " and ", kCompare); break;
      case ExprKind::any: list(operands, " or ", kAnd); break;
    }
  }

  void product(std::span<const Expr> factors) {
    // Factors that are sums come first: read from the left, they must not be multiplied out by what follows.
    bool first = true;
    for (bool sums : {true, false}) {
      for (Expr f : factors) {
        if ((f.kind() == ExprKind::sum) != sums) continue;
        if (!first) text += '*';
        first = false;
        print(f, kAtom);
      }
    }
  }

  /// |k|·monomial; a quotient or remainder in front of which something stands is wrapped.
  void term(std::uint64_t magnitude, Expr monomial, bool exposed) {
    if (magnitude != 1) {
      fmt::format_to(std::back_inserter(text), "{}*", magnitude);
      exposed = false;
    }
    if (monomial.kind() == ExprKind::product) {
      product(monomial.operands());
    } else {
      print(monomial, exposed ? kProduct : kAtom);
    }
  }

  void sum(std::span<const Expr> monomials, std::span<const std::int64_t> coefficients, std::int64_t constant) {
    bool first = true;
    const auto sign = [&](std::int64_t k) {
      // i64's lowest value is written as a literal of its own: its magnitude would not be one.
      const bool literal = k == INT64_MIN;
      if (!first) text += k < 0 && !literal ? " - " : " + ";
      if ((first && k < 0) || literal) text += '-';
      return k < 0 ? ~static_cast<std::uint64_t>(k) + 1 : static_cast<std::uint64_t>(k);
    };
    for (std::size_t i = 0; i < monomials.size(); ++i) {
      const std::uint64_t magnitude = sign(coefficients[i]);
      term(magnitude, monomials[i], !(first && coefficients[i] < 0));
      first = false;
    }
    if (constant != 0 || first) {
      const std::uint64_t magnitude = sign(constant);
      fmt::format_to(std::back_inserter(text), "{}", magnitude);
    }
  }

  /// e ≥ 0 with what is subtracted on the right side.
  void comparison(Expr e) {
    if (e.kind() != ExprKind::sum) {
      print(e, kSum);
      text += " >= 0";
      return;
    }
    std::vector<Expr> left;
    std::vector<Expr> right;
    std::vector<std::int64_t> left_k;
    std::vector<std::int64_t> right_k;
    const auto coefficients = e.coefficients();
    for (std::size_t i = 0; i < coefficients.size(); ++i) {
      const bool movable = coefficients[i] < 0 && coefficients[i] != INT64_MIN;
      (movable ? right : left).push_back(e.operands()[i]);
      (movable ? right_k : left_k).push_back(movable ? -coefficients[i] : coefficients[i]);
    }
    const bool movable = e.value() < 0 && e.value() != INT64_MIN;
    sum(left, left_k, movable ? 0 : e.value());
    text += " >= ";
    sum(right, right_k, movable ? -e.value() : 0);
  }
};

}  // namespace

std::string to_string(Expr e) {
  Printer printer;
  printer.print(e, kOr);
  return std::move(printer.text);
}

}  // namespace quince
