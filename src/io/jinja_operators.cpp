// Operators, indices and slices of the chat template language.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "io/jinja_eval.h"
#include "io/tokenizer_utf8.h"

namespace quince::jinja {
namespace {

struct Number {
  bool real;
  std::int64_t i;
  double d;
};

std::optional<Number> number(const Value& value) {
  if (value.boolean()) return Number{false, *value.boolean(), *value.boolean() ? 1.0 : 0.0};
  if (value.integer()) return Number{false, *value.integer(), static_cast<double>(*value.integer())};
  if (value.real()) return Number{true, 0, *value.real()};
  return std::nullopt;
}

[[noreturn]] void mismatch(std::string_view op, const Value& left, const Value& right) {
  for (const Value* side : {&left, &right}) {
    if (side->undefined()) fail(fmt::format("{} is undefined", side->undefined()->name));
  }
  fail(fmt::format("\"{}\" cannot take {} and {}", op, type_name(left), type_name(right)));
}

[[noreturn]] void too_large() { throw Error(ErrorCode::overflow, "an integer does not fit 64 bits"); }

Value integers(std::string_view op, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (op == "+") {
    if (__builtin_add_overflow(a, b, &result)) too_large();
  } else if (op == "-") {
    if (__builtin_sub_overflow(a, b, &result)) too_large();
  } else if (op == "*") {
    if (__builtin_mul_overflow(a, b, &result)) too_large();
  } else {
    if (b == 0) fail("division by zero");
    if (op == "/") return static_cast<double>(a) / static_cast<double>(b);
    if (b == -1) {  // the smallest integer has no negative
      if (op == "%") return std::int64_t{0};
      if (__builtin_sub_overflow(std::int64_t{0}, a, &result)) too_large();
      return result;
    }
    std::int64_t rest = a % b, quotient = a / b;
    bool floor = rest != 0 && (rest < 0) != (b < 0);
    result = op == "%" ? rest + (floor ? b : 0) : quotient - (floor ? 1 : 0);
  }
  return result;
}

Value reals(std::string_view op, double a, double b) {
  if (op == "+") return a + b;
  if (op == "-") return a - b;
  if (op == "*") return a * b;
  if (b == 0) fail("division by zero");
  if (op == "/") return a / b;
  double rest = std::fmod(a, b);
  if (rest != 0 && (rest < 0) != (b < 0)) rest += b;
  return op == "%" ? rest : std::floor((a - rest) / b + 0.5);
}

std::string joined(std::string_view a, std::string_view b, Budget& budget) {
  budget.charge_bytes(a.size() + b.size());
  if (a.size() + b.size() > budget.max_output()) {
    throw Error(ErrorCode::resource, fmt::format("a text is longer than {} bytes", budget.max_output()));
  }
  std::string out;
  out.reserve(a.size() + b.size());
  return out.append(a).append(b);
}

Value repeated(const Value& value, std::int64_t times, Budget& budget) {
  auto count = static_cast<std::size_t>(std::max<std::int64_t>(times, 0));
  std::size_t size = value.text() ? value.text()->size() : value.list()->items.size();
  if (size > 0 && count > budget.max_output() / size) {
    throw Error(ErrorCode::resource, fmt::format("a repetition is longer than {}", budget.max_output()));
  }
  budget.charge(1 + size * count);
  if (size == 0) count = 0;
  if (value.text()) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) text += *value.text();
    return text;
  }
  List list{{}, value.list()->tuple};
  for (std::size_t i = 0; i < count; ++i) {
    list.items.insert(list.items.end(), value.list()->items.begin(), value.list()->items.end());
  }
  return list;
}

Value arithmetic(std::string_view op, const Value& left, const Value& right, Budget& budget) {
  auto a = number(left), b = number(right);
  if (a && b) return a->real || b->real ? reals(op, a->d, b->d) : integers(op, a->i, b->i);
  if (op == "+" && left.text() && right.text()) return joined(*left.text(), *right.text(), budget);
  if (op == "+" && left.list() && right.list() && left.list()->tuple == right.list()->tuple) {
    budget.charge(left.list()->items.size() + right.list()->items.size());
    List list = *left.list();
    list.items.insert(list.items.end(), right.list()->items.begin(), right.list()->items.end());
    return list;
  }
  if (op == "*" && b && !b->real && (left.text() || left.list())) return repeated(left, b->i, budget);
  if (op == "*" && a && !a->real && (right.text() || right.list())) return repeated(right, a->i, budget);
  if (op == "%" && left.text()) throw Error(ErrorCode::unsupported, "formatting with \"%\" is not supported");
  mismatch(op, left, right);
}

