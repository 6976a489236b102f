// Byte-pair merging of one word.
#pragma once

#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace quince {

/// token text → id.
using TokenIndex = boost::unordered_flat_map<std::string_view, std::int32_t>;

/// The merges of a vocabulary. Two neighbouring tokens merge when their pair is listed; the pair listed first goes
/// first, equal ones from left to right.
class Bpe {
 public:
  /// `merges` as in TokenizerData. Error(format) names a merge without exactly one space between two parts, or whose
  /// parts or result are not tokens.
  Bpe(std::span<const std::string> merges, const TokenIndex& tokens);

  /// Appends the ids of a word of at most 2^31 - 1 bytes, in O(n log n). A byte without a token is passed over.
  void encode(std::string_view word, std::vector<std::int32_t>& ids) const;

 private:
  struct Merge {
    std::uint32_t rank;
    std::int32_t result;
  };

  const Merge* find(std::int32_t left, std::int32_t right) const;
  void merge_short(std::span<std::int32_t> symbols, std::vector<std::int32_t>& ids) const;
  void merge_long(std::span<std::int32_t> symbols, std::vector<std::int32_t>& ids) const;

  std::array<std::int32_t, 256> byte_ids_;  // -1: no token
  boost::unordered_flat_map<std::uint64_t, Merge> merges_;
};

}  // namespace quince
