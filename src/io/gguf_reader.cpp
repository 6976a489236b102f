// Reads the structure of a GGUF file: header and metadata.
#include "io/gguf_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace quince {
namespace {

constexpr std::string_view kMagic = "GGUF";
constexpr std::size_t kLongestName = 65535;
constexpr int kDeepestArray = 4;
constexpr std::uint64_t kLargestAlignment = 1 << 20;
// Room made ahead for items that a count promises; for more, memory follows what is really there.
constexpr std::uint64_t kReserved = 1 << 16;

/// Bytes of a value of that type, or the least an element of a string or array type takes.
std::uint64_t least_bytes(GgufType type) {
  switch (type) {
    case GgufType::u8:
    case GgufType::i8:
    case GgufType::boolean: return 1;
    case GgufType::u16:
    case GgufType::i16: return 2;
    case GgufType::u32:
    case GgufType::i32:
    case GgufType::f32: return 4;
    case GgufType::u64:
    case GgufType::i64:
    case GgufType::f64:
    case GgufType::string: return 8;
    case GgufType::array: return 12;
  }
  return 1;
}

std::string hex(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte b : bytes) text += fmt::format("{}{:02x}", text.empty() ? "" : " ", static_cast<unsigned>(b));
  return text;
}

}  // namespace

GgufReader::GgufReader(GgufFile::Contents& contents, std::string doing)
    : contents_(contents), doing_(std::move(doing)) {}

void GgufReader::fail(ErrorCode code, const std::string& message) const { throw Error(code, message, doing_); }

void GgufReader::fail(const std::string& message) const { fail(ErrorCode::format, message); }

std::span<const std::byte> GgufReader::take(std::uint64_t n, std::string_view what) {
  if (n > remaining()) {
    fail(fmt::format("{} of {} needs {} bytes at byte {} but the file has {}", what, subject_, n, position_,
                     contents_.bytes.size()));
  }
  const auto part = contents_.bytes.subspan(position_, n);
  position_ += n;
  return part;
}

template <class T>
T GgufReader::take(std::string_view what) {
  T value;
  std::memcpy(&value, take(sizeof(T), what).data(), sizeof(T));
  return value;
}
template std::uint32_t GgufReader::take<std::uint32_t>(std::string_view);
template std::uint64_t GgufReader::take<std::uint64_t>(std::string_view);

std::string_view GgufReader::take_string(std::string_view what) {
  const auto length = take<std::uint64_t>(fmt::format("the length of {}", what));
  const auto text = take(length, what);
  return {reinterpret_cast<const char*>(text.data()), text.size()};
}

void GgufReader::check_count(std::uint64_t count, std::uint64_t least, std::string_view items) const {
  if (count > remaining() / least) {
    fail(fmt::format("{} claims {} {}, which need at least {} bytes each, but {} bytes follow", subject_, count, items,
                     least, remaining()));
  }
}

void GgufReader::read() {
  read_header();
  read_metadata();
  set_alignment();
  read_tensors();
}

void GgufReader::read_header() {
  const auto bytes = contents_.bytes;
  if (bytes.empty()) fail("the file is empty");
  const auto start = bytes.first(std::min(bytes.size(), kMagic.size()));
  if (std::memcmp(start.data(), kMagic.data(), start.size()) != 0) {
    fail(fmt::format("not a GGUF file: it starts with {}, not {} (\"GGUF\")", hex(start),
                     hex(std::as_bytes(std::span(kMagic)))));
  }
  take(kMagic.size(), "the magic number");
  contents_.version = take<std::uint32_t>("the version");
  if (contents_.version != 0 && (contents_.version & 0xffff) == 0) {
    fail(ErrorCode::unsupported, "the file is big-endian; only little-endian GGUF files are supported");
  }
  if (contents_.version != 2 && contents_.version != 3) {
    fail(ErrorCode::unsupported,
         fmt::format("GGUF version {} is not supported; supported are 2 and 3", contents_.version));
  }
  tensor_count_ = take<std::uint64_t>("the tensor count");
  metadata_count_ = take<std::uint64_t>("the metadata count");
  // A key's length, one byte of it, the value's type and one byte of that.
  check_count(metadata_count_, 8 + 1 + 4 + 1, "metadata entries");
  // A name's length, one byte of it, the number of dims, one dim, type and offset.
  check_count(tensor_count_, 8 + 1 + 4 + 8 + 4 + 8, "tensors");
}

