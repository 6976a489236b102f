// The subcommands of `quince`: each adds itself to the parser and runs when chosen.
#pragma once

#include <CLI/CLI.hpp>

namespace quince::cli {

void add_run(CLI::App& app);
void add_show(CLI::App& app);
void add_tokenize(CLI::App& app);
void add_pull(CLI::App& app);

}  // namespace quince::cli
