// Reads the structure of a GGUF file into tables, checking everything it says against the bytes there are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/mapped_file.h"
#include "quince/error.h"
#include "quince/io/gguf.h"

namespace quince {

/// What a GgufFile shares among its copies.
struct GgufFile::Contents {
  std::string path;
  std::shared_ptr<const io::MappedFile> mapping;  ///< null for a file in memory
  std::vector<std::byte> memory;
  std::span<const std::byte> bytes;  ///< of either
  std::uint32_t version = 0;
  std::uint64_t alignment = 32;
  std::vector<Entry> metadata;
  std::vector<GgufTensor> tensors;
  // Ordered maps: a hash table's worst case is the file's to choose.
  std::map<std::string_view, std::size_t> metadata_index;
  std::map<std::string_view, std::size_t> tensor_index;
};

/// Fills the tables of `contents` from its bytes, front to back.
class GgufReader {
 public:
  GgufReader(GgufFile::Contents& contents, std::string doing);
  void read();

 private:
  void read_header();
  void read_metadata();
  GgufValue read_value(std::uint32_t type, int depth);
  GgufValue read_array(int depth);
  GgufType check_value_type(std::uint32_t type) const;
  void check_bools(std::span<const std::byte> values) const;
  void read_tensors();
  GgufTensor read_tensor();
  void read_shape(GgufTensor& tensor);
  void read_format(GgufTensor& tensor);
  void place_tensors();
  void check_overlaps() const;
  void set_alignment();

  /// The next n bytes. `what` names them where the file is too short.
  std::span<const std::byte> take(std::uint64_t n, std::string_view what);
  template <class T>
  T take(std::string_view what);
  std::string_view take_string(std::string_view what);
  /// Error where `count` items of at least `least` bytes each cannot follow.
  void check_count(std::uint64_t count, std::uint64_t least, std::string_view items) const;
  std::uint64_t remaining() const { return contents_.bytes.size() - position_; }
  [[noreturn]] void fail(ErrorCode code, const std::string& message) const;
  /// A format error.
  [[noreturn]] void fail(const std::string& message) const;

  GgufFile::Contents& contents_;
  std::string doing_;
  std::string subject_ = "the header";  ///< what is being read, for messages
  std::uint64_t position_ = 0;
  std::uint64_t metadata_count_ = 0;
  std::uint64_t tensor_count_ = 0;
};

}  // namespace quince
