// The table of tensor types: sizes, planes, and how the planes compose to values.
#include "quince/io/block_format.h"

#include <algorithm>
#include <utility>

#include "io/block_format_split.h"

namespace quince {
namespace {

/// Each element of the last axis n times in a row: shape (…, k) → (…, n·k).
Tensor repeat(const Tensor& x, std::int64_t n) {
  Shape shape = x.shape();
  shape.back() = shape.back() * n;
  std::vector<Expr> coords = axes_of(shape);
  coords.back() = floor_div(coords.back(), n);
  return x.at(Map(shape, x.shape(), coords));
}

Tensor f32(const Tensor& x) { return cast(x, DType::f32); }

/// The integer q + 2^bits · high, less `offset`, in f32: exact.
Tensor join(const Tensor& low, const Tensor& high, double scale, double offset = 0) {
  const Tensor q = f32(low) + f32(high) * scale;
  return offset == 0 ? q : q + -offset;
}

// Planes in the order of the table's entries. Products of two f16 scales with integers follow the order of the `gguf`
// package: scale products first, then the element.

Tensor compose_plain(std::span<const Tensor> p) { return p[0].dtype() == DType::f32 ? p[0] : f32(p[0]); }

Tensor compose_q4_0(std::span<const Tensor> p) { return (f32(p[0]) + -8.0) * repeat(f32(p[1]), 32); }

Tensor compose_q4_1(std::span<const Tensor> p) { return f32(p[0]) * repeat(f32(p[1]), 32) + repeat(f32(p[2]), 32); }

Tensor compose_q5_0(std::span<const Tensor> p) { return join(p[0], p[1], 16, 16) * repeat(f32(p[2]), 32); }

Tensor compose_q5_1(std::span<const Tensor> p) {
  return join(p[0], p[1], 16) * repeat(f32(p[2]), 32) + repeat(f32(p[3]), 32);
}

Tensor compose_q8_0(std::span<const Tensor> p) { return f32(p[0]) * repeat(f32(p[1]), 32); }

/// q·(d·sc) − dmin·m over sub-blocks of 32 elements, eight to a block.
Tensor compose_k(const Tensor& q, std::span<const Tensor> scales) {
  const Tensor d = repeat(f32(scales[2]), 8) * f32(scales[0]);
  const Tensor m = repeat(f32(scales[3]), 8) * f32(scales[1]);
  return q * repeat(d, 32) + repeat(m * -1.0, 32);
}

Tensor compose_q4_k(std::span<const Tensor> p) { return compose_k(f32(p[0]), p.subspan(1)); }

Tensor compose_q5_k(std::span<const Tensor> p) { return compose_k(join(p[0], p[1], 16), p.subspan(2)); }

Tensor compose_q6_k(std::span<const Tensor> p) {
  return join(p[0], p[1], 16, 32) * repeat(repeat(f32(p[3]), 16) * f32(p[2]), 16);
}

BlockFormat plain(std::string_view name, std::uint32_t type, DType dtype) {
  return {name, type, 1, bit_width(dtype) / 8, {{"", dtype, 1}}, nullptr, compose_plain};
}

std::vector<BlockFormat> make_table() {
  using enum DType;
  return {
      plain("F32", 0, f32),
      plain("F16", 1, f16),
      {"Q4_0", 2, 32, 18, {{"q", u4, 32}, {"d", f16, 1}}, io::split_q4_0, compose_q4_0},
      {"Q4_1", 3, 32, 20, {{"q", u4, 32}, {"d", f16, 1}, {"m", f16, 1}}, io::split_q4_1, compose_q4_1},
      {"Q5_0", 6, 32, 22, {{"q", u4, 32}, {"h", u1, 32}, {"d", f16, 1}}, io::split_q5_0, compose_q5_0},
      {"Q5_1", 7, 32, 24, {{"q", u4, 32}, {"h", u1, 32}, {"d", f16, 1}, {"m", f16, 1}}, io::split_q5_1, compose_q5_1},
      {"Q8_0", 8, 32, 34, {{"q", i8, 32}, {"d", f16, 1}}, io::split_q8_0, compose_q8_0},
      {"Q4_K",
       12,
       256,
       144,
       {{"q", u4, 256}, {"sc", u8, 8}, {"m", u8, 8}, {"d", f16, 1}, {"dmin", f16, 1}},
       io::split_q4_k,
       compose_q4_k},
      {"Q5_K",
       13,
       256,
       176,
       {{"q", u4, 256}, {"h", u1, 256}, {"sc", u8, 8}, {"m", u8, 8}, {"d", f16, 1}, {"dmin", f16, 1}},
       io::split_q5_k,
       compose_q5_k},
      {"Q6_K",
       14,
       256,
       210,
       {{"q", u4, 256}, {"h", u2, 256}, {"sc", i8, 16}, {"d", f16, 1}},
       io::split_q6_k,
       compose_q6_k},
      plain("I8", 24, i8),
      plain("I16", 25, i16),
      plain("I32", 26, i32),
      plain("I64", 27, i64),
      plain("F64", 28, f64),
      plain("BF16", 30, bf16),
  };
}

/// GGML's other types, to name them in messages.
constexpr std::pair<std::uint32_t, std::string_view> kUnsupportedTypes[] = {
    {9, "Q8_1"},     {10, "Q2_K"},  {11, "Q3_K"},   {15, "Q8_K"},  {16, "IQ2_XXS"}, {17, "IQ2_XS"},
    {18, "IQ3_XXS"}, {19, "IQ1_S"}, {20, "IQ4_NL"}, {21, "IQ3_S"}, {22, "IQ2_S"},   {23, "IQ4_XS"},
    {29, "IQ1_M"},   {34, "TQ1_0"}, {35, "TQ2_0"},  {39, "MXFP4"},
};

}  // namespace

std::span<const BlockFormat> block_formats() {
  static const std::vector<BlockFormat> table = make_table();
  return table;
}

const BlockFormat* find_block_format(std::uint32_t ggml_type) {
  const auto table = block_formats();
  const auto found = std::ranges::find(table, ggml_type, &BlockFormat::ggml_type);
  return found == table.end() ? nullptr : &*found;
}

std::string_view ggml_type_name(std::uint32_t ggml_type) {
  if (const BlockFormat* format = find_block_format(ggml_type)) return format->name;
  for (const auto& [type, name] : kUnsupportedTypes) {
    if (type == ggml_type) return name;
  }
  return {};
}

std::string supported_block_formats() {
  std::string text;
  for (const BlockFormat& format : block_formats()) text += (text.empty() ? "" : ", ") + std::string(format.name);
  return text;
}

}  // namespace quince
