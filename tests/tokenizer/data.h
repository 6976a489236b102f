// The stored texts and expectations of the tokenizer tests, and the tokenizers to compare with them.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "quince/io/gguf.h"
#include "quince/io/tokenizer.h"

namespace quince::testing {

using Ids = std::vector<std::int32_t>;

inline nlohmann::json stored(const std::string& name) {
  std::ifstream file(std::filesystem::path(QUINCE_TEST_DATA) / "tokenizer" / name);
  EXPECT_TRUE(file) << name;
  return nlohmann::json::parse(file);
}

struct Text {
  std::string bytes;
  std::string repaired;  // as Python decodes it with errors="replace"
};

inline const std::vector<Text>& texts() {
  static const std::vector<Text> all = [] {
    std::vector<Text> read;
    for (const auto& entry : stored("strings.json")) {
      if (entry.is_string()) {
        read.push_back({entry, entry});
        continue;
      }
      std::string hex = entry["hex"], bytes;
      for (std::size_t i = 0; i < hex.size(); i += 2)
        bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
      read.push_back({bytes, entry["text"]});
    }
    return read;
  }();
  return all;
}

inline TokenizerData tiny_data(const std::string& pre) {
  static const nlohmann::json tiny = stored("tiny.json");
  TokenizerData data;
  data.pre = pre;
  tiny["tokens"].get_to(data.tokens);
  tiny["types"].get_to(data.types);
  tiny["merges"].get_to(data.merges);
  for (std::size_t id = 0; id < data.tokens.size(); ++id) {
    if (data.tokens[id] == "<|im_start|>") data.bos = static_cast<std::int32_t>(id);
    if (data.tokens[id] == "<|im_end|>") data.eos = static_cast<std::int32_t>(id);
  }
  return data;
}

inline const Tokenizer& tiny(const std::string& pre = "smollm") {
  static std::map<std::string, Tokenizer> made;
  auto found = made.find(pre);
  return found != made.end() ? found->second : made.emplace(pre, Tokenizer(tiny_data(pre))).first->second;
}

/// The tokenizer of a file in the folder of models, if it is there.
inline std::optional<Tokenizer> model_tokenizer(const std::string& file) {
  auto path = std::filesystem::path(QUINCE_MODELS) / file;
  if (!std::filesystem::exists(path)) return std::nullopt;
  return Tokenizer(tokenizer_data(GgufFile::open(path.string())));
}

inline constexpr const char* kSmolLm2 = "SmolLM2-135M-Instruct.Q4_1.gguf";
inline constexpr const char* kQwen25 = "qwen2.5-coder-0.5b-instruct.gguf";

}  // namespace quince::testing
