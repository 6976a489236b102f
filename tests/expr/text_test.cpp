// Printing, parsing, and the exact message of each mistake.
#include <gtest/gtest.h>

#include "quince/error.h"
#include "quince/expr/map.h"

namespace quince {
namespace {

class ExprText : public ::testing::Test {
 protected:
  Expr s = Expr::dim("s", {0, 100});
  Expr seq = Expr::dim("seq_len", {1, 100});
  ExprScope scope{{{"s", s}, {"seq_len", seq}}, axes_of({64, s, 9, 100}), {Expr::slot(0, 0, s)}};
  Expr a0 = scope.axes[0];
  Expr a1 = scope.axes[1];
  Expr a2 = scope.axes[2];
  Expr s0 = scope.slots[0];

  void prints(Expr e, std::string_view text) {
    EXPECT_EQ(to_string(e), text);
    EXPECT_EQ(parse_expr(text, scope), e) << text;
  }

  void parses(std::string_view text, Expr e) { EXPECT_EQ(parse_expr(text, scope), e) << text; }

  void fails(std::string_view text, ErrorCode code, std::string_view message) {
    try {
      const Expr e = parse_expr(text, scope);
      FAIL() << text << " parsed as " << to_string(e);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code) << text;
      EXPECT_EQ(error.message(), message) << text;
    }
  }
};

TEST_F(ExprText, PrintsInfix) {
  prints(3 * a0 + s - 1, "3*a0 + s - 1");
  prints(floor_div(a1 + 1, 4), "(a1 + 1)//4");
  prints(mod(a1, 64), "a1 % 64");
  prints(min(a0, s), "min(a0, s)");
  prints(ge(a0, s), "a0 >= s");
  prints(ge(a0, 3), "a0 >= 3");
  prints(lt(a0, s), "s >= a0 + 1");
  prints(logical_and(ge(a0, s), ge(a2, 3)), "a0 >= s and a2 >= 3");
  prints(logical_or(logical_and(ge(a0, s), ge(a2, 3)), ge(s0, 2)), "s0 >= 2 or a0 >= s and a2 >= 3");
  prints(-a0, "-a0");
  prints(-a0 - 5, "-a0 - 5");
  prints(a0 * s * 2, "2*a0*s");
  prints(3 * mod(a1, 4) - floor_div(a1, 2), "-(a1//2) + 3*(a1 % 4)");
  prints(floor_div(-a1, 4), "(-a1)//4");
  prints(floor_div(a1, seq), "a1//seq_len");
  prints(mod(a0 * a1, s + 1), "a0*a1 % (s + 1)");
  prints(2 * ge(a0, 3) + 1, "2*(a0 >= 3) + 1");
  prints(-7, "-7");
  prints(INT64_MIN, "-9223372036854775808");
  prints(a0 + INT64_MIN, "a0 + -9223372036854775808");
  prints(s0 + a0, "a0 + s0");
}

TEST_F(ExprText, ParsesPlainInfix) {
  parses("1 + 2*3", 7);
  parses("-7//2", -4);
  parses("7 % -2", -1);
  parses("- -a0", a0);
  parses("ceildiv(a1, 4)", ceil_div(a1, 4));
  parses("clamp(a1, 2, s)", clamp(a1, 2, s));
  parses("min(a0, a2, s)", min(min(a0, a2), s));
  parses("a0 < s", lt(a0, s));
  parses("a0 <= s", le(a0, s));
  parses("a0 > s", lt(s, a0));
  parses("a0 == a2", eq(a0, a2));
  parses("a0 != a2", logical_not(eq(a0, a2)));
  parses("not a0 >= 3", lt(a0, 3));
  parses("not (a0 >= 3 or a2 >= 1)", logical_and(lt(a0, 3), lt(a2, 1)));
  parses(" ( a0+a2 )\t*\n s ", (a0 + a2) * s);
  parses("seq_len//1", seq);
}

TEST_F(ExprText, MistakesAreNamed) {
  fails("", ErrorCode::parse, "expression: expected a number, a name or '(' at position 0");
  fails("a0 +", ErrorCode::parse, "expression: expected a number, a name or '(' at position 4");
  fails("(a0", ErrorCode::parse, "expression: expected ')' at position 3");
  fails("a0 a2", ErrorCode::parse, "expression: expected an operator or the end at position 3");
  fails("a7", ErrorCode::parse, "expression: expected one of 4 axes instead of 'a7' at position 0");
  fails("s1", ErrorCode::parse, "expression: expected one of 1 slots instead of 's1' at position 0");
  fails("2*width", ErrorCode::parse, "expression: expected a known dim instead of 'width' at position 2");
  fails("9223372036854775808", ErrorCode::parse, "expression: expected a number of 64 bits at position 0");
  fails("a99999999999999999999", ErrorCode::parse,
        "expression: expected one of 4 axes instead of 'a99999999999999999999' at position 0");
  fails("min a0", ErrorCode::parse, "expression: expected '(' at position 4");
  fails("clamp(a0, 1)", ErrorCode::parse, "expression: expected 3 arguments of clamp before at position 12");
  fails("a0 // 0", ErrorCode::invalid_argument, "division of a0 by 0");
  fails("a0 % (s - s)", ErrorCode::invalid_argument, "division of a0 by 0");
  fails("9223372036854775807 + 1", ErrorCode::overflow, "an index expression leaves 64 bits in a sum or product");
  fails("9223372036854775807 * a0 * 2", ErrorCode::overflow, "an index expression leaves 64 bits in a sum or product");
  fails("$", ErrorCode::parse, "expression: expected a number, a name or '(' at position 0");
}

TEST_F(ExprText, DeepNestingIsRefused) {
  const std::string deep(100000, '(');
  fails(deep.substr(0, 60000), ErrorCode::parse, "expression: expected nesting of at most 128 at position 128");
  fails(deep, ErrorCode::parse, "expression: expected at most 65536 characters at position 0");
  // No parentheses, but ever deeper operands.
  std::string chain = "a0";
  for (int i = 0; i < 2000; ++i) chain += i % 2 == 0 ? "*3 % 65536 + s" : "*s % 1048573";
  EXPECT_NO_THROW({
    try {
      parse_expr(chain, scope);
    } catch (const Error& error) {
      EXPECT_NE(error.code(), ErrorCode::internal);
    }
  });
  std::string negations;
  for (int i = 0; i < 10000; ++i) negations += "not ";
  EXPECT_EQ(parse_expr(negations + "a0 >= 3", scope), ge(a0, 3));
  EXPECT_EQ(parse_expr(std::string(10000, '-') + "a0", scope), a0);
}

TEST_F(ExprText, ShapesAndMaps) {
  EXPECT_EQ(to_string(Shape{s, 4096}), "[s, 4096]");
  EXPECT_EQ(to_string(Shape{}), "[]");
  EXPECT_EQ(to_string(zero_last({s, 9}, 1)), "[s, 9] -> (a0, 0) in [s, 9]");
}

template <typename Make>
void refused(ErrorCode code, std::string_view message, Make make) {
  try {
    make();
    FAIL() << "expected: " << message;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << message;
    EXPECT_EQ(error.message(), message);
  }
}

TEST_F(ExprText, LeavesAreChecked) {
  refused(ErrorCode::invalid_argument, "'a1' cannot be the name of a dim", [] { Expr::dim("a1"); });
  refused(ErrorCode::invalid_argument, "'min' cannot be the name of a dim", [] { Expr::dim("min"); });
  refused(ErrorCode::invalid_argument, "'x-y' cannot be the name of a dim", [] { Expr::dim("x-y"); });
  refused(ErrorCode::invalid_argument, "'' cannot be the name of a dim", [] { Expr::dim(""); });
  refused(ErrorCode::invalid_argument, "dim n: multiple 0 < 1", [] { Expr::dim("n", {0, 9}, 0); });
  refused(ErrorCode::invalid_argument, "dim n: no multiple of 1 in [5, 4]", [] { Expr::dim("n", {5, 4}); });
  refused(ErrorCode::invalid_argument, "dim n: no multiple of 64 in [65, 100]", [] { Expr::dim("n", {65, 100}, 64); });
  refused(ErrorCode::invalid_argument, "axis position -1 < 0", [&] { Expr::axis(-1, s); });
  refused(ErrorCode::invalid_argument, "an extent mentions axes or slots", [&] { Expr::axis(0, a0); });
  refused(ErrorCode::invalid_argument, "slot index -2 < 0", [&] { Expr::slot(-2, 0, s); });
  refused(ErrorCode::invalid_argument, "a slot's range mentions axes or slots", [&] { Expr::slot(0, 0, a0); });
  EXPECT_NO_THROW(Expr::dim("a"));
  EXPECT_NO_THROW(Expr::dim("s"));
  EXPECT_NO_THROW(Expr::dim("a1b"));
}

TEST_F(ExprText, EvaluationIsChecked) {
  const Bindings at{{{"s", 5}, {"seq_len", 1}}, {3, 4, 8}, {}};
  EXPECT_EQ(evaluate(a0 * s + floor_div(a1, 2) - a2, at), 9);
  refused(ErrorCode::not_found, "a3 has no value", [&] { evaluate(scope.axes[3], at); });
  refused(ErrorCode::not_found, "s0 has no value", [&] { evaluate(s0, at); });
  refused(ErrorCode::not_found, "dim n has no value", [&] { evaluate(Expr::dim("n"), at); });
  refused(ErrorCode::invalid_argument, "the divisor of seq_len//(s - 5) is 0",
          [&] { evaluate(floor_div(seq, s - 5), at); });
  refused(ErrorCode::overflow, "an index expression leaves 64 bits in a product", [&] { evaluate(s * INT64_MAX, at); });
  refused(ErrorCode::overflow, "an index expression leaves 64 bits in a sum or product", [&] { -Expr(INT64_MIN); });
  refused(ErrorCode::overflow, "an index expression leaves 64 bits in a division",
          [&] { floor_div(Expr(INT64_MIN), -1); });
  EXPECT_EQ(mod(Expr(INT64_MIN), -1), Expr(0));
}

TEST_F(ExprText, MapsAreChecked) {
  refused(ErrorCode::invalid_argument, "1 coordinates for the source [s, 9]", [&] { Map({s}, {s, 9}, {0}); });
  refused(ErrorCode::invalid_argument, "coordinate a0 + 1: a0 is no axis of [s]", [&] { Map({s}, {9}, {a0 + 1}); });
  refused(ErrorCode::shape_mismatch, "[s, 9] and [s, 8] do not provably have equally many elements",
          [&] { reshape({s, 9}, {s, 8}); });
  refused(ErrorCode::shape_mismatch, "a map of [s, 9] read at a map into [9]",
          [&] { compose(Map::identity({s, 9}), Map::identity({9})); });
  refused(ErrorCode::invalid_argument, "3 last axes of [s, 9]", [&] { project_last({s, 9}, 3); });
  refused(ErrorCode::invalid_argument, "split: 4 does not provably divide 9", [&] { split({s, 9}, 1, 4); });
  refused(ErrorCode::out_of_range, "split: [s, 9] has no axis 2", [&] { split({s, 9}, 2, 3); });
  refused(ErrorCode::invalid_argument, "split: 0 is no chunk size", [&] { outer_split({s, 9}, 1, 0); });
}

}  // namespace
}  // namespace quince
