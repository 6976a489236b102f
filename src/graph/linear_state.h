// The rules of linear state: one next per state, reached only through Scatters, and readers before writers.
#pragma once

#include "quince/graph/graph.h"

namespace quince {

/// Of a Scatter about to be appended: a state may be written once per link, and src may read dest only at the index
/// it writes.
void check_state_write(const Graph& graph, const Node& scatter);
/// Of a next about to be declared.
void check_next(const Graph& graph, const Operand& state, const Operand& next);
/// Of a finished graph: every state has a next, every Scatter on a state leads to it, no output reads an old value.
void check_states(const Graph& graph);

}  // namespace quince
