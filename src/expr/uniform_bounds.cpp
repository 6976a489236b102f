// Bounds over dims by interval arithmetic on expressions: axes and slots are replaced by the ends of their ranges.
#include "expr/uniform_bounds.h"

#include <algorithm>

#include "expr/checked.h"
#include "expr/logic.h"
#include "expr/polynomial.h"

namespace quince::detail {

namespace {

std::optional<UniformBounds> numeric_bounds(Expr e) {
  const Range r = range_of(e);
  if (r.lo == -kInf || r.hi == kInf) return std::nullopt;
  return UniformBounds{r.lo, r.hi};
}

std::optional<UniformBounds> bounds_of_product(Expr e) {
  // [Π lo, Π hi] where no factor can be negative.
  UniformBounds all{1, 1};
  for (Expr f : e.operands()) {
    const auto b = uniform_bounds(f);
    if (!b || range_of(f).lo < 0 || range_of(b->lo).lo < 0) return numeric_bounds(e);
    all = {all.lo * b->lo, all.hi * b->hi};
  }
  return all;
}

std::optional<UniformBounds> bounds_of_sum(Expr e) {
  UniformBounds total{e.value(), e.value()};
  Polynomial left(e);
  left.constant = 0;
  while (!left.is_constant()) {
    // One atom with all its coefficients at a time, so that a0·s − a0 has the slope s − 1.
    const Factors factors(left.terms.front().monomial);
    const auto varying = std::find_if(factors.begin(), factors.end(), [](Expr f) { return !is_uniform(f); });
    if (varying == factors.end()) {
      const Expr fixed = left.terms.front().monomial;
      const std::int64_t k = left.terms.front().coefficient;
      total = {total.lo + k * fixed, total.hi + k * fixed};
      left.add(fixed, -k);
      continue;
    }
    const Expr atom = *varying;
    const SplitBy split = split_by(left, atom);
    left = split.rest;
    const Expr slope = to_expr(split.coefficient);
    const auto b = uniform_bounds(atom);
    if (!b) return std::nullopt;
    if (is_uniform(slope)) {
      if (prove_not_negative(slope)) {
        total = {total.lo + slope * b->lo, total.hi + slope * b->hi};
      } else if (prove_le(slope, 0)) {
        total = {total.lo + slope * b->hi, total.hi + slope * b->lo};
      } else {
        total = {total.lo + min(slope * b->lo, slope * b->hi), total.hi + max(slope * b->lo, slope * b->hi)};
      }
      continue;
    }
    const auto rate = uniform_bounds(slope);
    if (!rate || range_of(rate->lo).lo < 0 || range_of(b->lo).lo < 0) return std::nullopt;
    total = {total.lo + rate->lo * b->lo, total.hi + rate->hi * b->hi};
  }
  return total;
}

}  // namespace

std::optional<UniformBounds> uniform_bounds(Expr e) {
  if (is_uniform(e)) return UniformBounds{e, e};
  const auto operands = e.operands();
  switch (e.kind()) {
    case ExprKind::axis: return UniformBounds{0, operands[0] - 1};
    case ExprKind::slot: return UniformBounds{operands[0], operands[1]};
    case ExprKind::sum: {
      auto b = bounds_of_sum(e);
      return b ? b : numeric_bounds(e);
    }
    case ExprKind::product: return bounds_of_product(e);
    case ExprKind::floor_div: {
      const auto x = uniform_bounds(operands[0]);
      if (!x || !is_uniform(operands[1]) || range_of(operands[1]).lo < 1) return numeric_bounds(e);
      return UniformBounds{floor_div(x->lo, operands[1]), floor_div(x->hi, operands[1])};
    }
    case ExprKind::mod:
      if (!is_uniform(operands[1]) || range_of(operands[1]).lo < 1) return numeric_bounds(e);
      return UniformBounds{0, operands[1] - 1};
    case ExprKind::min:
    case ExprKind::max: {
      std::vector<Expr> lo;
      std::vector<Expr> hi;
      for (Expr o : operands) {
        const auto b = uniform_bounds(o);
        if (!b) return numeric_bounds(e);
        lo.push_back(b->lo);
        hi.push_back(b->hi);
      }
      return UniformBounds{extremum_of(e.kind(), lo), extremum_of(e.kind(), hi)};
    }
    default: return numeric_bounds(e);
  }
}

}  // namespace quince::detail
