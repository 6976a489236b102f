// Scalars as text that reads back to the same bits.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "quince/graph/dtype.h"

namespace quince {

/// The shortest decimal of a float, an integer, true/false; bits in hex ("0x7fc00001") where decimal would lose some.
std::string to_string(Scalar value);
/// Reads what to_string prints, as a value of the dtype; nullopt where the text is none, or out of an integer's range.
std::optional<Scalar> parse_scalar(DType dtype, std::string_view text);

}  // namespace quince
