// Metadata values as JSON.
#include "io/gguf_json.h"

#include <fmt/format.h>
#include <utf8proc.h>

#include <cmath>
#include <string>

namespace quince {
namespace {

/// Each byte that is no part of a valid character becomes U+FFFD.
std::string valid_utf8(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    utf8proc_int32_t c = 0;
    const auto* next = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
    const utf8proc_ssize_t length = utf8proc_iterate(next, static_cast<utf8proc_ssize_t>(text.size()), &c);
    const std::size_t taken = length > 0 ? static_cast<std::size_t>(length) : 1;
    out += length > 0 ? text.substr(0, taken) : "\xef\xbf\xbd";
    text.remove_prefix(taken);
  }
  return out;
}

}  // namespace

nlohmann::json to_json(const GgufValue& value, std::size_t max_items) {
  if (const auto text = value.as_string()) return valid_utf8(*text);
  if (const auto b = value.as_bool()) return *b;
  if (const auto i = value.as_i64()) return *i;
  if (const auto u = value.as_u64()) return *u;
  if (const auto f = value.as_f64()) {
    if (!std::isfinite(*f)) return nullptr;
    // The shortest decimal that names the f32, not the digits of its exact value.
    return value.type() == GgufType::f32 ? std::stod(fmt::to_string(static_cast<float>(*f))) : *f;
  }
  auto items = nlohmann::json::array();
  for (std::size_t i = 0; i < value.size() && i < max_items; ++i) items.push_back(to_json(value.element(i), max_items));
  if (value.size() <= max_items) return items;
  return {{"first", std::move(items)}, {"size", value.size()}};
}

}  // namespace quince
