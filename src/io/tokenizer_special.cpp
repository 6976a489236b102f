// Finding the texts of special tokens in a text.
#include "io/tokenizer_special.h"

namespace quince {

void SpecialTokens::add(std::string_view token, std::int32_t id) {
  if (token.empty()) return;
  std::uint32_t node = 0;
  for (char character : token) {
    auto byte = static_cast<std::uint8_t>(character);
    auto [found, is_new] = edges_.try_emplace(edge(node, byte), static_cast<std::uint32_t>(nodes_.size()));
    if (is_new) {
      nodes_[node].followers[byte >> 6] |= std::uint64_t{1} << (byte & 63);
      nodes_.emplace_back();
    }
    node = found->second;
  }
  nodes_[node].id = id;
}

std::optional<SpecialTokens::Match> SpecialTokens::find(std::string_view text, std::size_t from) const {
  for (std::size_t begin = from; begin < text.size(); ++begin) {
    std::optional<Match> longest;
    std::uint32_t node = 0;
    for (std::size_t at = begin; at < text.size(); ++at) {
      auto byte = static_cast<std::uint8_t>(text[at]);
      if (!has(nodes_[node], byte)) break;
      node = edges_.find(edge(node, byte))->second;
      if (nodes_[node].id >= 0) longest = Match{begin, at + 1, nodes_[node].id};
    }
    if (longest) return longest;
  }
  return std::nullopt;
}

}  // namespace quince
