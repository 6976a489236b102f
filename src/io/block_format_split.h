// Splits the blocks of each quantised GGML type into planes in natural element order.
#pragma once

#include <cstddef>

namespace quince::io {

// Each reads `count` blocks and writes planes[i] in the order of the type's entry in the table (block_format.cpp).
using Split = void(const std::byte* blocks, std::size_t count, std::byte* const* planes);
Split split_q4_0, split_q4_1, split_q5_0, split_q5_1, split_q8_0, split_q4_k, split_q5_k, split_q6_k;

}  // namespace quince::io
