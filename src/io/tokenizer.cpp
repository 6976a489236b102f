// Byte-level BPE tokenizers: text to token ids and back.
#include "quince/io/tokenizer.h"

#include <fmt/format.h>

#include <utility>

#include "io/bpe.h"
#include "io/pretokenizer.h"
#include "io/tokenizer_bytes.h"
#include "io/tokenizer_special.h"
#include "io/tokenizer_utf8.h"
#include "quince/error.h"
#include "quince/io/gguf.h"

namespace quince {
namespace {

constexpr std::size_t kMaxText = 0x7FFFFFFF;
constexpr std::size_t kCachedWord = 64;        // longest word that is remembered within one call
constexpr std::size_t kCachedWords = 1 << 20;  // and how many

Error format_error(std::string message) { return {ErrorCode::format, std::move(message)}; }

void check_counts(const TokenizerData& data) {
  if (data.model != "gpt2") {
    throw Error(ErrorCode::unsupported,
                fmt::format("tokenizer model \"{}\" is not supported; supported: gpt2 (byte-level BPE)",
                            printable(data.model)));
  }
  if (data.tokens.empty()) throw format_error("the tokenizer has no tokens");
  if (data.tokens.size() > kMaxText) throw format_error(fmt::format("{} tokens are too many", data.tokens.size()));
  if (!data.types.empty() && data.types.size() != data.tokens.size()) {
    throw format_error(fmt::format("{} tokens but {} token types", data.tokens.size(), data.types.size()));
  }
  if (data.merges.empty()) throw format_error("the tokenizer has no merges");
  const std::pair<std::string_view, const std::optional<std::int32_t>&> specials[] = {
      {"bos", data.bos}, {"eos", data.eos}, {"unk", data.unk}, {"sep", data.sep},
      {"pad", data.pad}, {"eot", data.eot}, {"eom", data.eom}};
  for (const auto& [name, id] : specials) {
    if (id && (*id < 0 || static_cast<std::size_t>(*id) >= data.tokens.size())) {
      throw format_error(
          fmt::format("the {} token is {}, outside the vocabulary of {}", name, *id, data.tokens.size()));
    }
  }
  if (data.add_bos && !data.bos) throw format_error("the tokenizer adds a bos token but names none");
  if (data.add_eos && !data.eos) throw format_error("the tokenizer adds an eos token but names none");
  for (std::size_t id = 0; id < data.types.size(); ++id) {
    if (data.types[id] < 1 || data.types[id] > 6) {
      throw format_error(fmt::format("token {} has type {}; types are 1 to 6", id, data.types[id]));
    }
  }
}

TokenIndex token_index(const std::vector<std::string>& tokens) {
  TokenIndex index;
  index.reserve(tokens.size());
  for (std::size_t id = 0; id < tokens.size(); ++id) {
    auto [found, is_new] = index.try_emplace(tokens[id], static_cast<std::int32_t>(id));
    if (!is_new)
      throw format_error(fmt::format("tokens {} and {} are both \"{}\"", found->second, id, printable(tokens[id])));
  }
  return index;
}

}  // namespace

struct Tokenizer::Tables {
  TokenizerData data;
  Pretokenizer pretokenizer;
  TokenIndex index;  // views into data.tokens
  Bpe bpe;
  SpecialTokens special;
  std::vector<std::string> pieces;  // id → bytes
  TokenIndex whole_words;           // views into pieces; empty unless whole words go before merges

  explicit Tables(TokenizerData from)
      : data((check_counts(from), std::move(from))),
        pretokenizer(data.pre),
        index(token_index(data.tokens)),
        bpe(data.merges, index) {
    pieces.reserve(data.tokens.size());
    for (std::size_t i = 0; i < data.tokens.size(); ++i) {
      const std::string& token = data.tokens[i];
      auto id = static_cast<std::int32_t>(i);
      if (!is_special(id)) {
        pieces.push_back(bytes_of_token(token));
        continue;
      }
      if (token.size() > SpecialTokens::kMaxLength) {
        throw Error(ErrorCode::unsupported, fmt::format("special token {} has {} bytes; at most {} are supported", id,
                                                        token.size(), SpecialTokens::kMaxLength));
      }
      special.add(token, id);
      pieces.push_back(token);
    }
    if (pretokenizer_spec(data.pre).whole_words_first) {
      for (std::size_t id = 0; id < pieces.size(); ++id) {
        if (!is_special(static_cast<std::int32_t>(id)))
          whole_words.try_emplace(pieces[id], static_cast<std::int32_t>(id));
      }
    }
  }

  TokenType type(std::int32_t id) const {
    return data.types.empty() ? TokenType::normal : static_cast<TokenType>(data.types[id]);
  }
  bool is_special(std::int32_t id) const {
    return type(id) == TokenType::control || type(id) == TokenType::user_defined;
  }

