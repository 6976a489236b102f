// Finding the texts of special tokens in a text.
#pragma once

#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace quince {

/// A byte trie: at the first position where any token matches, the longest one counts.
class SpecialTokens {
 public:
  /// Longest special token in bytes; it bounds the work for one position.
  static constexpr std::size_t kMaxLength = 256;

  struct Match {
    std::size_t begin;
    std::size_t end;
    std::int32_t id;
  };

  /// Adds a token; an empty one never matches. `token` has at most kMaxLength bytes.
  void add(std::string_view token, std::int32_t id);

  /// The first match at or after `from`.
  std::optional<Match> find(std::string_view text, std::size_t from) const;

 private:
  struct Node {
    std::int32_t id = -1;                      // the token that ends here
    std::array<std::uint64_t, 4> followers{};  // bytes that lead on, as bits
  };

  static std::uint64_t edge(std::uint32_t node, std::uint8_t byte) { return std::uint64_t{node} << 8 | byte; }
  static bool has(const Node& node, std::uint8_t byte) { return node.followers[byte >> 6] >> (byte & 63) & 1; }

  std::vector<Node> nodes_{1};
  boost::unordered_flat_map<std::uint64_t, std::uint32_t> edges_;
};

}  // namespace quince
