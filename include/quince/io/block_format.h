// The tensor types of GGUF files as one table: each is a composition of narrow planes and their scale planes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "quince/graph/tensor.h"
#include "quince/io/gguf.h"

namespace quince {

/// One array that a tensor's blocks are split into: element i of a block's row stands at index i, packed as its dtype
/// says. A tensor of shape (…, k) gives a plane of shape (…, k / elements · per_block).
struct PlaneFormat {
  std::string_view suffix;  ///< the plane of tensor "w" is the constant "w.<suffix>"; "w" where it is empty
  DType dtype;
  int per_block;  ///< elements
};

/// A tensor type. Plain types have one plane and blocks of one element.
struct BlockFormat {
  std::string_view name;    ///< "Q4_1"
  std::uint32_t ggml_type;  ///< its number in a file
  int elements;             ///< values per block
  int bytes;                ///< bytes per block
  std::vector<PlaneFormat> planes;
  /// Splits `count` blocks; planes[i] receives count · per_block elements. Null for plain types: the plane is the data.
  void (*split)(const std::byte* blocks, std::size_t count, std::byte* const* planes);
  /// The values, f32 of shape (…, k), from tensors over the planes; bit-equal to the order of f32 operations that the
  /// `gguf` Python package uses.
  Tensor (*compose)(std::span<const Tensor> planes);

  bool is_plain() const { return split == nullptr; }
};

/// Every supported type, ordered by number.
std::span<const BlockFormat> block_formats();
/// Null for a type that is not supported.
const BlockFormat* find_block_format(std::uint32_t ggml_type);
/// The name of any type that GGML numbers, supported or not; empty for an unknown number.
std::string_view ggml_type_name(std::uint32_t ggml_type);
/// "F32, F16, Q4_0, …"
std::string supported_block_formats();

/// The planes of a tensor, in the order of its format. A plain plane shares the mapped file where its alignment allows;
/// after a split, the source's pages are released. Error(resource) where memory cannot be had.
std::vector<Array> load_planes(const GgufFile& file, const GgufTensor& tensor);

/// The tensor's values: f32 of the tensor's shape (outermost axis first), composed in `graph` from its planes as named
/// constants. Integers and F64 are cast too. Error(not_found) names a tensor that the file does not have.
Tensor load_tensor(Graph& graph, const GgufFile& file, std::string_view name);

}  // namespace quince
