// Arrays: the memory they lie in, their sizes, and access to one element.
#include "quince/graph/array.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cassert>
#include <cstdlib>
#include <limits>
#include <span>
#include <string>

#include "quince/error.h"

namespace quince {
namespace {

/// From here on memory is mapped, so that pages never written cost nothing.
constexpr std::size_t kMapFrom = std::size_t{1} << 18;
/// One cache line, and the widest vector.
constexpr std::size_t kAlignment = 64;

[[noreturn]] void refuse(std::size_t bytes) {
  throw Error(ErrorCode::resource, fmt::format("{} bytes of memory cannot be had", bytes), "allocating an array");
}

std::shared_ptr<void> mapped(std::size_t bytes) {
  // A size beyond the address space would be rounded up to 0 by the kernel.
  if (bytes > std::numeric_limits<std::size_t>::max() / 2) refuse(bytes);
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) refuse(bytes);
  return {memory, [bytes](void* p) { ::munmap(p, bytes); }};
}

std::shared_ptr<void> allocated(std::size_t bytes) {
  const std::size_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  void* memory = std::aligned_alloc(kAlignment, rounded);
  if (memory == nullptr) refuse(bytes);
  std::memset(memory, 0, rounded);
  return {memory, [](void* p) { std::free(p); }};
}

struct Place {
  std::size_t byte;  ///< where the element begins
  int shift;         ///< and the bit in that byte, for elements narrower than one
};

Place place_of(DType t, std::int64_t i) {
  const auto index = static_cast<std::size_t>(i);
  const auto width = static_cast<std::size_t>(bit_width(t));
  if (width < 8) return {index * width / 8, static_cast<int>(index * width % 8)};
  return {index * (width / 8), 0};
}

}  // namespace

Storage Storage::zeroed(std::size_t bytes) {
  if (bytes == 0) return {};
  auto owner = bytes >= kMapFrom ? mapped(bytes) : allocated(bytes);
  const auto* data = static_cast<const std::byte*>(owner.get());
  return {data, bytes, std::move(owner)};
}

Array Array::zeros(DType dtype, std::vector<std::int64_t> shape) {
  const std::size_t bytes = bytes_needed(dtype, shape);
  return {dtype, std::move(shape), Storage::zeroed(bytes)};
}

std::int64_t Array::count() const {
  std::int64_t n = 1;
  for (const std::int64_t extent : shape) n *= extent;
  return n;
}

Scalar Array::at(std::int64_t i) const {
  assert(i >= 0 && i < count());
  const auto [byte, shift] = place_of(dtype, i);
  const int width = bit_width(dtype);
  if (width < 8) return {dtype, (std::to_integer<std::uint64_t>(storage.data()[byte]) >> shift) & ((1u << width) - 1)};
  std::uint64_t bits = 0;
  std::memcpy(&bits, storage.data() + byte, static_cast<std::size_t>(width / 8));
  return {dtype, bits};
}

void Array::set(std::int64_t i, Scalar value) {
  assert(i >= 0 && i < count() && value.dtype == dtype);
  const auto [byte, shift] = place_of(dtype, i);
  const int width = bit_width(dtype);
  std::byte* at = storage.mutable_data() + byte;
  if (width < 8) {
    const std::uint64_t mask = (1u << width) - 1;
    const auto others = std::to_integer<std::uint64_t>(*at) & ~(mask << shift);
    *at = static_cast<std::byte>(others | (value.bits & mask) << shift);
  } else {
    std::memcpy(at, &value.bits, static_cast<std::size_t>(width / 8));
  }
}

std::size_t bytes_needed(DType dtype, std::span<const std::int64_t> shape) {
  const auto fail = [&](ErrorCode code, std::string_view why) {
    std::string extents;
    for (const std::int64_t extent : shape) extents += (extents.empty() ? "" : ", ") + std::to_string(extent);
    throw Error(code, fmt::format("an array of {} [{}] {}", name(dtype), extents, why));
  };
  // A zero anywhere makes the product zero, but the others are still checked: the strides must fit as well.
  std::int64_t count = 1;
  bool empty = false;
  for (const std::int64_t extent : shape) {
    if (extent < 0) fail(ErrorCode::invalid_argument, "has a negative extent");
    if (extent == 0) {
      empty = true;
    } else if (__builtin_mul_overflow(count, extent, &count)) {
      fail(ErrorCode::overflow, "has more than 2^63 elements");
    }
  }
  std::int64_t bits = 0;
  if (__builtin_mul_overflow(count, static_cast<std::int64_t>(bit_width(dtype)), &bits) ||
      __builtin_add_overflow(bits, std::int64_t{7}, &bits)) {
    fail(ErrorCode::overflow, "has more than 2^63 bits");
  }
  return empty ? 0 : static_cast<std::size_t>(bits / 8);
}

}  // namespace quince
