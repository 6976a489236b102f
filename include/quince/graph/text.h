// The graph as text and as a picture.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "quince/graph/graph.h"

namespace quince {

/// Readable text, one node a line, after a version line. Constants of up to 16 elements are written out; larger ones
/// by name, dtype, shape and content hash.
std::string to_text(const Graph& graph);

/// Supplies the data of a constant that text names only by its hash; nullopt leaves it without data.
using ConstantSource = std::function<std::optional<Array>(std::string_view name, std::string_view hash)>;

/// Reads what to_text prints: to_text(parse_graph(t)) = t. Error(parse) names line and column.
std::unique_ptr<Graph> parse_graph(std::string_view text, const ConstantSource& constants = {});

/// Graphviz source.
std::string to_dot(const Graph& graph);

}  // namespace quince
