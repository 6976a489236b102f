// Values of a tensor computed from its planes one element at a time: what the compositions must equal.
#pragma once

#include <vector>

#include "quince/io/block_format.h"

namespace quince::test {

/// The f32 values that these planes of a quantised format stand for, in row-major order.
std::vector<float> plane_values(const BlockFormat& format, const std::vector<Array>& planes);

}  // namespace quince::test
