// Token ids as text.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace quince::cli {

/// Reads ids separated by commas or white space. UsageError names the piece that is no id.
std::vector<std::int32_t> parse_ids(std::string_view text);

}  // namespace quince::cli
