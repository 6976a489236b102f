// Running a template.
#include "io/jinja_eval.h"

#include <fmt/format.h>

#include <algorithm>

namespace quince::jinja {

using Kind = Expression::Kind;

const Value* Arguments::find(std::size_t position, std::string_view name) const {
  if (position < positional.size()) return &positional[position];
  for (const auto& [key, value] : named) {
    if (key == name) return &value;
  }
  return nullptr;
}

void Arguments::check(std::string_view what, std::size_t count, std::initializer_list<std::string_view> names) const {
  if (positional.size() > count) fail(fmt::format("{} takes at most {} arguments", what, count));
  for (const auto& [key, value] : named) {
    if (std::find(names.begin(), names.end(), key) == names.end()) {
      throw Error(ErrorCode::unsupported, fmt::format("the argument \"{}\" of {} is not supported", key, what));
    }
  }
}

Interpreter::Interpreter(Dict globals, Budget& budget) : budget_(budget), scopes_(2) {
  scopes_[0] = std::move(globals.items);
}

std::string Interpreter::render(const Block& block) {
  std::string out;
  try {
    run(block, out);
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("line {}: {}", line_, error.message()));
  }
  return out;
}

void Interpreter::append(std::string& out, std::string_view text) {
  budget_.charge_bytes(text.size());
  if (text.size() > budget_.max_output() - std::min(out.size(), budget_.max_output())) {
    throw Error(ErrorCode::resource, fmt::format("the output is longer than {} bytes", budget_.max_output()));
  }
  out += text;
}

Interpreter::Flow Interpreter::run(const Block& block, std::string& out) {
  for (const Statement& statement : block) {
    Flow flow = run(statement, out);
    if (flow != Flow::normal) return flow;
  }
  return Flow::normal;
}

Interpreter::Flow Interpreter::run(const Statement& statement, std::string& out) {
  line_ = statement.line;
  budget_.charge(1);
  switch (statement.kind) {
    case Statement::Kind::text: append(out, statement.text); break;
    case Statement::Kind::output: {
      Value value = evaluate(*statement.expression);
      if (value.text()) {
        append(out, *value.text());
      } else {
        append(out, to_text(value, budget_));
      }
      break;
    }
    case Statement::Kind::branch:
      return run(truth(evaluate(*statement.expression)) ? statement.body : statement.otherwise, out);
    case Statement::Kind::loop: return run_loop(statement, out);
    case Statement::Kind::set:
      if (statement.attribute.empty()) {
        bind(statement.names, evaluate(*statement.expression), statement.line);
      } else {
        assign_attribute(statement);
      }
      break;
    case Statement::Kind::capture: {
      std::string captured;
      scopes_.emplace_back();
      run(statement.body, captured);
      scopes_.pop_back();
      assign(statement.names[0], std::move(captured));
      break;
    }
    case Statement::Kind::group: {
      scopes_.emplace_back();
      Flow flow = run(statement.body, out);
      scopes_.pop_back();
      return flow;
    }
    case Statement::Kind::break_loop: return Flow::break_loop;
    case Statement::Kind::continue_loop: return Flow::continue_loop;
  }
  return Flow::normal;
}

Interpreter::Flow Interpreter::run_loop(const Statement& statement, std::string& out) {
  List list;
  Value over = evaluate(*statement.expression);
  line_ = statement.line;
  list.items = items(over, budget_);
  if (statement.condition) {
    std::vector<Value> kept;
    for (Value& item : list.items) {
      scopes_.emplace_back();
      bind(statement.names, item, statement.line);
      if (truth(evaluate(*statement.condition))) kept.push_back(std::move(item));
      scopes_.pop_back();
    }
    list.items = std::move(kept);
  }
  if (list.items.empty()) return run(statement.otherwise, out);
  auto loop = std::make_shared<Loop>();
  loop->items = std::make_shared<const List>(std::move(list));
  for (const Value& item : loop->items->items) {
    budget_.charge(1);
    scopes_.emplace_back();
    assign("loop", loop);
    bind(statement.names, item, statement.line);
    Flow flow = run(statement.body, out);
    scopes_.pop_back();
    if (flow == Flow::break_loop) break;
    ++loop->index;
  }
  return Flow::normal;
}

void Interpreter::bind(const std::vector<std::string>& names, const Value& value, int line) {
  line_ = line;
  if (names.size() == 1) {
    assign(names[0], value);
    return;
  }
  std::vector<Value> parts = items(value, budget_);
  if (parts.size() != names.size()) fail(fmt::format("{} values for {} names", parts.size(), names.size()));
  for (std::size_t i = 0; i < names.size(); ++i) assign(names[i], parts[i]);
}

void Interpreter::assign(const std::string& name, Value value) {
  Scope& scope = scopes_.back();
  budget_.charge(1 + scope.size() / 8);
  auto found = std::find_if(scope.begin(), scope.end(), [&](const auto& entry) { return entry.first == name; });
  if (found != scope.end()) {
    found->second = std::move(value);
  } else {
    scope.emplace_back(name, std::move(value));
  }
}

