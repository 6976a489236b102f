// Ops on single elements of every dtype: the value is widened, computed with, and rounded or wrapped once.
#include <cassert>
#include <cmath>
#include <limits>

#include "backend/reference/elementary.h"

namespace quince::backend::reference {
namespace {

template <class T>
T unary(Op op, T x) {
  switch (op) {
    case Op::log2: return log2(x);
    case Op::exp2: return exp2(x);
    case Op::sin: return sin(x);
    case Op::sqrt: return sqrt(x);
    default: assert(op == Op::recip); return recip(x);
  }
}

template <class T>
T binary(Op op, T x, T y) {
  switch (op) {
    case Op::add: return add(x, y);
    case Op::mul: return mul(x, y);
    case Op::mod: return mod(x, y);
    default: assert(op == Op::max_reduce); return max_of(x, y);
  }
}

std::int64_t binary_u64(Op op, std::int64_t x, std::int64_t y) {
  if (op == Op::mod) {
    return static_cast<std::int64_t>(mod(static_cast<std::uint64_t>(x), static_cast<std::uint64_t>(y)));
  }
  return op == Op::max_reduce ? max_of_u64(x, y) : binary(op, x, y);
}

std::int64_t binary_bool(Op op, std::int64_t x, std::int64_t y) {
  return op == Op::mul ? mul_bool(x, y) : add_bool(x, y);
}

}  // namespace

Scalar lowest(DType t) {
  if (t == DType::boolean) return {t, 0};
  if (!is_float(t)) return Scalar::of_integer(t, integer_min(t));
  return Scalar::of(t, -std::numeric_limits<double>::infinity());
}

Scalar apply(Op op, Scalar x) {
  assert(is_float(x.dtype) && !is_storage_only(x.dtype));
  if (x.dtype == DType::f64) return Scalar::of(DType::f64, unary(op, x.as_double()));
  return Scalar::of(x.dtype, unary(op, static_cast<float>(x.as_double())));
}

Scalar apply(Op op, Scalar x, Scalar y) {
  const DType t = x.dtype;
  assert(t == y.dtype && !is_storage_only(t));
  if (op == Op::less_than) {
    const bool less = is_float(t)       ? less_than(x.as_double(), y.as_double())
                      : t == DType::u64 ? less_than_u64(x.as_integer(), y.as_integer())
                                        : less_than(x.as_integer(), y.as_integer());
    return {DType::boolean, less ? 1u : 0u};
  }
  if (t == DType::f64) return Scalar::of(t, binary(op, x.as_double(), y.as_double()));
  if (is_float(t)) {
    return Scalar::of(t, binary(op, static_cast<float>(x.as_double()), static_cast<float>(y.as_double())));
  }
  const std::int64_t a = x.as_integer();
  const std::int64_t b = y.as_integer();
  if (t == DType::boolean) return Scalar::of_integer(t, binary_bool(op, a, b));
  return Scalar::of_integer(t, t == DType::u64 ? binary_u64(op, a, b) : binary(op, a, b));
}

}  // namespace quince::backend::reference
