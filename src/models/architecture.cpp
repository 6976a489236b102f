// The registry of language-model architectures.
#include "models/architecture.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "quince/error.h"

namespace quince {
namespace models {
namespace {

constexpr std::array kArchitectures = {
    Architecture{"llama", nn::RopeLayout::interleaved},
    Architecture{"qwen2", nn::RopeLayout::half},
};

}  // namespace

const Architecture& find_architecture(const GgufFile& file) {
  const std::string_view wanted = file.require_string("general.architecture");
  const auto found = std::ranges::find(kArchitectures, wanted, &Architecture::name);
  if (found == kArchitectures.end()) {
    throw Error(ErrorCode::unsupported,
                fmt::format("architecture '{}' is not supported; these are: {}", printable(wanted, 64),
                            fmt::join(language_model_architectures(), ", ")),
                file.doing());
  }
  return *found;
}

}  // namespace models

std::vector<std::string_view> language_model_architectures() {
  std::vector<std::string_view> names;
  for (const models::Architecture& architecture : models::kArchitectures) names.push_back(architecture.name);
  return names;
}

std::unique_ptr<Graph> build_language_model(const GgufFile& file, const LoadProgress& progress) {
  const models::Architecture& architecture = models::find_architecture(file);
  return models::build_llama(file, architecture, language_model_info(file), progress);
}

}  // namespace quince
