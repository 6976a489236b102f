// An array of typed values in memory, and the shared storage it lies in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "quince/graph/dtype.h"

namespace quince {

/// Bytes with an owner: heap memory, or a part of a mapped file. Copies share.
class Storage {
 public:
  Storage() = default;
  Storage(const std::byte* data, std::size_t size, std::shared_ptr<const void> owner)
      : data_(data), size_(size), owner_(std::move(owner)) {}
  /// Zeroed memory that is touched only as it is written. Error(resource) names the size.
  static Storage zeroed(std::size_t bytes);

  const std::byte* data() const { return data_; }
  /// Only for storage made by `zeroed` and not yet shared with a graph.
  std::byte* mutable_data() { return const_cast<std::byte*>(data_); }
  std::size_t size() const { return size_; }
  std::span<const std::byte> bytes() const { return {data_, size_}; }

 private:
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  std::shared_ptr<const void> owner_;
};

/// A dense row-major array. The storage holds at least `bytes_needed(dtype, shape)`.
struct Array {
  DType dtype = DType::f32;
  std::vector<std::int64_t> shape;
  Storage storage;

  static Array zeros(DType dtype, std::vector<std::int64_t> shape);
  /// Copies values of the C++ type that has the dtype's width (float for f32, uint16_t for f16, …).
  template <class T>
  static Array of(DType dtype, std::vector<std::int64_t> shape, std::span<const T> values) {
    Array a = zeros(dtype, std::move(shape));
    if (!values.empty()) std::memcpy(a.storage.mutable_data(), values.data(), values.size_bytes());
    return a;
  }

  std::int64_t count() const;
  template <class T>
  std::span<const T> data() const {
    return {reinterpret_cast<const T*>(storage.data()), storage.size() / sizeof(T)};
  }
  template <class T>
  std::span<T> mutable_data() {
    return {reinterpret_cast<T*>(storage.mutable_data()), storage.size() / sizeof(T)};
  }
  /// Element i in row-major order.
  Scalar at(std::int64_t i) const;
  void set(std::int64_t i, Scalar value);
};

/// Bytes of a dense array. Error(overflow) where the count leaves i64.
std::size_t bytes_needed(DType dtype, std::span<const std::int64_t> shape);

}  // namespace quince
