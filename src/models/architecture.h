// The registry of language-model architectures, and what the Llama family's members differ in.
#pragma once

#include <memory>
#include <string_view>

#include "quince/models/language_model.h"
#include "quince/nn/attention.h"

namespace quince::models {

/// An architecture of the Llama family.
struct Architecture {
  std::string_view name;                              ///< general.architecture
  nn::RopeLayout rope = nn::RopeLayout::interleaved;  ///< how its GGUF files order a head's dims
};

/// Error(unsupported) names the architecture and those known.
const Architecture& find_architecture(const GgufFile& file);

std::unique_ptr<Graph> build_llama(const GgufFile& file, const Architecture& architecture,
                                   const LanguageModelInfo& info, const LoadProgress& progress);

}  // namespace quince::models