bool less(std::string_view op, const Value& left, const Value& right, Budget& budget) {
  auto a = number(left), b = number(right);
  if (a && b) return a->real || b->real ? a->d < b->d : a->i < b->i;
  if (!left.text() || !right.text()) mismatch(op, left, right);
  budget.charge_bytes(std::min(left.text()->size(), right.text()->size()));
  return *left.text() < *right.text();
}

bool less_or_equal(std::string_view op, const Value& left, const Value& right, Budget& budget) {
  return less(op, left, right, budget) || equal(left, right, budget);
}

bool contains(const Value& container, const Value& value, Budget& budget) {
  if (container.text()) {
    if (!value.text()) mismatch("in", value, container);
    budget.charge_bytes(container.text()->size());
    budget.charge_bytes(value.text()->size());
    return container.text()->find(*value.text()) != std::string::npos;
  }
  if (container.dict()) {
    budget.charge(container.dict()->items.size() / 8);
    return value.text() && container.dict()->find(*value.text());
  }
  if (container.undefined()) return false;
  if (!container.list()) mismatch("in", value, container);
  for (const Value& item : container.list()->items) {
    if (equal(item, value, budget)) return true;
  }
  return false;
}

/// Where each code point begins, and the end.
std::vector<std::size_t> code_points(std::string_view text, Budget& budget) {
  budget.charge(text.size());
  std::vector<std::size_t> begins;
  for (std::size_t at = 0; at < text.size(); next_code_point(text, at)) begins.push_back(at);
  begins.push_back(text.size());
  return begins;
}

std::optional<std::size_t> position(std::int64_t index, std::size_t size) {
  if (index < 0) index += static_cast<std::int64_t>(size);
  if (index < 0 || index >= static_cast<std::int64_t>(size)) return std::nullopt;
  return static_cast<std::size_t>(index);
}

