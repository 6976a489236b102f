// Fuzzes the parser of graph text: it parses or throws Error, and what it parses prints to a fixed point.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "quince/error.h"
#include "quince/graph/text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const auto graph = quince::parse_graph(text);
    const std::string printed = quince::to_text(*graph);
    if (quince::to_text(*quince::parse_graph(printed)) != printed) std::abort();
    static_cast<void>(quince::to_dot(*graph));
  } catch (const quince::Error& error) {
    if (error.code() == quince::ErrorCode::internal) std::abort();
  }
  return 0;
}
