// Compiling a graph for a device.
#include "quince/runtime/program.h"

#include "backend/reference/reference.h"

namespace quince {

std::string_view name(Device device) {
  switch (device) {
    case Device::reference: return "reference";
  }
  return "unknown";
}

Program::~Program() = default;

std::shared_ptr<const Program> Program::compile(const Graph& graph, const CompileOptions& options) {
  graph.verify();
  const std::shared_ptr<Program> program(new Program);
  for (NodeId id = 0; id < graph.nodes().size(); ++id) {
    const Node& node = graph.node(id);
    if (node.op != Op::input) continue;
    (node.is_state ? program->states_ : program->inputs_).push_back({node.name, node.dtype, node.shape, id});
  }
  for (const Output& output : graph.outputs()) {
    program->outputs_.push_back(
        {output.name, graph.node(output.value.node).dtype, output.value.view.map.domain(), output.value.node});
  }
  program->dims_ = graph.dims();
  program->assumptions_ = graph.assumptions();
  program->executable_ = backend::reference::compile(graph, {.threads = options.threads});
  return program;
}

}  // namespace quince