void GgufReader::read_metadata() {
  contents_.metadata.reserve(std::min(metadata_count_, kReserved));
  for (std::uint64_t i = 0; i < metadata_count_; ++i) {
    subject_ = fmt::format("metadata entry {} of {}", i + 1, metadata_count_);
    const std::string_view key = take_string("the key");
    if (key.empty()) fail(fmt::format("{} has an empty key", subject_));
    if (key.size() > kLongestName) {
      fail(fmt::format("{} has a key of {} bytes; at most {} are allowed", subject_, key.size(), kLongestName));
    }
    subject_ = fmt::format("metadata '{}'", printable(key));
    if (!contents_.metadata_index.emplace(key, i).second) fail(fmt::format("{} is there twice", subject_));
    const auto type = take<std::uint32_t>("the type");
    contents_.metadata.push_back({key, read_value(type, 0)});
  }
}

GgufType GgufReader::check_value_type(std::uint32_t type) const {
  if (type >= kGgufTypeCount) fail(fmt::format("{} has unknown value type {}", subject_, type));
  return static_cast<GgufType>(type);
}

void GgufReader::check_bools(std::span<const std::byte> values) const {
  const auto bad = std::find_if(values.begin(), values.end(), [](std::byte b) { return b > std::byte{1}; });
  if (bad != values.end()) {
    fail(fmt::format("{} has a bool of value {}, not 0 or 1", subject_, static_cast<unsigned>(*bad)));
  }
}

GgufValue GgufReader::read_value(std::uint32_t type, int depth) {
  GgufValue value;
  value.type_ = check_value_type(type);
  if (value.type_ == GgufType::array) return read_array(depth + 1);
  value.size_ = 1;
  if (value.type_ == GgufType::string) {
    value.bytes_ = std::as_bytes(std::span(take_string("the string")));
  } else {
    value.bytes_ = take(least_bytes(value.type_), "the value");
    if (value.type_ == GgufType::boolean) check_bools(value.bytes_);
  }
  return value;
}

GgufValue GgufReader::read_array(int depth) {
  if (depth > kDeepestArray) fail(fmt::format("{} nests arrays deeper than {}", subject_, kDeepestArray));
  GgufValue value;
  value.type_ = GgufType::array;
  value.element_type_ = check_value_type(take<std::uint32_t>("the element type"));
  const auto count = take<std::uint64_t>("the element count");
  check_count(count, least_bytes(value.element_type_), "elements");
  value.size_ = count;
  if (value.element_type_ == GgufType::string) {
    auto strings = std::make_shared<std::vector<std::string_view>>();
    strings->reserve(std::min(count, kReserved));
    for (std::uint64_t i = 0; i < count; ++i) strings->push_back(take_string("an element"));
    value.strings_ = std::move(strings);
  } else if (value.element_type_ == GgufType::array) {
    auto arrays = std::make_shared<std::vector<GgufValue>>();
    arrays->reserve(std::min(count, kReserved));
    for (std::uint64_t i = 0; i < count; ++i) arrays->push_back(read_array(depth + 1));
    value.arrays_ = std::move(arrays);
  } else {
    value.bytes_ = take(count * least_bytes(value.element_type_), "the elements");
    if (value.element_type_ == GgufType::boolean) check_bools(value.bytes_);
  }
  return value;
}

void GgufReader::set_alignment() {
  const auto found = contents_.metadata_index.find("general.alignment");
  if (found == contents_.metadata_index.end()) return;
  const GgufValue& value = contents_.metadata[found->second].value;
  const auto alignment = value.as_u64();
  if (!alignment) {
    fail(fmt::format("metadata 'general.alignment' has type {}; expected unsigned integer", value.type_text()));
  }
  if (!std::has_single_bit(*alignment) || *alignment > kLargestAlignment) {
    fail(fmt::format("metadata 'general.alignment' is {}, not a power of two up to {}", *alignment, kLargestAlignment));
  }
  contents_.alignment = *alignment;
}

}  // namespace quince
