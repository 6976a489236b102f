// The values that chat templates compute with: Python's, as far as templates see them.
#include "io/jinja_value.h"

#include <fmt/format.h>
#include <utf8proc.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "io/tokenizer_utf8.h"

namespace quince::jinja {

void fail(std::string message) { throw Error(ErrorCode::invalid_argument, std::move(message)); }

const Value* Dict::find(std::string_view key) const {
  for (const auto& [name, value] : items) {
    if (name == key) return &value;
  }
  return nullptr;
}

void Value::nest(const Value& inner) {
  depth_ = std::max(depth_, inner.depth_ + 1);
  mutable_ = mutable_ || inner.mutable_;
  if (depth_ > kMaxDepth) throw Error(ErrorCode::resource, fmt::format("values nest more than {} deep", kMaxDepth));
}

Value::Value(List list) {
  for (const Value& item : list.items) nest(item);
  data_ = std::make_shared<const List>(std::move(list));
}

Value::Value(Dict dict) {
  for (const auto& [key, item] : dict.items) nest(item);
  data_ = std::make_shared<const Dict>(std::move(dict));
}

Value::Value(Method method) : data_(std::move(method)) { nest(*std::get<Method>(data_).receiver); }

std::string_view type_name(const Value& value) {
  if (value.undefined()) return "undefined";
  if (value.is_none()) return "None";
  if (value.boolean()) return "bool";
  if (value.integer()) return "int";
  if (value.real()) return "float";
  if (value.text()) return "str";
  if (value.list()) return value.list()->tuple ? "tuple" : "list";
  if (value.dict()) return "dict";
  if (value.space()) return "namespace";
  if (value.loop()) return "loop";
  return "function";
}

bool truth(const Value& value) {
  if (value.undefined() || value.is_none()) return false;
  if (value.boolean()) return *value.boolean();
  if (value.integer()) return *value.integer() != 0;
  if (value.real()) return *value.real() != 0;
  if (value.text()) return !value.text()->empty();
  if (value.list()) return !value.list()->items.empty();
  if (value.dict()) return !value.dict()->items.empty();
  return true;
}

namespace {

/// bool and int as an exact integer.
std::optional<std::int64_t> whole(const Value& value) {
  if (value.boolean()) return *value.boolean();
  if (value.integer()) return *value.integer();
  return std::nullopt;
}

bool equal_numbers(const Value& a, const Value& b) {
  auto i = whole(a), j = whole(b);
  if (i && j) return *i == *j;
  double x = a.real() ? *a.real() : i ? static_cast<double>(*i) : NAN;
  double y = b.real() ? *b.real() : j ? static_cast<double>(*j) : NAN;
  return x == y;
}

bool equal_lists(const List& a, const List& b, Budget& budget) {
  if (a.items.size() != b.items.size() || a.tuple != b.tuple) return false;
  for (std::size_t i = 0; i < a.items.size(); ++i) {
    if (!equal(a.items[i], b.items[i], budget)) return false;
  }
  return true;
}

bool equal_dicts(const Dict& a, const Dict& b, Budget& budget) {
  if (a.items.size() != b.items.size()) return false;
  for (const auto& [key, value] : a.items) {
    budget.charge(b.items.size());
    const Value* other = b.find(key);
    if (!other || !equal(value, *other, budget)) return false;
  }
  return true;
}

/// Python's repr of a float: the shortest digits that read back, in scientific form from 1e16 and below 1e-4.
std::string real_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char buffer[40];
  auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific).ptr;
  std::string_view shortest(buffer, static_cast<std::size_t>(end - buffer));
  std::size_t e = shortest.find('e');
  int exponent = std::stoi(std::string(shortest.substr(e + 1)));
  if (value != 0 && (exponent < -4 || exponent >= 16)) return std::string(shortest);
  std::string fixed(buffer, std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed).ptr);
  return fixed.find('.') == fixed.npos ? fixed + ".0" : fixed;
}

/// Writes values; checks the size of what it has written.
class Writer {
 public:
  explicit Writer(Budget& budget) : budget_(budget) {}

  std::string out;

  void add(std::string_view text) {
    budget_.charge_bytes(text.size());
    if (text.size() > budget_.max_output() - std::min(out.size(), budget_.max_output())) {
      throw Error(ErrorCode::resource, fmt::format("a text is longer than {} bytes", budget_.max_output()));
    }
    out += text;
  }

