// Every simplification, bound and proof against naive evaluation at random bindings of a small world.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "expr/random_expr.h"
#include "quince/error.h"

namespace quince::testing {
namespace {

using Choices = std::vector<std::uint8_t>;

/// Calls `check(world, tape, bindings)` for a random world.
template <typename Check>
void in_random_world(const Choices& choices, Check check) {
  Tape tape(choices);
  const World world(tape);
  const auto seed = static_cast<std::uint32_t>(choices.size() * 7919 + (choices.empty() ? 0 : choices.back()));
  check(world, tape, world.draw_many(seed, 60));
}

RC_GTEST_PROP(ExprOracle, SimplificationKeepsTheValue, (const Choices& choices)) {
  in_random_world(choices, [](const World& world, Tape& tape, const std::vector<Bindings>& bindings) {
    const Sample sample = random_sample(tape, world, 5);
    RC_LOG() << to_string(sample.expr) << '\n';
    for (const Bindings& at : bindings) {
      const auto expected = sample.naive(at);
      if (!expected) continue;
      RC_LOG() << to_string(at) << '\n';
      RC_ASSERT(evaluate(sample.expr, at) == *expected);
    }
  });
}

RC_GTEST_PROP(ExprOracle, BoundsHold, (const Choices& choices)) {
  in_random_world(choices, [](const World& world, Tape& tape, const std::vector<Bindings>& bindings) {
    const Sample sample = random_sample(tape, world, 4);
    const Range r = bounds(sample.expr);
    RC_LOG() << to_string(sample.expr) << " in [" << r.lo << ", " << r.hi << "]\n";
    for (const Bindings& at : bindings) {
      const auto v = sample.naive(at);
      if (!v) continue;
      RC_LOG() << to_string(at) << " gives " << *v << '\n';
      RC_ASSERT(r.lo <= *v && *v <= r.hi);
    }
  });
}

RC_GTEST_PROP(ExprOracle, ProofsHold, (const Choices& choices)) {
  in_random_world(choices, [](const World& world, Tape& tape, const std::vector<Bindings>& bindings) {
    const Sample x = random_sample(tape, world, 4);
    const Sample y = random_sample(tape, world, 3);
    const bool le = prove_le(x.expr, y.expr, world.assumptions);
    const bool lt = prove_lt(x.expr, y.expr, world.assumptions);
    const bool equal = prove_equal(x.expr, y.expr, world.assumptions);
    const bool holds = prove(x.expr, world.assumptions);
    const bool disjoint = prove_disjoint(ge(x.expr, 1), ge(y.expr, x.expr), world.assumptions);
    const bool multiple = prove_multiple(x.expr, y.expr);
    RC_LOG() << to_string(x.expr) << " | " << to_string(y.expr) << '\n';
    for (const Bindings& at : bindings) {
      const auto u = x.naive(at);
      const auto v = y.naive(at);
      if (!u || !v) continue;
      RC_LOG() << to_string(at) << " gives " << *u << " and " << *v << '\n';
      RC_ASSERT(!le || *u <= *v);
      RC_ASSERT(!lt || *u < *v);
      RC_ASSERT(!equal || *u == *v);
      RC_ASSERT(!holds || *u != 0);
      RC_ASSERT(!disjoint || !(*u >= 1 && *v >= *u));
      RC_ASSERT(!multiple || (*v == 0 ? *u == 0 : *u % *v == 0));
    }
  });
}

RC_GTEST_PROP(ExprOracle, TextParsesBackToTheSameExpression, (const Choices& choices)) {
  in_random_world(choices, [](const World& world, Tape& tape, const std::vector<Bindings>&) {
    const Expr e = random_sample(tape, world, 5).expr;
    const std::string text = to_string(e);
    RC_LOG() << text << '\n';
    const Expr back = parse_expr(text, world.scope);
    RC_LOG() << to_string(back) << '\n';
    RC_ASSERT(back == e);
  });
}

RC_GTEST_PROP(ExprOracle, SubstitutionIsEvaluationInSteps, (const Choices& choices)) {
  in_random_world(choices, [](const World& world, Tape& tape, const std::vector<Bindings>& bindings) {
    const Sample sample = random_sample(tape, world, 4);
    for (const Bindings& at : bindings) {
      const auto expected = sample.naive(at);
      if (!expected) continue;
      Substitution dims_only;
      for (const auto& [name, value] : at.dims) dims_only.dims.emplace(name, value);
      const Expr without_dims = substitute(sample.expr, dims_only);
      RC_LOG() << to_string(sample.expr) << " at " << to_string(at) << ": " << to_string(without_dims) << '\n';
      RC_ASSERT(collect(without_dims, ExprKind::dim).empty());
      RC_ASSERT(evaluate(without_dims, at) == *expected);
      Substitution leaves;
      for (std::size_t i = 0; i < at.axes.size(); ++i) leaves.axes.emplace(static_cast<int>(i), at.axes[i]);
      for (std::size_t i = 0; i < at.slots.size(); ++i) leaves.slots.emplace(static_cast<int>(i), at.slots[i]);
      RC_ASSERT(substitute(without_dims, leaves) == Expr(*expected));
    }
  });
}

RC_GTEST_PROP(ExprOracle, AffinePartsAddUp, (const Choices& choices)) {
  in_random_world(choices, [](const World& world, Tape& tape, const std::vector<Bindings>&) {
    const Expr e = random_sample(tape, world, 4).expr;
    for (const std::vector<Expr>* leaves : {&world.axes, &world.dims, &world.slots}) {
      for (Expr leaf : *leaves) {
        if (leaf.is_constant()) continue;
        const auto affine = affine_in(e, leaf);
        if (!affine) continue;
        RC_ASSERT(affine->coefficient * leaf + affine->rest == e);
      }
    }
  });
}

}  // namespace
}  // namespace quince::testing
