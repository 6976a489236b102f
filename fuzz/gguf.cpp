// GGUF files of any bytes: opening, every accessor, every text form, and the planes of small tensors.
#include <cstdint>

#include "io/gguf_json.h"
#include "quince/error.h"
#include "quince/io/block_format.h"
#include "quince/io/gguf.h"

namespace {

using quince::Error;
using quince::GgufFile;

constexpr std::uint64_t kSmall = 1 << 16;

template <class Action>
void ignoring_errors(Action action) {
  try {
    action();
  } catch (const Error&) {
    // The only exception that a file may cause.
  }
}

void read_entry(const GgufFile& file, std::string_view key) {
  ignoring_errors([&] { file.require_u64(key); });
  ignoring_errors([&] { file.require_i64(key); });
  ignoring_errors([&] { file.require_f32(key); });
  ignoring_errors([&] { file.require_bool(key); });
  ignoring_errors([&] { file.require_string(key); });
  ignoring_errors([&] { file.require_strings(key); });
  ignoring_errors([&] { file.require_i32s(key); });
  ignoring_errors([&] { file.require_f32s(key, 2); });
}

void read_all(const GgufFile& file) {
  for (const auto& [key, value] : file.metadata()) {
    read_entry(file, key);
    (void)quince::printable(key);
    (void)quince::to_string(value);
    (void)quince::to_json(value, 8).dump();
  }
  for (const quince::GgufTensor& tensor : file.tensors()) {
    if (file.find_tensor(tensor.name) != &tensor) __builtin_trap();
    if (tensor.bytes > kSmall) continue;
    unsigned sum = 0;
    for (const quince::Array& plane : quince::load_planes(file, tensor)) {
      for (const std::byte b : plane.storage.bytes()) sum += static_cast<unsigned>(b);
    }
    volatile unsigned read = sum;
    (void)read;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ignoring_errors([&] { read_all(GgufFile::from_memory(std::as_bytes(std::span(data, size)), "fuzz")); });
  return 0;
}
