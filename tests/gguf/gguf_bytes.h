// Builds the bytes of GGUF files by hand, right or wrong, for tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "quince/io/gguf.h"

namespace quince::test {

/// Little-endian bytes, appended one value after the other.
class GgufBytes {
 public:
  template <class T>
  GgufBytes& put(T value) {
    const auto* from = reinterpret_cast<const std::byte*>(&value);
    bytes_.insert(bytes_.end(), from, from + sizeof(T));
    return *this;
  }
  GgufBytes& u32(std::uint64_t value) { return put(static_cast<std::uint32_t>(value)); }
  GgufBytes& u64(std::uint64_t value) { return put(value); }
  GgufBytes& raw(std::string_view text) {
    const auto part = std::as_bytes(std::span(text));
    bytes_.insert(bytes_.end(), part.begin(), part.end());
    return *this;
  }
  GgufBytes& string(std::string_view text) { return u64(text.size()).raw(text); }

  GgufBytes& header(std::uint64_t tensors, std::uint64_t entries, std::uint32_t version = 3) {
    return raw("GGUF").u32(version).u64(tensors).u64(entries);
  }
  /// A key and the type of its value, which follows.
  GgufBytes& key(std::string_view text, GgufType type) { return string(text).u32(static_cast<std::uint32_t>(type)); }
  GgufBytes& array(std::string_view text, GgufType element, std::uint64_t count) {
    return key(text, GgufType::array).u32(static_cast<std::uint32_t>(element)).u64(count);
  }
  GgufBytes& tensor(std::string_view name, const std::vector<std::uint64_t>& dims, std::uint32_t type,
                    std::uint64_t offset) {
    string(name).u32(dims.size());
    for (const std::uint64_t dim : dims) u64(dim);
    return u32(type).u64(offset);
  }
  GgufBytes& pad(std::size_t alignment = 32) {
    while (bytes_.size() % alignment != 0) bytes_.push_back({});
    return *this;
  }
  GgufBytes& zeros(std::size_t count) {
    bytes_.resize(bytes_.size() + count);
    return *this;
  }

  std::span<const std::byte> bytes() const { return bytes_; }
  GgufFile open() const { return GgufFile::from_memory(bytes_, "x.gguf"); }

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace quince::test
