// The Llama family (Touvron et al. 2023; Qwen2 with biases): RMS norm, rotary grouped-query attention, gated MLP.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstring>

#include "models/architecture.h"
#include "quince/error.h"
#include "quince/io/block_format.h"
#include "quince/nn/nn.h"

namespace quince::models {
namespace {

/// The tensors of a file by role: first all checked, then each loaded as it is used.
class Weights {
 public:
  Weights(const GgufFile& file, const LoadProgress& progress) : file_(file), progress_(progress) {}

  void need(const std::string& tensor, const std::vector<std::int64_t>& shape) {
    const GgufTensor& found = file_.tensor(tensor);
    if (found.shape != shape) {
      throw Error(ErrorCode::format,
                  fmt::format("tensor '{}' has shape [{}], but the hyper-parameters need [{}]", tensor,
                              fmt::join(found.shape, ", "), fmt::join(shape, ", ")),
                  file_.doing());
    }
    ++total_;
  }
  void need_if_present(const std::string& tensor, const std::vector<std::int64_t>& shape) {
    if (has(tensor)) need(tensor, shape);
  }
  bool has(const std::string& tensor) const { return file_.find_tensor(tensor) != nullptr; }

  Tensor load(Graph& graph, const std::string& tensor) {
    Tensor result = load_tensor(graph, file_, tensor);
    if (progress_) progress_(++done_, total_);
    return result;
  }
  std::optional<Tensor> load_if_present(Graph& graph, const std::string& tensor) {
    return has(tensor) ? std::optional(load(graph, tensor)) : std::nullopt;
  }

 private:
  const GgufFile& file_;
  const LoadProgress& progress_;
  std::size_t done_ = 0;
  std::size_t total_ = 0;
};

class LlamaBuilder {
 public:
  LlamaBuilder(const GgufFile& file, const Architecture& architecture, const LanguageModelInfo& info,
               const LoadProgress& progress)
      : file_(file), rope_(architecture.rope), info_(info), weights_(file, progress) {}

  std::unique_ptr<Graph> build() {
    check_weights();
    Graph& g = *graph_;
    g.assume(ge(t_, s_));
    g.assume(ge(ctx_, t_));
    const Tensor tokens = g.input("tokens", DType::i32, {b_, s_});
    pos_ = g.input("pos", DType::i32, {b_});
    const Tensor last = g.input("last", DType::i32, {b_});

    const Tensor positions = pos_.unsqueeze(1).expand({b_, s_}) + g.iota(DType::i32, {s_}, Expr::axis(0, s_));
    tables_ = nn::rope_tables(positions, frequencies(), rope_);
    valid_ = nn::causal_mask(positions, t_);

    const Tensor embedding = weights_.load(g, "token_embd.weight");
    Tensor x = nn::embedding(tokens, embedding);
    for (std::int64_t layer = 0; layer < info_.layers; ++layer) {
      layer_ = layer;
      x = x + attention(norm(x, "attn_norm"));
      x = x + mlp(norm(x, "ffn_norm"));
    }
    x = nn::rms_norm(row(x, last), weights_.load(g, "output_norm.weight"), info_.norm_epsilon);
    const auto output = weights_.load_if_present(g, "output.weight");
    g.output("logits", nn::linear(x, output.value_or(embedding)));
    return std::move(graph_);
  }

 private:
  std::string block(std::string_view role) const { return fmt::format("blk.{}.{}", layer_, role); }
  Tensor weight(std::string_view role) { return weights_.load(*graph_, block(role) + ".weight"); }

  void check_weights() {
    const std::int64_t width = info_.width;
    weights_.need("token_embd.weight", {info_.vocabulary, width});
    for (layer_ = 0; layer_ < info_.layers; ++layer_) {
      const auto need_linear = [&](std::string_view role, std::int64_t out, std::int64_t in) {
        weights_.need(block(role) + ".weight", {out, in});
        weights_.need_if_present(block(role) + ".bias", {out});
      };
      weights_.need(block("attn_norm.weight"), {width});
      need_linear("attn_q", info_.heads * info_.head_dim, width);
      need_linear("attn_k", info_.kv_heads * info_.head_dim, width);
      need_linear("attn_v", info_.kv_heads * info_.value_dim, width);
      need_linear("attn_output", width, info_.heads * info_.value_dim);
      weights_.need(block("ffn_norm.weight"), {width});
      need_linear("ffn_gate", info_.feed_forward, width);
      need_linear("ffn_up", info_.feed_forward, width);
      need_linear("ffn_down", width, info_.feed_forward);
    }
    weights_.need("output_norm.weight", {width});
    weights_.need_if_present("output.weight", {info_.vocabulary, width});
    if (const GgufTensor* factors = file_.find_tensor("rope_freqs.weight")) {
      const std::vector<std::int64_t> shape{info_.rope_dims / 2};
      if (factors->shape != shape || factors->bytes != static_cast<std::uint64_t>(factors->count) * sizeof(float)) {
        throw Error(ErrorCode::format, fmt::format("tensor 'rope_freqs.weight' is not F32 [{}]", shape[0]),
                    file_.doing());
      }
    }
  }

