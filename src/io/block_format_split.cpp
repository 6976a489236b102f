// Splits the blocks of each quantised GGML type into planes in natural element order.
//
// GGML packs element i and element i + n into one byte, where n is half a block or a fixed run; planes pack neighbours.
// The conversions work on eight bytes at once held in a u64.
#include "io/block_format_split.h"

#include <bit>
#include <cstdint>
#include <cstring>

namespace quince::io {
namespace {

static_assert(std::endian::native == std::endian::little);

std::uint64_t load8(const std::byte* from) {
  std::uint64_t x;
  std::memcpy(&x, from, 8);
  return x;
}

template <std::size_t kBytes>
void store(std::byte* to, std::uint64_t x) {
  std::memcpy(to, &x, kBytes);
}

/// Eight bytes below 16 → eight nibbles.
std::uint64_t pack_nibbles(std::uint64_t x) {
  x = (x | x >> 4) & 0x00ff00ff00ff00ff;
  x = (x | x >> 8) & 0x0000ffff0000ffff;
  return (x | x >> 16) & 0xffffffff;
}

/// Eight bytes below 4 → eight pairs of bits.
std::uint64_t pack_pairs(std::uint64_t x) {
  x = (x | x >> 6) & 0x000f000f000f000f;
  x = (x | x >> 12) & 0x000000ff000000ff;
  return (x | x >> 24) & 0xffff;
}

/// kBytes bytes of two nibbles each: the low nibbles become the first half of the output, the high ones the second.
template <std::size_t kBytes>
void split_nibbles(const std::byte* from, std::byte* to) {
  for (std::size_t i = 0; i < kBytes; i += 8) {
    const std::uint64_t x = load8(from + i);
    store<4>(to + i / 2, pack_nibbles(x & 0x0f0f0f0f0f0f0f0f));
    store<4>(to + kBytes / 2 + i / 2, pack_nibbles(x >> 4 & 0x0f0f0f0f0f0f0f0f));
  }
}

/// 32 bytes of four 2-bit fields each: field j of byte i becomes element 32·j + i.
void split_pairs(const std::byte* from, std::byte* to) {
  for (std::size_t i = 0; i < 32; i += 8) {
    const std::uint64_t x = load8(from + i);
    for (unsigned j = 0; j < 4; ++j) store<2>(to + 8 * j + i / 4, pack_pairs(x >> 2 * j & 0x0303030303030303));
  }
}

/// An 8 × 8 bit matrix, one row a byte, transposed.
std::uint64_t transpose_bits(std::uint64_t x) {
  std::uint64_t t = (x ^ x >> 7) & 0x00aa00aa00aa00aa;
  x ^= t ^ t << 7;
  t = (x ^ x >> 14) & 0x0000cccc0000cccc;
  x ^= t ^ t << 14;
  t = (x ^ x >> 28) & 0x00000000f0f0f0f0;
  return x ^ t ^ t << 28;
}

/// 32 bytes of eight bits each: bit j of byte i becomes element 32·j + i.
void split_bits(const std::byte* from, std::byte* to) {
  for (std::size_t i = 0; i < 4; ++i) {
    const std::uint64_t x = transpose_bits(load8(from + 8 * i));
    for (std::size_t j = 0; j < 8; ++j) to[4 * j + i] = static_cast<std::byte>(x >> 8 * j);
  }
}

/// The 6-bit scales and minima of a Q4_K or Q5_K block: 12 bytes → 8 bytes each.
void split_scales(const std::byte* from, std::byte* scales, std::byte* minima) {
  std::uint32_t low, middle, high;
  std::memcpy(&low, from, 4);
  std::memcpy(&middle, from + 4, 4);
  std::memcpy(&high, from + 8, 4);
  const std::uint64_t upper_scales = (high & 0x0f0f0f0f) | (low >> 2 & 0x30303030);
  const std::uint64_t upper_minima = (high >> 4 & 0x0f0f0f0f) | (middle >> 2 & 0x30303030);
  store<8>(scales, (low & 0x3f3f3f3f) | upper_scales << 32);
  store<8>(minima, (middle & 0x3f3f3f3f) | upper_minima << 32);
}

}  // namespace

void split_q4_0(const std::byte* block, std::size_t count, std::byte* const* planes) {
  for (std::size_t b = 0; b < count; ++b, block += 18) {
    split_nibbles<16>(block + 2, planes[0] + 16 * b);
    std::memcpy(planes[1] + 2 * b, block, 2);
  }
}

void split_q4_1(const std::byte* block, std::size_t count, std::byte* const* planes) {
  for (std::size_t b = 0; b < count; ++b, block += 20) {
    split_nibbles<16>(block + 4, planes[0] + 16 * b);
    std::memcpy(planes[1] + 2 * b, block, 2);
    std::memcpy(planes[2] + 2 * b, block + 2, 2);
  }
}

void split_q5_0(const std::byte* block, std::size_t count, std::byte* const* planes) {
  for (std::size_t b = 0; b < count; ++b, block += 22) {
    split_nibbles<16>(block + 6, planes[0] + 16 * b);
    std::memcpy(planes[1] + 4 * b, block + 2, 4);
    std::memcpy(planes[2] + 2 * b, block, 2);
  }
}

void split_q5_1(const std::byte* block, std::size_t count, std::byte* const* planes) {
  for (std::size_t b = 0; b < count; ++b, block += 24) {
    split_nibbles<16>(block + 8, planes[0] + 16 * b);
    std::memcpy(planes[1] + 4 * b, block + 4, 4);
    std::memcpy(planes[2] + 2 * b, block, 2);
    std::memcpy(planes[3] + 2 * b, block + 2, 2);
  }
}

void split_q8_0(const std::byte* block, std::size_t count, std::byte* const* planes) {
  for (std::size_t b = 0; b < count; ++b, block += 34) {
    std::memcpy(planes[0] + 32 * b, block + 2, 32);
    std::memcpy(planes[1] + 2 * b, block, 2);
  }
}

void split_q4_k(const std::byte* block, std::size_t count, std::byte* const* planes) {
  for (std::size_t b = 0; b < count; ++b, block += 144) {
    for (std::size_t run = 0; run < 128; run += 32) split_nibbles<32>(block + 16 + run, planes[0] + 128 * b + run);
    split_scales(block + 4, planes[1] + 8 * b, planes[2] + 8 * b);
    std::memcpy(planes[3] + 2 * b, block, 2);
    std::memcpy(planes[4] + 2 * b, block + 2, 2);
  }
}

void split_q5_k(const std::byte* block, std::size_t count, std::byte* const* planes) {
  for (std::size_t b = 0; b < count; ++b, block += 176) {
    for (std::size_t run = 0; run < 128; run += 32) split_nibbles<32>(block + 48 + run, planes[0] + 128 * b + run);
    split_bits(block + 16, planes[1] + 32 * b);
    split_scales(block + 4, planes[2] + 8 * b, planes[3] + 8 * b);
    std::memcpy(planes[4] + 2 * b, block, 2);
    std::memcpy(planes[5] + 2 * b, block + 2, 2);
  }
}

void split_q6_k(const std::byte* block, std::size_t count, std::byte* const* planes) {
  for (std::size_t b = 0; b < count; ++b, block += 210) {
    for (std::size_t half = 0; half < 2; ++half) {
      split_nibbles<64>(block + 64 * half, planes[0] + 128 * b + 64 * half);
      split_pairs(block + 128 + 32 * half, planes[1] + 64 * b + 32 * half);
    }
    std::memcpy(planes[2] + 16 * b, block + 192, 16);
    std::memcpy(planes[3] + 2 * b, block + 208, 2);
  }
}

}  // namespace quince::io
