// Scatter: values computed block by block, written where the target says.
#pragma once

#include "backend/reference/execute.h"

namespace quince::backend::reference {

/// Writes into `out`, which holds dest; on one thread, in row-major order, so that the last of equal targets wins. The
/// steps may read `out` only at the very index each element is written to, which then stays as it is: whatever else
/// reads an old state is stored before (plan.h).
void run_scatter(const Kernel& kernel, const Run& run, std::byte* out);

}  // namespace quince::backend::reference
