// From nodes to kernels: what is not stored is written into its consumer's steps.
#pragma once

#include "backend/reference/kernel.h"
#include "backend/reference/plan.h"

namespace quince::backend::reference {

/// The kernel that computes a stored node: of a reduction its sums, of a Scatter its writes, else its elements.
Kernel lower_node(const Graph& graph, const Plan& plan, NodeId id, Numbers& numbers);
/// The kernel that copies an operand, through its view, to a dense array: an output, or a Scatter's dest.
Kernel lower_copy(const Graph& graph, const Plan& plan, const Operand& operand, Numbers& numbers);

}  // namespace quince::backend::reference
