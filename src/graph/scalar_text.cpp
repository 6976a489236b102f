// Scalars as text that reads back to the same bits.
#include "graph/scalar_text.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace quince {
namespace {

std::string decimal(Scalar value) {
  if (value.dtype == DType::boolean) return value.bits != 0 ? "true" : "false";
  if (value.dtype == DType::u64) return fmt::format("{}", value.bits);
  if (is_integer(value.dtype)) return fmt::format("{}", value.as_integer());
  const double x = value.as_double();
  if (std::isnan(x)) return "nan";
  if (std::isinf(x)) return x < 0 ? "-inf" : "inf";
  return value.dtype == DType::f64 ? fmt::format("{}", x) : fmt::format("{}", static_cast<float>(x));
}

template <class T>
std::optional<T> number(std::string_view text, int base = 10) {
  T value{};
  const char* end = text.data() + text.size();
  const auto result = [&] {
    if constexpr (std::is_integral_v<T>)
      return std::from_chars(text.data(), end, value, base);
    else
      return std::from_chars(text.data(), end, value);
  }();
  if (result.ec != std::errc{} || result.ptr != end) return std::nullopt;
  return value;
}

}  // namespace

std::string to_string(Scalar value) {
  std::string text = decimal(value);
  const auto back = parse_scalar(value.dtype, text);
  return back && back->bits == value.bits ? text : fmt::format("{:#x}", value.bits);
}

std::optional<Scalar> parse_scalar(DType dtype, std::string_view text) {
  if (text.starts_with("0x")) {
    const auto bits = number<std::uint64_t>(text.substr(2), 16);
    const int width = bit_width(dtype);
    if (!bits || (width < 64 && *bits >> width != 0)) return std::nullopt;
    return Scalar{dtype, *bits};
  }
  if (dtype == DType::boolean) {
    if (text == "true") return Scalar{dtype, 1};
    if (text == "false") return Scalar{dtype, 0};
    return std::nullopt;
  }
  if (dtype == DType::u64) {
    const auto value = number<std::uint64_t>(text);
    return value ? std::optional(Scalar{dtype, *value}) : std::nullopt;
  }
  if (is_integer(dtype)) {
    const auto value = number<std::int64_t>(text);
    if (!value || *value < integer_min(dtype)) return std::nullopt;
    if (*value > 0 && static_cast<std::uint64_t>(*value) > integer_max(dtype)) return std::nullopt;
    return Scalar::of_integer(dtype, *value);
  }
  const auto value = number<double>(text);
  return value ? std::optional(Scalar::of(dtype, *value)) : std::nullopt;
}

}  // namespace quince
