// Chat templates: the Jinja subset that turns a conversation into a prompt.
#include "quince/io/chat_template.h"

#include <fmt/format.h>

#include <algorithm>

#include "io/jinja_eval.h"
#include "io/jinja_parser.h"
#include "io/tokenizer_utf8.h"
#include "quince/error.h"

namespace quince {
namespace {

/// Sets the fields of a JSON object in `dict`.
void set_fields(std::string_view json, std::string_view what, jinja::Dict& dict) {
  if (json.empty()) return;
  jinja::Value value = jinja::from_json(json, what);
  if (!value.dict()) throw Error(ErrorCode::invalid_argument, fmt::format("{} is no JSON object", what));
  for (const auto& [name, held] : value.dict()->items) {
    auto same = std::find_if(dict.items.begin(), dict.items.end(), [&](const auto& e) { return e.first == name; });
    if (same != dict.items.end()) {
      same->second = held;
    } else {
      dict.items.emplace_back(name, held);
    }
  }
}

jinja::Value message_value(const ChatMessage& message) {
  jinja::Dict dict;
  dict.items.emplace_back("role", repaired_utf8(message.role));
  dict.items.emplace_back("content", repaired_utf8(message.content));
  set_fields(message.fields_json, "fields_json of a message", dict);
  return dict;
}

}  // namespace

std::string apply_chat_template(std::string_view source, std::span<const ChatMessage> messages,
                                const ChatTemplateOptions& options) {
  try {
    jinja::List list;
    for (const ChatMessage& message : messages) list.items.push_back(message_value(message));
    jinja::Dict globals;
    globals.items.emplace_back("messages", std::move(list));
    globals.items.emplace_back("add_generation_prompt", options.add_generation_prompt);
    globals.items.emplace_back("bos_token", repaired_utf8(options.bos_token));
    globals.items.emplace_back("eos_token", repaired_utf8(options.eos_token));
    globals.items.emplace_back("tools", jinja::None{});
    globals.items.emplace_back("documents", jinja::None{});
    set_fields(options.variables_json, "variables_json", globals);
    jinja::Budget budget(options.max_work, options.max_output);
    return jinja::Interpreter(std::move(globals), budget).render(jinja::parse(source));
  } catch (const Error& error) {
    throw error.within("applying the chat template");
  }
}

}  // namespace quince
