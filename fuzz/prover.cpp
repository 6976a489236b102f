// What the prover and the maps claim about random expressions, against evaluation at random bindings.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "../tests/expr/random_expr.h"
#include "quince/error.h"

namespace {

using namespace quince;
using namespace quince::testing;

void require(bool holds, const char* claim, Expr e, const Bindings& at) {
  if (holds) return;
  std::fprintf(stderr, "%s: %s at %s\n", claim, quince::to_string(e).c_str(), quince::testing::to_string(at).c_str());
  std::abort();
}

/// Simplification, bounds and proofs about two expressions.
void check_expressions(Tape& tape, const World& world) {
  const Sample x = random_sample(tape, world, 4);
  const Sample y = random_sample(tape, world, 3);
  const Range r = bounds(x.expr);
  const bool le = prove_le(x.expr, y.expr, world.assumptions);
  const bool equal = prove_equal(x.expr, y.expr, world.assumptions);
  const bool inside = prove(logical_and(ge(x.expr, 0), lt(x.expr, y.expr)), world.assumptions);
  const bool disjoint = prove_disjoint(ge(x.expr, y.expr), lt(x.expr, 3), world.assumptions);
  const Expr clamped = clamp(x.expr, 0, y.expr);
  for (const Bindings& at : world.draw_many(7, 24)) {
    const auto u = x.naive(at);
    if (!u) continue;
    require(evaluate(x.expr, at) == *u, "value", x.expr, at);
    require(r.lo <= *u && *u <= r.hi, "bounds", x.expr, at);
    const auto v = y.naive(at);
    if (!v) continue;
    require(!le || *u <= *v, "le", y.expr - x.expr, at);
    require(!equal || *u == *v, "equal", y.expr - x.expr, at);
    require(!inside || (*u >= 0 && *u < *v), "inside", x.expr, at);
    require(!disjoint || !(*u >= *v && *u < 3), "disjoint", x.expr, at);
    require(evaluate(clamped, at) == std::max<std::int64_t>(0, std::min(*u, *v)), "clamp", clamped, at);
  }
}

/// Factoring, injectivity and fibres of a map over the world's box, dims bound to small numbers.
void check_map(Tape& tape, const World& world) {
  std::vector<Expr> coords;
  Shape source;
  for (int i = 0; i < 2; ++i) {
    coords.push_back(random_sample(tape, world, 2).expr);
    source.emplace_back(2 + tape.next(40));
  }
  const Map map(world.box, source, coords, world.assumptions);
  const auto [injective, projection] = factor(map);
  const bool claims_injective = is_injective(map);
  const auto fibre = largest_fibre(map);
  std::map<std::vector<std::int64_t>, std::vector<std::int64_t>> hits;
  std::map<std::string, std::int64_t> dims_of_run;
  for (const Bindings& at : world.draw_many(11, 60)) {
    std::vector<std::int64_t> point;
    Bindings middle = at;
    try {
      for (Expr e : map.coords()) point.push_back(evaluate(e, at));
    } catch (const Error&) {
      continue;
    }
    for (std::size_t i = 0; i < point.size(); ++i) {
      require(point[i] >= 0 && point[i] < evaluate(source[i], at), "inside the source", map.coords()[i], at);
    }
    middle.axes.clear();
    for (Expr e : projection.coords()) middle.axes.push_back(evaluate(e, at));
    for (std::size_t i = 0; i < point.size(); ++i) {
      require(evaluate(injective.coords()[i], middle) == point[i], "factor", map.coords()[i], at);
    }
    // Two draws with the same dims may meet in one point only if the map is not injective.
    for (const auto& [name, value] : at.dims) point.push_back(value);
    const auto [place, fresh] = hits.emplace(point, at.axes);
    require(fresh || place->second == at.axes || (!claims_injective && fibre && evaluate(*fibre, at) >= 2), "injective",
            map.coords()[0], at);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Tape tape({data, size});
  try {
    const World world(tape);
    if (tape.next(3) == 0) {
      check_map(tape, world);
    } else {
      check_expressions(tape, world);
    }
  } catch (const Error& error) {
    // A divisor that simplifies to 0 is refused while building; everything else here is small and legal.
    if (error.code() != ErrorCode::invalid_argument && error.code() != ErrorCode::resource) throw;
  }
  return 0;
}
