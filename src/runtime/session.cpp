// A session: the states of one user of a program, and its runs.
#include <fmt/format.h>

#include <algorithm>

#include "backend/executable.h"
#include "quince/error.h"
#include "quince/runtime/program.h"
#include "runtime/bind.h"

namespace quince {

Session::Session(std::shared_ptr<const Program> program, Dims dims)
    : program_(std::move(program)), dims_(std::move(dims)) {
  check_dims(program_->dims(), dims_, true);
  reset();
}

void Session::reset() {
  for (const Program::Port& port : program_->states()) {
    try {
      states_[port.node] = Array::zeros(port.dtype, evaluate_shape(port.shape, dims_));
    } catch (const Error& error) {
      throw error.within(fmt::format("state '{}'", port.name));
    }
  }
}

const Array& Session::state(std::string_view state_name) const {
  const auto port = std::ranges::find(program_->states(), state_name, &Program::Port::name);
  if (port == program_->states().end()) {
    throw Error(ErrorCode::not_found, fmt::format("there is no state '{}'", state_name));
  }
  return states_.at(port->node);
}

Arrays Session::run(const Arrays& inputs, const Dims& dims) {
  backend::Request request{.dims = dims_, .inputs = {}, .states = states_, .cancel = cancel_};
  for (const auto& [dim_name, value] : dims) {
    const auto [it, added] = request.dims.emplace(dim_name, value);
    if (!added && it->second != value) {
      throw Error(ErrorCode::out_of_range,
                  fmt::format("dim {} is {} for this session, not {}", dim_name, it->second, value));
    }
  }
  for (const auto& [input_name, array] : inputs) {
    const auto port = std::ranges::find(program_->inputs(), input_name, &Program::Port::name);
    if (port == program_->inputs().end()) {
      throw Error(ErrorCode::not_found, fmt::format("there is no input '{}'", input_name));
    }
    bind_shape(fmt::format("input '{}'", input_name), *port, array, request.dims);
    request.inputs.emplace(port->node, array);
  }
  check_dims(program_->dims(), request.dims, false);
  for (const Program::Port& port : program_->inputs()) {
    const auto given = request.inputs.find(port.node);
    if (given == request.inputs.end()) {
      throw Error(ErrorCode::not_found, fmt::format("input '{}' is missing", port.name));
    }
    if (given->second.shape != evaluate_shape(port.shape, request.dims)) {
      throw Error(ErrorCode::shape_mismatch, fmt::format("input '{}' does not have shape {} with the dims given",
                                                         port.name, to_string(port.shape)));
    }
  }
  for (Expr assumption : program_->assumptions_) {
    if (evaluate(assumption, {.dims = request.dims, .axes = {}, .slots = {}}) == 0) {
      throw Error(ErrorCode::out_of_range, fmt::format("the dims break the assumption {}", to_string(assumption)));
    }
  }
  std::vector<Array> results = program_->executable_->run(request);
  Arrays outputs;
  for (std::size_t i = 0; i < results.size(); ++i) {
    outputs.emplace(program_->outputs()[i].name, std::move(results[i]));
  }
  return outputs;
}

}  // namespace quince
