// What every backend gives the runtime: a graph made ready to run, shared by any number of sessions.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "quince/graph/graph.h"

namespace quince::backend {

/// One run. Everything is checked by the runtime before: all dims bound and within range, shapes and dtypes right.
struct Request {
  std::map<std::string, std::int64_t, std::less<>> dims;  ///< a value for every dim of the graph
  std::map<NodeId, Array> inputs;                         ///< by Input node, states left out
  std::map<NodeId, Array> states;                         ///< by Input node; updated in place
  const std::atomic<bool>* cancel = nullptr;              ///< polled between nodes; set: Error(interrupted)
};

class Executable {
 public:
  virtual ~Executable() = default;
  /// The graph's outputs, in its order. Safe to call from several threads with different states.
  virtual std::vector<Array> run(const Request& request) const = 0;
};

}  // namespace quince::backend