/// Python's methods of str; calling one that is not implemented reports it.
bool is_string_method(std::string_view name) {
  constexpr std::string_view kNames[] = {
      "capitalize", "casefold",     "center",       "count",   "encode",     "endswith",    "expandtabs",
      "find",       "format",       "format_map",   "index",   "isalnum",    "isalpha",     "isascii",
      "isdecimal",  "isdigit",      "isidentifier", "islower", "isnumeric",  "isprintable", "isspace",
      "istitle",    "isupper",      "join",         "ljust",   "lower",      "lstrip",      "maketrans",
      "partition",  "removeprefix", "removesuffix", "replace", "rfind",      "rindex",      "rjust",
      "rpartition", "rsplit",       "rstrip",       "split",   "splitlines", "startswith",  "strip",
      "swapcase",   "title",        "translate",    "upper",   "zfill"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

Value loop_attribute(const Loop& loop, const std::string& name) {
  const auto& items = loop.items->items;
  std::size_t size = items.size(), index = std::min(loop.index, size - 1);
  auto integer = [](std::size_t n) { return Value(static_cast<std::int64_t>(n)); };
  if (name == "index") return integer(index + 1);
  if (name == "index0") return integer(index);
  if (name == "revindex") return integer(size - index);
  if (name == "revindex0") return integer(size - index - 1);
  if (name == "length") return integer(size);
  if (name == "first") return index == 0;
  if (name == "last") return index + 1 == size;
  if (name == "previtem") return index > 0 ? items[index - 1] : Value(Undefined{"loop.previtem"});
  if (name == "nextitem") return index + 1 < size ? items[index + 1] : Value(Undefined{"loop.nextitem"});
  throw Error(ErrorCode::unsupported, fmt::format("loop.{} is not supported", name));
}

}  // namespace

Value unary(std::string_view op, const Value& operand) {
  if (op == "not") return !truth(operand);
  auto a = number(operand);
  if (!a) {
    if (operand.undefined()) fail(fmt::format("{} is undefined", operand.undefined()->name));
    fail(fmt::format("\"{}\" cannot take {}", op, type_name(operand)));
  }
  if (op == "+") return a->real ? Value(a->d) : Value(a->i);
  return a->real ? Value(-a->d) : integers("-", 0, a->i);
}

Value binary(std::string_view op, const Value& left, const Value& right, Budget& budget) {
  if (op == "==") return equal(left, right, budget);
  if (op == "!=") return !equal(left, right, budget);
  if (op == "<") return less(op, left, right, budget);
  if (op == "<=") return less_or_equal(op, left, right, budget);
  if (op == ">") return less(op, right, left, budget);
  if (op == ">=") return less_or_equal(op, right, left, budget);
  if (op == "in") return contains(right, left, budget);
  if (op == "not in") return !contains(right, left, budget);
  if (op == "~") return joined(to_text(left, budget), to_text(right, budget), budget);
  return arithmetic(op, left, right, budget);
}

Value item(const Value& container, const Value& key, Budget& budget) {
  if (key.text()) {
    if (container.dict()) {
      budget.charge(container.dict()->items.size() / 8);
      if (const Value* found = container.dict()->find(*key.text())) return *found;
    }
    return attribute(container, *key.text(), budget);
  }
  if (container.undefined()) fail(fmt::format("{} is undefined", container.undefined()->name));
  auto index = number(key);
  if (index && !index->real) {
    if (container.list()) {
      auto at = position(index->i, container.list()->items.size());
      if (at) return container.list()->items[*at];
    }
    if (container.text()) {
      std::vector<std::size_t> begins = code_points(*container.text(), budget);
      auto at = position(index->i, begins.size() - 1);
      if (at) return container.text()->substr(begins[*at], begins[*at + 1] - begins[*at]);
    }
  }
  return Undefined{fmt::format("item {} of a {}", to_text(key, budget), type_name(container))};
}

Value attribute(const Value& value, const std::string& name, Budget& budget) {
  if (value.undefined()) fail(fmt::format("{} is undefined, so it has no \"{}\"", value.undefined()->name, name));
  if (value.loop()) return loop_attribute(*value.loop(), name);
  const Dict* dict = value.space() ? &value.space()->attributes : value.dict();
  bool dict_method = value.dict() && (name == "items" || name == "keys" || name == "values" || name == "get");
  if (dict && !dict_method) {
    budget.charge(dict->items.size() / 8);
    if (const Value* found = dict->find(name)) return *found;
  }
  if (dict_method || (value.text() && is_string_method(name))) {
    return Method{std::make_shared<const Value>(value), name};
  }
  return Undefined{fmt::format("\"{}\" of a {}", name, type_name(value))};
}

Value slice(const Value& value, const Value* start, const Value* stop, const Value* step, Budget& budget) {
  auto bound = [](const Value* given, std::int64_t otherwise) {
    if (!given) return otherwise;
    auto n = number(*given);
    if (!n || n->real) fail(fmt::format("a slice cannot take {}", type_name(*given)));
    return n->i;
  };
  if (value.undefined()) fail(fmt::format("{} is undefined", value.undefined()->name));
  if (!value.list() && !value.text()) fail(fmt::format("a {} cannot be sliced", type_name(value)));
  std::vector<std::size_t> begins;
  if (value.text()) begins = code_points(*value.text(), budget);
  auto size = static_cast<std::int64_t>(value.text() ? begins.size() - 1 : value.list()->items.size());
  std::int64_t by = bound(step, 1);
  if (by == 0) fail("the step of a slice is zero");
  // Python's rule: bounds count from the end where negative, and are then clamped to where a walk can begin or end.
  std::int64_t low = by > 0 ? 0 : -1, high = by > 0 ? size : size - 1;
  auto clamped = [&](std::int64_t at) { return std::clamp(at < 0 ? at + size : at, low, high); };
  std::int64_t from = start ? clamped(bound(start, 0)) : by > 0 ? low : high;
  std::int64_t to = stop ? clamped(bound(stop, 0)) : by > 0 ? high : low;
  by = std::clamp(by, -size - 1, size + 1);  // as good as any longer step, and cannot overflow
  List list{{}, value.list() && value.list()->tuple};
  std::string text;
  for (std::int64_t at = from; by > 0 ? at < to : at > to; at += by) {
    budget.charge(1);
    auto i = static_cast<std::size_t>(at);
    if (value.text()) {
      text.append(*value.text(), begins[i], begins[i + 1] - begins[i]);
    } else {
      list.items.push_back(value.list()->items[i]);
    }
  }
  return value.text() ? Value(std::move(text)) : Value(std::move(list));
}

std::vector<Value> items(const Value& value, Budget& budget) {
  std::vector<Value> out;
  if (value.list()) {
    budget.charge(value.list()->items.size());
    return value.list()->items;
  }
  if (value.text()) {
    std::vector<std::size_t> begins = code_points(*value.text(), budget);
    for (std::size_t i = 0; i + 1 < begins.size(); ++i) {
      out.push_back(value.text()->substr(begins[i], begins[i + 1] - begins[i]));
    }
  } else if (value.dict()) {
    budget.charge(value.dict()->items.size());
    for (const auto& [key, held] : value.dict()->items) out.push_back(key);
  } else if (!value.undefined()) {
    fail(fmt::format("a {} has no items to go through", type_name(value)));
  }
  return out;
}

}  // namespace quince::jinja
