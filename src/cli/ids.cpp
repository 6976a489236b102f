// Token ids as text.
#include "cli/ids.h"

#include <fmt/format.h>

#include <charconv>

#include "cli/console.h"

namespace quince::cli {

std::vector<std::int32_t> parse_ids(std::string_view text) {
  constexpr std::string_view separators = ", \t\r\n";
  std::vector<std::int32_t> ids;
  while (true) {
    const std::size_t begin = text.find_first_not_of(separators);
    if (begin == std::string_view::npos) return ids;
    text.remove_prefix(begin);
    const std::string_view piece = text.substr(0, text.find_first_of(separators));
    std::int32_t id = 0;
    const auto [end, error] = std::from_chars(piece.data(), piece.data() + piece.size(), id);
    if (error != std::errc{} || end != piece.data() + piece.size()) {
      throw UsageError{fmt::format("'{}' is not a token id", piece)};
    }
    ids.push_back(id);
    text.remove_prefix(piece.size());
  }
}

}  // namespace quince::cli
