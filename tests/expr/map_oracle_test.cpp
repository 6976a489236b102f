// Every operation on maps against enumeration of small boxes, dims bound to numbers and slots drawn per point.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>

#include "expr/random_expr.h"
#include "quince/error.h"

namespace quince::testing {
namespace {

using Choices = std::vector<std::uint8_t>;
using Point = std::vector<std::int64_t>;

constexpr std::int64_t kMaxPoints = 3000;

/// Calls visit(binding with axes and fresh slots) for every point of the box; does nothing for one too large.
template <typename Visit>
void for_each_point(const Shape& box, const World& world, Bindings at, std::mt19937& random, Visit visit) {
  std::int64_t count = 1;
  Point extents;
  for (Expr extent : box) {
    extents.push_back(evaluate(extent, at));
    count *= std::max<std::int64_t>(extents.back(), 0);
    if (count > kMaxPoints) return;
  }
  at.axes.assign(box.size(), 0);
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t left = i;
    for (std::size_t d = box.size(); d-- > 0;) {
      at.axes[d] = left % extents[d];
      left /= extents[d];
    }
    at.slots.clear();
    for (Expr slot : world.slots) {
      const std::int64_t lo = evaluate(slot.operands()[0], at);
      const std::int64_t hi = evaluate(slot.operands()[1], at);
      at.slots.push_back(lo > hi ? lo : std::uniform_int_distribution<std::int64_t>(lo, hi)(random));
    }
    visit(at);
  }
}

Point image(const Map& map, const Bindings& at) {
  Point p;
  for (Expr e : map.coords()) p.push_back(evaluate(e, at));
  return p;
}

Bindings with_axes(const Bindings& at, Point axes) {
  Bindings moved = at;
  moved.axes = std::move(axes);
  return moved;
}

bool empty_at(const Shape& box, const Bindings& at) {
  return std::ranges::any_of(box, [&](Expr extent) { return evaluate(extent, at) < 1; });
}

/// A random box of up to `rank` small axes.
Shape random_box(Tape& tape, const World& world, int rank) {
  const Expr s = world.dims[1];
  const Expr b = world.dims[0];
  const std::vector<Expr> extents = {2, 3, 4, 6, b, s, b * s, s + 1, 2 * s, world.dims[4], 1, world.dims[3]};
  Shape box;
  for (int i = 0; i < rank; ++i) {
    box.push_back(extents[static_cast<std::size_t>(tape.next(static_cast<std::int64_t>(extents.size())))]);
  }
  return box;
}

/// A random coordinate over a box: mostly what index arithmetic looks like, sometimes anything at all.
Sample random_coordinate(Tape& tape, const World& world, const Shape& box, int depth) {
  World over = world;
  over.box = box;
  over.axes = axes_of(box);
  if (tape.next(3) != 0 && !box.empty()) {
    Sample sum{0, [](const Bindings&) { return std::optional<std::int64_t>(0); }};
    const std::int64_t terms = 1 + tape.next(3);
    for (std::int64_t t = 0; t < terms; ++t) {
      const auto i = static_cast<std::size_t>(tape.next(static_cast<std::int64_t>(box.size())));
      static constexpr std::int64_t kFactors[] = {1, 1, 2, 3, 4, 6, -1, 12};
      const std::int64_t k = kFactors[tape.next(std::size(kFactors))];
      const std::int64_t form = tape.next(4);
      const std::int64_t d = 2 + tape.next(3);
      const Expr axis = over.axes[i];
      const Expr digit = form == 0 ? floor_div(axis, d) : form == 1 ? mod(axis, d) : axis;
      sum = {sum.expr + k * digit, [=](const Bindings& at) -> std::optional<std::int64_t> {
               const std::int64_t v = at.axes[i];
               return *sum.naive(at) + k * (form == 0 ? v / d : form == 1 ? v % d : v);
             }};
    }
    return sum;
  }
  return random_sample(tape, over, depth);
}

struct MapSample {
  Map map;
  std::vector<Naive> naive;  ///< before clamping
};

MapSample random_map(Tape& tape, const World& world, const Shape& domain, const Shape& source, int depth) {
  MapSample sample;
  std::vector<Expr> coords;
  for (std::size_t i = 0; i < source.size(); ++i) {
    const Sample c = random_coordinate(tape, world, domain, depth);
    coords.push_back(c.expr);
    sample.naive.push_back(c.naive);
  }
  sample.map = Map(domain, source, std::move(coords), world.assumptions);
  return sample;
}

/// Calls check(world, tape, random, bindings of the dims).
template <typename Check>
void in_random_world(const Choices& choices, Check check) {
  Tape tape(choices);
  const World world(tape);
  std::mt19937 random(static_cast<std::uint32_t>(choices.size() * 31 + (choices.empty() ? 0 : choices.back())));
  std::vector<Bindings> bindings;
  for (int i = 0; i < 40 && bindings.size() < 4; ++i) {
    Bindings at;
    for (Expr d : world.dims) {
      const Range r = d.dim_range();
      at.dims[d.dim_name()] =
          std::uniform_int_distribution<std::int64_t>(r.lo / d.dim_multiple(), r.hi / d.dim_multiple())(random) *
          d.dim_multiple();
    }
    if (evaluate(world.assumptions[0], at) >= 0) bindings.push_back(std::move(at));
  }
  try {
    check(world, tape, random, bindings);
  } catch (const Error& error) {
    // Composing can show that a divisor is 0 everywhere: then no binding has a value to compare.
    if (error.code() != ErrorCode::invalid_argument) throw;
    RC_DISCARD(error.what());
  }
}

/// Slots are promised to be inside their ranges; a binding for which there is no such value is no binding.
bool slots_possible(const World& world, const Bindings& at) {
  return std::ranges::all_of(world.slots,
                             [&](Expr s) { return evaluate(s.operands()[0], at) <= evaluate(s.operands()[1], at); });
}

RC_GTEST_PROP(MapOracle, ConstructionClampsAndComposesPointwise, (const Choices& choices)) {
  in_random_world(choices, [](const World& world, Tape& tape, std::mt19937& random, const auto& bindings) {
    const Shape a = random_box(tape, world, 3);
    const Shape b = random_box(tape, world, 2);
    const Shape c = random_box(tape, world, 2);
    const MapSample outer = random_map(tape, world, a, b, 2);
    const MapSample inner = random_map(tape, world, b, c, 2);
    const Map both = compose(inner.map, outer.map);
    const Sample index = random_coordinate(tape, world, b, 3);
    const Expr pulled = pull(index.expr, outer.map);
    RC_LOG() << to_string(outer.map) << "\n" << to_string(inner.map) << "\n" << to_string(both) << "\n";
    for (const Bindings& dims : bindings) {
      if (empty_at(b, dims) || empty_at(c, dims) || !slots_possible(world, dims)) continue;
      for_each_point(a, world, dims, random, [&](const Bindings& at) {
        Point middle;
        for (std::size_t i = 0; i < b.size(); ++i) {
          const auto v = outer.naive[i](at);
          if (!v) return;
          middle.push_back(std::clamp<std::int64_t>(*v, 0, evaluate(b[i], at) - 1));
        }
        RC_ASSERT(image(outer.map, at) == middle);
        const Bindings inside = with_axes(at, middle);
        if (const auto v = index.naive(inside)) RC_ASSERT(evaluate(pulled, at) == *v);
        Point end;
        for (std::size_t i = 0; i < c.size(); ++i) {
          const auto v = inner.naive[i](inside);
          if (!v) return;
          end.push_back(std::clamp<std::int64_t>(*v, 0, evaluate(c[i], at) - 1));
        }
        RC_ASSERT(image(both, at) == end);
      });
    }
  });
}

RC_GTEST_PROP(MapOracle, FactorInjectivityFibresAndFootprint, (const Choices& choices)) {
  in_random_world(choices, [](const World& world, Tape& tape, std::mt19937& random, const auto& bindings) {
    const Shape a = random_box(tape, world, 3);
    const Shape b = random_box(tape, world, 1 + static_cast<int>(tape.next(3)));
    const Map map = random_map(tape, world, a, b, 2).map;
    const auto [injective, projection] = factor(map);
    const Map again = compose(injective, projection);
    const bool claims_injective = is_injective(map);
    const auto fibre = largest_fibre(map);
    const auto reach = footprint(map);
    RC_LOG() << to_string(map) << "\n" << to_string(injective) << "\n" << to_string(projection) << "\n";
    RC_ASSERT(same_shape(injective.domain(), projection.source()));
    for (const Bindings& dims : bindings) {
      if (empty_at(b, dims) || !slots_possible(world, dims)) continue;
      std::map<Point, std::int64_t> hits;
      for_each_point(a, world, dims, random, [&](const Bindings& at) {
        Point p;
        try {
          p = image(map, at);
        } catch (const Error&) {
          return;  // a divisor is 0 here
        }
        ++hits[p];
        const Point middle = image(projection, at);
        RC_ASSERT(image(injective, with_axes(at, middle)) == p);
        RC_ASSERT(image(again, at) == p);
        for (std::size_t i = 0; i < p.size(); ++i) {
          RC_ASSERT(evaluate(reach[i].first, at) <= p[i]);
          RC_ASSERT(evaluate(reach[i].second, at) >= p[i]);
        }
      });
      for (const auto& [point, count] : hits) {
        RC_ASSERT(!claims_injective || count == 1);
        if (fibre) RC_ASSERT(evaluate(*fibre, dims) >= count);
      }
    }
  });
}

RC_GTEST_PROP(MapOracle, ImagesAndInverses, (const Choices& choices)) {
  in_random_world(choices, [](const World& world, Tape& tape, std::mt19937& random, const auto& bindings) {
    const Shape a = random_box(tape, world, 2);
    const Shape b = random_box(tape, world, 2);
    const Shape c = random_box(tape, world, 1 + static_cast<int>(tape.next(2)));
    const Map m = random_map(tape, world, a, c, 1).map;
    const Map k = random_map(tape, world, b, c, 1).map;
    const bool disjoint = images_disjoint(m, k);
    const bool subset = image_subset(m, k);
    const auto inverse = solve(k, m);
    // Something that has a solution whenever k is injective: k read at a map.
    const Map inside = random_map(tape, world, a, b, 1).map;
    const Map through = compose(k, inside);
    const auto recovered = solve(k, through);
    RC_LOG() << to_string(m) << "\n" << to_string(k) << "\n";
    for (const Bindings& dims : bindings) {
      if (empty_at(c, dims) || empty_at(b, dims) || !slots_possible(world, dims)) continue;
      std::set<Point> reached;
      bool defined = true;
      const auto guarded = [&](const Bindings& at, const auto& visit) {
        try {
          visit(at);
        } catch (const Error&) {
          defined = false;
        }
      };
      for_each_point(b, world, dims, random,
                     [&](const Bindings& at) { guarded(at, [&](const Bindings& p) { reached.insert(image(k, p)); }); });
      if (!defined || reached.empty()) continue;
      for_each_point(a, world, dims, random, [&](const Bindings& at) {
        Point p;
        Point q;
        try {
          p = image(m, at);
          q = image(through, at);
        } catch (const Error&) {
          return;
        }
        RC_ASSERT(!disjoint || m.slot_count() + k.slot_count() > 0 || !reached.contains(p));
        RC_ASSERT(!subset || reached.contains(p));
        if (inverse) RC_ASSERT(image(k, with_axes(at, image(*inverse, at))) == p);
        if (recovered) RC_ASSERT(image(k, with_axes(at, image(*recovered, at))) == q);
      });
    }
  });
}

RC_GTEST_PROP(MapOracle, ReshapeIsRowMajor, (const Choices& choices)) {
  in_random_world(choices, [](const World& world, Tape& tape, std::mt19937& random, const auto& bindings) {
    // Two groupings of one list of factors have equally many elements.
    const Expr s = world.dims[1];
    const Expr b = world.dims[0];
    const std::vector<Expr> pool = {2, 3, 4, b, s, s + 1, 1, 5, world.dims[4], 6};
    std::vector<Expr> factors;
    for (int i = 0; i < 5; ++i) {
      factors.push_back(pool[static_cast<std::size_t>(tape.next(static_cast<std::int64_t>(pool.size())))]);
    }
    const auto group = [&] {
      Shape shape = {factors[0]};
      for (std::size_t i = 1; i < factors.size(); ++i) {
        if (tape.next(2) == 0) {
          shape.back() = shape.back() * factors[i];
        } else {
          shape.push_back(factors[i]);
        }
      }
      return shape;
    };
    const Shape from = group();
    if (tape.next(3) == 0) std::ranges::reverse(factors);
    const Shape to = group();
    const Map map = reshape(from, to);
    const Map back = reshape(to, from);
    const Map there_and_back = compose(map, back);
    RC_LOG() << to_string(map) << "\n" << to_string(there_and_back) << "\n";
    const auto flat = [](const Shape& box, const Point& p, const Bindings& at) {
      std::int64_t index = 0;
      for (std::size_t i = 0; i < box.size(); ++i) index = index * evaluate(box[i], at) + p[i];
      return index;
    };
    for (const Bindings& dims : bindings) {
      for_each_point(to, world, dims, random, [&](const Bindings& at) {
        const Point p = image(map, at);
        for (std::size_t i = 0; i < from.size(); ++i) RC_ASSERT(p[i] >= 0 && p[i] < evaluate(from[i], at));
        RC_ASSERT(flat(from, p, at) == flat(to, at.axes, at));
      });
      for_each_point(from, world, dims, random,
                     [&](const Bindings& at) { RC_ASSERT(image(there_and_back, at) == at.axes); });
    }
    RC_ASSERT(is_injective(map));
  });
}

RC_GTEST_PROP(MapOracle, SplitsCoverTheBox, (const Choices& choices)) {
  in_random_world(choices, [](const World& world, Tape& tape, std::mt19937& random, const auto& bindings) {
    const Shape box = random_box(tape, world, 2);
    const int axis = static_cast<int>(tape.next(2));
    const Expr c = 1 + tape.next(5);
    const OuterSplit outer = outer_split(box, axis, c);
    const Map& chunks = outer.map;
    const Expr inside = outer.inside;
    RC_ASSERT(is_injective(chunks) || !prove(inside));
    std::optional<Map> exact;
    if (prove_multiple(box[static_cast<std::size_t>(axis)], c)) exact = split(box, axis, c);
    for (const Bindings& dims : bindings) {
      if (empty_at(box, dims)) continue;
      std::map<Point, int> seen;
      for_each_point(chunks.domain(), world, dims, random, [&](const Bindings& at) {
        if (evaluate(inside, at) != 0) ++seen[image(chunks, at)];
        if (exact) RC_ASSERT(image(*exact, at) == image(chunks, at));
      });
      std::size_t points = 0;
      for_each_point(box, world, dims, random, [&](const Bindings& at) {
        ++points;
        RC_ASSERT(seen[at.axes] == 1);
      });
      RC_ASSERT(points == seen.size());
    }
  });
}

RC_GTEST_PROP(MapOracle, LiftProjectZeroFixAndFold, (const Choices& choices)) {
  in_random_world(choices, [](const World& world, Tape& tape, std::mt19937& random, const auto& bindings) {
    const Shape a = random_box(tape, world, 2);
    const Shape b = random_box(tape, world, 2);
    const Shape extra = random_box(tape, world, 1);
    const Map map = random_map(tape, world, a, b, 2).map;
    const Map lifted = lift(map, extra);
    const Map projected = project_last(a, 1);
    const Map zeroed = zero_last(a, 1);
    const Sample at_index = random_coordinate(tape, world, {a[0]}, 1);
    const Map fixed = fix_last(a, at_index.expr);
    const Map folded = fold_slot(map, 0, Expr::axis(0, a[0]));
    for (const Bindings& dims : bindings) {
      if (empty_at(a, dims) || empty_at(b, dims) || !slots_possible(world, dims)) continue;
      for_each_point(lifted.domain(), world, dims, random, [&](const Bindings& at) {
        const Bindings inner = with_axes(at, {at.axes[0], at.axes[1]});
        Point p;
        try {
          p = image(map, inner);
        } catch (const Error&) {
          return;
        }
        p.push_back(at.axes[2]);
        RC_ASSERT(image(lifted, at) == p);
        RC_ASSERT(image(projected, inner) == Point{at.axes[0]});
        RC_ASSERT((image(zeroed, inner) == Point{at.axes[0], 0}));
        const Bindings outer = with_axes(at, {at.axes[0]});
        if (const auto v = at_index.naive(outer)) {
          const std::int64_t last = std::clamp<std::int64_t>(*v, 0, evaluate(a[1], at) - 1);
          RC_ASSERT((image(fixed, outer) == Point{at.axes[0], last}));
        }
        // A folded slot reads what the slot would have supplied, where that is in the slot's range.
        const Range promised{evaluate(world.slots[0].operands()[0], at), evaluate(world.slots[0].operands()[1], at)};
        if (at.axes[0] < promised.lo || at.axes[0] > promised.hi) return;
        Bindings supplied = inner;
        supplied.slots[0] = at.axes[0];
        Bindings moved = inner;
        moved.slots.erase(moved.slots.begin());
        try {
          RC_ASSERT(image(folded, moved) == image(map, supplied));
        } catch (const Error&) {
          return;
        }
      });
    }
  });
}

}  // namespace
}  // namespace quince::testing
