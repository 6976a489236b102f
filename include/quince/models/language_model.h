// Language models: from a GGUF file to one graph that serves prefill and decode of any number of sequences.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "quince/graph/graph.h"
#include "quince/io/gguf.h"

namespace quince {

/// What a file says of a language model, checked.
struct LanguageModelInfo {
  std::string architecture;
  std::int64_t layers = 0;
  std::int64_t width = 0;         ///< of the residual stream
  std::int64_t feed_forward = 0;  ///< of the hidden layer of an MLP
  std::int64_t heads = 0;         ///< of queries
  std::int64_t kv_heads = 0;      ///< of keys and values; divides heads
  std::int64_t head_dim = 0;      ///< of queries and keys
  std::int64_t value_dim = 0;     ///< of values, per head
  std::int64_t vocabulary = 0;
  std::int64_t context = 0;    ///< the longest the model was made for
  std::int64_t rope_dims = 0;  ///< the leading dims of a head that rotate
  double rope_base = 0;
  double rope_scale = 1;  ///< positions are divided by it
  double norm_epsilon = 0;
};

/// Reads and checks the hyper-parameters. Error(unsupported) names an architecture or rope scaling that quince does
/// not know, with those it does; Error(format), (not_found) name the key.
LanguageModelInfo language_model_info(const GgufFile& file);

/// Called as tensors load: how many of how many.
using LoadProgress = std::function<void(std::size_t done, std::size_t total)>;

/// The graph of the model in `file`:
///   inputs   tokens i32 (b, s) · pos i32 (b), how many tokens each sequence already holds · last i32 (b), which of
///            the s tokens the logits are for
///   output   logits f32 (b, vocabulary)
///   states   k.<layer>, v.<layer> f32 (b, ctx, kv_heads, dim)
///   dims     b sequences, s new tokens, t the attended length (max pos + s ≤ t), ctx the state's capacity
/// Token j of a sequence has position pos + j. All tensors are checked before the first is read. Errors: those of
/// language_model_info; a missing tensor or a wrong shape, by name.
std::unique_ptr<Graph> build_language_model(const GgufFile& file, const LoadProgress& progress = {});

/// The architectures that build_language_model knows.
std::vector<std::string_view> language_model_architectures();

}  // namespace quince
