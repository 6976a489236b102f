// Byte-level BPE tokenizers: text to token ids and back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace quince {

class GgufFile;

/// What a token is, with the numbers that GGUF's `tokenizer.ggml.token_type` uses.
enum class TokenType : std::int32_t { normal = 1, unknown = 2, control = 3, user_defined = 4, unused = 5, byte = 6 };

/// All that a tokenizer is made of, as a model file states it.
struct TokenizerData {
  std::string model = "gpt2";            ///< the algorithm; "gpt2" is byte-level BPE, the only one supported
  std::string pre = {};                  ///< the pre-tokenizer's name, one of pretokenizer_names()
  std::vector<std::string> tokens = {};  ///< id → text, bytes written in the GPT-2 byte alphabet
  std::vector<std::int32_t> types = {};  ///< id → TokenType; empty: all normal
  std::vector<std::string> merges = {};  ///< "left right", the most important first
  std::optional<std::int32_t> bos = {}, eos = {}, unk = {}, sep = {}, pad = {}, eot = {}, eom = {};
  bool add_bos = false;
  bool add_eos = false;
  std::string chat_template = {};  ///< Jinja source; empty: none
};

/// The names that TokenizerData::pre may have.
std::vector<std::string_view> pretokenizer_names();

/// Reads the `tokenizer.*` keys of a model file. Error(format) names a key of the wrong type; Tokenizer checks the
/// rest.
TokenizerData tokenizer_data(const GgufFile& file);

struct EncodeOptions {
  /// Recognise the texts of control and user-defined tokens (longest first); off: they are ordinary text.
  bool parse_special = true;
  std::optional<bool> add_bos = {};  ///< default: as the model says
  std::optional<bool> add_eos = {};
};

struct DecodeOptions {
  bool show_control = false;  ///< write out control tokens such as <|im_end|>; off: they give no text
};

/// An immutable tokenizer; copies share their tables and any number of threads may use one.
class Tokenizer {
 public:
  /// Error(unsupported) for an unknown model or pre-tokenizer, naming the supported ones. Error(format) for an empty
  /// vocabulary, duplicate tokens, types of another count, no merges, merges of unknown tokens, and special ids
  /// outside the vocabulary.
  explicit Tokenizer(TokenizerData data);

  /// The ids of a text of any bytes. Invalid UTF-8 is read as U+FFFD, exactly as Python's
  /// `bytes.decode("utf-8", errors="replace")` does. A byte for which the vocabulary has no token gives none, as in the
  /// `tokenizers` library. Error(invalid_argument): a bos or eos token is asked for and there is none.
  std::vector<std::int32_t> encode(std::string_view text, const EncodeOptions& options = {}) const;

  /// The bytes that ids stand for; they need not be valid UTF-8. Error(out_of_range) names an id outside the
  /// vocabulary.
  std::string decode(std::span<const std::int32_t> ids, const DecodeOptions& options = {}) const;

  /// The bytes of one token, control tokens written out. Error(out_of_range) as decode.
  const std::string& piece(std::int32_t id) const;

  /// The type of a token. Error(out_of_range) as decode.
  TokenType type(std::int32_t id) const;

  /// The id of the token with this text (in the byte alphabet of TokenizerData::tokens), if there is one.
  std::optional<std::int32_t> find(std::string_view token) const;

  /// Number of tokens.
  std::size_t size() const;

  /// True for the ids that end an answer: eos, end of turn, end of message.
  bool is_end(std::int32_t id) const;

  std::optional<std::int32_t> bos() const;
  std::optional<std::int32_t> eos() const;
  const TokenizerData& data() const;

 private:
  struct Tables;
  std::shared_ptr<const Tables> tables_;
};

/// The tokenizer of a model file. Errors: those of tokenizer_data and Tokenizer, with the file named.
Tokenizer load_tokenizer(const GgufFile& file);

/// Decodes a stream of ids into valid UTF-8: a character split over tokens comes out once it is complete.
class TextStream {
 public:
  explicit TextStream(Tokenizer tokenizer, DecodeOptions options = {});

  /// The text that this id completes; often empty. Bytes that can never become valid give U+FFFD.
  std::string push(std::int32_t id);

  /// What is still held back, as U+FFFD; the stream can then be used anew.
  std::string finish();

 private:
  Tokenizer tokenizer_;
  DecodeOptions options_;
  std::string pending_;
};

}  // namespace quince
