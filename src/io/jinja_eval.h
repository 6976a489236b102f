// Running a template.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/jinja_parser.h"
#include "io/jinja_value.h"

namespace quince::jinja {

/// The arguments of a call, filter or test.
struct Arguments {
  std::vector<Value> positional;
  std::vector<std::pair<std::string, Value>> named;

  /// The argument at a position or of a name, or null.
  const Value* find(std::size_t position, std::string_view name) const;
  /// Error(invalid_argument) for more than `count` positional ones or for a named one not in `names`.
  void check(std::string_view what, std::size_t count, std::initializer_list<std::string_view> names = {}) const;
};

/// One rendering. Errors name the line that was being evaluated.
class Interpreter {
 public:
  Interpreter(Dict globals, Budget& budget);

  std::string render(const Block& block);

 private:
  enum class Flow { normal, break_loop, continue_loop };
  using Scope = std::vector<std::pair<std::string, Value>>;

  Flow run(const Block& block, std::string& out);
  Flow run(const Statement& statement, std::string& out);
  Flow run_loop(const Statement& statement, std::string& out);
  void append(std::string& out, std::string_view text);
  void bind(const std::vector<std::string>& names, const Value& value, int line);
  void assign(const std::string& name, Value value);
  void assign_attribute(const Statement& statement);

  Value evaluate(const Expression& expression);
  Value variable(const std::string& name) const;
  Value slice(const Expression& expression);
  Value call(const Expression& expression);
  Arguments arguments(const Expression& expression, std::size_t first);

  Budget& budget_;
  std::vector<Scope> scopes_;
  int line_ = 0;
};

// --- operators (jinja_operators.cpp) --------------------------------------------------------------------------------
Value unary(std::string_view op, const Value& operand);
Value binary(std::string_view op, const Value& left, const Value& right, Budget& budget);
/// container[key]; undefined where there is none.
Value item(const Value& container, const Value& key, Budget& budget);
/// value.name: an attribute or a method; undefined where there is none.
Value attribute(const Value& value, const std::string& name, Budget& budget);
/// Python's slice; a null bound is left out.
Value slice(const Value& value, const Value* start, const Value* stop, const Value* step, Budget& budget);
/// The items that a for statement visits: of a list, the characters of a string, the keys of a dict, none of undefined.
std::vector<Value> items(const Value& value, Budget& budget);

// --- functions (jinja_functions.cpp, jinja_filters.cpp) -------------------------------------------------------------
bool is_function(std::string_view name);
Value call_function(const std::string& name, const Arguments& arguments, Budget& budget);
/// Error(unsupported) for an unknown method, naming it and the type.
Value call_method(const Method& method, const Arguments& arguments, Budget& budget);
/// Error(unsupported) for an unknown filter or test, naming it.
Value call_filter(const std::string& name, const Value& value, const Arguments& arguments, Budget& budget);
bool call_test(const std::string& name, const Value& value, const Arguments& arguments, Budget& budget);

// What methods and filters share.
std::string strip(std::string_view text, const Value* characters, bool begin, bool end);
std::string replace(std::string_view text, std::string_view from, std::string_view to, const Value* count,
                    Budget& budget);
std::string upper(std::string_view text);
std::string lower(std::string_view text);
std::size_t length_of(std::string_view text);
/// The text of an argument. Error(invalid_argument) says what wanted it.
const std::string& text_argument(const Value* value, std::string_view what);

}  // namespace quince::jinja
