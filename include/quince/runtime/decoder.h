// Feeding tokens to a language-model program, and choosing the next one.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "quince/runtime/program.h"

namespace quince {

/// Token ids of one sequence.
using Tokens = std::vector<std::int32_t>;

/// Error(out_of_range) names the first id outside a vocabulary of that size.
void check_ids(std::span<const std::int32_t> ids, std::int64_t vocabulary);

/// Runs a language-model program (docs/architecture.md, "Language models": inputs tokens (b, s), pos (b) and last (b);
/// output logits (b, vocabulary); dims b, s, t, ctx) over a fixed number of sequences, each at its own position.
class Decoder {
 public:
  /// Reserves the KV state of `sequences` sequences of up to `context` tokens. Errors: those of Session.
  Decoder(std::shared_ptr<const Program> program, std::int64_t sequences, std::int64_t context);

  /// Appends one chunk to each sequence and returns the logits (sequences, vocabulary) after the last token of each.
  /// Shorter chunks are padded; what the padding writes is never read. An empty chunk leaves its sequence as it is,
  /// and its row of logits is without meaning. Errors: another number of chunks, all of them empty; an id outside
  /// the vocabulary; no room left in the context (names the sequence).
  Array feed(std::span<const Tokens> chunks);
  Array feed(const Tokens& chunk) { return feed(std::span(&chunk, 1)); }

  std::int64_t context() const { return context_; }
  std::int64_t vocabulary() const { return vocabulary_; }
  /// Tokens held so far.
  std::int64_t position(std::size_t sequence) const { return positions_[sequence]; }
  Session& session() { return session_; }

 private:
  std::int64_t context_;
  std::int64_t vocabulary_;
  std::vector<std::int64_t> positions_;
  Session session_;
};

/// How the next token is chosen. The filters apply in the order of the fields.
struct SamplingOptions {
  double repeat_penalty = 1;  ///< > 1 makes tokens already seen less likely: positive logits divided, others multiplied
  std::int64_t top_k = 40;    ///< keep the k most likely; 0 keeps all
  double top_p = 0.95;        ///< keep the smallest set whose probability reaches p; 1 keeps all
  double min_p = 0.05;        ///< drop tokens less likely than p times the most likely; 0 keeps all
  double temperature = 0;     ///< 0: the most likely token, whatever the filters
  std::uint64_t seed = 0;
};

/// Chooses tokens from logits; the same seed and logits give the same tokens on every machine.
class Sampler {
 public:
  /// Error(out_of_range) names the option.
  explicit Sampler(const SamplingOptions& options);
  /// `seen` are the tokens a repeat penalty applies to. Ties go to the smallest id; NaN logits are never chosen.
  std::int32_t sample(std::span<const float> logits, std::span<const std::int32_t> seen = {});

 private:
  SamplingOptions options_;
  std::uint64_t state_;
};

/// The n largest logits, largest first, as (id, logit).
std::vector<std::pair<std::int32_t, float>> top_logits(std::span<const float> logits, std::size_t n);

}  // namespace quince
