// Metadata values as JSON.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>

#include "quince/io/gguf.h"

namespace quince {

/// Numbers, bools, strings (invalid UTF-8 as U+FFFD) and arrays as themselves; an array longer than max_items as
/// {"first": […], "size": n}. NaN and infinities are null, as JSON has none.
nlohmann::json to_json(const GgufValue& value, std::size_t max_items);

}  // namespace quince
