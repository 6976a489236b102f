// Builds a small graph over input arrays and runs it on the reference backend.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <string>
#include <vector>

#include "quince/graph/tensor.h"
#include "quince/runtime/program.h"

namespace quince::testing {

using Build = std::function<std::vector<Tensor>(Graph& graph, const std::vector<Tensor>& in)>;

/// The results of `build` for these inputs. `shapes` gives symbolic input shapes where it is not empty.
inline std::vector<Array> evaluate(const std::vector<Array>& in, const Build& build,
                                   const std::vector<Shape>& shapes = {}, int threads = 1) {
  Graph graph;
  std::vector<Tensor> tensors;
  Arrays inputs;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const std::string name = fmt::format("x{}", i);
    const Shape shape = shapes.empty() ? Shape(in[i].shape.begin(), in[i].shape.end()) : shapes[i];
    tensors.push_back(graph.input(name, in[i].dtype, shape));
    inputs.emplace(name, in[i]);
  }
  const std::vector<Tensor> results = build(graph, tensors);
  for (std::size_t i = 0; i < results.size(); ++i) graph.output(fmt::format("y{}", i), results[i]);
  Arrays outputs = Session(Program::compile(graph, {.threads = threads})).run(inputs);
  std::vector<Array> arrays;
  for (std::size_t i = 0; i < results.size(); ++i) arrays.push_back(outputs.at(fmt::format("y{}", i)));
  return arrays;
}

}  // namespace quince::testing
