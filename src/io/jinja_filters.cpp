// The filters and tests of the chat template language.
#include <fmt/format.h>

#include <algorithm>

#include "io/jinja_eval.h"

namespace quince::jinja {
namespace {

std::size_t size_of(const Value& value, Budget& budget) {
  if (value.text()) {
    budget.charge_bytes(value.text()->size());
    return length_of(*value.text());
  }
  if (value.list()) return value.list()->items.size();
  if (value.dict()) return value.dict()->items.size();
  if (value.undefined()) return 0;
  fail(fmt::format("a {} has no length", type_name(value)));
}

Value length(const Value& value, const Arguments&, Budget& budget) {
  return static_cast<std::int64_t>(size_of(value, budget));
}

Value or_default(const Value& value, const Arguments& arguments, Budget&) {
  const Value* falsy = arguments.find(1, "boolean");
  bool replace = value.undefined() || (falsy && truth(*falsy) && !truth(value));
  if (!replace) return value;
  const Value* given = arguments.find(0, "default_value");
  return given ? *given : Value(std::string());
}

Value join(const Value& value, const Arguments& arguments, Budget& budget) {
  const Value* separator = arguments.find(0, "d");
  const Value* name = arguments.find(1, "attribute");
  std::string out;
  bool first = true;
  for (const Value& entry : items(value, budget)) {
    std::string part = first || !separator ? "" : to_text(*separator, budget);
    part += to_text(name ? attribute(entry, text_argument(name, "join()"), budget) : entry, budget);
    first = false;
    if (out.size() + part.size() > budget.max_output()) {
      throw Error(ErrorCode::resource, fmt::format("a text is longer than {} bytes", budget.max_output()));
    }
    out += part;
  }
  return out;
}

Value trim(const Value& value, const Arguments& arguments, Budget& budget) {
  std::string text = to_text(value, budget);
  const Value* characters = arguments.find(0, "chars");
  if (characters && characters->text()) budget.charge(text.size() / 8 * (1 + characters->text()->size()));
  return strip(text, characters, true, true);
}

Value replaced(const Value& value, const Arguments& arguments, Budget& budget) {
  return replace(to_text(value, budget), text_argument(arguments.find(0, "old"), "replace()"),
                 text_argument(arguments.find(1, "new"), "replace()"), arguments.find(2, "count"), budget);
}

Value json(const Value& value, const Arguments& arguments, Budget& budget) {
  const Value* ascii = arguments.find(0, "ensure_ascii");
  if (ascii && truth(*ascii)) throw Error(ErrorCode::unsupported, "tojson with ensure_ascii is not supported");
  const Value* indent = arguments.find(1, "indent");
  if (!indent || indent->is_none()) return to_json(value, -1, budget);
  if (!indent->integer() || *indent->integer() < 0 || *indent->integer() > 16) fail("the indent of tojson is 0 to 16");
  return to_json(value, static_cast<int>(*indent->integer()), budget);
}

Value first(const Value& value, const Arguments&, Budget& budget) {
  std::vector<Value> all = items(value, budget);
  return all.empty() ? Value(Undefined{"the first item of nothing"}) : all.front();
}

Value last(const Value& value, const Arguments&, Budget& budget) {
  std::vector<Value> all = items(value, budget);
  return all.empty() ? Value(Undefined{"the last item of nothing"}) : all.back();
}

Value pairs(const Value& value, const Arguments&, Budget& budget) {
  List list;
  if (value.undefined()) return list;
  if (!value.dict()) fail(fmt::format("a {} has no pairs", type_name(value)));
  budget.charge(value.dict()->items.size());
  for (const auto& [key, held] : value.dict()->items) list.items.push_back(List{{key, held}, true});
  return list;
}

struct Filter {
  std::string_view name;
  std::size_t arguments;
  std::initializer_list<std::string_view> names;
  Value (*run)(const Value&, const Arguments&, Budget&);
};

const Filter kFilters[] = {
    {"count", 0, {}, length},
    {"d", 2, {"default_value", "boolean"}, or_default},
    {"default", 2, {"default_value", "boolean"}, or_default},
    {"first", 0, {}, first},
    {"items", 0, {}, pairs},
    {"join", 2, {"d", "attribute"}, join},
    {"last", 0, {}, last},
    {"length", 0, {}, length},
    {"list", 0, {}, [](const Value& v, const Arguments&, Budget& b) { return Value(List{items(v, b), false}); }},
    {"lower", 0, {}, [](const Value& v, const Arguments&, Budget& b) { return Value(lower(to_text(v, b))); }},
    {"replace", 3, {"old", "new", "count"}, replaced},
    {"safe", 0, {}, [](const Value& v, const Arguments&, Budget&) { return v; }},
    {"string", 0, {}, [](const Value& v, const Arguments&, Budget& b) { return Value(to_text(v, b)); }},
    {"tojson", 2, {"ensure_ascii", "indent"}, json},
    {"trim", 1, {"chars"}, trim},
    {"upper", 0, {}, [](const Value& v, const Arguments&, Budget& b) { return Value(upper(to_text(v, b))); }},
};

struct Test {
  std::string_view name;
  bool (*run)(const Value&);
};

bool is_sequence(const Value& v) { return v.list() || v.text() || v.dict() || v.undefined(); }

const Test kTests[] = {
    {"boolean", [](const Value& v) { return v.boolean() != nullptr; }},
    {"defined", [](const Value& v) { return v.undefined() == nullptr; }},
    {"false", [](const Value& v) { return v.boolean() && !*v.boolean(); }},
    {"float", [](const Value& v) { return v.real() != nullptr; }},
    {"integer", [](const Value& v) { return v.integer() != nullptr; }},
    {"iterable", is_sequence},
    {"mapping", [](const Value& v) { return v.dict() != nullptr; }},
    {"none", [](const Value& v) { return v.is_none(); }},
    {"number", [](const Value& v) { return v.integer() || v.real() || v.boolean(); }},
    {"sequence", is_sequence},
    {"string", [](const Value& v) { return v.text() != nullptr; }},
    {"true", [](const Value& v) { return v.boolean() && *v.boolean(); }},
    {"undefined", [](const Value& v) { return v.undefined() != nullptr; }},
};

/// Tests that compare with a value, and the operator they are.
constexpr std::pair<std::string_view, std::string_view> kComparisons[] = {
    {"equalto", "=="}, {"eq", "=="}, {"ne", "!="}, {"in", "in"}};

}  // namespace

Value call_filter(const std::string& name, const Value& value, const Arguments& arguments, Budget& budget) {
  for (const Filter& filter : kFilters) {
    if (filter.name != name) continue;
    arguments.check(fmt::format("the filter \"{}\"", name), filter.arguments, filter.names);
    return filter.run(value, arguments, budget);
  }
  throw Error(ErrorCode::unsupported, fmt::format("the filter \"{}\" is not supported", name));
}

bool call_test(const std::string& name, const Value& value, const Arguments& arguments, Budget& budget) {
  std::string what = fmt::format("the test \"{}\"", name);
  for (const auto& [comparison, op] : kComparisons) {
    if (comparison != name) continue;
    arguments.check(what, 1);
    if (arguments.positional.empty()) fail(fmt::format("{} needs a value", what));
    return truth(binary(op, value, arguments.positional[0], budget));
  }
  for (const Test& test : kTests) {
    if (test.name != name) continue;
    arguments.check(what, 0);
    return test.run(value);
  }
  throw Error(ErrorCode::unsupported, fmt::format("{} is not supported", what));
}

}  // namespace quince::jinja
