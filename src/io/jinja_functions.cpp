// Global functions, and the methods of strings and dicts.
#include <fmt/format.h>
#include <utf8proc.h>

#include <algorithm>

#include "io/jinja_eval.h"
#include "io/jinja_lexer.h"
#include "io/tokenizer_utf8.h"

namespace quince::jinja {
namespace {

constexpr std::string_view kFunctions[] = {"namespace", "raise_exception", "range", "dict"};
constexpr std::int64_t kMaxRange = 100'000;

std::int64_t integer_argument(const Value* value, std::string_view what) {
  if (value && value->integer()) return *value->integer();
  if (value && value->boolean()) return *value->boolean();
  fail(fmt::format("{} needs an integer", what));
}

Value range(const Arguments& arguments, Budget& budget) {
  arguments.check("range()", 3);
  std::int64_t bounds[3] = {0, 0, 1};
  for (std::size_t i = 0; i < arguments.positional.size(); ++i) {
    bounds[i] = integer_argument(&arguments.positional[i], "range()");
  }
  if (arguments.positional.empty()) fail("range() needs an integer");
  if (arguments.positional.size() == 1) std::swap(bounds[0], bounds[1]);
  auto [begin, end, step] = bounds;
  if (step == 0) fail("the step of range() is zero");
  List list;
  for (std::int64_t i = begin; step > 0 ? i < end : i > end;) {
    budget.charge(1);
    if (std::ssize(list.items) == kMaxRange) {
      throw Error(ErrorCode::resource, fmt::format("range() has more than {} numbers", kMaxRange));
    }
    list.items.push_back(i);
    if (__builtin_add_overflow(i, step, &i)) break;
  }
  return list;
}

/// The named arguments, after those of a dict that is given first.
Dict attributes(std::string_view what, const Arguments& arguments, Budget& budget) {
  if (arguments.positional.size() > 1) fail(fmt::format("{} takes at most 1 argument", what));
  Dict dict;
  if (!arguments.positional.empty()) {
    if (!arguments.positional[0].dict()) fail(fmt::format("{} needs a dict", what));
    dict = *arguments.positional[0].dict();
  }
  for (const auto& [name, value] : arguments.named) {
    budget.charge(1 + dict.items.size() / 8);
    auto same = std::find_if(dict.items.begin(), dict.items.end(), [&](auto& entry) { return entry.first == name; });
    if (same != dict.items.end()) {
      same->second = value;
    } else {
      dict.items.emplace_back(name, value);
    }
  }
  budget.charge(dict.items.size());
  return dict;
}

Value pair(Value first, Value second) { return List{{std::move(first), std::move(second)}, true}; }

Value dict_method(const Dict& dict, const std::string& name, const Arguments& arguments, Budget& budget) {
  budget.charge(dict.items.size());
  if (name == "get") {
    arguments.check("get()", 2);
    const Value* key = arguments.find(0, "");
    if (key && key->text()) {
      if (const Value* found = dict.find(*key->text())) return *found;
    }
    const Value* otherwise = arguments.find(1, "");
    return otherwise ? *otherwise : Value(None{});
  }
  arguments.check(name + "()", 0);
  List list;
  for (const auto& [key, value] : dict.items) {
    list.items.push_back(name == "items" ? pair(key, value) : name == "keys" ? Value(key) : value);
  }
  return list;
}

/// startswith and endswith take one text or a tuple of them.
bool affix(std::string_view text, const Arguments& arguments, bool begin) {
  std::string_view what = begin ? "startswith()" : "endswith()";
  arguments.check(what, 1);
  auto matches = [&](const Value& value) {
    const std::string& part = text_argument(&value, what);
    return begin ? text.starts_with(part) : text.ends_with(part);
  };
  const Value* given = arguments.find(0, "");
  if (!given || !given->list()) return matches(given ? *given : Value());
  return std::any_of(given->list()->items.begin(), given->list()->items.end(), matches);
}

/// Python's str.split and str.rsplit.
Value split(std::string_view text, const Arguments& arguments, bool from_end, Budget& budget) {
  std::string_view what = from_end ? "rsplit()" : "split()";
  arguments.check(what, 2, {"sep", "maxsplit"});
  budget.charge(text.size());
  const Value* separator = arguments.find(0, "sep");
  const Value* most = arguments.find(1, "maxsplit");
  std::int64_t left = most ? integer_argument(most, what) : -1;
  std::vector<Value> parts;
  if (!separator || separator->is_none()) {
    auto trimmed = [&] { return from_end ? stripped_end(text) : stripped_begin(text); };
    for (text = trimmed(); !text.empty(); text = trimmed()) {
      if (left-- == 0) {
        parts.push_back(std::string(text));
        break;
      }
      std::size_t cut = from_end ? 0 : text.size();
      for (std::size_t at = 0; at < text.size();) {
        std::size_t begin = at;
        if (!is_space(next_code_point(text, at))) continue;
        cut = from_end ? at : begin;
        if (!from_end) break;
      }
      budget.charge(1 + (from_end ? text.size() / 8 : 0));
      parts.push_back(std::string(from_end ? text.substr(cut) : text.substr(0, cut)));
      text = from_end ? text.substr(0, cut) : text.substr(cut);
    }
  } else {
    const std::string& by = text_argument(separator, what);
    if (by.empty()) fail(fmt::format("{} needs a separator that is not empty", what));
    while (left-- != 0) {
      std::size_t at = from_end ? text.rfind(by) : text.find(by);
      if (at == text.npos) break;
      budget.charge(1);
      parts.push_back(std::string(from_end ? text.substr(at + by.size()) : text.substr(0, at)));
      text = from_end ? text.substr(0, at) : text.substr(at + by.size());
    }
    parts.push_back(std::string(text));
  }
  if (from_end) std::reverse(parts.begin(), parts.end());
  return List{std::move(parts), false};
}

Value string_method(const std::string& text, const std::string& name, const Arguments& arguments, Budget& budget) {
  budget.charge_bytes(text.size());
  if (name == "strip" || name == "lstrip" || name == "rstrip") {
    arguments.check(name + "()", 1);
    const Value* characters = arguments.find(0, "");
    if (characters && characters->text()) budget.charge(text.size() / 8 * (1 + characters->text()->size()));
    return strip(text, characters, name != "rstrip", name != "lstrip");
  }
  if (name == "startswith") return affix(text, arguments, true);
  if (name == "endswith") return affix(text, arguments, false);
  if (name == "split") return split(text, arguments, false, budget);
  if (name == "rsplit") return split(text, arguments, true, budget);
  if (name == "replace") {
    arguments.check("replace()", 3);
    return replace(text, text_argument(arguments.find(0, ""), "replace()"),
                   text_argument(arguments.find(1, ""), "replace()"), arguments.find(2, ""), budget);
  }
  if (name == "upper" || name == "lower") {
    arguments.check(name + "()", 0);
    return name == "upper" ? upper(text) : lower(text);
  }
  throw Error(ErrorCode::unsupported, fmt::format("the method \"{}\" of a string is not supported", name));
}

std::string mapped(std::string_view text, utf8proc_int32_t (*map)(utf8proc_int32_t)) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    append_utf8(static_cast<char32_t>(map(static_cast<utf8proc_int32_t>(next_code_point(text, at)))), out);
  }
  return out;
}

}  // namespace

