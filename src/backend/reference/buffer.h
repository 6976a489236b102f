// Memory of the values of a run.
#pragma once

#include <cstdint>
#include <span>

#include "quince/graph/array.h"

namespace quince::backend::reference {

/// Room for a dense array, aligned to a cache line and not cleared. Error(resource) names the size.
Storage allocate(DType dtype, std::span<const std::int64_t> shape);

}  // namespace quince::backend::reference
