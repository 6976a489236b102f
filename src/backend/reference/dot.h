// The fast step of matrix products: sums of products of two f32 buffers, without a block between.
#pragma once

#include "backend/reference/execute.h"

namespace quince::backend::reference {

/// Runs a SumReduce of Mul of two f32 loads whose elements lie in lines along the reduced axes, with the bits that the
/// general way gives; false (and nothing done) where the kernel is not of that form. `rows` is bound along the reduced
/// axes.
bool run_dot(const Bound& rows, const Run& run, std::byte* out);

}  // namespace quince::backend::reference
