// Which values are stored, which are constant, and in what order they are computed.
#pragma once

#include <vector>

#include "quince/graph/graph.h"

namespace quince::backend::reference {

/// Indexed by node. A value that is not stored is computed anew, element by element, inside its consumers' kernels.
struct Plan {
  std::vector<bool> stored;    ///< has a buffer: leaves, reductions, scatters, and what is read often or costs much
  std::vector<bool> constant;  ///< depends on Constants alone
  std::vector<NodeId> order;   ///< live nodes; operands come first, readers of old state before its writer
};

Plan make_plan(const Graph& graph);

}  // namespace quince::backend::reference
