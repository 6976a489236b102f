// Hyper-parameters of a language model, read from GGUF metadata and checked.
#include <fmt/format.h>

#include "models/architecture.h"
#include "quince/error.h"

namespace quince {
namespace {

/// Larger than any model's, and small enough that products of a few of them fit i64.
constexpr std::int64_t kLargest = std::int64_t{1} << 24;

class HyperParameters {
 public:
  explicit HyperParameters(const GgufFile& file)
      : file_(file), prefix_(std::string(models::find_architecture(file).name) + ".") {}

  std::string key(std::string_view suffix) const { return prefix_ + std::string(suffix); }
  bool has(std::string_view suffix) const { return file_.find(key(suffix)) != nullptr; }

  std::int64_t size(std::string_view suffix) const { return checked(suffix, file_.require_u64(key(suffix))); }
  std::int64_t size_or(std::string_view suffix, std::int64_t fallback) const {
    return has(suffix) ? size(suffix) : fallback;
  }
  double positive(std::string_view suffix, std::optional<float> fallback = {}) const {
    const float value = fallback ? file_.f32_or(key(suffix), *fallback) : file_.require_f32(key(suffix));
    if (!(value > 0) || value > 1e30f) fail(suffix, fmt::format("{}", value), "more than 0 and at most 1e30");
    return static_cast<double>(value);
  }
  [[noreturn]] void fail(std::string_view suffix, const std::string& value, std::string_view range) const {
    throw Error(ErrorCode::format, fmt::format("'{}' is {}, but it must be {}", key(suffix), value, range),
                file_.doing());
  }
  void need(bool ok, std::string_view suffix, std::int64_t value, std::string_view range) const {
    if (!ok) fail(suffix, std::to_string(value), range);
  }

 private:
  std::int64_t checked(std::string_view suffix, std::uint64_t value) const {
    if (value < 1 || value > static_cast<std::uint64_t>(kLargest)) {
      fail(suffix, std::to_string(value), fmt::format("in 1..{}", kLargest));
    }
    return static_cast<std::int64_t>(value);
  }

  const GgufFile& file_;
  std::string prefix_;
};

double rope_scale(const GgufFile& file, const HyperParameters& hp) {
  const std::string_view type = file.string_or(hp.key("rope.scaling.type"), "none");
  if (type == "linear") return hp.positive("rope.scaling.factor");
  // Files made before the key existed have the factor alone.
  if (type == "none") return hp.positive("rope.scale_linear", 1.0f);
  throw Error(ErrorCode::unsupported,
              fmt::format("rope scaling '{}' is not supported; these are: none, linear", printable(type, 64)),
              file.doing());
}

}  // namespace

LanguageModelInfo language_model_info(const GgufFile& file) {
  const HyperParameters hp(file);
  LanguageModelInfo info;
  info.architecture = file.require_string("general.architecture");
  info.layers = hp.size("block_count");
  info.width = hp.size("embedding_length");
  info.feed_forward = hp.size("feed_forward_length");
  info.context = hp.size("context_length");
  info.heads = hp.size("attention.head_count");
  info.kv_heads = hp.size_or("attention.head_count_kv", info.heads);
  hp.need(info.heads % info.kv_heads == 0, "attention.head_count_kv", info.kv_heads,
          fmt::format("a divisor of the {} heads", info.heads));
  if (!hp.has("attention.key_length")) {
    hp.need(info.width % info.heads == 0, "attention.head_count", info.heads,
            fmt::format("a divisor of the width {}", info.width));
  }
  info.head_dim = hp.size_or("attention.key_length", info.width / info.heads);
  info.value_dim = hp.size_or("attention.value_length", info.head_dim);
  info.rope_dims = hp.size_or("rope.dimension_count", info.head_dim);
  hp.need(info.rope_dims % 2 == 0 && info.rope_dims <= info.head_dim, "rope.dimension_count", info.rope_dims,
          fmt::format("even and at most {}", info.head_dim));
  info.rope_base = hp.positive("rope.freq_base", 10000.0f);
  info.rope_scale = rope_scale(file, hp);
  info.norm_epsilon = hp.positive("attention.layer_norm_rms_epsilon");
  const std::vector<std::int64_t>& embedding = file.tensor("token_embd.weight").shape;
  info.vocabulary = embedding[0];
  if (info.vocabulary > kLargest) {
    throw Error(ErrorCode::format, fmt::format("a vocabulary of {} tokens is too large", info.vocabulary),
                file.doing());
  }
  return info;
}

}  // namespace quince
