// Every nn function against PyTorch's values, with constant and with symbolic shapes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>

#include "nn/functions.h"
#include "quince/error.h"
#include "support/array_cases.h"
#include "support/evaluate.h"

namespace quince::nn::testing {
namespace {

using quince::testing::ArrayCase;

const std::vector<ArrayCase>& cases() {
  static const std::vector<ArrayCase> all = quince::testing::load_cases("nn");
  return all;
}

/// An extent of 1 stays, because it broadcasts; another n becomes the dim "n<n>", so that equal extents are equal dims.
Expr symbolic(std::int64_t extent) { return extent == 1 ? Expr(1) : Expr::dim(fmt::format("n{}", extent)); }

std::vector<Array> run(const ArrayCase& c, const Entry& entry, bool with_dims) {
  std::vector<Shape> shapes;
  for (std::size_t i = 0; i < c.in.size(); ++i) {
    const int limit = i < entry.symbolic_axes.size() ? entry.symbolic_axes[i] : -1;
    Shape& shape = shapes.emplace_back();
    for (std::size_t axis = 0; axis < c.in[i].shape.size(); ++axis) {
      const bool free = with_dims && (limit < 0 || static_cast<int>(axis) < limit);
      shape.push_back(free ? symbolic(c.in[i].shape[axis]) : Expr(c.in[i].shape[axis]));
    }
  }
  std::vector<double> args;
  for (const auto& a : c.row.value("args", nlohmann::json::array())) {
    args.push_back(a.is_null() ? std::numeric_limits<double>::quiet_NaN() : a.get<double>());
  }
  return quince::testing::evaluate(
      c.in, [&](Graph&, const std::vector<Tensor>& in) { return entry.apply(in, args); }, shapes);
}

class Values : public ::testing::TestWithParam<std::string> {};

void check(const std::string& function, bool with_dims) {
  const Entry& entry = functions().at(function);
  int found = 0;
  for (const ArrayCase& c : cases()) {
    if (c.row.at("fn") != function) continue;
    ++found;
    SCOPED_TRACE(c.name);
    try {
      const std::vector<Array> got = run(c, entry, with_dims);
      ASSERT_EQ(got.size(), c.out.size());
      const auto how = quince::testing::compare_from_name(c.row.value("compare", std::string("close")));
      for (std::size_t i = 0; i < got.size(); ++i) EXPECT_TRUE(quince::testing::same_array(got[i], c.out[i], how));
    } catch (const Error& e) {
      ADD_FAILURE() << e.what();
    }
  }
  EXPECT_GT(found, 0) << "no stored case";
}

TEST_P(Values, ConstantShapes) { check(GetParam(), false); }
TEST_P(Values, SymbolicShapes) { check(GetParam(), true); }

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto& [name, entry] : functions()) all.push_back(name);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Nn, Values, ::testing::ValuesIn(names()),
                         [](const ::testing::TestParamInfo<std::string>& row) { return row.param; });

TEST(Cases, EachHasAFunction) {
  for (const ArrayCase& c : cases()) EXPECT_TRUE(functions().contains(c.row.at("fn").get<std::string>())) << c.name;
}

}  // namespace
}  // namespace quince::nn::testing
