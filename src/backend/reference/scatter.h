// Scatter: values computed block by block, written where the target says.
#pragma once

#include "backend/reference/execute.h"

namespace quince::backend::reference {

/// Writes into `out`, which holds dest; on one thread, in row-major order, so that the last of equal targets wins.
/// Where src reads the buffer written, src is computed in full first.
void run_scatter(const Kernel& kernel, const Run& run, std::byte* out);

}  // namespace quince::backend::reference
