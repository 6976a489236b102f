// Chat templates: the Jinja subset that turns a conversation into a prompt.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace quince {

/// One turn of a conversation.
struct ChatMessage {
  std::string role;     ///< "system", "user", "assistant", "tool"
  std::string content;  ///< text
  /// Further fields of the message, a JSON object such as {"tool_calls": [...]}; one named content replaces the text.
  std::string fields_json = {};
};

struct ChatTemplateOptions {
  std::string bos_token = {};  ///< the text of the token, for templates that write it
  std::string eos_token = {};
  bool add_generation_prompt = true;  ///< end with the opening of the assistant's turn
  /// Further variables of the template, a JSON object such as {"tools": [...], "enable_thinking": false}; empty: none.
  std::string variables_json = {};
  // A template comes from a model file and is not trusted: rendering stops with Error(resource) past these.
  std::size_t max_output = std::size_t{64} << 20;  ///< bytes of the prompt
  std::size_t max_work = 50'000'000;               ///< steps of evaluation; copying 8 bytes counts as one
};

/// The prompt that a chat template makes of a conversation, as transformers renders it (trim_blocks, lstrip_blocks).
///
/// A template sees messages, add_generation_prompt, bos_token, eos_token, and tools and documents, which are none
/// unless given. Supported: text, comments, {{ }}, if, for (over lists, strings and dicts; with filter and else;
/// loop.index …), set, break, continue, generation; literals, operators, slices, methods of strings and dicts, the
/// usual filters and tests, namespace(), range(), dict(), raise_exception(). Nothing depends on the clock or on files.
///
/// Every Error names the line of the template. parse: its syntax; unsupported: a construct outside the subset, named;
/// invalid_argument: what the template rejects (raise_exception) or cannot compute, and JSON that is no object;
/// resource: a limit.
std::string apply_chat_template(std::string_view source, std::span<const ChatMessage> messages,
                                const ChatTemplateOptions& options = {});

}  // namespace quince
