// The syntax tree of a template, and its parser.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/jinja_value.h"

namespace quince::jinja {

struct Expression;
using ExpressionPtr = std::unique_ptr<Expression>;

struct Expression {
  enum class Kind {
    constant,
    variable,     ///< name
    list,         ///< args are the items; name "tuple" for a tuple
    dict,         ///< args are key, value, key, value, …
    attribute,    ///< args[0].name
    item,         ///< args[0][args[1]]
    slice,        ///< args[0][args[1]:args[2]:args[3]]; null where left out
    call,         ///< args[0](args[1] …, named …)
    filter,       ///< args[0] | name(args[1] …, named …)
    test,         ///< args[0] is name(args[1] …)
    unary,        ///< name is - + not
    binary,       ///< name is + - * / // % ~ == != < <= > >= in "not in"
    logical,      ///< name is and, or
    conditional,  ///< args[1] if args[0] else args[2] (null: undefined)
  };

  Kind kind;
  int line;
  std::string name = {};
  Value value = {};
  std::vector<ExpressionPtr> args = {};
  std::vector<std::pair<std::string, ExpressionPtr>> named = {};
  int depth = 1;
};

struct Statement;
using Block = std::vector<Statement>;

struct Statement {
  enum class Kind {
    text,     ///< text
    output,   ///< {{ expression }}
    branch,   ///< if: body where expression holds, else otherwise
    loop,     ///< for names in expression [if condition]: body; otherwise, where there are no items
    set,      ///< names = expression; with `attribute`, names[0].attribute = expression
    capture,  ///< {% set name %} body {% endset %}
    group,    ///< body, without further effect
    break_loop,
    continue_loop,
  };

  Kind kind;
  int line;
  std::string text = {};
  std::vector<std::string> names = {};
  std::string attribute = {};
  ExpressionPtr expression = {};
  ExpressionPtr condition = {};
  Block body = {};
  Block otherwise = {};
};

/// Error(parse) and Error(unsupported) name the line and what stands there; Error(resource) for nesting past a limit.
Block parse(std::string_view source);

}  // namespace quince::jinja
