// The reference backend: interprets the graph itself, and thereby defines what every op means.
#pragma once

#include <memory>

#include "backend/executable.h"

namespace quince::backend::reference {

struct Options {
  int threads = 0;  ///< 0: one per available core
};

/// Keeps what it needs of the graph; the graph may go. Errors: a Constant without data (names it).
std::unique_ptr<Executable> compile(const Graph& graph, const Options& options);

}  // namespace quince::backend::reference
