// Speed of index arithmetic: the expressions and maps that building and searching a Llama graph makes.
#include <benchmark/benchmark.h>

#include "quince/expr/map.h"

namespace {

using namespace quince;

struct Model {
  Expr b = Expr::dim("b", {1, 64});
  Expr s = Expr::dim("s", {1, 8192});
  Expr pos = Expr::dim("pos", {0, 8192});
  Expr ctx = Expr::dim("ctx", {1, 8192});
  std::vector<Expr> facts = {ctx - pos - s};
};

/// One round of a block's expressions; `i` varies the numbers, so that not every node exists already.
std::int64_t block_expressions(const Model& m, std::int64_t i) {
  const Expr a0 = Expr::axis(0, m.b);
  const Expr a1 = Expr::axis(1, m.s);
  const Expr a2 = Expr::axis(2, 9);
  const Expr a3 = Expr::axis(3, 64);
  const Expr flat = ((a0 * m.s + a1) * 9 + a2) * 64 + a3;
  std::int64_t count = 8;
  // Reshapes to heads and back.
  benchmark::DoNotOptimize(floor_div(flat, 64));
  benchmark::DoNotOptimize(mod(flat, 64));
  benchmark::DoNotOptimize(mod(floor_div(flat, 64), 9));
  benchmark::DoNotOptimize(floor_div(flat, 576));
  benchmark::DoNotOptimize(mod(floor_div(flat, 576), m.s));
  benchmark::DoNotOptimize(floor_div(flat, m.s * 576));
  count += 12;
  // A merged head, the group of a query head, a block of quantised weights.
  const Expr merged = a2 * 64 + a3 + (i % 977);
  benchmark::DoNotOptimize(floor_div(merged, 64));
  benchmark::DoNotOptimize(mod(merged, 64));
  benchmark::DoNotOptimize(floor_div(a2, 3));
  benchmark::DoNotOptimize(floor_div(merged, 32) * 16 + mod(merged, 16));
  count += 9;
  // Rope reads the neighbour of each pair and an angle per pair.
  benchmark::DoNotOptimize(floor_div(a3, 2) * 2 + 1 - mod(a3, 2));
  benchmark::DoNotOptimize(floor_div(a3, 2));
  benchmark::DoNotOptimize(mod(a3 + 32, 64));
  benchmark::DoNotOptimize((m.pos + a1 + (i % 31)) * 32 + floor_div(a3, 2));
  count += 11;
  // The causal mask and the slice of the cache.
  const Expr key = Expr::axis(4, m.ctx);
  benchmark::DoNotOptimize(ge(m.pos + a1, key));
  benchmark::DoNotOptimize(logical_and(ge(key, m.pos), lt(key, m.pos + m.s)));
  benchmark::DoNotOptimize(clamp(key - m.pos, 0, m.s - 1));
  benchmark::DoNotOptimize(prove_lt(m.pos + a1, m.ctx, m.facts));
  count += 14;
  return count;
}

void BM_BlockExpressions(benchmark::State& state) {
  const Model model;
  std::int64_t i = 0;
  std::int64_t count = 0;
  for (auto _ : state) count += block_expressions(model, i++);
  state.SetItemsProcessed(count);
}
BENCHMARK(BM_BlockExpressions);

/// The same where every expression is new: dims of another range each time.
void BM_FreshExpressions(benchmark::State& state) {
  std::int64_t i = 0;
  std::int64_t count = 0;
  for (auto _ : state) {
    Model model;
    model.ctx = Expr::dim("ctx", {1, 8192 + ++i});
    model.s = Expr::dim("s", {1, 8192 + i});
    model.facts = {model.ctx - model.pos - model.s};
    count += block_expressions(model, i);
  }
  state.SetItemsProcessed(count);
}
BENCHMARK(BM_FreshExpressions);

/// The views of one attention: split heads, transpose, group, broadcast, merge; each composed with the last.
void BM_AttentionViews(benchmark::State& state) {
  const Model m;
  std::int64_t maps = 0;
  for (auto _ : state) {
    const Map heads = reshape({m.b, m.s, 576}, {m.b, m.s, 9, 64});
    const Shape swapped = {m.b, 9, m.s, 64};
    const std::vector<Expr> a = axes_of(swapped);
    const Map transpose(swapped, {m.b, m.s, 9, 64}, {a[0], a[2], a[1], a[3]});
    const Map grouped = reshape(swapped, {m.b, 3, 3, m.s, 64});
    const Map view = compose(compose(heads, transpose), grouped);
    const Map merged = compose(reshape({m.b, m.s, 9, 64}, {m.b, m.s, 576}), Map::identity({m.b, m.s, 576}));
    const Map back = compose(heads, merged);
    benchmark::DoNotOptimize(view);
    benchmark::DoNotOptimize(back.is_identity());
    maps += 8;
  }
  state.SetItemsProcessed(maps);
}
BENCHMARK(BM_AttentionViews);

void BM_FactorAndInjectivity(benchmark::State& state) {
  const Model m;
  const Map heads = reshape({m.b * m.s, 576}, {m.b, m.s, 9, 64});
  for (auto _ : state) {
    benchmark::DoNotOptimize(factor(heads));
    benchmark::DoNotOptimize(is_injective(heads));
  }
  state.SetItemsProcessed(state.iterations() * 2);
}
BENCHMARK(BM_FactorAndInjectivity);

void BM_ProveWithAssumptions(benchmark::State& state) {
  const Model m;
  const Expr a1 = Expr::axis(1, m.s);
  for (auto _ : state) {
    benchmark::DoNotOptimize(prove_lt(m.pos + a1, m.ctx, m.facts));
    benchmark::DoNotOptimize(prove_lt(m.pos + a1 + 1, m.ctx, m.facts));
  }
  state.SetItemsProcessed(state.iterations() * 2);
}
BENCHMARK(BM_ProveWithAssumptions);

void BM_PrintAndParse(benchmark::State& state) {
  const Model m;
  ExprScope scope;
  for (Expr d : {m.b, m.s, m.pos, m.ctx}) scope.dims.emplace(d.dim_name(), d);
  scope.axes = axes_of({m.b * m.s, 576});
  const Expr e = floor_div(scope.axes[0], m.s * 9) * 64 + mod(scope.axes[1], 64) + min(m.pos, m.ctx - m.s);
  for (auto _ : state) benchmark::DoNotOptimize(parse_expr(to_string(e), scope));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_PrintAndParse);

}  // namespace