bool is_function(std::string_view name) {
  return std::find(std::begin(kFunctions), std::end(kFunctions), name) != std::end(kFunctions);
}

Value call_function(const std::string& name, const Arguments& arguments, Budget& budget) {
  if (name == "range") return range(arguments, budget);
  if (name == "dict") return attributes("dict()", arguments, budget);
  if (name == "namespace") {
    auto space = std::make_shared<Namespace>();
    space->attributes = attributes("namespace()", arguments, budget);
    if (Value(space->attributes).holds_mutable()) {
      throw Error(ErrorCode::unsupported, "a namespace or loop inside a namespace is not supported");
    }
    return space;
  }
  arguments.check("raise_exception()", 1, {"message"});
  const Value* message = arguments.find(0, "message");
  fail(fmt::format("the template refuses: {}", message ? to_text(*message, budget) : ""));
}

Value call_method(const Method& method, const Arguments& arguments, Budget& budget) {
  const Value& receiver = *method.receiver;
  return receiver.text() ? string_method(*receiver.text(), method.name, arguments, budget)
                         : dict_method(*receiver.dict(), method.name, arguments, budget);
}

std::string strip(std::string_view text, const Value* characters, bool begin, bool end) {
  if (!characters || characters->is_none()) {
    if (begin) text = stripped_begin(text);
    if (end) text = stripped_end(text);
    return std::string(text);
  }
  const std::string& set = text_argument(characters, "strip()");
  // Valid UTF-8: a character's bytes occur in the set only as that character.
  auto character_at = [&](std::size_t at) {
    std::size_t past = at;
    next_code_point(text, past);
    return text.substr(at, past - at);
  };
  while (begin && !text.empty() && set.find(character_at(0)) != std::string::npos)
    text.remove_prefix(character_at(0).size());
  while (end && !text.empty()) {
    std::size_t last = text.size() - 1;
    while (last > 0 && (text[last] & 0xC0) == 0x80) --last;
    if (set.find(character_at(last)) == std::string::npos) break;
    text = text.substr(0, last);
  }
  return std::string(text);
}

std::string replace(std::string_view text, std::string_view from, std::string_view to, const Value* count,
                    Budget& budget) {
  std::int64_t left = count ? integer_argument(count, "replace()") : -1;
  std::string out;
  auto append = [&](std::string_view part) {
    budget.charge_bytes(part.size());
    if (out.size() + part.size() > budget.max_output()) {
      throw Error(ErrorCode::resource, fmt::format("a text is longer than {} bytes", budget.max_output()));
    }
    out += part;
  };
  std::size_t at = 0;
  while (left-- != 0) {
    if (from.empty()) {  // before every character, and at the end
      append(to);
      if (at == text.size()) return out;
      std::size_t begin = at;
      next_code_point(text, at);
      append(text.substr(begin, at - begin));
      continue;
    }
    std::size_t found = text.find(from, at);
    if (found == text.npos) break;
    append(text.substr(at, found - at));
    append(to);
    at = found + from.size();
  }
  append(text.substr(at));
  return out;
}

std::string upper(std::string_view text) { return mapped(text, utf8proc_toupper); }
std::string lower(std::string_view text) { return mapped(text, utf8proc_tolower); }

std::size_t length_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

const std::string& text_argument(const Value* value, std::string_view what) {
  if (!value || value->undefined()) fail(fmt::format("{} needs a string", what));
  if (!value->text()) fail(fmt::format("{} needs a string, not {}", what, type_name(*value)));
  return *value->text();
}

}  // namespace quince::jinja
