// Every op × dtype × view against numbers from NumPy and mpmath (docs/ops.md: V2–V10, O1–O7).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "ops/views.h"
#include "quince/error.h"
#include "support/array_cases.h"
#include "support/evaluate.h"

namespace quince::testing {
namespace {

const std::vector<ArrayCase>& cases() {
  static const std::vector<ArrayCase> all = load_cases("ops");
  return all;
}

/// "Add/f32/plain" or "Cast/f32-i8/plain".
struct Name {
  std::string op;
  std::string dtypes;
  std::string view;
};
Name parts_of(const std::string& text) {
  const std::size_t a = text.find('/');
  const std::size_t b = text.find('/', a + 1);
  return {text.substr(0, a), text.substr(a + 1, b - a - 1), text.substr(b + 1)};
}

Tensor gathered(const Name& n, const std::vector<Tensor>& in) {
  if (n.view.starts_with("index_")) {
    if (in[1].dtype() != DType::boolean) return take(in[0], 0, in[1]);
    const Shape domain{3, 6};
    const Tensor index[] = {in[1].unsqueeze(1).expand(domain)};
    return gather(in[0], Map(domain, in[0].shape(), {Expr::slot(0, 0, 1), Expr::axis(1, 6)}), index);
  }
  if (n.view == "two_slots") {
    const Tensor index[] = {in[1], in[2]};
    return gather(in[0], Map(in[1].shape(), in[0].shape(), {Expr::slot(0, 0, 3), Expr::slot(1, 0, 5)}), index);
  }
  return take(viewed(in[0], n.view), 0, in[1]);
}

Tensor scattered(const Name& n, const std::vector<Tensor>& in) {
  constexpr std::int64_t kAnywhere = std::int64_t{1} << 40;
  const bool outside = n.view == "outside";
  const Tensor dest = outside ? in[0] : viewed(in[0], n.view);
  Tensor src = outside ? in[1] : viewed(in[1], n.view);
  if (n.view == "permuted") src = src.slice(0, 0, 4);
  std::vector<Expr> target = axes_of(src.shape());
  target[0] = outside ? Expr::slot(0, -kAnywhere, kAnywhere) : Expr::slot(0, 0, 3);
  Tensor rows = in[2];
  while (rows.rank() < src.rank()) rows = rows.unsqueeze(rows.rank());
  const Tensor index[] = {rows};
  return scatter(dest, src, std::move(target), index);
}

Tensor reduced(const Name& n, const Tensor& x) {
  const auto reduce = [&n](const Tensor& v, const std::vector<int>& axes) {
    return n.op == "SumReduce" ? v.sum(axes) : v.max(axes);
  };
  if (n.view == "axes02") return reduce(x, {0, 2});
  if (n.view.starts_with("row") || n.view == "zeros") return reduce(x, {-1});
  return reduce(viewed(x, n.view), {-1});
}

Tensor build(const Name& n, Graph& graph, const std::vector<Tensor>& in) {
  static const std::map<std::string, Tensor (*)(const Tensor&)> unary = {
      {"Log2", log2}, {"Exp2", exp2}, {"Sin", sin}, {"Sqrt", sqrt}, {"Recip", recip}};
  static const std::map<std::string, Tensor (*)(const Tensor&, const Tensor&)> binary = {
      {"Add", add}, {"Mul", mul}, {"Mod", mod}, {"LessThan", less_than}};
  if (const auto f = unary.find(n.op); f != unary.end()) return f->second(viewed(in[0], n.view));
  if (const auto f = binary.find(n.op); f != binary.end()) {
    return f->second(viewed(in[0], n.view), viewed(in[1], n.view));
  }
  if (n.op == "SumReduce" || n.op == "MaxReduce") return reduced(n, in[0]);
  if (n.op == "Gather") return gathered(n, in);
  if (n.op == "Scatter") return scattered(n, in);
  if (n.op == "Iota") {
    const Shape shape{4, 6};
    return graph.iota(dtype_from_name(n.dtypes).value(), shape, 40 * Expr::axis(0, 4) - 7 * Expr::axis(1, 6));
  }
  const DType to = dtype_from_name(n.dtypes.substr(n.dtypes.find('-') + 1)).value();
  const bool plain = n.view == "all" || n.view == "ties" || n.view == "edges" || n.view == "wraps";
  return cast(plain ? in[0] : viewed(in[0], n.view), to);
}

Array run(const ArrayCase& c, int threads) {
  const auto build_case = [&c](Graph& graph, const std::vector<Tensor>& in) {
    return std::vector<Tensor>{build(parts_of(c.name), graph, in)};
  };
  return evaluate(c.in, build_case, {}, threads).at(0);
}

/// The place of a float among all of its dtype's, so that neighbours differ by one.
std::int64_t place_of(Scalar s) {
  const int width = bit_width(s.dtype);
  const auto magnitude = static_cast<std::int64_t>(s.bits & ((std::uint64_t{1} << (width - 1)) - 1));
  return s.bits >> (width - 1) & 1 ? -magnitude : magnitude;
}

/// Equal, or for Log2, Exp2 and Sin neighbours.
::testing::AssertionResult within_one_ulp(const Array& got, const Array& want) {
  if (got.dtype != want.dtype || got.shape != want.shape) return same_array(got, want, Compare::bits);
  for (std::int64_t i = 0; i < want.count(); ++i) {
    const Scalar a = got.at(i);
    const Scalar b = want.at(i);
    if (same_element(a, b, Compare::bits)) continue;
    const bool finite = std::isfinite(a.as_double()) && std::isfinite(b.as_double());
    if (!finite || std::abs(place_of(a) - place_of(b)) > 1) {
      return ::testing::AssertionFailure() << fmt::format("element {}: {} (bits {:#x}), expected {} (bits {:#x})", i,
                                                          a.as_double(), a.bits, b.as_double(), b.bits);
    }
  }
  return ::testing::AssertionSuccess();
}

class Ops : public ::testing::TestWithParam<std::string> {};

TEST_P(Ops, GiveTheStoredValues) {
  const bool approximate = GetParam() == "Log2" || GetParam() == "Exp2" || GetParam() == "Sin";
  int found = 0;
  for (const ArrayCase& c : cases()) {
    if (parts_of(c.name).op != GetParam()) continue;
    SCOPED_TRACE(c.name);
    const int threads = 1 + found++ % 2;
    try {
      const Array got = run(c, threads);
      EXPECT_TRUE(approximate ? within_one_ulp(got, c.out.at(0)) : same_array(got, c.out.at(0), Compare::bits));
    } catch (const Error& e) {
      ADD_FAILURE() << e.what();
    }
  }
  EXPECT_GT(found, 0) << "no stored case";
}

INSTANTIATE_TEST_SUITE_P(All, Ops,
                         ::testing::Values("Log2", "Exp2", "Sin", "Sqrt", "Recip", "Add", "Mul", "Mod", "LessThan",
                                           "SumReduce", "MaxReduce", "Iota", "Gather", "Scatter", "Cast"),
                         [](const ::testing::TestParamInfo<std::string>& row) { return row.param; });

}  // namespace
}  // namespace quince::testing
