// Prompts equal those that transformers renders (stored by tests/data/tokenizer/make_chat.py); limits and errors.
#include <gmock/gmock.h>

#include "quince/error.h"
#include "quince/io/chat_template.h"
#include "tokenizer/data.h"

namespace quince::testing {
namespace {

using nlohmann::ordered_json;

struct Case {
  std::vector<ChatMessage> messages;
  ChatTemplateOptions options;
};

Case read_case(const ordered_json& stored) {
  Case read;
  for (const auto& message : stored["messages"]) {
    ordered_json fields = message;
    fields.erase("role");
    fields.erase("content");
    read.messages.push_back({message["role"], message["content"], fields.empty() ? "" : fields.dump()});
  }
  read.options.bos_token = "<s>";
  read.options.eos_token = "</s>";
  read.options.add_generation_prompt = stored["generate"];
  read.options.variables_json = stored["variables"].dump();
  return read;
}

ordered_json cases() {
  std::ifstream file(std::filesystem::path(QUINCE_TEST_DATA) / "tokenizer" / "chat.json");
  return ordered_json::parse(file);
}

TEST(ChatTemplate, RendersAsTransformersDoes) {
  std::size_t compared = 0;
  for (const auto& stored : cases()) {
    if (!stored.contains("template")) continue;
    std::string source = stored["template"];
    Case read = read_case(stored);
    ++compared;
    try {
      std::string prompt = apply_chat_template(source, read.messages, read.options);
      ASSERT_FALSE(stored["expected"].is_null()) << source << "\nis an error in Jinja, not " << prompt;
      ASSERT_EQ(prompt, stored["expected"].get<std::string>()) << source;
    } catch (const Error& error) {
      ASSERT_TRUE(stored["expected"].is_null()) << source << "\n" << error.what();
      ASSERT_THAT(error.message(), ::testing::HasSubstr("line 1: ")) << source;
    }
  }
  EXPECT_GE(compared, 70u);
}

void compare_with_model(const char* model) {
  auto tokenizer = model_tokenizer(model);
  if (!tokenizer) GTEST_SKIP() << "skipped: no models/" << model;
  std::size_t compared = 0;
  for (const auto& stored : cases()) {
    if (stored.value("model", "") != model) continue;
    Case read = read_case(stored);
    if (stored["expected"].is_null()) {
      EXPECT_THROW(apply_chat_template(tokenizer->data().chat_template, read.messages, read.options), Error);
    } else {
      ASSERT_EQ(apply_chat_template(tokenizer->data().chat_template, read.messages, read.options),
                stored["expected"].get<std::string>());
    }
    ++compared;
  }
  EXPECT_GE(compared, 20u);
}

TEST(ChatTemplate, SmolLm2) { compare_with_model(kSmolLm2); }
TEST(ChatTemplate, Qwen25) { compare_with_model(kQwen25); }

Error error_of(std::string_view source, const ChatTemplateOptions& options = {},
               const std::vector<ChatMessage>& messages = {{"user", "hi"}}) {
  try {
    std::string prompt = apply_chat_template(source, messages, options);
    ADD_FAILURE() << "no error: " << prompt;
  } catch (const Error& error) {
    EXPECT_EQ(error.doing(), "applying the chat template");
    return error;
  }
  return {ErrorCode::internal, "no error"};
}

void expect_error(std::string_view source, ErrorCode code, const std::string& message) {
  Error error = error_of(source);
  EXPECT_EQ(name(error.code()), name(code)) << source;
  EXPECT_EQ(error.message(), message) << source;
}

TEST(ChatTemplateErrors, UnsupportedConstructsAreNamedWithTheirLine) {
  auto expect = [](std::string_view source, const std::string& message) {
    expect_error(source, ErrorCode::unsupported, message);
  };
  expect("a\nb{% macro f() %}{% endmacro %}", "line 2: the tag \"macro\" is not supported");
  expect("{% include 'x' %}", "line 1: the tag \"include\" is not supported");
  expect("\n\n{{ messages | groupby('role') }}", "line 3: the filter \"groupby\" is not supported");
  expect("{{ 1 is divisibleby 3 }}", "line 1: the test \"divisibleby\" is not supported");
  expect("{{ 'a'.title() }}", "line 1: the method \"title\" of a string is not supported");
  expect("{{ 1\n** 2 }}", "line 2: the operator \"**\" is not supported");
  expect("{{ '%s' % 1 }}", "line 1: formatting with \"%\" is not supported");
  expect("{{ 1 < 2 < 3 }}", "line 1: a chain of comparisons is not supported");
  expect("{{ range(*[1]) }}", "line 1: unpacking of arguments is not supported");
  expect("{{ messages[0, 1] }}", "line 1: an index of several parts is not supported");
  expect("{% for x in messages recursive %}{% endfor %}", "line 1: a recursive for is not supported");
  expect("{% set x | upper %}{% endset %}", "line 1: a filter in a block set is not supported");
  expect("{{ {1: 2} }}", "line 1: a dict key that is no string is not supported");
  expect("{{ strftime_now('%Y') }}", "line 1: the function \"strftime_now\" is not supported");
  expect("{% for m in messages %}{{ loop.cycle('a') }}{% endfor %}", "line 1: loop.cycle is not supported");
  expect("{% set a = namespace() %}{% set a.b = a %}",
         "line 1: a namespace or loop inside a namespace is not supported");
  expect("{{ messages | tojson(sort_keys=true) }}",
         "line 1: the argument \"sort_keys\" of the filter \"tojson\" is not supported");
}

TEST(ChatTemplateErrors, SyntaxNamesTheLine) {
  auto expect = [](std::string_view source, const std::string& message) {
    expect_error(source, ErrorCode::parse, message);
  };
  expect("\n{{ 1", "line 2: \"}}\" is missing");
  expect("{{ }}", "line 1: a value is missing");
  expect("{{ * }}", "line 1: a value expected, not \"*\"");
  expect("{{ 1 2 }}", "line 1: \"}}\" expected, not \"2\"");
  expect("{{ (1 }}", "line 1: unexpected \"}\"");
  expect("{{ [1 2] }}", "line 1: \"]\" or \",\" is missing");
  expect("{{ {'a' 1} }}", "line 1: \":\" is missing");
  expect("{{ 'a }}", "line 1: a string is not closed");
  expect("{{ '\\x4' }}", "line 1: a \\ escape in a string has too few digits");
  expect("{{ a.'b' }}", "line 1: the name of an attribute expected, not \"b\"");
  expect("{{ a ? b }}", "line 1: unexpected \"?\"");
  expect("{{ é }}", "line 1: unexpected \"é\"");
  expect("{{ 99999999999999999999 }}", "line 1: bad number \"99999999999999999999\"");
  expect("{{ messages[] }}", "line 1: an index is missing");
  expect("{# x", "line 1: a comment is not closed");
  expect("{% if true %}\nx", "line 2: \"endif\" is missing");
  expect("{% for x in y %}", "line 1: \"endfor\" is missing");
  expect("{% for x %}{% endfor %}", "line 1: \"in\" is missing");
  expect("{% for x in y %}{% endif %}", "line 1: unexpected \"endif\"");
  expect("x{% endfor %}", "line 1: unexpected \"endfor\"");
  expect("{% set x %}", "line 1: \"endset\" is missing");
  expect("{% set x, y %}{% endset %}", "line 1: \"=\" is missing");
  expect("{% break %}", "line 1: break and continue belong inside a for");
  expect("{% %}", "line 1: the name of a tag is missing");
  expect("{{ range(stop=1, 2) }}", "line 1: a positional argument follows a named one");
}

TEST(ChatTemplateErrors, WhatTheTemplateRefusesOrCannotCompute) {
  auto expect = [](std::string_view source, const std::string& message) {
    expect_error(source, ErrorCode::invalid_argument, message);
  };
  expect("{% if messages[0].role == 'user' %}\n{{ raise_exception('No user!') }}{% endif %}",
         "line 2: the template refuses: No user!");
  expect("{{ nothing.x }}", "line 1: nothing is undefined, so it has no \"x\"");
  expect("{{ messages[0].x.y }}", "line 1: \"x\" of a dict is undefined, so it has no \"y\"");
  expect("{{ messages[5].y }}", "line 1: item 5 of a list is undefined, so it has no \"y\"");
  expect("{{ 'a' + nothing }}", "line 1: nothing is undefined");
  expect("{{ 'a' + 1 }}", "line 1: \"+\" cannot take str and int");
  expect("{{ none < 1 }}", "line 1: \"<\" cannot take None and int");
  expect("{{ 1 % 0 }}", "line 1: division by zero");
  expect("{{ -'a' }}", "line 1: \"-\" cannot take str");
  expect("{{ none | length }}", "line 1: a None has no length");
  expect("{{ nothing | tojson }}", "line 1: a value of type undefined cannot be written as JSON");
  expect("{{ messages.append }}{{ range }}", "line 1: a function cannot be printed");
  expect("{{ messages() }}", "line 1: a list cannot be called");
  expect("{{ [1, 2][::0] }}", "line 1: the step of a slice is zero");
  expect("{% set a, b = [1] %}", "line 1: 1 values for 2 names");
  expect("{% set messages.a = 1 %}", "line 1: \"messages\" is no namespace, so it has no attribute to set");
  expect("{{ ''.split('') }}", "line 1: split() needs a separator that is not empty");
  expect("{{ 'a'.startswith(1) }}", "line 1: startswith() needs a string, not int");
  expect("{{ 'a'.upper(1) }}", "line 1: upper() takes at most 0 arguments");
  expect_error("{{ 9223372036854775807 + 1 }}", ErrorCode::overflow, "line 1: an integer does not fit 64 bits");
  expect_error("{{ -9223372036854775807 - 2 }}", ErrorCode::overflow, "line 1: an integer does not fit 64 bits");
  expect_error("{{ 9223372036854775807 * 2 }}", ErrorCode::overflow, "line 1: an integer does not fit 64 bits");
  expect_error("{{ (-9223372036854775807 - 1) // -1 }}", ErrorCode::overflow,
               "line 1: an integer does not fit 64 bits");
}

TEST(ChatTemplateErrors, BadJson) {
  ChatTemplateOptions options;
  options.variables_json = "{";
  EXPECT_THAT(error_of("x", options).message(), ::testing::StartsWith("variables_json is not JSON: "));
  options.variables_json = "[1]";
  EXPECT_EQ(error_of("x", options).message(), "variables_json is no JSON object");
  options.variables_json = R"({"n": 9223372036854775808})";
  EXPECT_EQ(error_of("x", options).message(), "the number 9223372036854775808 does not fit 64 bits");
  options.variables_json = "{\"a\":" + std::string(200, '[') + std::string(200, ']') + "}";
  EXPECT_EQ(error_of("x", options).message(), "values nest more than 100 deep");
  EXPECT_EQ(error_of("x", {}, {{"user", "hi", "7"}}).message(), "fields_json of a message is no JSON object");
}

TEST(ChatTemplateErrors, LimitsHold) {
  auto message = [](std::string_view source, const ChatTemplateOptions& options = {}) {
    Error error = error_of(source, options);
    EXPECT_EQ(error.code(), ErrorCode::resource) << source;
    return error.message();
  };
  auto repeated = [](std::string_view text, int n) {
    std::string out;
    for (int i = 0; i < n; ++i) out += text;
    return out;
  };
  std::string forever = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}";
  EXPECT_EQ(message(forever), "line 1: the template does not end within its limit of work");
  EXPECT_EQ(message("{{ range(100001) }}"), "line 1: range() has more than 100000 numbers");
  ChatTemplateOptions small;
  small.max_output = 10;
  EXPECT_EQ(message("0123456789a", small), "line 1: the output is longer than 10 bytes");
  EXPECT_EQ(message("{{ 'a' * 11 }}", small), "line 1: a repetition is longer than 10");
  EXPECT_EQ(message("{{ 'abcdef' + 'abcdef' }}", small), "line 1: a text is longer than 10 bytes");
  EXPECT_EQ(message("{{ 'abcdef'.replace('a', 'abcdef') }}", small), "line 1: a text is longer than 10 bytes");
  EXPECT_EQ(message("{{ [1000, 1000, 1000] | join }}", small), "line 1: a text is longer than 10 bytes");
  EXPECT_EQ(message("{{ messages | tojson }}", small), "line 1: a text is longer than 10 bytes");
  EXPECT_EQ(message("{{ " + repeated("(", 300) + "1" + repeated(")", 300) + " }}"),
            "line 1: the template nests more than 200 deep");
  EXPECT_EQ(message("{{ " + repeated("not ", 300) + "1 }}"), "line 1: the template nests more than 200 deep");
  EXPECT_EQ(message("{{ " + repeated("- ", 300) + "1 }}"), "line 1: the template nests more than 200 deep");
  EXPECT_EQ(message("{{ 1" + repeated(" + 1", 300) + " }}"), "line 1: an expression nests more than 200 deep");
  EXPECT_EQ(message("{{ a" + repeated("[0]", 300) + " }}"), "line 1: an expression nests more than 200 deep");
  EXPECT_EQ(message("{{ a" + repeated("|trim", 300) + " }}"), "line 1: an expression nests more than 200 deep");
  EXPECT_EQ(message(repeated("{% if 1 %}", 300)), "line 1: the template nests more than 200 deep");
  EXPECT_EQ(message("{% if 1 %}" + repeated("{% elif 1 %}", 300)), "line 1: the template nests more than 200 deep");
  EXPECT_EQ(message("{% set n = namespace(x=[]) %}{% for i in range(300) %}{% set n.x = [n.x] %}{% endfor %}"),
            "line 1: values nest more than 100 deep");
  // A text that doubles, and a list that prints exponentially long.
  EXPECT_THAT(message("{% set n = namespace(x='ab') %}{% for i in range(99) %}{% set n.x = n.x + n.x %}{% endfor %}"),
              ::testing::StartsWith("line 1: "));
  EXPECT_THAT(
      message("{% set n = namespace(x=[1]) %}{% for i in range(90) %}{% set n.x = [n.x, n.x] %}{% endfor %}{{ n.x }}"),
      ::testing::StartsWith("line 1: "));
  EXPECT_THAT(message("{% set n = namespace(x=[1], y=[1]) %}{% for i in range(90) %}{% set n.x = [n.x, n.x] %}"
                      "{% set n.y = [n.y, n.y] %}{% endfor %}{{ n.x == n.y }}"),
              ::testing::StartsWith("line 1: "));
}

TEST(ChatTemplate, BrokenUtf8IsRepaired) {
  EXPECT_EQ(apply_chat_template("\xFF{{ messages[0].content[0] }}", std::vector<ChatMessage>{{"user", "\xE2\x82x"}}),
            "\uFFFD\uFFFD");
}

TEST(ChatTemplate, FieldsReplaceContent) {
  std::vector<ChatMessage> messages{{"assistant", "text", R"({"content": null, "name": "n"})"}};
  EXPECT_EQ(apply_chat_template("{{ messages[0].content }}{{ messages[0].name }}", messages), "Nonen");
}

}  // namespace
}  // namespace quince::testing
