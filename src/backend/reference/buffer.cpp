// Allocation of buffers.
#include "backend/reference/buffer.h"

#include <fmt/format.h>

#include <cstdlib>

#include "quince/error.h"

namespace quince::backend::reference {

Storage allocate(DType dtype, std::span<const std::int64_t> shape) {
  constexpr std::size_t kLine = 64;
  const std::size_t bytes = bytes_needed(dtype, shape);
  const std::size_t room = (bytes / kLine + 1) * kLine;
  auto* data = static_cast<std::byte*>(std::aligned_alloc(kLine, room));
  if (data == nullptr) throw Error(ErrorCode::resource, fmt::format("cannot allocate {} bytes", bytes));
  std::shared_ptr<const void> owner(data, [](const void* p) { std::free(const_cast<void*>(p)); });
  // The last byte of a packed array has bits that no element owns.
  if (bytes > 0 && bit_width(dtype) < 8) data[bytes - 1] = std::byte{0};
  return {data, bytes, std::move(owner)};
}

}  // namespace quince::backend::reference
