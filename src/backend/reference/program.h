// The reference backend's form of a graph: kernels in order, and what is known before any run.
#pragma once

#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "backend/executable.h"
#include "backend/reference/execute.h"
#include "backend/reference/plan.h"
#include "backend/reference/pool.h"
#include "backend/reference/reference.h"

namespace quince::backend::reference {

/// A value that a launch computes: its dtype and shape.
struct ValueType {
  DType dtype = DType::f32;
  std::vector<NumberId> shape;
};

/// One kernel of a run, or two: a Scatter not on a state first copies its dest.
struct Launch {
  Kernel kernel;
  std::optional<Kernel> copy_dest;
  std::optional<NodeId> node;   ///< whose buffer is computed; none: an output
  std::optional<NodeId> state;  ///< a Scatter on a state: the Input in whose buffer it writes
  std::size_t output = 0;       ///< where node is none
  ValueType type;
  std::vector<NodeId> last_use_of{};  ///< buffers that no later launch reads
};

class ReferenceExecutable final : public Executable {
 public:
  ReferenceExecutable(const Graph& graph, const Options& options);
  std::vector<Array> run(const Request& request) const override;

 private:
  struct Port {
    NodeId node;
    std::string name;
  };
  struct OutputType {
    ValueType type;
    std::optional<NodeId> node;  ///< the node whose buffer is the output; none: a launch copies it
  };

  void fold_constants(const Graph& graph, const Plan& plan);
  void add_launches(const Graph& graph, const Plan& plan);
  /// Drops the constants that no launch reads.
  void keep_read_constants();
  std::vector<std::int64_t> shape_of(const ValueType& type, std::span<const std::int64_t> numbers) const;

  mutable Pool pool_;
  Numbers numbers_;
  std::vector<Launch> launches_;
  std::vector<Port> inputs_;
  std::vector<Port> states_;
  std::vector<std::optional<NodeId>> state_of_;  ///< by node
  std::vector<Storage> constants_;               ///< by node: Constants and what was computed from them
  std::vector<OutputType> outputs_;
  std::exception_ptr fold_error_;  ///< a slot out of range among constants: what a run reports
};

}  // namespace quince::backend::reference
