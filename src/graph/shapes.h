// NumPy's broadcasting rule on symbolic shapes.
#pragma once

#include <string_view>

#include "quince/graph/tensor.h"

namespace quince {

/// The shape two operands of `op` broadcast to. Error(shape_mismatch) names op, operands and the extents that clash.
Shape broadcast_shapes(const Graph& graph, std::string_view op, const Tensor& a, const Tensor& b);

}  // namespace quince
