// Random expressions over a small world of dims, axes and slots, each with a naive evaluation to compare with.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "quince/expr/expr.h"
#include "quince/expr/map.h"

namespace quince::testing {

/// A sequence of choices: what a property test shrinks and a fuzzer mutates. Past its end every choice is 0.
class Tape {
 public:
  explicit Tape(std::span<const std::uint8_t> choices) : choices_(choices) {}

  /// A number below `count`.
  std::int64_t next(std::int64_t count) {
    const std::int64_t choice = at_ < choices_.size() ? choices_[at_++] : 0;
    return choice % count;
  }
  bool spent() const { return at_ >= choices_.size(); }

 private:
  std::span<const std::uint8_t> choices_;
  std::size_t at_ = 0;
};

/// The value at a binding by the plain rules; nothing where a divisor is 0.
using Naive = std::function<std::optional<std::int64_t>(const Bindings&)>;

struct Sample {
  Expr expr;
  Naive naive;
};

/// Dims b, s, p, c, m with p + s ≤ c, m a multiple of 4; axes and slots with extents and ranges over them.
class World {
 public:
  explicit World(Tape& tape) {
    const Expr b = Expr::dim("b", {1, 3});
    const Expr s = Expr::dim("s", {0, 4});
    const Expr p = Expr::dim("p", {0, 5});
    const Expr c = Expr::dim("c", {0, 9});
    const Expr m = Expr::dim("m", {0, 8}, 4);
    dims = {b, s, p, c, m};
    assumptions = {c - p - s};
    const std::vector<Expr> extents = {
        2, 3,    4, 6, 9, 12, b, s, b * s, s + 1, s * 4, m, c, c - p, b * 3, floor_div(c, 2) + 1, ceil_div(s, 2),
        1, s + p};
    for (int i = 0; i < 4; ++i) {
      box.push_back(extents[static_cast<std::size_t>(tape.next(static_cast<std::int64_t>(extents.size())))]);
    }
    axes = axes_of(box);
    slots = {Expr::slot(0, 0, c - s), Expr::slot(1, 0, 3), Expr::slot(2, -1, s)};
    for (Expr d : dims) scope.dims.emplace(d.dim_name(), d);
    scope.axes = axes;
    scope.slots = slots;
  }

  /// A binding in range that satisfies the assumptions, or nothing if the draw has an empty box.
  std::optional<Bindings> draw(std::mt19937& random) const {
    const auto pick = [&](std::int64_t lo, std::int64_t hi) {
      return std::uniform_int_distribution<std::int64_t>(lo, hi)(random);
    };
    Bindings at;
    for (Expr d : dims) {
      const Range r = d.dim_range();
      at.dims[d.dim_name()] = pick(r.lo / d.dim_multiple(), r.hi / d.dim_multiple()) * d.dim_multiple();
    }
    for (Expr a : assumptions) {
      if (evaluate(a, at) < 0) return std::nullopt;
    }
    for (Expr extent : box) {
      const std::int64_t n = evaluate(extent, at);
      if (n < 1) return std::nullopt;
      at.axes.push_back(pick(0, n - 1));
    }
    for (Expr slot : slots) {
      const std::int64_t lo = evaluate(slot.operands()[0], at);
      const std::int64_t hi = evaluate(slot.operands()[1], at);
      if (lo > hi) return std::nullopt;
      at.slots.push_back(pick(lo, hi));
    }
    return at;
  }

  /// Up to `count` bindings, the same for the same seed.
  std::vector<Bindings> draw_many(std::uint32_t seed, int count) const {
    std::mt19937 random(seed);
    std::vector<Bindings> all;
    for (int i = 0; i < 20 * count && static_cast<int>(all.size()) < count; ++i) {
      if (auto at = draw(random)) all.push_back(*std::move(at));
    }
    return all;
  }

