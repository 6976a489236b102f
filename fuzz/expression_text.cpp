// Any text either parses to an expression that prints and parses back to itself, or is refused with an Error.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "quince/error.h"
#include "quince/expr/map.h"

namespace {

quince::ExprScope make_scope() {
  using quince::Expr;
  quince::ExprScope scope;
  const Expr s = Expr::dim("s", {0, 8192});
  const Expr b = Expr::dim("b", {1, 64});
  const Expr m = Expr::dim("m", {0, 4096}, 64);
  const Expr any = Expr::dim("any", {});
  for (Expr d : {s, b, m, any}) scope.dims.emplace(d.dim_name(), d);
  scope.axes = quince::axes_of({b, s, 9, 64, b * s, 1});
  scope.slots = {Expr::slot(0, 0, s - 1), Expr::slot(1, -3, 3)};
  return scope;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace quince;
  static const ExprScope scope = make_scope();
  Expr e;
  try {
    e = parse_expr({reinterpret_cast<const char*>(data), size}, scope);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::internal) std::abort();
    return 0;
  }
  // What was built prints back to itself; a text longer than the parser takes is the only exception.
  const std::string text = to_string(e);
  try {
    if (parse_expr(text, scope) != e) std::abort();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::parse || text.size() <= (1U << 16)) std::abort();
  }
  try {
    const Bindings at{{{"s", 5}, {"b", 2}, {"m", 128}, {"any", -7}}, {1, 4, 8, 63, 9, 0}, {4, -2}};
    const std::int64_t value = evaluate(e, at);
    const Range r = bounds(e);
    if ((r.lo != -Range::kInfinity && value < r.lo) || value > r.hi) std::abort();
  } catch (const Error&) {
    return 0;
  }
  return 0;
}
