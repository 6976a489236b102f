// Opening GGUF files, and access to their metadata and tensors by name.
#include "quince/io/gguf.h"

#include <fmt/format.h>

#include "io/gguf_reader.h"
#include "io/mapped_file.h"
#include "quince/error.h"

namespace quince {
namespace {

std::string reading(std::string_view path) { return fmt::format("reading {}", printable(path, 4096)); }

constexpr std::string_view kUnsigned = "unsigned integer";
constexpr std::string_view kInteger = "integer";
constexpr std::string_view kFloat = "f32 or f64";

[[noreturn]] void wrong(const GgufFile& file, std::string_view key, std::string_view expected, const GgufValue& found) {
  const std::string value = found.is_array() ? "" : fmt::format(" ({})", to_string(found));
  throw Error(
      ErrorCode::format,
      fmt::format("metadata '{}' has type {}{}; expected {}", printable(key), found.type_text(), value, expected),
      file.doing());
}

/// The converted value, where the key is there.
template <class T>
std::optional<T> optional_value(const GgufFile& file, std::string_view key, std::string_view expected,
                                std::optional<T> (GgufValue::*convert)() const) {
  const GgufValue* value = file.find(key);
  if (value == nullptr) return std::nullopt;
  const auto converted = (value->*convert)();
  if (!converted) wrong(file, key, expected, *value);
  return converted;
}

template <class T>
T required_value(const GgufFile& file, std::string_view key, std::string_view expected,
                 std::optional<T> (GgufValue::*convert)() const) {
  if (const auto value = optional_value(file, key, expected, convert)) return *value;
  throw Error(ErrorCode::not_found, fmt::format("metadata '{}' is missing; expected {}", printable(key), expected),
              file.doing());
}

std::string array_text(std::string_view elements, std::optional<std::size_t> size) {
  return size ? fmt::format("array of {} {}", *size, elements) : fmt::format("array of {}", elements);
}

const GgufValue& required_array(const GgufFile& file, std::string_view key, std::string_view expected,
                                std::optional<std::size_t> size) {
  const GgufValue* value = file.find(key);
  if (value == nullptr) {
    throw Error(ErrorCode::not_found, fmt::format("metadata '{}' is missing; expected {}", printable(key), expected),
                file.doing());
  }
  if (!value->is_array() || (size && value->size() != *size)) wrong(file, key, expected, *value);
  return *value;
}

}  // namespace

GgufFile GgufFile::open(const std::string& path) {
  auto contents = std::make_shared<Contents>();
  contents->path = path;
  contents->mapping = io::MappedFile::open(path, reading(path));
  contents->bytes = contents->mapping->bytes();
  GgufReader(*contents, reading(path)).read();
  return GgufFile(std::move(contents));
}

GgufFile GgufFile::from_memory(std::span<const std::byte> bytes, std::string name) {
  auto contents = std::make_shared<Contents>();
  contents->path = std::move(name);
  contents->memory.assign(bytes.begin(), bytes.end());
  contents->bytes = contents->memory;
  GgufReader(*contents, reading(contents->path)).read();
  return GgufFile(std::move(contents));
}

const std::string& GgufFile::path() const { return contents_->path; }
std::uint32_t GgufFile::version() const { return contents_->version; }
std::uint64_t GgufFile::alignment() const { return contents_->alignment; }
std::uint64_t GgufFile::size() const { return contents_->bytes.size(); }
std::span<const GgufFile::Entry> GgufFile::metadata() const { return contents_->metadata; }
std::span<const GgufTensor> GgufFile::tensors() const { return contents_->tensors; }
std::string GgufFile::doing() const { return reading(contents_->path); }

const GgufValue* GgufFile::find(std::string_view key) const {
  const auto found = contents_->metadata_index.find(key);
  return found == contents_->metadata_index.end() ? nullptr : &contents_->metadata[found->second].value;
}

std::uint64_t GgufFile::require_u64(std::string_view key) const {
  return required_value(*this, key, kUnsigned, &GgufValue::as_u64);
}
std::int64_t GgufFile::require_i64(std::string_view key) const {
  return required_value(*this, key, kInteger, &GgufValue::as_i64);
}
float GgufFile::require_f32(std::string_view key) const {
  return static_cast<float>(required_value(*this, key, kFloat, &GgufValue::as_f64));
}
bool GgufFile::require_bool(std::string_view key) const {
  return required_value(*this, key, "bool", &GgufValue::as_bool);
}
std::string_view GgufFile::require_string(std::string_view key) const {
  return required_value(*this, key, "string", &GgufValue::as_string);
}

std::uint64_t GgufFile::u64_or(std::string_view key, std::uint64_t fallback) const {
  return optional_value(*this, key, kUnsigned, &GgufValue::as_u64).value_or(fallback);
}
std::int64_t GgufFile::i64_or(std::string_view key, std::int64_t fallback) const {
  return optional_value(*this, key, kInteger, &GgufValue::as_i64).value_or(fallback);
}
float GgufFile::f32_or(std::string_view key, float fallback) const {
  const auto value = optional_value(*this, key, kFloat, &GgufValue::as_f64);
  return value ? static_cast<float>(*value) : fallback;
}
bool GgufFile::bool_or(std::string_view key, bool fallback) const {
  return optional_value(*this, key, "bool", &GgufValue::as_bool).value_or(fallback);
}
std::string_view GgufFile::string_or(std::string_view key, std::string_view fallback) const {
  return optional_value(*this, key, "string", &GgufValue::as_string).value_or(fallback);
}

std::span<const std::string_view> GgufFile::require_strings(std::string_view key,
                                                            std::optional<std::size_t> size) const {
  const std::string expected = array_text("strings", size);
  const GgufValue& array = required_array(*this, key, expected, size);
  const auto strings = array.as_strings();
  if (!strings) wrong(*this, key, expected, array);
  return *strings;
}

std::vector<std::int32_t> GgufFile::require_i32s(std::string_view key, std::optional<std::size_t> size) const {
  const std::string expected = array_text("i32s", size);
  const GgufValue& array = required_array(*this, key, expected, size);
  std::vector<std::int32_t> values(array.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const GgufValue element = array.element(i);
    const auto value = element.as_i64();
    if (!value) wrong(*this, key, expected, array);
    if (*value < INT32_MIN || *value > INT32_MAX) {
      throw Error(ErrorCode::format,
                  fmt::format("metadata '{}' has {} at index {}, which i32 does not hold", printable(key), *value, i),
                  doing());
    }
    values[i] = static_cast<std::int32_t>(*value);
  }
  return values;
}

std::vector<float> GgufFile::require_f32s(std::string_view key, std::optional<std::size_t> size) const {
  const std::string expected = array_text("f32s", size);
  const GgufValue& array = required_array(*this, key, expected, size);
  std::vector<float> values(array.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto value = array.element(i).as_f64();
    if (!value) wrong(*this, key, expected, array);
    values[i] = static_cast<float>(*value);
  }
  return values;
}

const GgufTensor* GgufFile::find_tensor(std::string_view name) const {
  const auto found = contents_->tensor_index.find(name);
  return found == contents_->tensor_index.end() ? nullptr : &contents_->tensors[found->second];
}

const GgufTensor& GgufFile::tensor(std::string_view name) const {
  if (const GgufTensor* found = find_tensor(name)) return *found;
  throw Error(ErrorCode::not_found, fmt::format("tensor '{}' is missing", printable(name)), doing());
}

Storage GgufFile::bytes(const GgufTensor& tensor) const {
  const auto part = contents_->bytes.subspan(tensor.offset, tensor.bytes);
  return Storage(part.data(), part.size(), contents_);
}

void GgufFile::release(std::span<const std::byte> part) const {
  if (contents_->mapping) contents_->mapping->release(part);
}

}  // namespace quince
