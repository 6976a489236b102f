// A GGUF file written anew with some of its metadata and tensors changed.
#include "errors/edited_gguf.h"

#include <algorithm>
#include <stdexcept>

#include "gguf/gguf_bytes.h"

namespace quince::test {
namespace {

constexpr std::uint64_t kAlignment = 32;

GgufType type_of(const std::string& text) {
  for (int i = 0; i < kGgufTypeCount; ++i) {
    if (name(static_cast<GgufType>(i)) == text) return static_cast<GgufType>(i);
  }
  throw std::invalid_argument("no GGUF type " + text);
}

void put_scalar(GgufBytes& out, GgufType type, const std::string& text) {
  switch (type) {
    case GgufType::u8: out.put(static_cast<std::uint8_t>(std::stoul(text))); return;
    case GgufType::boolean: out.put(static_cast<std::uint8_t>(text == "true")); return;
    case GgufType::u32: out.put(static_cast<std::uint32_t>(std::stoul(text))); return;
    case GgufType::i32: out.put(static_cast<std::int32_t>(std::stol(text))); return;
    case GgufType::u64: out.put(static_cast<std::uint64_t>(std::stoull(text))); return;
    case GgufType::f32: out.put(std::stof(text)); return;
    case GgufType::string: out.string(text); return;
    default: throw std::invalid_argument("no test needs this type");
  }
}

void put_edit(GgufBytes& out, const std::string& key, const GgufEdits::Value& value) {
  if (value.type == "strings" || value.type == "i32s") {
    const GgufType element = value.type == "strings" ? GgufType::string : GgufType::i32;
    out.array(key, element, value.items.size());
    for (const std::string& item : value.items) put_scalar(out, element, item);
    return;
  }
  out.key(key, type_of(value.type));
  put_scalar(out, type_of(value.type), value.items.at(0));
}

void put_value(GgufBytes& out, const GgufValue& value) {
  switch (value.type()) {
    case GgufType::array:
      out.u32(static_cast<std::uint32_t>(value.element_type())).u64(value.size());
      for (std::size_t i = 0; i < value.size(); ++i) put_value(out, value.element(i));
      return;
    case GgufType::string: out.string(*value.as_string()); return;
    case GgufType::boolean: out.put(static_cast<std::uint8_t>(*value.as_bool())); return;
    case GgufType::f32: out.put(static_cast<float>(*value.as_f64())); return;
    case GgufType::i32: out.put(static_cast<std::int32_t>(*value.as_i64())); return;
    case GgufType::u32: out.put(static_cast<std::uint32_t>(*value.as_u64())); return;
    default: throw std::invalid_argument("the tiny models have no such value");
  }
}

}  // namespace

std::vector<std::byte> edited_gguf(const std::string& path, const GgufEdits& edits) {
  const GgufFile file = GgufFile::open(path);
  std::vector<const GgufFile::Entry*> kept;
  std::vector<std::string> added;
  for (const GgufFile::Entry& entry : file.metadata()) {
    if (!edits.drop.contains(std::string(entry.key))) kept.push_back(&entry);
  }
  for (const auto& [key, value] : edits.set) {
    if (std::ranges::none_of(kept, [&](const auto* entry) { return entry->key == key; })) added.push_back(key);
  }
  std::vector<const GgufTensor*> tensors;
  for (const GgufTensor& tensor : file.tensors()) {
    if (!edits.drop_tensors.contains(std::string(tensor.name))) tensors.push_back(&tensor);
  }
  GgufBytes out;
  out.header(tensors.size(), kept.size() + added.size());
  for (const GgufFile::Entry* entry : kept) {
    if (const auto edit = edits.set.find(std::string(entry->key)); edit != edits.set.end()) {
      put_edit(out, edit->first, edit->second);
    } else {
      out.string(entry->key).u32(static_cast<std::uint32_t>(entry->value.type()));
      put_value(out, entry->value);
    }
  }
  for (const std::string& key : added) put_edit(out, key, edits.set.at(key));
  std::uint64_t offset = 0;
  std::vector<std::uint64_t> sizes;
  for (const GgufTensor* tensor : tensors) {
    const auto edit = edits.reshape.find(std::string(tensor->name));
    const std::vector<std::int64_t>& shape = edit == edits.reshape.end() ? tensor->shape : edit->second;
    std::uint64_t bytes = sizeof(float);
    for (const std::int64_t extent : shape) bytes *= static_cast<std::uint64_t>(extent);
    out.tensor(tensor->name, {shape.rbegin(), shape.rend()}, 0, offset);
    sizes.push_back(bytes);
    offset += (bytes + kAlignment - 1) / kAlignment * kAlignment;
  }
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    out.pad();
    const Storage data = file.bytes(*tensors[i]);
    const std::size_t copied = std::min<std::size_t>(data.size(), sizes[i]);
    out.raw({reinterpret_cast<const char*>(data.data()), copied}).zeros(sizes[i] - copied);
  }
  const auto bytes = out.pad().bytes();
  return {bytes.begin(), bytes.end()};
}

}  // namespace quince::test
