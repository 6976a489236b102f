// A file mapped read-only into memory.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace quince::io {

class MappedFile {
 public:
  /// Maps a regular file. Error(not_found) where it does not exist, else Error(io) with the system's message; both
  /// with `doing`. An empty file has no bytes.
  static std::shared_ptr<const MappedFile> open(const std::string& path, const std::string& doing);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::byte> bytes() const { return {data_, size_}; }
  /// Drops the whole pages inside `part` from memory; reading them again loads them from the file.
  void release(std::span<const std::byte> part) const;

 private:
  MappedFile(const std::byte* data, std::size_t size) : data_(data), size_(size) {}

  const std::byte* data_;
  std::size_t size_;
};

}  // namespace quince::io
