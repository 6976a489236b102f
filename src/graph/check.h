// The structural rules of docs/ops.md, checked on one node as it is added.
#pragma once

#include "quince/graph/graph.h"

namespace quince {

/// Throws a typed Error that names the op and its operands where `node` may not be appended to `graph`.
void check_node(const Graph& graph, const Node& node);

}  // namespace quince
