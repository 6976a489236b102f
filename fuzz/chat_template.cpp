// Any template text, over a conversation with tools: it renders or reports an error, within its limits.
#include <cstdint>
#include <string_view>
#include <vector>

#include "quince/error.h"
#include "quince/io/chat_template.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<quince::ChatMessage> kMessages{
      {"system", "Be brief."},
      {"user", "2 + 2?"},
      {"assistant", "", R"({"tool_calls": [{"function": {"name": "add", "arguments": {"a": 2, "b": [1.5, null]}}}]})"},
      {"tool", "4"}};
  quince::ChatTemplateOptions options;
  options.bos_token = "<s>";
  options.variables_json = R"({"tools": [{"name": "add"}], "n": -3, "x": {"y": "z"}})";
  options.max_output = std::size_t{1} << 16;
  options.max_work = 200'000;
  try {
    std::string prompt = quince::apply_chat_template({reinterpret_cast<const char*>(data), size}, kMessages, options);
    if (prompt.size() > options.max_output) __builtin_trap();
  } catch (const quince::Error& error) {
    if (error.code() == quince::ErrorCode::internal) __builtin_trap();
  }
  return 0;
}
