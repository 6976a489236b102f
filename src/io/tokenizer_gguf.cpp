// What a GGUF file says about its tokenizer.
#include <fmt/format.h>

#include <limits>
#include <string>

#include "io/pretokenizer.h"
#include "quince/error.h"
#include "quince/io/gguf.h"
#include "quince/io/tokenizer.h"

namespace quince {
namespace {

std::optional<std::int32_t> token_id(const GgufFile& file, std::string_view role) {
  std::string key = fmt::format("tokenizer.ggml.{}_token_id", role);
  if (!file.find(key)) return std::nullopt;
  std::uint64_t id = file.require_u64(key);
  if (id > std::numeric_limits<std::int32_t>::max()) {
    throw Error(ErrorCode::format, fmt::format("{} is {}, which no token id can be", key, id), file.doing());
  }
  return static_cast<std::int32_t>(id);
}

}  // namespace

TokenizerData tokenizer_data(const GgufFile& file) {
  TokenizerData data;
  data.model = file.require_string("tokenizer.ggml.model");
  data.pre = file.string_or("tokenizer.ggml.pre", "");  // as merges, only some tokenizer models have it
  auto tokens = file.require_strings("tokenizer.ggml.tokens");
  data.tokens.assign(tokens.begin(), tokens.end());
  if (file.find("tokenizer.ggml.token_type")) {
    data.types = file.require_i32s("tokenizer.ggml.token_type", data.tokens.size());
  }
  if (file.find("tokenizer.ggml.merges")) {
    auto merges = file.require_strings("tokenizer.ggml.merges");
    data.merges.assign(merges.begin(), merges.end());
  }
  data.bos = token_id(file, "bos");
  data.eos = token_id(file, "eos");
  data.unk = token_id(file, "unknown");
  data.sep = token_id(file, "seperator");  // spelled so in GGUF
  data.pad = token_id(file, "padding");
  data.eot = token_id(file, "eot");
  data.eom = token_id(file, "eom");
  // Files of this family that say nothing expect a bos; all others expect none.
  const PretokenizerSpec* pre = find_pretokenizer(data.pre);
  bool adds_bos = data.bos && pre && pre->whole_words_first;
  data.add_bos = file.bool_or("tokenizer.ggml.add_bos_token", adds_bos);
  data.add_eos = file.bool_or("tokenizer.ggml.add_eos_token", false);
  data.chat_template = file.string_or("tokenizer.chat_template", "");
  return data;
}

Tokenizer load_tokenizer(const GgufFile& file) {
  TokenizerData data = tokenizer_data(file);
  try {
    return Tokenizer(std::move(data));
  } catch (const Error& error) {
    throw error.within(file.doing());
  }
}

}  // namespace quince
