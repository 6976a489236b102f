// Which names text may give to dims, axes and slots.
#pragma once

#include <string_view>

namespace quince::detail {

/// a<digits> or s<digits>.
bool is_leaf_name(std::string_view name);
/// An identifier that is neither a leaf's name nor an operator's.
bool is_dim_name(std::string_view name);

}  // namespace quince::detail