void Interpreter::assign_attribute(const Statement& statement) {
  Value value = evaluate(*statement.expression);
  line_ = statement.line;
  Value target = variable(statement.names[0]);
  if (!target.space()) fail(fmt::format("\"{}\" is no namespace, so it has no attribute to set", statement.names[0]));
  if (value.holds_mutable()) {
    throw Error(ErrorCode::unsupported, "a namespace or loop inside a namespace is not supported");
  }
  auto& attributes = target.space()->attributes.items;
  budget_.charge(1 + attributes.size() / 8);
  for (auto& [name, held] : attributes) {
    if (name == statement.attribute) {
      held = std::move(value);
      return;
    }
  }
  attributes.emplace_back(statement.attribute, std::move(value));
}

Value Interpreter::variable(const std::string& name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    for (const auto& [key, value] : *scope) {
      if (key == name) return value;
    }
  }
  if (is_function(name)) return Function{name};
  return Undefined{name};
}

Value Interpreter::evaluate(const Expression& expression) {
  line_ = expression.line;
  budget_.charge(1);
  const auto& args = expression.args;
  switch (expression.kind) {
    case Kind::constant: return expression.value;
    case Kind::variable: {
      std::size_t names = 0;
      for (const Scope& scope : scopes_) names += scope.size();
      budget_.charge(names / 8);
      return variable(expression.name);
    }
    case Kind::list: {
      List list{{}, expression.name == "tuple"};
      for (const ExpressionPtr& arg : args) list.items.push_back(evaluate(*arg));
      return list;
    }
    case Kind::dict: {
      Dict dict;
      for (std::size_t i = 0; i < args.size(); i += 2) {
        Value key = evaluate(*args[i]), value = evaluate(*args[i + 1]);
        line_ = expression.line;
        if (!key.text()) throw Error(ErrorCode::unsupported, "a dict key that is no string is not supported");
        budget_.charge(dict.items.size() / 8);
        auto same = std::find_if(dict.items.begin(), dict.items.end(), [&](auto& e) { return e.first == *key.text(); });
        if (same != dict.items.end()) {
          same->second = std::move(value);
        } else {
          dict.items.emplace_back(*key.text(), std::move(value));
        }
      }
      return dict;
    }
    case Kind::attribute: {
      Value object = evaluate(*args[0]);
      line_ = expression.line;
      return attribute(object, expression.name, budget_);
    }
    case Kind::item: {
      Value object = evaluate(*args[0]), key = evaluate(*args[1]);
      line_ = expression.line;
      return item(object, key, budget_);
    }
    case Kind::slice: return slice(expression);
    case Kind::call: return call(expression);
    case Kind::filter: {
      Value value = evaluate(*args[0]);
      Arguments given = arguments(expression, 1);
      return call_filter(expression.name, value, given, budget_);
    }
    case Kind::test: {
      Value value = evaluate(*args[0]);
      Arguments given = arguments(expression, 1);
      return call_test(expression.name, value, given, budget_);
    }
    case Kind::unary: {
      Value operand = evaluate(*args[0]);
      line_ = expression.line;
      return unary(expression.name, operand);
    }
    case Kind::binary: {
      Value left = evaluate(*args[0]), right = evaluate(*args[1]);
      line_ = expression.line;
      return binary(expression.name, left, right, budget_);
    }
    case Kind::logical: {
      Value left = evaluate(*args[0]);
      bool decided = truth(left) == (expression.name == "or");
      return decided ? left : evaluate(*args[1]);
    }
    case Kind::conditional:
      if (truth(evaluate(*args[0]))) return evaluate(*args[1]);
      return args[2] ? evaluate(*args[2]) : Value(Undefined{"the value of an if without else"});
  }
  throw Error(ErrorCode::internal, "unknown expression");
}

Value Interpreter::slice(const Expression& expression) {
  Value object = evaluate(*expression.args[0]);
  Value bounds[3];
  const Value* given[3] = {};
  for (std::size_t i = 0; i < 3; ++i) {
    if (!expression.args[i + 1]) continue;
    bounds[i] = evaluate(*expression.args[i + 1]);
    given[i] = bounds[i].is_none() ? nullptr : &bounds[i];
  }
  line_ = expression.line;
  return jinja::slice(object, given[0], given[1], given[2], budget_);
}

Arguments Interpreter::arguments(const Expression& expression, std::size_t first) {
  Arguments given;
  for (std::size_t i = first; i < expression.args.size(); ++i)
    given.positional.push_back(evaluate(*expression.args[i]));
  for (const auto& [name, value] : expression.named) given.named.emplace_back(name, evaluate(*value));
  line_ = expression.line;
  return given;
}

Value Interpreter::call(const Expression& expression) {
  Value callee = evaluate(*expression.args[0]);
  Arguments given = arguments(expression, 1);
  if (callee.function()) return call_function(callee.function()->name, given, budget_);
  if (callee.method()) return call_method(*callee.method(), given, budget_);
  if (callee.undefined()) {
    throw Error(ErrorCode::unsupported, fmt::format("the function \"{}\" is not supported", callee.undefined()->name));
  }
  fail(fmt::format("a {} cannot be called", type_name(callee)));
}

}  // namespace quince::jinja
