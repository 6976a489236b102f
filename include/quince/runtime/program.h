// Compiled graphs and the sessions that run them.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "quince/graph/graph.h"

namespace quince {

namespace backend {
class Executable;
}

/// What runs the program.
enum class Device { reference };
std::string_view name(Device device);

struct CompileOptions {
  Device device = Device::reference;
  int threads = 0;  ///< 0: one per available core
};

/// Values of dims by name.
using Dims = std::map<std::string, std::int64_t, std::less<>>;
/// Arrays by the name of an input or an output.
using Arrays = std::map<std::string, Array, std::less<>>;

/// A graph made ready to run: immutable, shared by any number of sessions and threads.
class Program {
 public:
  /// The graph is verified and need not outlive the program. Errors: those of Graph::verify; a constant without data.
  static std::shared_ptr<const Program> compile(const Graph& graph, const CompileOptions& options = {});
  ~Program();

  struct Port {
    std::string name;
    DType dtype;
    Shape shape;
    NodeId node;
  };
  const std::vector<Port>& inputs() const { return inputs_; }
  const std::vector<Port>& states() const { return states_; }
  const std::vector<Port>& outputs() const { return outputs_; }
  const std::map<std::string, Expr, std::less<>>& dims() const { return dims_; }

 private:
  friend class Session;
  Program() = default;

  std::vector<Port> inputs_;
  std::vector<Port> states_;
  std::vector<Port> outputs_;
  std::map<std::string, Expr, std::less<>> dims_;
  std::vector<Expr> assumptions_;
  std::unique_ptr<backend::Executable> executable_;
};

/// The states of one user of a program. Not for two threads at once.
class Session {
 public:
  /// Reserves every state as zeros, touched only as it fills. `dims` must bind each dim in a state's shape.
  /// Errors: a dim missing, unknown or out of range (names it); memory that cannot be had (names the size).
  explicit Session(std::shared_ptr<const Program> program, Dims dims = {});

  /// Runs once. Dims are those of the session, those given here, and those read off the inputs' shapes.
  /// Errors name the input or dim: missing, unknown, wrong dtype or shape, out of range, an assumption that fails.
  Arrays run(const Arrays& inputs, const Dims& dims = {});

  const Program& program() const { return *program_; }
  /// A state's buffer, shared with the session.
  const Array& state(std::string_view name) const;
  /// All states back to zero.
  void reset();
  /// While *flag is true, run() stops between ops with Error(interrupted); states stay usable.
  void cancel_on(const std::atomic<bool>* flag) { cancel_ = flag; }

 private:
  std::shared_ptr<const Program> program_;
  Dims dims_;
  std::map<NodeId, Array> states_;
  const std::atomic<bool>* cancel_ = nullptr;
};

}  // namespace quince
