// Building the reference backend's program: constants are computed, everything else becomes a list of launches.
#include "backend/reference/program.h"

#include <fmt/format.h>

#include <algorithm>

#include "backend/reference/buffer.h"
#include "backend/reference/lower.h"
#include "quince/error.h"

namespace quince::backend::reference {
namespace {

ValueType type_of(DType dtype, const Shape& shape, Numbers& numbers) {
  ValueType type{dtype, {}};
  for (Expr extent : shape) type.shape.push_back(numbers.add(extent));
  return type;
}

bool is_leaf(const Node& node) { return node.op == Op::input || node.op == Op::constant; }

/// The launch that computes a stored node.
Launch launch_of(const Graph& graph, const Plan& plan, NodeId id, std::optional<NodeId> state, Numbers& numbers) {
  const Node& node = graph.node(id);
  Launch launch{.kernel = lower_node(graph, plan, id, numbers),
                .copy_dest = std::nullopt,
                .node = id,
                .state = state,
                .type = type_of(node.dtype, node.shape, numbers)};
  if (node.op == Op::scatter && !state) launch.copy_dest = lower_copy(graph, plan, node.operands[0], numbers);
  return launch;
}

template <class F>
void for_each_source(const Launch& launch, F f) {
  for (const Kernel* kernel : {&launch.kernel, launch.copy_dest ? &*launch.copy_dest : nullptr}) {
    if (kernel == nullptr) continue;
    for (const Step& step : kernel->steps) {
      if (step.kind == StepKind::load) f(step.source);
    }
  }
}

/// For each launch, the nodes whose last reader it is.
void set_last_uses(std::vector<Launch>& launches, std::size_t nodes) {
  std::vector<bool> read_later(nodes, false);
  for (std::size_t i = launches.size(); i-- > 0;) {
    for_each_source(launches[i], [&](NodeId source) {
      if (!read_later[source]) launches[i].last_use_of.push_back(source);
      read_later[source] = true;
    });
  }
}

void run_launch(const Launch& launch, const Run& run, std::byte* out) {
  if (launch.copy_dest) execute(*launch.copy_dest, run, out);
  execute(launch.kernel, run, out);
}

}  // namespace

ReferenceExecutable::ReferenceExecutable(const Graph& graph, const Options& options) : pool_(options.threads) {
  constants_.resize(graph.nodes().size());
  state_of_.resize(graph.nodes().size());
  for (NodeId id = 0; id < graph.nodes().size(); ++id) {
    const Node& node = graph.node(id);
    if (node.op == Op::constant) {
      if (node.value.storage.data() == nullptr && node.value.count() > 0) {
        throw Error(ErrorCode::invalid_argument, fmt::format("Constant %{}{} has no data", id,
                                                             node.name.empty() ? "" : fmt::format(" '{}'", node.name)));
      }
      constants_[id] = node.value.storage;
    }
    if (node.op == Op::input) (node.is_state ? states_ : inputs_).push_back({id, node.name});
    state_of_[id] = state_of(graph, id);
  }
  const Plan plan = make_plan(graph);
  add_launches(graph, plan);
  fold_constants(graph, plan);
  keep_read_constants();
}

void ReferenceExecutable::add_launches(const Graph& graph, const Plan& plan) {
  for (NodeId id : plan.order) {
    if (!plan.stored[id] || plan.constant[id] || is_leaf(graph.node(id))) continue;
    launches_.push_back(launch_of(graph, plan, id, state_of_[id], numbers_));
  }
  for (const Output& output : graph.outputs()) {
    const NodeId id = output.value.node;
    const Node& node = graph.node(id);
    OutputType result{type_of(node.dtype, output.value.view.map.domain(), numbers_), std::nullopt};
    const bool is_own_buffer = plan.stored[id] && !plan.constant[id] && !is_leaf(node) && !state_of_[id];
    if (is_own_buffer && output.value.view.is_identity()) {
      result.node = id;
    } else {
      launches_.push_back({.kernel = lower_copy(graph, plan, output.value, numbers_),
                           .copy_dest = std::nullopt,
                           .node = std::nullopt,
                           .state = std::nullopt,
                           .output = outputs_.size(),
                           .type = result.type});
    }
    outputs_.push_back(std::move(result));
  }
  set_last_uses(launches_, graph.nodes().size());
  for (Launch& launch : launches_) {
    std::erase_if(launch.last_use_of, [&](NodeId id) {
      return std::ranges::any_of(outputs_, [&](const OutputType& output) { return output.node == id; });
    });
  }
}

void ReferenceExecutable::fold_constants(const Graph& graph, const Plan& plan) {
  std::vector<bool> kept(graph.nodes().size(), false);
  for (const Launch& launch : launches_) {
    for_each_source(launch, [&](NodeId source) { kept[source] = true; });
  }
  Numbers fixed;
  std::vector<Launch> folds;
  for (NodeId id : plan.order) {
    if (!plan.stored[id] || !plan.constant[id] || is_leaf(graph.node(id))) continue;
    folds.push_back(launch_of(graph, plan, id, std::nullopt, fixed));
  }
  set_last_uses(folds, graph.nodes().size());
  const std::vector<std::int64_t> numbers = fixed.evaluate_all({});
  Buffers buffers(graph.nodes().size(), nullptr);
  for (NodeId id = 0; id < buffers.size(); ++id) buffers[id] = constants_[id].data();
  try {
    for (const Launch& fold : folds) {
      const NodeId id = *fold.node;
      constants_[id] = allocate(fold.type.dtype, shape_of(fold.type, numbers));
      buffers[id] = constants_[id].data();
      run_launch(fold, {numbers, buffers, pool_}, constants_[id].mutable_data());
      for (NodeId source : fold.last_use_of) {
        if (!kept[source]) constants_[source] = {};
      }
    }
  } catch (const Error&) {
    fold_error_ = std::current_exception();
  }
}

void ReferenceExecutable::keep_read_constants() {
  std::vector<bool> kept(constants_.size(), false);
  for (const Launch& launch : launches_) {
    for_each_source(launch, [&](NodeId source) { kept[source] = true; });
  }
  for (NodeId id = 0; id < constants_.size(); ++id) {
    if (!kept[id]) constants_[id] = {};
  }
}

std::vector<std::int64_t> ReferenceExecutable::shape_of(const ValueType& type,
                                                        std::span<const std::int64_t> numbers) const {
  std::vector<std::int64_t> shape;
  for (NumberId id : type.shape) shape.push_back(numbers[static_cast<std::size_t>(id)]);
  return shape;
}

std::vector<Array> ReferenceExecutable::run(const Request& request) const {
  if (fold_error_) std::rethrow_exception(fold_error_);
  const std::vector<std::int64_t> numbers = numbers_.evaluate_all(request.dims);
  const std::size_t count = constants_.size();
  Buffers buffers(count, nullptr);
  for (NodeId id = 0; id < count; ++id) buffers[id] = constants_[id].data();
  const auto bind_port = [&](const Port& port, const std::map<NodeId, Array>& arrays) {
    const auto it = arrays.find(port.node);
    if (it == arrays.end()) throw Error(ErrorCode::not_found, fmt::format("no value for Input '{}'", port.name));
    buffers[port.node] = it->second.storage.data();
  };
  for (const Port& port : inputs_) bind_port(port, request.inputs);
  for (const Port& port : states_) bind_port(port, request.states);
  for (NodeId id = 0; id < count; ++id) {
    if (state_of_[id]) buffers[id] = buffers[*state_of_[id]];
  }

  std::vector<Storage> storages(count);
  std::vector<Array> results(outputs_.size());
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    results[i].dtype = outputs_[i].type.dtype;
    results[i].shape = shape_of(outputs_[i].type, numbers);
  }
  const Run context{numbers, buffers, pool_};
  for (const Launch& launch : launches_) {
    if (request.cancel != nullptr && request.cancel->load(std::memory_order_relaxed)) {
      throw Error(ErrorCode::interrupted, "the run was stopped");
    }
    if (launch.state) {
      // The state is the session's, which gave it to be written.
      Storage state = request.states.at(*launch.state).storage;
      run_launch(launch, context, state.mutable_data());
    } else {
      Storage storage = allocate(launch.type.dtype, shape_of(launch.type, numbers));
      run_launch(launch, context, storage.mutable_data());
      if (launch.node) {
        buffers[*launch.node] = storage.data();
        storages[*launch.node] = std::move(storage);
      } else {
        results[launch.output].storage = std::move(storage);
      }
    }
    for (NodeId id : launch.last_use_of) storages[id] = {};
  }
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    if (outputs_[i].node) results[i].storage = storages[*outputs_[i].node];
  }
  return results;
}

std::unique_ptr<Executable> compile(const Graph& graph, const Options& options) {
  return std::make_unique<ReferenceExecutable>(graph, options);
}

}  // namespace quince::backend::reference
