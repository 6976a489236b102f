// Greedy continuations of a real model against the stored ones of its reference (tests/data/models/).
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "quince/io/gguf.h"
#include "quince/models/language_model.h"
#include "quince/runtime/decoder.h"

namespace quince::test {

/// One prompt as the reference continued it: 24 greedy tokens, and how far each stood above the runner-up.
struct Continuation {
  Tokens prompt;
  Tokens tokens;
  std::vector<double> margins;
  std::vector<std::pair<std::int32_t, double>> top;  ///< the best of the first step
};

/// Below this margin the reference's own choice is a matter of rounding.
inline constexpr double kMargin = 4e-3;
/// How far a first-step logit may be off.
inline constexpr double kLogitTolerance = 2e-3;

inline std::vector<Continuation> load_continuations(const std::string& file) {
  std::ifstream stream(QUINCE_TEST_DATA "/models/" + file);
  const nlohmann::json json = nlohmann::json::parse(stream);
  std::vector<Continuation> result;
  for (const nlohmann::json& item : json.at("prompts")) {
    result.push_back({item.at("ids"), item.at("tokens"), item.at("margins"), item.at("first_top")});
  }
  return result;
}

/// The compiled model in the models folder, or null where it is not there. Compiled once per process.
inline std::shared_ptr<const Program> program_of(const std::string& file) {
  static std::map<std::string, std::shared_ptr<const Program>> programs;
  const std::string path = QUINCE_MODELS "/" + file;
  if (!std::filesystem::exists(path)) return nullptr;
  std::shared_ptr<const Program>& program = programs[file];
  if (!program) program = Program::compile(*build_language_model(GgufFile::open(path)));
  return program;
}

inline std::int32_t best(std::span<const float> logits) {
  return static_cast<std::int32_t>(std::ranges::max_element(logits) - logits.begin());
}

/// Whether a token that was chosen may stand where the reference chose another; then the comparison ends there.
enum class Verdict { same, rounding, wrong };
inline Verdict judge(const Continuation& expected, std::size_t step, std::int32_t token) {
  if (token == expected.tokens[step]) return Verdict::same;
  return expected.margins[step] < kMargin ? Verdict::rounding : Verdict::wrong;
}

/// Feeds the prompt in chunks of the given sizes (the last repeats), then continues greedily and compares each token.
inline void expect_continuation(const std::shared_ptr<const Program>& program, const Continuation& expected,
                                const std::vector<std::size_t>& chunk_sizes) {
  const std::size_t total = expected.prompt.size() + expected.tokens.size();
  Decoder decoder(program, 1, static_cast<std::int64_t>(total));
  Array logits;
  for (std::size_t at = 0, i = 0; at < expected.prompt.size(); ++i) {
    const std::size_t size = std::min(chunk_sizes[std::min(i, chunk_sizes.size() - 1)], expected.prompt.size() - at);
    const auto begin = expected.prompt.begin() + static_cast<std::ptrdiff_t>(at);
    logits = decoder.feed(Tokens(begin, begin + static_cast<std::ptrdiff_t>(size)));
    at += size;
  }
  for (const auto& [id, logit] : expected.top) {
    EXPECT_NEAR(static_cast<double>(logits.data<float>()[static_cast<std::size_t>(id)]), logit, kLogitTolerance)
        << "id " << id;
  }
  for (std::size_t step = 0; step < expected.tokens.size(); ++step) {
    const std::int32_t token = best(logits.data<float>());
    const Verdict verdict = judge(expected, step, token);
    ASSERT_NE(verdict, Verdict::wrong) << "step " << step << ": " << token << " instead of " << expected.tokens[step];
    if (verdict == Verdict::rounding) return;
    if (step + 1 < expected.tokens.size()) logits = decoder.feed(Tokens{token});
  }
}

/// All prompts at once as one batch, each continued greedily.
inline void expect_batch(const std::shared_ptr<const Program>& program, const std::vector<Continuation>& batch) {
  std::size_t longest = 0;
  std::vector<Tokens> chunks;
  for (const Continuation& one : batch) {
    longest = std::max(longest, one.prompt.size() + one.tokens.size());
    chunks.push_back(one.prompt);
  }
  Decoder decoder(program, static_cast<std::int64_t>(batch.size()), static_cast<std::int64_t>(longest));
  std::vector<bool> open(batch.size(), true);
  Array logits = decoder.feed(chunks);
  for (std::size_t step = 0; std::ranges::find(open, true) != open.end(); ++step) {
    for (std::size_t i = 0; i < batch.size(); ++i) {
      chunks[i].clear();
      if (!open[i]) continue;
      const auto row = logits.data<float>().subspan(i * static_cast<std::size_t>(decoder.vocabulary()),
                                                    static_cast<std::size_t>(decoder.vocabulary()));
      const std::int32_t token = best(row);
      const Verdict verdict = judge(batch[i], step, token);
      ASSERT_NE(verdict, Verdict::wrong) << "sequence " << i << ", step " << step;
      open[i] = verdict == Verdict::same && step + 1 < batch[i].tokens.size();
      if (open[i]) chunks[i] = {token};
    }
    if (std::ranges::find(open, true) != open.end()) logits = decoder.feed(chunks);
  }
}

}  // namespace quince::test
