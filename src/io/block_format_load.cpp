// Loads tensors of a GGUF file: blocks to planes, planes to a composition in a graph.
#include <algorithm>
#include <cstring>

#include "quince/error.h"
#include "quince/io/block_format.h"

namespace quince {
namespace {

constexpr std::size_t kPiece = 1 << 15;  ///< blocks: 0.6 to 7 MB

/// The mapped bytes themselves, or a copy where they are not aligned for the dtype.
Storage aligned_storage(const Storage& bytes, DType dtype) {
  const auto alignment = static_cast<std::uintptr_t>(bit_width(dtype) / 8);
  if (reinterpret_cast<std::uintptr_t>(bytes.data()) % alignment == 0) return bytes;
  Storage copy = Storage::zeroed(bytes.size());
  std::memcpy(copy.mutable_data(), bytes.data(), bytes.size());
  return copy;
}

std::vector<std::int64_t> plane_shape(const GgufTensor& tensor, const PlaneFormat& plane) {
  std::vector<std::int64_t> shape = tensor.shape;
  shape.back() = shape.back() / tensor.format->elements * plane.per_block;
  return shape;
}

/// Splits piece by piece and releases each, so that blocks and planes are never both in memory as a whole.
void split_and_release(const GgufFile& file, const GgufTensor& tensor, std::span<const std::byte> source,
                       std::vector<Array>& planes) {
  const BlockFormat& format = *tensor.format;
  const auto block_bytes = static_cast<std::size_t>(format.bytes);
  const std::size_t blocks = source.size() / block_bytes;
  std::vector<std::byte*> targets(planes.size());
  for (std::size_t first = 0; first < blocks; first += kPiece) {
    const std::size_t count = std::min(kPiece, blocks - first);
    for (std::size_t p = 0; p < planes.size(); ++p) {
      const auto bits = static_cast<std::size_t>(format.planes[p].per_block * bit_width(planes[p].dtype));
      targets[p] = planes[p].storage.mutable_data() + first * bits / 8;
    }
    const auto piece = source.subspan(first * block_bytes, count * block_bytes);
    format.split(piece.data(), count, targets.data());
    file.release(piece);
  }
}

}  // namespace

std::vector<Array> load_planes(const GgufFile& file, const GgufTensor& tensor) {
  const BlockFormat& format = *tensor.format;
  const Storage source = file.bytes(tensor);
  if (format.is_plain()) {
    const DType dtype = format.planes[0].dtype;
    return {Array{dtype, tensor.shape, aligned_storage(source, dtype)}};
  }
  std::vector<Array> planes;
  for (const PlaneFormat& plane : format.planes) {
    planes.push_back(Array::zeros(plane.dtype, plane_shape(tensor, plane)));
  }
  split_and_release(file, tensor, source.bytes(), planes);
  return planes;
}

Tensor load_tensor(Graph& graph, const GgufFile& file, std::string_view name) {
  const GgufTensor& tensor = file.tensor(name);
  std::vector<Array> arrays;
  try {
    arrays = load_planes(file, tensor);
  } catch (const Error& error) {
    throw Error(error.code(), "tensor '" + printable(name) + "': " + error.message(), file.doing());
  }
  std::vector<Tensor> planes;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const std::string_view suffix = tensor.format->planes[i].suffix;
    planes.push_back(graph.constant(
        std::move(arrays[i]), suffix.empty() ? std::string(name) : std::string(name) + "." + std::string(suffix)));
  }
  return tensor.format->compose(planes);
}

}  // namespace quince
