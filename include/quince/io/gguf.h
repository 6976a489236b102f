// GGUF files: typed metadata and tensors, mapped read-only and checked as untrusted input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "quince/graph/array.h"

namespace quince {

struct BlockFormat;

/// The types of metadata values, numbered as in the file.
enum class GgufType : std::uint8_t { u8, i8, u16, i16, u32, i32, f32, boolean, string, array, u64, i64, f64 };
inline constexpr int kGgufTypeCount = 13;
/// "u8", "bool", "string", "array", …
std::string_view name(GgufType type);

/// One metadata value. It points into the file: valid while the GgufFile it came from, or a copy of that, lives.
class GgufValue {
 public:
  GgufType type() const { return type_; }
  bool is_array() const { return type_ == GgufType::array; }
  /// "u32", "array of 3 strings", …
  std::string type_text() const;

  /// Of an array: the type of its elements, their number, and element i < size().
  GgufType element_type() const { return element_type_; }
  std::size_t size() const { return size_; }
  GgufValue element(std::size_t i) const;

  /// The value, where the type fits: any integer that is in range, f32 or f64, bool, string.
  std::optional<std::uint64_t> as_u64() const;
  std::optional<std::int64_t> as_i64() const;
  std::optional<double> as_f64() const;
  std::optional<bool> as_bool() const;
  std::optional<std::string_view> as_string() const;
  /// The elements of an array of strings.
  std::optional<std::span<const std::string_view>> as_strings() const;

 private:
  friend class GgufReader;
  template <class T>
  T load() const;

  GgufType type_ = GgufType::u8;
  GgufType element_type_ = GgufType::u8;
  std::size_t size_ = 0;
  std::span<const std::byte> bytes_;  ///< a scalar, the text of a string, or the packed elements of an array of scalars
  std::shared_ptr<const std::vector<std::string_view>> strings_;  ///< of an array of strings
  std::shared_ptr<const std::vector<GgufValue>> arrays_;          ///< of an array of arrays
};

/// Text for people: strings in quotes and printable(), "[1, 2, 3, … 49152 in all]" for an array longer than max_items.
std::string to_string(const GgufValue& value, std::size_t max_items = 8);

/// UTF-8 text that is safe to print: bytes that are not valid UTF-8 and control characters become \xNN, \n, …; text of
/// more than max_bytes bytes is cut and ends in "…".
std::string printable(std::string_view text, std::size_t max_bytes = 200);

/// A tensor as the file describes it.
struct GgufTensor {
  std::string_view name;            ///< points into the file
  std::vector<std::int64_t> shape;  ///< outermost axis first: the file's dims reversed; 1–4 axes, none empty
  const BlockFormat* format = nullptr;
  std::int64_t count = 0;    ///< elements
  std::uint64_t offset = 0;  ///< of its first byte in the file
  std::uint64_t bytes = 0;
};

/// An open GGUF file, version 2 or 3, little-endian. Copies share. The file must keep its content while it is open.
///
/// Every Error names the file in doing(). Opening checks the whole structure, so that what it lists can be read:
/// format: wrong magic, truncated, counts, lengths, dims or offsets that contradict the file's size or each other,
/// duplicate or empty names; unsupported: the version, the byte order, a tensor's type; not_found and io from the
/// system.
class GgufFile {
 public:
  static GgufFile open(const std::string& path);
  /// Reads a copy of `bytes`; `name` stands for the path in messages.
  static GgufFile from_memory(std::span<const std::byte> bytes, std::string name);

  const std::string& path() const;
  std::uint32_t version() const;
  /// Tensors start at multiples of it.
  std::uint64_t alignment() const;
  std::uint64_t size() const;

  // --- metadata ---------------------------------------------------------------------------------------------------
  struct Entry {
    std::string_view key;
    GgufValue value;
  };
  /// In file order.
  std::span<const Entry> metadata() const;
  /// Null where there is no such key.
  const GgufValue* find(std::string_view key) const;

  // Error(not_found) names a missing key; Error(format) names the key, the type expected and the type found.
  std::uint64_t require_u64(std::string_view key) const;
  std::int64_t require_i64(std::string_view key) const;
  float require_f32(std::string_view key) const;
  bool require_bool(std::string_view key) const;
  std::string_view require_string(std::string_view key) const;
  /// Arrays; with `size`, an array of another length is an Error(format) too.
  std::span<const std::string_view> require_strings(std::string_view key, std::optional<std::size_t> size = {}) const;
  std::vector<std::int32_t> require_i32s(std::string_view key, std::optional<std::size_t> size = {}) const;
  std::vector<float> require_f32s(std::string_view key, std::optional<std::size_t> size = {}) const;

  // The fallback where the key is missing; a wrong type is an Error as above.
  std::uint64_t u64_or(std::string_view key, std::uint64_t fallback) const;
  std::int64_t i64_or(std::string_view key, std::int64_t fallback) const;
  float f32_or(std::string_view key, float fallback) const;
  bool bool_or(std::string_view key, bool fallback) const;
  std::string_view string_or(std::string_view key, std::string_view fallback) const;

  // --- tensors ----------------------------------------------------------------------------------------------------
  /// In file order.
  std::span<const GgufTensor> tensors() const;
  /// Null where there is no such tensor.
  const GgufTensor* find_tensor(std::string_view name) const;
  /// Error(not_found) names it.
  const GgufTensor& tensor(std::string_view name) const;
  /// A tensor's bytes, shared with the file.
  Storage bytes(const GgufTensor& tensor) const;
  /// Gives the memory of whole pages inside `part` of a tensor's bytes back to the system; reading loads them again.
  void release(std::span<const std::byte> part) const;

  /// "reading <path>", for the errors of those who interpret the file.
  std::string doing() const;

  struct Contents;

 private:
  explicit GgufFile(std::shared_ptr<const Contents> contents) : contents_(std::move(contents)) {}

  std::shared_ptr<const Contents> contents_;
};

}  // namespace quince