  /// Python's repr of a string.
  void add_quoted(std::string_view text) {
    bool single = text.find('\'') == text.npos || text.find('"') != text.npos;
    char quote = single ? '\'' : '"';
    std::string quoted(1, quote);
    for (std::size_t at = 0; at < text.size();) {
      std::size_t begin = at;
      char32_t code = next_code_point(text, at);
      if (code == U'\n') {
        quoted += "\\n";
      } else if (code == U'\t') {
        quoted += "\\t";
      } else if (code == U'\r') {
        quoted += "\\r";
      } else if (code == U'\\' || code == static_cast<char32_t>(quote)) {
        quoted += '\\';
        quoted += static_cast<char>(code);
      } else if (code == U' ' || is_printable(code)) {
        quoted += text.substr(begin, at - begin);
      } else {
        auto number = static_cast<std::uint32_t>(code);
        quoted += number < 0x100     ? fmt::format("\\x{:02x}", number)
                  : number < 0x10000 ? fmt::format("\\u{:04x}", number)
                                     : fmt::format("\\U{:08x}", number);
      }
    }
    add(quoted += quote);
  }

  /// Python's repr.
  void add_repr(const Value& value) {
    budget_.charge(1);
    if (value.text()) {
      add_quoted(*value.text());
    } else if (value.list()) {
      const List& list = *value.list();
      add(list.tuple ? "(" : "[");
      for (std::size_t i = 0; i < list.items.size(); ++i) {
        if (i) add(", ");
        add_repr(list.items[i]);
      }
      add(!list.tuple ? "]" : list.items.size() == 1 ? ",)" : ")");
    } else if (value.dict()) {
      add_repr(*value.dict());
    } else if (value.space()) {
      add("<Namespace ");
      add_repr(value.space()->attributes);
      add(">");
    } else if (value.undefined()) {
      add("Undefined");
    } else {
      add_plain(value);
    }
  }

  void add_plain(const Value& value) {
    if (value.text()) {
      add(*value.text());
    } else if (value.is_none()) {
      add("None");
    } else if (value.boolean()) {
      add(*value.boolean() ? "True" : "False");
    } else if (value.integer()) {
      add(fmt::format("{}", *value.integer()));
    } else if (value.real()) {
      add(real_text(*value.real()));
    } else if (value.list() || value.dict() || value.space()) {
      add_repr(value);
    } else if (!value.undefined()) {
      fail(fmt::format("a {} cannot be printed", type_name(value)));
    }
  }

  void add_json(const Value& value, int indent, int depth) {
    budget_.charge(1);
    if (value.text()) {
      add_json_text(*value.text());
    } else if (value.is_none()) {
      add("null");
    } else if (value.boolean()) {
      add(*value.boolean() ? "true" : "false");
    } else if (value.integer()) {
      add(fmt::format("{}", *value.integer()));
    } else if (value.real()) {
      double number = *value.real();
      add(std::isnan(number)   ? "NaN"
          : std::isinf(number) ? (number < 0 ? "-Infinity" : "Infinity")
                               : real_text(number));
    } else if (value.list()) {
      const auto& items = value.list()->items;
      add("[");
      for (std::size_t i = 0; i < items.size(); ++i) {
        separate(i > 0, indent, depth + 1);
        add_json(items[i], indent, depth + 1);
      }
      if (!items.empty()) separate(false, indent, depth);
      add("]");
    } else if (value.dict()) {
      const auto& items = value.dict()->items;
      add("{");
      for (std::size_t i = 0; i < items.size(); ++i) {
        separate(i > 0, indent, depth + 1);
        add_json_text(items[i].first);
        add(": ");
        add_json(items[i].second, indent, depth + 1);
      }
      if (!items.empty()) separate(false, indent, depth);
      add("}");
    } else {
      fail(fmt::format("a value of type {} cannot be written as JSON", type_name(value)));
    }
  }

