// Values of a tensor computed from its planes one element at a time.
#include "plane_values.h"

#include <cmath>
#include <map>
#include <stdexcept>

namespace quince::test {
namespace {

float half(std::uint32_t bits) {
  const std::uint32_t exponent = bits >> 10 & 31;
  const auto mantissa = static_cast<float>(bits & 1023);
  float value =
      exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(mantissa + 1024, static_cast<int>(exponent) - 25);
  if (exponent == 31) value = mantissa == 0 ? INFINITY : NAN;
  return bits >> 15 ? -value : value;
}

/// Reads elements of a format's planes by suffix, for element i of a row-major tensor.
class Planes {
 public:
  Planes(const BlockFormat& format, const std::vector<Array>& planes) : elements_(format.elements) {
    for (std::size_t p = 0; p < planes.size(); ++p) {
      planes_[format.planes[p].suffix] = {&planes[p], format.planes[p].per_block};
    }
  }
  bool has(std::string_view suffix) const { return planes_.contains(suffix); }

  float at(std::string_view suffix, std::int64_t i) const {
    const auto& [array, per_block] = planes_.at(suffix);
    const std::int64_t index = i / (elements_ / per_block);
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(array->storage.data());
    const auto packed = [&](int bits) {
      const std::int64_t per_byte = 8 / bits;
      return static_cast<float>(bytes[index / per_byte] >> (index % per_byte * bits) & ((1 << bits) - 1));
    };
    switch (array->dtype) {
      case DType::u1: return packed(1);
      case DType::u2: return packed(2);
      case DType::u4: return packed(4);
      case DType::u8: return bytes[index];
      case DType::i8: return static_cast<std::int8_t>(bytes[index]);
      case DType::f16: return half(static_cast<std::uint32_t>(bytes[2 * index] | bytes[2 * index + 1] << 8));
      default: throw std::logic_error("no plane has this dtype");
    }
  }

 private:
  int elements_;
  std::map<std::string_view, std::pair<const Array*, int>> planes_;
};

}  // namespace

std::vector<float> plane_values(const BlockFormat& format, const std::vector<Array>& planes) {
  static const std::map<std::string_view, float> kOffsets = {{"Q4_0", 8.0f}, {"Q5_0", 16.0f}, {"Q6_K", 32.0f}};
  const auto found = kOffsets.find(format.name);
  const float offset = found == kOffsets.end() ? 0 : found->second;
  const Planes p(format, planes);
  std::int64_t count = format.elements;
  for (const std::int64_t extent : planes[0].shape) count *= extent;
  count /= format.planes[0].per_block;
  std::vector<float> values(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    float q = p.at("q", i);
    if (p.has("h")) q += 16 * p.at("h", i);
    q -= offset;
    float d = p.at("d", i);
    if (p.has("sc")) d *= p.at("sc", i);
    float value = q * d;
    if (p.has("dmin")) {
      value -= p.at("dmin", i) * p.at("m", i);
    } else if (p.has("m")) {
      value += p.at("m", i);
    }
    values[static_cast<std::size_t>(i)] = value;
  }
  return values;
}

}  // namespace quince::test
