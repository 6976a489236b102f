// Splitting a text into the words that BPE merges within.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace quince {

/// What a pre-tokenizer's name stands for.
struct PretokenizerSpec {
  std::string_view name;
  std::string_view pattern;  ///< a key of the table of patterns in pretokenizer.cpp
  bool whole_words_first;    ///< a word that is a token is that token, whatever the merges say
};

/// The pre-tokenizer of that name, or null.
const PretokenizerSpec* find_pretokenizer(std::string_view name);

/// The pre-tokenizer of that name; Error(unsupported) names the supported ones.
const PretokenizerSpec& pretokenizer_spec(std::string_view name);

/// A compiled splitting pattern.
class Pretokenizer {
 public:
  /// Error(unsupported) as pretokenizer_spec.
  explicit Pretokenizer(std::string_view name);

  /// The state of one run, reused over many segments; a run belongs to one thread.
  class Run {
   public:
    explicit Run(const Pretokenizer& pretokenizer);
    /// Appends the end offsets of the words of `segment`, which must be valid UTF-8. Words cover the segment.
    void split(std::string_view segment, std::vector<std::size_t>& ends);

   private:
    struct State;
    std::shared_ptr<State> state_;
  };

 private:
  struct Code;
  std::shared_ptr<const Code> code_;
};

}  // namespace quince