 private:
  static bool is_printable(char32_t code) {
    switch (utf8proc_category(static_cast<utf8proc_int32_t>(code))) {
      case UTF8PROC_CATEGORY_CN:
      case UTF8PROC_CATEGORY_CC:
      case UTF8PROC_CATEGORY_CF:
      case UTF8PROC_CATEGORY_CS:
      case UTF8PROC_CATEGORY_CO:
      case UTF8PROC_CATEGORY_ZL:
      case UTF8PROC_CATEGORY_ZP:
      case UTF8PROC_CATEGORY_ZS: return false;
      default: return true;
    }
  }

  void add_repr(const Dict& dict) {
    add("{");
    for (std::size_t i = 0; i < dict.items.size(); ++i) {
      if (i) add(", ");
      add_quoted(dict.items[i].first);
      add(": ");
      add_repr(dict.items[i].second);
    }
    add("}");
  }

  void separate(bool comma, int indent, int depth) {
    if (indent >= 0) {
      add(comma ? ",\n" : "\n");
      add(std::string(static_cast<std::size_t>(indent * depth), ' '));
    } else if (comma) {
      add(", ");
    }
  }

  void add_json_text(std::string_view text) {
    std::string quoted = "\"";
    for (char c : text) {
      switch (c) {
        case '"': quoted += "\\\""; break;
        case '\\': quoted += "\\\\"; break;
        case '\n': quoted += "\\n"; break;
        case '\r': quoted += "\\r"; break;
        case '\t': quoted += "\\t"; break;
        case '\b': quoted += "\\b"; break;
        case '\f': quoted += "\\f"; break;
        default:
          if (static_cast<unsigned char>(c) < 0x20) {
            quoted += fmt::format("\\u{:04x}", static_cast<int>(c));
          } else {
            quoted += c;
          }
      }
    }
    add(quoted += '"');
  }

  Budget& budget_;
};

Value from_json(const nlohmann::ordered_json& json, int depth) {
  if (depth > Value::kMaxDepth) {
    throw Error(ErrorCode::resource, fmt::format("values nest more than {} deep", Value::kMaxDepth));
  }
  switch (json.type()) {
    case nlohmann::json::value_t::null: return None{};
    case nlohmann::json::value_t::boolean: return json.get<bool>();
    case nlohmann::json::value_t::number_integer: return json.get<std::int64_t>();
    case nlohmann::json::value_t::number_unsigned: {
      auto number = json.get<std::uint64_t>();
      if (number > INT64_MAX) fail(fmt::format("the number {} does not fit 64 bits", number));
      return static_cast<std::int64_t>(number);
    }
    case nlohmann::json::value_t::number_float: return json.get<double>();
    case nlohmann::json::value_t::string: return json.get<std::string>();
    case nlohmann::json::value_t::array: {
      List list;
      for (const auto& item : json) list.items.push_back(from_json(item, depth + 1));
      return list;
    }
    case nlohmann::json::value_t::object: {
      Dict dict;
      for (const auto& [key, item] : json.items()) dict.items.emplace_back(key, from_json(item, depth + 1));
      return dict;
    }
    default: return None{};
  }
}

}  // namespace

bool equal(const Value& a, const Value& b, Budget& budget) {
  budget.charge(1);
  if ((whole(a) || a.real()) && (whole(b) || b.real())) return equal_numbers(a, b);
  if (a.text() && b.text()) {
    budget.charge_bytes(std::min(a.text()->size(), b.text()->size()));
    return *a.text() == *b.text();
  }
  if (a.list() && b.list()) return equal_lists(*a.list(), *b.list(), budget);
  if (a.dict() && b.dict()) return equal_dicts(*a.dict(), *b.dict(), budget);
  if (a.space() || b.space()) return a.space() == b.space();
  return (a.is_none() && b.is_none()) || (a.undefined() && b.undefined());
}

std::string to_text(const Value& value, Budget& budget) {
  Writer writer(budget);
  writer.add_plain(value);
  return std::move(writer.out);
}

std::string to_json(const Value& value, int indent, Budget& budget) {
  Writer writer(budget);
  writer.add_json(value, indent, 0);
  return std::move(writer.out);
}

Value from_json(std::string_view json, std::string_view what) {
  try {
    return from_json(nlohmann::ordered_json::parse(repaired_utf8(json)), 0);
  } catch (const nlohmann::json::exception& error) {
    throw Error(ErrorCode::invalid_argument, fmt::format("{} is not JSON: {}", what, error.what()));
  }
}

}  // namespace quince::jinja
