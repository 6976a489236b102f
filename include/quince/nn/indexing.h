// Joining and indexing; all bit-equal to PyTorch, −0 and NaN included.
#pragma once

#include <span>

#include "quince/graph/tensor.h"

namespace quince::nn {

/// Joined along an existing axis; other extents are equal, all dtypes one. Adds of masked views. n = count − 1.
Tensor concat(std::span<const Tensor> parts, int axis);
/// Joined along a new axis at `axis`; all shapes equal. n = count − 1.
Tensor stack(std::span<const Tensor> parts, int axis);

/// out[…, j, …] = x[…, index[j], …] for an index of any rank, which replaces the axis (index_select for rank 1).
/// Indices lie in [0, extent). n = 1.
Tensor index_select(const Tensor& x, int axis, const Tensor& index);
/// PyTorch's gather: out[i…] = x[i… with index[i…] at `axis`], in the shape of the index, whose other extents are equal
/// to x's. Indices lie in [0, extent). n = 1.
Tensor gather_along(const Tensor& x, int axis, const Tensor& index);
/// Rows of table [rows, width] for integer ids of any shape: ids.shape + [width]. n = 1.
Tensor embedding(const Tensor& ids, const Tensor& table);
/// ids.shape + [classes] in `dtype` with 1 at the id, else 0; an id outside [0, classes) gives a row of zeros. Scatter
/// of ones into zeros. n = 1.
Tensor one_hot(const Tensor& ids, Expr classes, DType dtype = DType::i64);

}  // namespace quince::nn
