// The views of tests/data/ops/make.py, by name.
#pragma once

#include <string_view>

#include "quince/graph/tensor.h"

namespace quince::testing {

/// A 4 × 6 tensor read through the view of that name.
Tensor viewed(const Tensor& x, std::string_view name);

}  // namespace quince::testing
