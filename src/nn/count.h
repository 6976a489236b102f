// Counts of reduced elements and division by them.
#pragma once

#include <string_view>
#include <vector>

#include "quince/graph/tensor.h"

namespace quince::nn {

/// How many elements a reduction over the axes reads. Error(out_of_range) names the function and an axis.
Expr reduced_count(std::string_view function, const Tensor& x, const std::vector<int>& axes);
/// x·(sign/count) in x's float dtype: one Mul, or with symbolic dims Iota, Cast, Recip, Mul.
Tensor times_reciprocal(const Tensor& x, Expr count, double sign = 1);

}  // namespace quince::nn
