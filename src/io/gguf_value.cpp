// Values of GGUF metadata: their types, conversions and text.
#include <fmt/format.h>
#include <utf8proc.h>

#include <array>
#include <cassert>
#include <cstring>

#include "quince/io/gguf.h"

namespace quince {
namespace {

constexpr std::array<std::string_view, kGgufTypeCount> kTypeNames = {
    "u8", "i8", "u16", "i16", "u32", "i32", "f32", "bool", "string", "array", "u64", "i64", "f64"};

bool is_control(utf8proc_int32_t c) {
  const utf8proc_category_t category = utf8proc_category(c);
  return category == UTF8PROC_CATEGORY_CC || category == UTF8PROC_CATEGORY_CF || category == UTF8PROC_CATEGORY_ZL ||
         category == UTF8PROC_CATEGORY_ZP;
}

std::string escaped(std::string_view bytes) {
  if (bytes == "\n") return "\\n";
  if (bytes == "\t") return "\\t";
  if (bytes == "\r") return "\\r";
  std::string text;
  for (const char c : bytes) text += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  return text;
}

}  // namespace

std::string_view name(GgufType type) { return kTypeNames[static_cast<std::size_t>(type)]; }

template <class T>
T GgufValue::load() const {
  T value;
  assert(bytes_.size() == sizeof(T));
  std::memcpy(&value, bytes_.data(), sizeof(T));
  return value;
}

std::string GgufValue::type_text() const {
  if (!is_array()) return std::string(name(type_));
  return fmt::format("array of {} {}{}", size_, name(element_type_), size_ == 1 ? "" : "s");
}

GgufValue GgufValue::element(std::size_t i) const {
  assert(is_array() && i < size_);
  if (arrays_) return (*arrays_)[i];
  GgufValue value;
  value.type_ = element_type_;
  value.size_ = 1;
  if (strings_) {
    value.bytes_ = std::as_bytes(std::span((*strings_)[i]));
  } else {
    const std::size_t width = bytes_.size() / size_;
    value.bytes_ = bytes_.subspan(i * width, width);
  }
  return value;
}

std::optional<std::int64_t> GgufValue::as_i64() const {
  switch (type_) {
    case GgufType::u8: return load<std::uint8_t>();
    case GgufType::i8: return load<std::int8_t>();
    case GgufType::u16: return load<std::uint16_t>();
    case GgufType::i16: return load<std::int16_t>();
    case GgufType::u32: return load<std::uint32_t>();
    case GgufType::i32: return load<std::int32_t>();
    case GgufType::i64: return load<std::int64_t>();
    case GgufType::u64: {
      const auto value = load<std::uint64_t>();
      return value <= INT64_MAX ? std::optional(static_cast<std::int64_t>(value)) : std::nullopt;
    }
    default: return std::nullopt;
  }
}

std::optional<std::uint64_t> GgufValue::as_u64() const {
  if (type_ == GgufType::u64) return load<std::uint64_t>();
  const auto value = as_i64();
  return value && *value >= 0 ? std::optional(static_cast<std::uint64_t>(*value)) : std::nullopt;
}

std::optional<double> GgufValue::as_f64() const {
  if (type_ == GgufType::f32) return load<float>();
  if (type_ == GgufType::f64) return load<double>();
  return std::nullopt;
}

std::optional<bool> GgufValue::as_bool() const {
  if (type_ != GgufType::boolean) return std::nullopt;
  return load<std::uint8_t>() != 0;
}

std::optional<std::string_view> GgufValue::as_string() const {
  if (type_ != GgufType::string) return std::nullopt;
  return std::string_view(reinterpret_cast<const char*>(bytes_.data()), bytes_.size());
}

std::optional<std::span<const std::string_view>> GgufValue::as_strings() const {
  if (!is_array() || element_type_ != GgufType::string) return std::nullopt;
  return std::span<const std::string_view>(*strings_);
}

std::string printable(std::string_view text, std::size_t max_bytes) {
  std::string out;
  std::size_t at = 0;
  while (at < text.size()) {
    utf8proc_int32_t c = 0;
    const auto* next = reinterpret_cast<const utf8proc_uint8_t*>(text.data() + at);
    const utf8proc_ssize_t length = utf8proc_iterate(next, static_cast<utf8proc_ssize_t>(text.size() - at), &c);
    const bool plain = length > 0 && !is_control(c);
    const std::string_view part = text.substr(at, length > 0 ? static_cast<std::size_t>(length) : 1);
    if (at + part.size() > max_bytes) return out + "…";
    out += plain ? std::string(part) : escaped(part);
    at += part.size();
  }
  return out;
}

std::string to_string(const GgufValue& value, std::size_t max_items) {
  if (const auto text = value.as_string()) return fmt::format("\"{}\"", printable(*text));
  if (const auto b = value.as_bool()) return *b ? "true" : "false";
  if (const auto i = value.as_i64()) return fmt::to_string(*i);
  if (const auto u = value.as_u64()) return fmt::to_string(*u);
  if (const auto f = value.as_f64()) {
    return value.type() == GgufType::f32 ? fmt::to_string(static_cast<float>(*f)) : fmt::to_string(*f);
  }
  std::string text = "[";
  for (std::size_t i = 0; i < value.size() && i < max_items; ++i) {
    text += (i == 0 ? "" : ", ") + to_string(value.element(i), max_items);
  }
  if (value.size() > max_items) text += fmt::format("{}… {} in all", max_items == 0 ? "" : ", ", value.size());
  return text + "]";
}

}  // namespace quince
