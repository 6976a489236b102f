// What the nn functions refuse, and that the message names function and operands.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "quince/error.h"
#include "quince/nn/nn.h"

namespace quince::nn {
namespace {

using ::testing::HasSubstr;

struct Mistake {
  std::string name;
  ErrorCode code;
  std::string message;  ///< a part of what() that names the thing at fault
  std::function<void(Graph&)> make;
};

Tensor in(Graph& g, std::string_view name, DType t, Shape shape) { return g.input(name, t, std::move(shape)); }
Tensor f32(Graph& g, std::string_view name, Shape shape) { return in(g, name, DType::f32, std::move(shape)); }

class Mistakes : public ::testing::TestWithParam<Mistake> {};

TEST_P(Mistakes, AreNamed) {
  Graph graph;
  try {
    GetParam().make(graph);
    FAIL() << "nothing was thrown";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), GetParam().code) << e.what();
    EXPECT_THAT(e.what(), HasSubstr(GetParam().message));
  }
}

const std::vector<Mistake>& mistakes() {
  static const std::vector<Mistake> all = {
      {"exp_of_ints", ErrorCode::dtype_mismatch, "exp: an operand of dtype i32 and shape [3]",
       [](Graph& g) { exp(in(g, "x", DType::i32, {3})); }},
      {"neg_of_bool", ErrorCode::dtype_mismatch, "neg: an operand of dtype bool",
       [](Graph& g) { neg(in(g, "x", DType::boolean, {3})); }},
      {"sub_of_two_dtypes", ErrorCode::dtype_mismatch, "sub: operands of dtypes f32 and f16",
       [](Graph& g) { sub(f32(g, "x", {3}), in(g, "y", DType::f16, {3})); }},
      {"where_without_bool", ErrorCode::dtype_mismatch, "where: an operand of dtype f32",
       [](Graph& g) { where(f32(g, "c", {3}), f32(g, "x", {3}), f32(g, "y", {3})); }},
      {"where_shapes", ErrorCode::shape_mismatch, "where: shapes [2] and [3] and [3] do not broadcast",
       [](Graph& g) { where(in(g, "c", DType::boolean, {2}), f32(g, "x", {3}), f32(g, "y", {3})); }},
      {"maximum_shapes", ErrorCode::shape_mismatch, "maximum: shapes [2] and [3] do not broadcast",
       [](Graph& g) { maximum(f32(g, "x", {2}), f32(g, "y", {3})); }},
      {"any_of_floats", ErrorCode::dtype_mismatch, "any: an operand of dtype f32",
       [](Graph& g) { any(f32(g, "x", {3}), {0}); }},
      {"softmax_axis", ErrorCode::out_of_range, "softmax: axis 2 of shape [3, 4]",
       [](Graph& g) { softmax(f32(g, "x", {3, 4}), 2); }},
      {"prod_symbolic", ErrorCode::unsupported, "prod: axis 0 of shape [n] has a symbolic extent",
       [](Graph& g) { prod(f32(g, "x", {Expr::dim("n")}), 0); }},
      {"topk_too_many", ErrorCode::out_of_range, "topk: k = 4 of axis 0 of shape [3]",
       [](Graph& g) { topk(f32(g, "x", {3}), 4, 0); }},
      {"concat_nothing", ErrorCode::invalid_argument, "concat: no tensors", [](Graph&) { concat({}, 0); }},
      {"concat_shapes", ErrorCode::shape_mismatch, "concat: shapes [2, 3] and [2, 4] differ beside axis 0",
       [](Graph& g) {
         const Tensor parts[] = {f32(g, "x", {2, 3}), f32(g, "y", {2, 4})};
         concat(parts, 0);
       }},
      {"stack_axis", ErrorCode::out_of_range, "stack: axis 2 for parts of shape [3]",
       [](Graph& g) {
         const Tensor parts[] = {f32(g, "x", {3}), f32(g, "y", {3})};
         stack(parts, 2);
       }},
      {"float_ids", ErrorCode::dtype_mismatch, "embedding: an operand of dtype f32",
       [](Graph& g) { embedding(f32(g, "i", {3}), f32(g, "t", {4, 2})); }},
      {"table_rank", ErrorCode::shape_mismatch, "embedding: a table of shape [4]",
       [](Graph& g) { embedding(in(g, "i", DType::i32, {3}), f32(g, "t", {4})); }},
      {"gather_shapes", ErrorCode::shape_mismatch, "gather_along: shapes [2, 3] and [4, 3] differ beside axis 1",
       [](Graph& g) { gather_along(f32(g, "x", {2, 3}), 1, in(g, "i", DType::i64, {4, 3})); }},
      {"matmul_widths", ErrorCode::shape_mismatch, "matmul: shapes [2, 3] and [4, 5] do not fit",
       [](Graph& g) { matmul(f32(g, "x", {2, 3}), f32(g, "y", {4, 5})); }},
      {"matmul_batches", ErrorCode::shape_mismatch, "matmul: shapes",
       [](Graph& g) { matmul(f32(g, "x", {2, 4, 3}), f32(g, "y", {5, 3, 4})); }},
      {"linear_widths", ErrorCode::shape_mismatch, "linear: shapes [2, 3] and [5, 4] do not fit",
       [](Graph& g) { linear(f32(g, "x", {2, 3}), f32(g, "w", {5, 4})); }},
      {"linear_bias", ErrorCode::shape_mismatch, "linear: shapes [2, 5] and [4] do not fit",
       [](Graph& g) { linear(f32(g, "x", {2, 3}), f32(g, "w", {5, 3}), f32(g, "b", {4})); }},
      {"rms_norm_width", ErrorCode::shape_mismatch, "rms_norm: shapes [2, 3] and [4] do not fit",
       [](Graph& g) { rms_norm(f32(g, "x", {2, 3}), f32(g, "w", {4}), 1e-5); }},
      {"rope_odd", ErrorCode::shape_mismatch, "rope: tables of shapes [3] and [3] for an operand of shape [2, 4]",
       [](Graph& g) { rope(f32(g, "x", {2, 4}), f32(g, "c", {3}), f32(g, "s", {3}), RopeLayout::half); }},
      {"rope_frequencies", ErrorCode::invalid_argument, "rope_tables: no frequencies",
       [](Graph& g) { rope_tables(in(g, "p", DType::i32, {3}), {}, RopeLayout::half); }},
      {"attention_heads", ErrorCode::shape_mismatch, "attention: 4 heads cannot share the 3",
       [](Graph& g) {
         const Tensor k = f32(g, "k", {1, 5, 3, 8});
         attention(f32(g, "q", {1, 2, 4, 8}), k, k, 1);
       }},
      {"attention_widths", ErrorCode::shape_mismatch, "attention: the widths of q and k differ",
       [](Graph& g) {
         const Tensor k = f32(g, "k", {1, 5, 2, 6});
         attention(f32(g, "q", {1, 2, 4, 8}), k, k, 1);
       }},
      {"attention_rank", ErrorCode::shape_mismatch, "attention: q has shape [2, 4, 8], not rank 4",
       [](Graph& g) {
         const Tensor k = f32(g, "k", {1, 5, 2, 8});
         attention(f32(g, "q", {2, 4, 8}), k, k, 1);
       }},
      {"floor_divide_wide", ErrorCode::unsupported, "floor_divide: i64 is wider than 32 bits",
       [](Graph& g) { floor_divide(in(g, "x", DType::i64, {3}), in(g, "y", DType::i64, {3})); }},
  };
  return all;
}

INSTANTIATE_TEST_SUITE_P(Nn, Mistakes, ::testing::ValuesIn(mistakes()),
                         [](const ::testing::TestParamInfo<Mistake>& row) { return row.param.name; });

}  // namespace
}  // namespace quince::nn
