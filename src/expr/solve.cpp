// Inverses and images of maps, their footprints, and what slots become when they are known.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "expr/digits.h"
#include "expr/node.h"
#include "expr/substitute.h"
#include "expr/uniform_bounds.h"
#include "quince/error.h"
#include "quince/expr/map.h"

namespace quince {

using namespace detail;

namespace {

/// A map r with k ∘ r = m, found by reading k's coordinates as numbers and checked by composing.
std::optional<Map> preimage(const Map& k, const Map& m) {
  if (k.slot_count() > 0 || !same_shape(k.source(), m.source())) return std::nullopt;
  // k's axes are moved out of the way of m's.
  const int shift = static_cast<int>(m.domain().size());
  std::vector<Expr> moved;
  for (Expr axis : axes_of(k.domain())) {
    moved.push_back(axis.is_constant() ? axis : Expr::axis(static_cast<int>(axis.value()) + shift, axis.operands()[0]));
  }
  DigitReader reader;
  for (std::size_t i = 0; i < k.coords().size(); ++i) {
    const Expr e = substitute_axes(k.coords()[i], moved);
    if (!is_uniform(e)) reader.learn(e, m.coords()[i]);
  }
  reader.run();
  std::vector<Expr> coords;
  for (Expr axis : moved) coords.push_back(reader.value_of(axis).value_or(0));
  for (Expr e : coords) {
    // A value that still mentions k's axes is no solution.
    for (std::size_t i = 0; i < moved.size(); ++i) {
      if (mentions_axis(e, static_cast<int>(i) + shift)) return std::nullopt;
    }
  }
  const Map r(m.domain(), k.domain(), std::move(coords));
  const Map back = compose(k, r);
  for (std::size_t i = 0; i < back.coords().size(); ++i) {
    if (!prove_equal(back.coords()[i], m.coords()[i])) return std::nullopt;
  }
  return r;
}

/// The coordinates of a map over axes and slots that no other map shares.
std::vector<Expr> renamed_coords(const Map& map) {
  constexpr int kShift = 32;
  std::vector<Expr> moved;
  for (Expr axis : axes_of(map.domain())) {
    moved.push_back(axis.is_constant() ? axis
                                       : Expr::axis(static_cast<int>(axis.value()) + kShift, axis.operands()[0]));
  }
  std::vector<Expr> coords;
  for (Expr e : map.coords()) coords.push_back(substitute_axes(e, moved, kShift));
  return coords;
}

/// Every term of e is a multiple of a number that its constant is not.
bool never_zero_by_residue(Expr e) {
  if (e.kind() != ExprKind::sum) return false;
  std::int64_t g = 0;
  for (std::size_t i = 0; i < e.operands().size(); ++i) {
    const std::int64_t k = e.coefficients()[i];
    std::int64_t step = 0;
    if (k == INT64_MIN || __builtin_mul_overflow(k, e.operands()[i].node()->multiple, &step) || step == INT64_MIN) {
      return false;
    }
    g = std::gcd(g, step);
  }
  return g > 1 && e.value() % g != 0;
}

}  // namespace

std::optional<Map> solve(const Map& k, const Map& m) {
  if (!is_injective(k)) return std::nullopt;
  return preimage(k, m);
}

bool image_subset(const Map& a, const Map& b) { return preimage(b, a).has_value(); }

bool images_disjoint(const Map& a, const Map& b) {
  if (a.source().size() != b.source().size()) return false;
  const std::vector<Expr> other = renamed_coords(b);
  for (std::size_t i = 0; i < other.size(); ++i) {
    const Expr distance = a.coords()[i] - other[i];
    if (never_zero_by_residue(distance) || prove_lt(0, distance) || prove_lt(distance, 0)) return true;
  }
  return false;
}

std::vector<std::pair<Expr, Expr>> footprint(const Map& map) {
  std::vector<std::pair<Expr, Expr>> ranges;
  for (std::size_t i = 0; i < map.coords().size(); ++i) {
    const Expr last = map.source()[i] - 1;
    const auto b = uniform_bounds(map.coords()[i]);
    if (b) {
      ranges.emplace_back(max(b->lo, 0), min(b->hi, last));
    } else {
      ranges.emplace_back(0, last);
    }
  }
  return ranges;
}

Map fold_slot(const Map& map, int slot, Expr index) {
  Substitution by;
  by.slots.emplace(slot, index);
  std::vector<Expr> promised;
  for (Expr e : map.coords()) {
    for (Expr s : collect(e, ExprKind::slot)) {
      if (s.value() == slot) promised = {index - s.operands()[0], s.operands()[1] - index};
      if (s.value() <= slot) continue;
      const int moved = static_cast<int>(s.value()) - 1;
      by.slots.insert_or_assign(moved + 1, Expr::slot(moved, s.operands()[0], s.operands()[1]));
    }
  }
  std::vector<Expr> coords;
  for (Expr e : map.coords()) coords.push_back(substitute(e, by));
  return {map.domain(), map.source(), std::move(coords), promised};
}

}  // namespace quince
