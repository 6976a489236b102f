// Index arithmetic on blocks: total (no division traps) and wrapping.
#include <bit>

#include "backend/reference/lanes.h"
#include "graph/multiversion.h"

namespace quince::backend::reference::lanes {
namespace {

/// out[i] = op(a[i], b[i]) with each operand a block or a scalar.
template <class F>
void zip(Index a, Index b, std::int64_t* out, int n, F op) {
  widest([&]() QUINCE_INLINE {
    if (a.lanes && b.lanes) {
      for (int i = 0; i < n; ++i) out[i] = op(a.lanes[i], b.lanes[i]);
    } else if (a.lanes) {
      for (int i = 0; i < n; ++i) out[i] = op(a.lanes[i], b.scalar);
    } else {
      for (int i = 0; i < n; ++i) out[i] = op(a.scalar, b.at(i));
    }
  });
}

bool is_power_of_two(Index b) {
  return !b.lanes && b.scalar > 0 && std::has_single_bit(static_cast<std::uint64_t>(b.scalar));
}

}  // namespace

std::int64_t wrapping_add(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

std::int64_t wrapping_mul(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  if (b == 0) return 0;
  if (b == -1) return wrapping_mul(a, -1);
  const std::int64_t q = a / b;
  return q - ((a % b != 0 && (a ^ b) < 0) ? 1 : 0);
}

std::int64_t floor_mod(std::int64_t a, std::int64_t b) {
  if (b == 0 || b == -1) return 0;
  const std::int64_t r = a % b;
  return r != 0 && (r ^ b) < 0 ? r + b : r;
}

void add_product(Index a, std::int64_t coefficient, std::int64_t* sum, int n) {
  zip(a, {sum, 0}, sum, n, [coefficient](std::int64_t x, std::int64_t s) QUINCE_INLINE {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(s) +
                                     static_cast<std::uint64_t>(coefficient) * static_cast<std::uint64_t>(x));
  });
}

void multiply(Index a, Index b, std::int64_t* out, int n) {
  zip(a, b, out, n, [](std::int64_t x, std::int64_t y) QUINCE_INLINE {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(x) * static_cast<std::uint64_t>(y));
  });
}

void floor_div(Index a, Index b, std::int64_t* out, int n) {
  if (is_power_of_two(b)) {
    const int shift = std::countr_zero(static_cast<std::uint64_t>(b.scalar));
    zip(a, b, out, n, [shift](std::int64_t x, std::int64_t) QUINCE_INLINE { return x >> shift; });
    return;
  }
  for (int i = 0; i < n; ++i) out[i] = floor_div(a.at(i), b.at(i));
}

void floor_mod(Index a, Index b, std::int64_t* out, int n) {
  if (is_power_of_two(b)) {
    const std::int64_t mask = b.scalar - 1;
    zip(a, b, out, n, [mask](std::int64_t x, std::int64_t) QUINCE_INLINE { return x & mask; });
    return;
  }
  for (int i = 0; i < n; ++i) out[i] = floor_mod(a.at(i), b.at(i));
}

void minimum(Index a, Index b, std::int64_t* out, int n) {
  zip(a, b, out, n, [](std::int64_t x, std::int64_t y) QUINCE_INLINE { return x < y ? x : y; });
}

void maximum(Index a, Index b, std::int64_t* out, int n) {
  zip(a, b, out, n, [](std::int64_t x, std::int64_t y) QUINCE_INLINE { return x > y ? x : y; });
}

void not_negative(Index a, std::int64_t* out, int n) {
  zip(a, {nullptr, 0}, out, n,
      [](std::int64_t x, std::int64_t) QUINCE_INLINE { return static_cast<std::int64_t>(x >= 0); });
}

void both(Index a, Index b, std::int64_t* out, int n) {
  zip(a, b, out, n,
      [](std::int64_t x, std::int64_t y) QUINCE_INLINE { return static_cast<std::int64_t>((x != 0) & (y != 0)); });
}

void either(Index a, Index b, std::int64_t* out, int n) {
  zip(a, b, out, n,
      [](std::int64_t x, std::int64_t y) QUINCE_INLINE { return static_cast<std::int64_t>((x | y) != 0); });
}

}  // namespace quince::backend::reference::lanes