  std::vector<Expr> dims;
  std::vector<Expr> assumptions;
  Shape box;
  std::vector<Expr> axes;
  std::vector<Expr> slots;
  ExprScope scope;
};

inline Sample leaf_sample(Tape& tape, const World& world) {
  switch (tape.next(8)) {
    case 0:
    case 1:
    case 2:
    case 3: {
      const auto i = static_cast<std::size_t>(tape.next(static_cast<std::int64_t>(world.axes.size())));
      return {world.axes[i], [i](const Bindings& at) { return std::optional(at.axes[i]); }};
    }
    case 4: {
      const auto i = static_cast<std::size_t>(tape.next(static_cast<std::int64_t>(world.slots.size())));
      return {world.slots[i], [i](const Bindings& at) { return std::optional(at.slots[i]); }};
    }
    case 5: {
      const Expr d = world.dims[static_cast<std::size_t>(tape.next(static_cast<std::int64_t>(world.dims.size())))];
      return {d, [name = d.dim_name()](const Bindings& at) { return std::optional(at.dims.find(name)->second); }};
    }
    default: {
      const std::int64_t v = tape.next(16) - 3;
      return {v, [v](const Bindings&) { return std::optional(v); }};
    }
  }
}

/// The naive meaning of a binary operation.
inline std::optional<std::int64_t> apply(int op, std::int64_t x, std::int64_t y) {
  const auto floored = [](std::int64_t a, std::int64_t d) {
    std::int64_t q = a / d;
    if (q * d != a && (a < 0) != (d < 0)) --q;
    return q;
  };
  switch (op) {
    case 0: return x + y;
    case 1: return x - y;
    case 2: return x * y;
    case 3: return y == 0 ? std::nullopt : std::optional(floored(x, y));
    case 4: return y == 0 ? std::nullopt : std::optional(x - y * floored(x, y));
    case 5: return y == 0 ? std::nullopt : std::optional(-floored(-x, y));
    case 6: return std::min(x, y);
    case 7: return std::max(x, y);
    case 8: return x < y;
    case 9: return x >= y;
    case 10: return x == y;
    case 11: return x != 0 && y != 0;
    case 12: return x != 0 || y != 0;
    default: return x == 0;
  }
}

inline Expr build(int op, Expr x, Expr y) {
  switch (op) {
    case 0: return x + y;
    case 1: return x - y;
    case 2: return x * y;
    case 3: return floor_div(x, y);
    case 4: return mod(x, y);
    case 5: return ceil_div(x, y);
    case 6: return min(x, y);
    case 7: return max(x, y);
    case 8: return lt(x, y);
    case 9: return ge(x, y);
    case 10: return eq(x, y);
    case 11: return logical_and(x, y);
    case 12: return logical_or(x, y);
    default: return logical_not(x);
  }
}

/// A random expression of at most `depth` levels. Sums, products and divisions by small constants are likelier than
/// the rest, because index arithmetic is made of them.
inline Sample random_sample(Tape& tape, const World& world, int depth) {
  if (depth <= 0 || tape.spent()) return leaf_sample(tape, world);
  static constexpr int kOps[] = {0, 0, 0, 0, 1, 1,  2,  2,  3,  3,  3,  4,  4, 4,
                                 5, 6, 7, 8, 9, 10, 11, 12, 13, -1, -1, -2, -2};
  const int op = kOps[tape.next(std::size(kOps))];
  if (op == -1) return leaf_sample(tape, world);
  const Sample x = random_sample(tape, world, depth - 1);
  if (op == -2) {  // k·x + y, the commonest index
    const std::int64_t k = tape.next(12) + 1;
    const Sample y = random_sample(tape, world, depth - 1);
    return {k * x.expr + y.expr, [=](const Bindings& at) -> std::optional<std::int64_t> {
              const auto u = x.naive(at);
              const auto v = y.naive(at);
              return u && v ? std::optional(k * *u + *v) : std::nullopt;
            }};
  }
  const bool divides = op >= 3 && op <= 5;
  if (divides && tape.next(3) != 0) {
    static constexpr std::int64_t kDivisors[] = {2, 3, 4, 6, 8, 12, -2, -3, 5};
    const std::int64_t d = kDivisors[tape.next(std::size(kDivisors))];
    return {build(op, x.expr, d), [=](const Bindings& at) -> std::optional<std::int64_t> {
              const auto u = x.naive(at);
              return u ? apply(op, *u, d) : std::nullopt;
            }};
  }
  const Sample y = random_sample(tape, world, depth - 1);
  if (divides && y.expr.is_constant(0)) return x;
  return {build(op, x.expr, y.expr), [=](const Bindings& at) -> std::optional<std::int64_t> {
            const auto u = x.naive(at);
            const auto v = y.naive(at);
            return u && v ? apply(op, *u, *v) : std::nullopt;
          }};
}

/// "b=1 s=2 … a=[0 1] s=[3]", for messages.
inline std::string to_string(const Bindings& at) {
  std::string text;
  for (const auto& [name, value] : at.dims) text += name + "=" + std::to_string(value) + " ";
  text += "a:";
  for (std::int64_t v : at.axes) text += " " + std::to_string(v);
  text += " s:";
  for (std::int64_t v : at.slots) text += " " + std::to_string(v);
  return text;
}

}  // namespace quince::testing
