// Reads the structure of a GGUF file: the tensors' descriptions, and whether their data is where they say.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "io/gguf_reader.h"
#include "quince/io/block_format.h"

namespace quince {
namespace {

constexpr std::size_t kLongestName = 65535;
constexpr std::uint32_t kMostAxes = 4;

}  // namespace

void GgufReader::read_tensors() {
  for (std::uint64_t i = 0; i < tensor_count_; ++i) {
    subject_ = fmt::format("tensor {} of {}", i + 1, tensor_count_);
    contents_.tensors.push_back(read_tensor());
    if (!contents_.tensor_index.emplace(contents_.tensors.back().name, i).second) {
      fail(fmt::format("{} is there twice", subject_));
    }
  }
  place_tensors();
  check_overlaps();
}

GgufTensor GgufReader::read_tensor() {
  GgufTensor tensor;
  tensor.name = take_string("the name");
  if (tensor.name.empty()) fail(fmt::format("{} has an empty name", subject_));
  if (tensor.name.size() > kLongestName) {
    fail(fmt::format("{} has a name of {} bytes; at most {} are allowed", subject_, tensor.name.size(), kLongestName));
  }
  subject_ = fmt::format("tensor '{}'", printable(tensor.name));
  read_shape(tensor);
  read_format(tensor);
  tensor.offset = take<std::uint64_t>("the offset");
  return tensor;
}

void GgufReader::read_shape(GgufTensor& tensor) {
  const auto axes = take<std::uint32_t>("the number of dimensions");
  if (axes < 1 || axes > kMostAxes) {
    fail(fmt::format("{} has {} dimensions; 1 to {} are allowed", subject_, axes, kMostAxes));
  }
  tensor.count = 1;
  for (std::uint32_t i = 0; i < axes; ++i) {
    const auto extent = take<std::uint64_t>("a dimension");
    if (extent == 0) fail(fmt::format("{} has 0 elements in dimension {}", subject_, i));
    // An extent of more than i64 holds becomes negative or overflows the count; both are refused here.
    if (extent > INT64_MAX || __builtin_mul_overflow(tensor.count, static_cast<std::int64_t>(extent), &tensor.count)) {
      fail(fmt::format("{} has more elements than a 64-bit count holds: dimension {} is {}", subject_, i, extent));
    }
    tensor.shape.insert(tensor.shape.begin(), static_cast<std::int64_t>(extent));
  }
}

void GgufReader::read_format(GgufTensor& tensor) {
  const auto type = take<std::uint32_t>("the type");
  tensor.format = find_block_format(type);
  if (tensor.format == nullptr) {
    const std::string_view known = ggml_type_name(type);
    fail(ErrorCode::unsupported,
         fmt::format("{} has {} type {}{}; supported are {}", subject_, known.empty() ? "unknown" : "unsupported", type,
                     known.empty() ? "" : fmt::format(" ({})", known), supported_block_formats()));
  }
  const std::int64_t row = tensor.shape.back();
  if (row % tensor.format->elements != 0) {
    fail(fmt::format("{} has rows of {} elements, not a multiple of the {} in a block of {}", subject_, row,
                     tensor.format->elements, tensor.format->name));
  }
  const auto blocks = static_cast<std::uint64_t>(tensor.count / tensor.format->elements);
  if (__builtin_mul_overflow(blocks, static_cast<std::uint64_t>(tensor.format->bytes), &tensor.bytes)) {
    fail(fmt::format("{} has {} elements, more bytes than a 64-bit count holds", subject_, tensor.count));
  }
}

/// Offsets in the file count from the first aligned byte behind the descriptions; here they become absolute.
void GgufReader::place_tensors() {
  const std::uint64_t alignment = contents_.alignment;
  const std::uint64_t data = (position_ + alignment - 1) / alignment * alignment;
  const std::uint64_t size = contents_.bytes.size();
  for (GgufTensor& tensor : contents_.tensors) {
    subject_ = fmt::format("tensor '{}'", printable(tensor.name));
    if (tensor.offset % alignment != 0) {
      fail(fmt::format("{} has offset {}, not a multiple of the alignment {}", subject_, tensor.offset, alignment));
    }
    std::uint64_t start = 0;
    std::uint64_t end = 0;
    if (__builtin_add_overflow(tensor.offset, data, &start) || __builtin_add_overflow(start, tensor.bytes, &end)) {
      fail(fmt::format("{} has offset {} and {} bytes, which end beyond any 64-bit byte count", subject_, tensor.offset,
                       tensor.bytes));
    }
    tensor.offset = start;
    if (end > size) fail(fmt::format("{} ends at byte {} but the file has {}", subject_, end, size));
  }
}

void GgufReader::check_overlaps() const {
  std::vector<const GgufTensor*> order;
  for (const GgufTensor& tensor : contents_.tensors) order.push_back(&tensor);
  std::ranges::sort(order, {}, [](const GgufTensor* t) { return std::pair(t->offset, t); });
  for (std::size_t i = 1; i < order.size(); ++i) {
    const GgufTensor& before = *order[i - 1];
    const GgufTensor& tensor = *order[i];
    if (before.offset + before.bytes > tensor.offset) {
      fail(fmt::format("tensor '{}' starts at byte {}, inside tensor '{}', which ends at byte {}",
                       printable(tensor.name), tensor.offset, printable(before.name), before.offset + before.bytes));
    }
  }
}

}  // namespace quince
