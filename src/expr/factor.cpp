// Which points a map tells apart: unread axes, injectivity, fibres.
#include <algorithm>
#include <numeric>

#include "expr/digits.h"
#include "expr/node.h"
#include "expr/substitute.h"
#include "quince/error.h"
#include "quince/expr/map.h"

namespace quince {

using namespace detail;

namespace {

/// The divisors of an axis that is read as a // c only.
struct Reads {
  bool any = false;
  bool only_divided = true;
  std::vector<Expr> divisors;
};

void find_reads(Expr e, Expr axis, Reads& reads) {
  if (!mentions_axis(e, static_cast<int>(axis.value()))) return;
  if (e == axis) {
    reads.any = true;
    reads.only_divided = false;
    return;
  }
  if (e.kind() == ExprKind::floor_div && e.operands()[0] == axis && is_uniform(e.operands()[1])) {
    reads.any = true;
    if (std::ranges::find(reads.divisors, e.operands()[1]) == reads.divisors.end()) {
      reads.divisors.push_back(e.operands()[1]);
    }
    return;
  }
  for (Expr o : e.operands()) find_reads(o, axis, reads);
}

/// A c > 1 such that every read is a // (c·…) and c divides the extent; 1 if there is none.
Expr common_divisor(const Reads& reads, Expr extent) {
  if (!reads.only_divided || reads.divisors.empty()) return 1;
  Expr c = reads.divisors[0];
  for (Expr other : reads.divisors) {
    if (other == c) continue;
    if (!other.is_constant() || !c.is_constant()) return 1;
    c = std::gcd(c.value(), other.value());
  }
  return range_of(c).lo >= 1 && prove_multiple(extent, c) ? c : Expr(1);
}

DigitReader read(const Map& map) {
  DigitReader reader;
  for (Expr e : map.coords()) {
    if (!is_uniform(e)) reader.learn(e, std::nullopt);
  }
  reader.run();
  return reader;
}

}  // namespace

Factored factor(const Map& map) {
  Shape box;
  std::vector<Expr> projected;
  std::vector<Expr> stretched;
  bool changed = false;
  for (std::size_t i = 0; i < map.domain().size(); ++i) {
    const Expr extent = map.domain()[i];
    const Expr axis = Expr::axis(static_cast<int>(i), extent);
    Reads reads;
    for (Expr e : map.coords()) {
      if (!axis.is_constant()) find_reads(e, axis, reads);
    }
    if (!reads.any) {
      stretched.emplace_back(0);
      changed = true;
      continue;
    }
    const Expr c = common_divisor(reads, extent);
    changed |= !c.is_constant(1);
    const Expr reduced = floor_div(extent, c);
    stretched.push_back(c * Expr::axis(static_cast<int>(box.size()), reduced));
    projected.push_back(floor_div(axis, c));
    box.push_back(reduced);
  }
  if (!changed) return {map, Map::identity(map.domain())};
  std::vector<Expr> coords;
  for (Expr e : map.coords()) coords.push_back(substitute_axes(e, stretched));
  return {Map::assembled(box, map.source(), std::move(coords)),
          Map::assembled(map.domain(), box, std::move(projected))};
}

bool is_injective(const Map& map) {
  const std::vector<Expr> axes = axes_of(map.domain());
  for (Expr axis : axes) {
    if (axis.is_constant()) continue;
    if (std::ranges::none_of(map.coords(), [&](Expr e) { return mentions_axis(e, static_cast<int>(axis.value())); })) {
      return false;
    }
  }
  const DigitReader reader = read(map);
  return std::ranges::all_of(axes, [&](Expr axis) { return reader.knows(axis); });
}

std::optional<Expr> largest_fibre(const Map& map) {
  const DigitReader reader = read(map);
  Expr fibre = 1;
  for (Expr axis : axes_of(map.domain())) {
    if (reader.knows(axis)) continue;
    const Expr extent = axis.operands()[0];
    Expr points = extent;
    Reads reads;
    for (Expr e : map.coords()) find_reads(e, axis, reads);
    for (Expr c : reads.divisors) {
      if (reader.knows(floor_div(axis, c)) && prove_le(c, points)) points = c;
    }
    fibre = fibre * points;
  }
  return fibre;
}

}  // namespace quince
