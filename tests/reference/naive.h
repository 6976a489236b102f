// A second, deliberately naive implementation of docs/ops.md: every node in full, one element at a time.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "backend/executable.h"
#include "quince/graph/tensor.h"

namespace quince::test {

/// The graph's outputs, and the value of every state after the run. Works on copies: `request` is not written to.
struct NaiveResult {
  std::vector<Array> outputs;
  std::map<NodeId, Array> states;
};

/// Throws Error(out_of_range) for a slot's value, as the reference does, but for every element of every node; and
/// Error(unsupported) at dims where the graph has no meaning: an extent < 0, a read of an empty source with no mask.
NaiveResult run_naive(const Graph& graph, const backend::Request& request);

/// A deep copy.
Array copy_of(const Array& array);

/// Empty if the arrays are equal bit for bit (any two NaNs count as equal), else what differs first.
std::string difference(const Array& expected, const Array& actual);

}  // namespace quince::test