  void check(std::int32_t id) const {
    if (id < 0 || static_cast<std::size_t>(id) >= pieces.size()) {
      throw Error(ErrorCode::out_of_range, fmt::format("token {} is outside the vocabulary of {}", id, pieces.size()));
    }
  }
};

namespace {

/// One call of encode: what it remembers of words seen, and where the ids go. Words are views of the text.
class Encoding {
 public:
  Encoding(const Pretokenizer& pretokenizer, const Bpe& bpe, const TokenIndex& whole_words)
      : run_(pretokenizer), bpe_(bpe), whole_words_(whole_words) {}

  void add_text(std::string_view text) {
    ends_.clear();
    run_.split(text, ends_);
    std::size_t begin = 0;
    for (std::size_t end : ends_) {
      add_word(text.substr(begin, end - begin));
      begin = end;
    }
  }

  std::vector<std::int32_t> ids;

 private:
  struct Range {
    std::uint32_t begin, end;
  };

  void add_word(std::string_view word) {
    if (word.size() > kCachedWord || ids.size() > kMaxText) {
      encode_word(word);
      return;
    }
    auto seen = words_.find(word);
    if (seen != words_.end()) {
      for (std::uint32_t i = seen->second.begin; i < seen->second.end; ++i) ids.push_back(ids[i]);
      return;
    }
    std::size_t begin = ids.size();
    encode_word(word);
    if (words_.size() < kCachedWords) {
      words_.emplace(word, Range{static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(ids.size())});
    }
  }

  void encode_word(std::string_view word) {
    auto found = whole_words_.find(word);
    if (found != whole_words_.end()) {
      ids.push_back(found->second);
    } else {
      bpe_.encode(word, ids);
    }
  }

  Pretokenizer::Run run_;
  const Bpe& bpe_;
  const TokenIndex& whole_words_;
  boost::unordered_flat_map<std::string_view, Range> words_;  // where in ids a word was encoded before
  std::vector<std::size_t> ends_;
};

std::int32_t required(std::optional<std::int32_t> id, std::string_view name) {
  if (!id) throw Error(ErrorCode::invalid_argument, fmt::format("the tokenizer has no {} token to add", name));
  return *id;
}

}  // namespace

Tokenizer::Tokenizer(TokenizerData data) : tables_(std::make_shared<Tables>(std::move(data))) {}

std::vector<std::int32_t> Tokenizer::encode(std::string_view text, const EncodeOptions& options) const {
  std::string repaired;
  if (valid_utf8_prefix(text) != text.size()) {
    repaired = repaired_utf8(text);
    text = repaired;
  }
  if (text.size() > kMaxText) {
    throw Error(ErrorCode::resource, fmt::format("a text of {} bytes is too long to tokenize", text.size()));
  }
  Encoding encoding(tables_->pretokenizer, tables_->bpe, tables_->whole_words);
  if (options.add_bos.value_or(tables_->data.add_bos)) encoding.ids.push_back(required(bos(), "bos"));
  std::size_t at = 0;
  while (options.parse_special) {
    auto match = tables_->special.find(text, at);
    if (!match) break;
    encoding.add_text(text.substr(at, match->begin - at));
    encoding.ids.push_back(match->id);
    at = match->end;
  }
  encoding.add_text(text.substr(at));
  if (options.add_eos.value_or(tables_->data.add_eos)) encoding.ids.push_back(required(eos(), "eos"));
  return std::move(encoding.ids);
}

std::string Tokenizer::decode(std::span<const std::int32_t> ids, const DecodeOptions& options) const {
  std::string bytes;
  for (std::int32_t id : ids) {
    if (type(id) != TokenType::control || options.show_control) bytes += tables_->pieces[id];
  }
  return bytes;
}

const std::string& Tokenizer::piece(std::int32_t id) const {
  tables_->check(id);
  return tables_->pieces[id];
}

TokenType Tokenizer::type(std::int32_t id) const {
  tables_->check(id);
  return tables_->type(id);
}

std::optional<std::int32_t> Tokenizer::find(std::string_view token) const {
  auto found = tables_->index.find(token);
  if (found == tables_->index.end()) return std::nullopt;
  return found->second;
}

std::size_t Tokenizer::size() const { return tables_->pieces.size(); }

bool Tokenizer::is_end(std::int32_t id) const {
  const TokenizerData& data = tables_->data;
  return id == data.eos || id == data.eot || id == data.eom;
}

std::optional<std::int32_t> Tokenizer::bos() const { return tables_->data.bos; }
std::optional<std::int32_t> Tokenizer::eos() const { return tables_->data.eos; }
const TokenizerData& Tokenizer::data() const { return tables_->data; }

TextStream::TextStream(Tokenizer tokenizer, DecodeOptions options)
    : tokenizer_(std::move(tokenizer)), options_(options) {}

std::string TextStream::push(std::int32_t id) {
  pending_ += tokenizer_.decode({&id, 1}, options_);
  std::string text;
  pending_.erase(0, append_repaired_utf8(pending_, false, text));
  return text;
}

std::string TextStream::finish() {
  std::string text = repaired_utf8(pending_);
  pending_.clear();
  return text;
}

}  // namespace quince
