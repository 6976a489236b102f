// What the printer and the parser of a graph's text share.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "quince/graph/array.h"

namespace quince {

inline constexpr std::string_view kGraphVersionLine = "quince graph 1";
/// Constants of at most so many elements are written out.
inline constexpr std::int64_t kInlineConstant = 16;

/// The text in double quotes; quotes and backslashes escaped, control bytes as \xNN.
std::string quoted(std::string_view text);
/// XXH3 of an array's bytes, as 16 hex digits.
std::string content_hash(const Array& value);

}  // namespace quince
