// The values that chat templates compute with: Python's, as far as templates see them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "quince/error.h"

namespace quince::jinja {

class Value;

/// What one rendering may cost. Every step and every copy is charged, so that no template runs or grows without bound.
class Budget {
 public:
  Budget(std::size_t work, std::size_t output) : left_(work), max_output_(output) {}

  /// Error(resource) when the work is used up.
  void charge(std::size_t steps) {
    if (steps > left_) throw Error(ErrorCode::resource, "the template does not end within its limit of work");
    left_ -= steps;
  }
  void charge_bytes(std::size_t bytes) { charge(1 + bytes / 8); }
  std::size_t max_output() const { return max_output_; }

 private:
  std::size_t left_;
  std::size_t max_output_;
};

/// A name, attribute or index that does not exist: false, empty, and an error in most other uses.
struct Undefined {
  std::string name;
};
struct None {};

struct List {
  std::vector<Value> items;
  bool tuple = false;
};

/// Keys are strings, in order of insertion.
struct Dict {
  std::vector<std::pair<std::string, Value>> items;
  const Value* find(std::string_view key) const;
};

/// namespace(): the one value that can change.
struct Namespace {
  Dict attributes;
};

/// The variable `loop` of a for statement.
struct Loop {
  std::shared_ptr<const List> items;
  std::size_t index = 0;
};

/// A method that was named but not yet called: receiver.name.
struct Method {
  std::shared_ptr<const Value> receiver;
  std::string name;
};

/// A global function, by name.
struct Function {
  std::string name;
};

/// Immutable but for Namespace; copies share. Texts are valid UTF-8. Nesting is at most kMaxDepth deep, so that
/// walking a value cannot exhaust the stack.
class Value {
 public:
  static constexpr int kMaxDepth = 100;

  Value() : data_(Undefined{}) {}
  Value(Undefined undefined) : data_(std::move(undefined)) {}
  Value(None) : data_(None{}) {}
  Value(bool b) : data_(b) {}
  Value(std::int64_t i) : data_(i) {}
  Value(double d) : data_(d) {}
  Value(std::string text) : data_(std::make_shared<const std::string>(std::move(text))) {}
  Value(const char*) = delete;  // would become a bool
  Value(std::shared_ptr<Namespace> space) : data_(std::move(space)), mutable_(true) {}
  Value(std::shared_ptr<Loop> loop) : data_(std::move(loop)), mutable_(true) {}
  Value(Method method);
  Value(Function function) : data_(std::move(function)) {}
  /// Error(resource) past kMaxDepth.
  Value(List list);
  Value(Dict dict);

  const Undefined* undefined() const { return std::get_if<Undefined>(&data_); }
  bool is_none() const { return std::holds_alternative<None>(data_); }
  const bool* boolean() const { return std::get_if<bool>(&data_); }
  const std::int64_t* integer() const { return std::get_if<std::int64_t>(&data_); }
  const double* real() const { return std::get_if<double>(&data_); }
  const std::string* text() const { return get<const std::string>(); }
  const List* list() const { return get<const List>(); }
  const Dict* dict() const { return get<const Dict>(); }
  Namespace* space() const { return get<Namespace>(); }
  Loop* loop() const { return get<Loop>(); }
  const Method* method() const { return std::get_if<Method>(&data_); }
  const Function* function() const { return std::get_if<Function>(&data_); }
  std::shared_ptr<const List> shared_list() const { return std::get<std::shared_ptr<const List>>(data_); }

  /// Holds a namespace or a loop somewhere. Such a value cannot be stored in a namespace, so there are no cycles.
  bool holds_mutable() const { return mutable_; }

 private:
  template <class T>
  T* get() const {
    auto held = std::get_if<std::shared_ptr<T>>(&data_);
    return held ? held->get() : nullptr;
  }
  void nest(const Value& inner);

  std::variant<Undefined, None, bool, std::int64_t, double, std::shared_ptr<const std::string>,
               std::shared_ptr<const List>, std::shared_ptr<const Dict>, std::shared_ptr<Namespace>,
               std::shared_ptr<Loop>, Method, Function>
      data_;
  int depth_ = 0;
  bool mutable_ = false;
};

/// Python's name of the type: "str", "list", …
std::string_view type_name(const Value& value);
bool truth(const Value& value);
/// Python's ==; 1 == 1.0 == true.
bool equal(const Value& a, const Value& b, Budget& budget);
/// Python's str(): what {{ }} prints.
std::string to_text(const Value& value, Budget& budget);
/// Python's json.dumps(ensure_ascii=False); indent < 0: on one line. Error(invalid_argument) for what JSON cannot hold.
std::string to_json(const Value& value, int indent, Budget& budget);
/// The value of a JSON text. Error(invalid_argument) says what it is of (`what`) and why it cannot be read.
Value from_json(std::string_view json, std::string_view what);

/// A mistake of the template in what it computes.
[[noreturn]] void fail(std::string message);

}  // namespace quince::jinja