  /// base^(−2i/r) / scale, divided by the file's factor per frequency where it has them (Llama 3's long context).
  std::vector<double> frequencies() const {
    std::vector<double> result;
    const GgufTensor* factors = file_.find_tensor("rope_freqs.weight");
    const Storage bytes = factors == nullptr ? Storage{} : file_.bytes(*factors);
    for (std::int64_t i = 0; i < info_.rope_dims / 2; ++i) {
      double frequency =
          std::pow(info_.rope_base, -2.0 * static_cast<double>(i) / static_cast<double>(info_.rope_dims));
      float factor = 1;
      if (factors != nullptr)
        std::memcpy(&factor, bytes.data() + static_cast<std::size_t>(i) * sizeof(float), sizeof(float));
      frequency /= info_.rope_scale * static_cast<double>(factor);
      result.push_back(frequency);
    }
    return result;
  }

  Tensor norm(const Tensor& x, std::string_view role) { return nn::rms_norm(x, weight(role), info_.norm_epsilon); }

  Tensor linear(const Tensor& x, std::string_view role) {
    const Tensor w = weight(role);
    return nn::linear(x, w, weights_.load_if_present(*graph_, block(role) + ".bias"));
  }

  Tensor rotated(const Tensor& x) { return nn::rope(x, tables_.cos.unsqueeze(-2), tables_.sin.unsqueeze(-2), rope_); }

  /// Writes the s new rows at each sequence's position and returns the first t rows.
  Tensor cached(std::string_view role, const Tensor& rows) {
    const Tensor state =
        graph_->state(fmt::format("{}.{}", role, layer_), DType::f32, {b_, ctx_, rows.extent(2), rows.extent(3)});
    const std::vector<Expr> axes = axes_of(rows.shape());
    const Tensor start = pos_.at(Map(rows.shape(), {b_}, {axes[0]}));
    const Tensor next =
        scatter(state, rows, {axes[0], Expr::slot(0, 0, t_ - s_) + axes[1], axes[2], axes[3]}, std::span(&start, 1));
    graph_->set_next(state, next);
    return next.slice(1, 0, t_);
  }

  Tensor attention(const Tensor& x) {
    const Shape q_shape{b_, s_, info_.heads, info_.head_dim};
    const Tensor q = rotated(linear(x, "attn_q").reshape(q_shape));
    const Tensor k = rotated(linear(x, "attn_k").reshape({b_, s_, info_.kv_heads, info_.head_dim}));
    const Tensor v = linear(x, "attn_v").reshape({b_, s_, info_.kv_heads, info_.value_dim});
    const double scale = 1.0 / std::sqrt(static_cast<double>(info_.head_dim));
    const Tensor mixed = nn::attention(q, cached("k", k), cached("v", v), scale, valid_);
    return linear(mixed.merge(2), "attn_output");
  }

  Tensor mlp(const Tensor& x) {
    const Tensor gate = nn::silu(linear(x, "ffn_gate"));
    return linear(gate * linear(x, "ffn_up"), "ffn_down");
  }

  /// x [b, s, width] at row `index` of each sequence.
  Tensor row(const Tensor& x, const Tensor& index) const {
    const Shape domain{b_, info_.width};
    const std::vector<Expr> axes = axes_of(domain);
    const Tensor spread = index.at(Map(domain, {b_}, {axes[0]}));
    return gather(x, Map(domain, x.shape(), {axes[0], Expr::slot(0, 0, s_ - 1), axes[1]}), std::span(&spread, 1));
  }

  const GgufFile& file_;
  nn::RopeLayout rope_;
  const LanguageModelInfo& info_;
  Weights weights_;
  std::unique_ptr<Graph> graph_ = std::make_unique<Graph>();
  std::int64_t layer_ = 0;

  Expr b_ = Expr::dim("b", {1, 1024});
  Expr s_ = Expr::dim("s", {1, info_.context});
  Expr t_ = Expr::dim("t", {1, info_.context});
  Expr ctx_ = Expr::dim("ctx", {1, info_.context});
  Tensor pos_;
  Tensor valid_;
  nn::RopeTables tables_;
};

}  // namespace

std::unique_ptr<Graph> build_llama(const GgufFile& file, const Architecture& architecture,
                                   const LanguageModelInfo& info, const LoadProgress& progress) {
  return LlamaBuilder(file, architecture, info, progress).build();
}

}  // namespace quince::models
