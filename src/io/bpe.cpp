// Byte-pair merging of one word.
#include "io/bpe.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "io/tokenizer_bytes.h"
#include "quince/error.h"
#include "quince/io/gguf.h"

namespace quince {
namespace {

constexpr std::size_t kShortWord = 32;  // up to here scanning all pairs beats a heap

std::uint64_t pair_key(std::int32_t left, std::int32_t right) {
  return std::uint64_t{static_cast<std::uint32_t>(left)} << 32 | static_cast<std::uint32_t>(right);
}

std::int32_t token_of(const TokenIndex& tokens, std::string_view text, std::size_t merge, std::string_view whole) {
  auto found = tokens.find(text);
  if (found != tokens.end()) return found->second;
  throw Error(ErrorCode::format, fmt::format("merge {} \"{}\" needs \"{}\", which is not a token", merge,
                                             printable(whole), printable(text)));
}

}  // namespace

Bpe::Bpe(std::span<const std::string> merges, const TokenIndex& tokens) {
  for (std::size_t byte = 0; byte < byte_ids_.size(); ++byte) {
    auto found = tokens.find(byte_token(static_cast<std::uint8_t>(byte)));
    byte_ids_[byte] = found == tokens.end() ? -1 : found->second;
  }
  merges_.reserve(merges.size());
  std::string joined;
  for (std::size_t rank = 0; rank < merges.size(); ++rank) {
    std::string_view merge = merges[rank];
    std::size_t space = merge.find(' ');
    if (space == merge.npos || space == 0 || space + 1 == merge.size() || merge.find(' ', space + 1) != merge.npos) {
      throw Error(ErrorCode::format,
                  fmt::format("merge {} \"{}\" is not two parts with a space between", rank, printable(merge)));
    }
    joined.assign(merge, 0, space).append(merge, space + 1);
    std::int32_t left = token_of(tokens, merge.substr(0, space), rank, merge);
    std::int32_t right = token_of(tokens, merge.substr(space + 1), rank, merge);
    std::int32_t result = token_of(tokens, joined, rank, merge);
    merges_.try_emplace(pair_key(left, right), Merge{static_cast<std::uint32_t>(rank), result});
  }
}

const Bpe::Merge* Bpe::find(std::int32_t left, std::int32_t right) const {
  auto found = merges_.find(pair_key(left, right));
  return found == merges_.end() ? nullptr : &found->second;
}

void Bpe::encode(std::string_view word, std::vector<std::int32_t>& ids) const {
  std::array<std::int32_t, kShortWord> few;
  std::vector<std::int32_t> many(word.size() > kShortWord ? word.size() : 0);
  std::int32_t* symbols = many.empty() ? few.data() : many.data();
  std::size_t count = 0;
  for (char byte : word) {
    std::int32_t id = byte_ids_[static_cast<std::uint8_t>(byte)];
    if (id >= 0) symbols[count++] = id;
  }
  if (count <= kShortWord) {
    merge_short({symbols, count}, ids);
  } else {
    merge_long({symbols, count}, ids);
  }
}

void Bpe::merge_short(std::span<std::int32_t> symbols, std::vector<std::int32_t>& ids) const {
  constexpr Merge kNone{0xFFFFFFFF, -1};
  std::array<Merge, kShortWord> pairs;  // pairs[i]: symbols i and i + 1
  auto look_up = [&](std::size_t i) {
    const Merge* merge = find(symbols[i], symbols[i + 1]);
    pairs[i] = merge ? *merge : kNone;
  };
  std::size_t count = symbols.size();
  for (std::size_t i = 0; i + 1 < count; ++i) look_up(i);
  while (count > 1) {
    auto lower = [](const Merge& a, const Merge& b) { return a.rank < b.rank; };
    auto best = std::min_element(pairs.begin(), pairs.begin() + static_cast<std::ptrdiff_t>(count - 1), lower);
    if (best->result < 0) break;
    auto at = static_cast<std::size_t>(best - pairs.begin());
    symbols[at] = best->result;
    std::copy(symbols.begin() + static_cast<std::ptrdiff_t>(at + 2),
              symbols.begin() + static_cast<std::ptrdiff_t>(count),
              symbols.begin() + static_cast<std::ptrdiff_t>(at + 1));
    std::copy(best + 1, pairs.begin() + static_cast<std::ptrdiff_t>(count - 1), best);
    --count;
    if (at > 0) look_up(at - 1);
    if (at + 1 < count) look_up(at);
  }
  ids.insert(ids.end(), symbols.begin(), symbols.begin() + static_cast<std::ptrdiff_t>(count));
}

void Bpe::merge_long(std::span<std::int32_t> symbols, std::vector<std::int32_t>& ids) const {
  constexpr Merge kNone{0xFFFFFFFF, -1};
  auto count = static_cast<std::int32_t>(symbols.size());
  std::vector<std::int32_t> next(symbols.size()), previous(symbols.size());
  std::vector<Merge> pairs(symbols.size(), kNone);  // pairs[i]: symbol i and the one after it
  // Candidates are rank and position of the left symbol in one number, so that the smallest is the next merge. They
  // are not removed when a neighbour changes: a popped one counts only if its pair still has its rank.
  std::vector<std::uint64_t> heap;
  heap.reserve(symbols.size());
  auto look_up = [&](std::int32_t left) {
    const Merge* merge = find(symbols[left], symbols[next[left]]);
    pairs[left] = merge ? *merge : kNone;
    if (merge) heap.push_back(std::uint64_t{merge->rank} << 32 | static_cast<std::uint32_t>(left));
    return merge != nullptr;
  };
  for (std::int32_t i = 0; i < count; ++i) {
    next[i] = i + 1;
    previous[i] = i - 1;
    if (i + 1 < count) look_up(i);
  }
  std::make_heap(heap.begin(), heap.end(), std::greater<>());
  while (!heap.empty()) {
    std::pop_heap(heap.begin(), heap.end(), std::greater<>());
    std::uint64_t top = heap.back();
    heap.pop_back();
    auto left = static_cast<std::int32_t>(top & 0xFFFFFFFF);
    if (pairs[left].rank != top >> 32) continue;
    std::int32_t right = next[left];
    symbols[left] = pairs[left].result;
    pairs[left] = pairs[right] = kNone;
    next[left] = next[right];
    if (next[left] < count) {
      previous[next[left]] = left;
      if (look_up(left)) std::push_heap(heap.begin(), heap.end(), std::greater<>());
    }
    if (previous[left] >= 0 && look_up(previous[left])) std::push_heap(heap.begin(), heap.end(), std::greater<>());
  }
  for (std::int32_t i = 0; i < count; i = next[i]) ids.push_back(symbols[i]);
}

}  // namespace quince
