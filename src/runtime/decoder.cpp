// Feeding tokens to a language-model program.
#include "quince/runtime/decoder.h"

#include <fmt/format.h>

#include <algorithm>

#include "quince/error.h"

namespace quince {
namespace {

std::int64_t vocabulary_of(const Program& program) {
  const auto logits = std::ranges::find(program.outputs(), "logits", &Program::Port::name);
  if (logits == program.outputs().end() || logits->shape.size() != 2 || !logits->shape[1].as_constant()) {
    throw Error(ErrorCode::invalid_argument,
                "the program is no language model: it has no output logits (b, vocabulary)");
  }
  return *logits->shape[1].as_constant();
}

Array row(const std::vector<std::int32_t>& values) {
  return Array::of<std::int32_t>(DType::i32, {static_cast<std::int64_t>(values.size())}, values);
}

}  // namespace

void check_ids(std::span<const std::int32_t> ids, std::int64_t vocabulary) {
  for (std::int32_t id : ids) {
    if (id < 0 || id >= vocabulary) {
      throw Error(ErrorCode::out_of_range, fmt::format("token id {} is outside the vocabulary of {}", id, vocabulary));
    }
  }
}

Decoder::Decoder(std::shared_ptr<const Program> program, std::int64_t sequences, std::int64_t context)
    : context_(context),
      vocabulary_(vocabulary_of(*program)),
      positions_(static_cast<std::size_t>(std::max<std::int64_t>(sequences, 0)), 0),
      session_(std::move(program), {{"b", sequences}, {"ctx", context}}) {}

Array Decoder::feed(std::span<const Tokens> chunks) {
  if (chunks.size() != positions_.size()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{} chunks for {} sequences", chunks.size(), positions_.size()));
  }
  std::int64_t longest = 0;
  std::int64_t furthest = 0;
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    const auto length = static_cast<std::int64_t>(chunks[i].size());
    longest = std::max(longest, length);
    furthest = std::max(furthest, positions_[i]);
    check_ids(chunks[i], vocabulary_);
  }
  if (longest == 0) throw Error(ErrorCode::invalid_argument, "there are no tokens to feed");
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    if (positions_[i] + longest > context_) {
      throw Error(ErrorCode::out_of_range,
                  fmt::format("sequence {} holds {} tokens and has no room for {} more in a context of {}", i,
                              positions_[i], longest, context_));
    }
  }
  const auto sequences = static_cast<std::int64_t>(chunks.size());
  Array tokens = Array::zeros(DType::i32, {sequences, longest});
  std::vector<std::int32_t> pos;
  std::vector<std::int32_t> last;
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    std::ranges::copy(chunks[i],
                      tokens.mutable_data<std::int32_t>().begin() + static_cast<std::ptrdiff_t>(i) * longest);
    pos.push_back(static_cast<std::int32_t>(positions_[i]));
    last.push_back(static_cast<std::int32_t>(std::max<std::size_t>(chunks[i].size(), 1) - 1));
  }
  Arrays outputs =
      session_.run({{"tokens", tokens}, {"pos", row(pos)}, {"last", row(last)}}, {{"t", furthest + longest}});
  for (std::size_t i = 0; i < chunks.size(); ++i) positions_[i] += static_cast<std::int64_t>(chunks[i].size());
  return std::move(outputs.at("logits"));
}

}  // namespace quince
