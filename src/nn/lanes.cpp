// Lanes, tables, widening and checks shared by the nn functions.
#include "nn/lanes.h"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "graph/shapes.h"
#include "quince/error.h"
#include "quince/nn/elementwise.h"

namespace quince::nn {
namespace {

/// Integers wrap, so that −1 is the all-ones pattern of an unsigned dtype.
Scalar scalar_of(DType dtype, double value) {
  return is_integer(dtype) ? Scalar::of_integer(dtype, static_cast<std::int64_t>(value)) : Scalar::of(dtype, value);
}

[[noreturn]] void wrong_dtype(std::string_view function, const Tensor& x, std::string_view wanted) {
  throw Error(ErrorCode::dtype_mismatch,
              fmt::format("an operand of dtype {} and shape {} where {} is needed", name(x.dtype()),
                          to_string(x.shape()), wanted),
              std::string(function));
}

}  // namespace

Tensor literal(const Tensor& like, DType dtype, double value) {
  Array a = Array::zeros(dtype, {});
  a.set(0, scalar_of(dtype, value));
  return like.graph().constant(std::move(a));
}

Tensor literals(const Tensor& like, DType dtype, std::initializer_list<double> values) {
  Array a = Array::zeros(dtype, {static_cast<std::int64_t>(values.size())});
  std::int64_t i = 0;
  for (double v : values) a.set(i++, scalar_of(dtype, v));
  return like.graph().constant(std::move(a));
}

Tensor lane(const Tensor& x, double c) { return x.unsqueeze(x.rank()).pad(-1, 0, 1, c); }

Tensor lane_before(double c, const Tensor& x) { return x.unsqueeze(x.rank()).pad(-1, 1, 0, c); }

Tensor lanes(const Tensor& x, std::initializer_list<double> factors) {
  return mul(x.unsqueeze(x.rank()), literals(x, x.dtype(), factors));
}

double add_identity(DType t) { return is_float(t) ? -0.0 : 0.0; }

Tensor pair(std::string_view function, const Tensor& a, const Tensor& b, int extra) {
  require_same_dtype(function, a, b);
  const Shape shape = broadcast_shape(function, {&a, &b});
  const int last = static_cast<int>(shape.size());
  const double fill = add_identity(a.dtype());
  return add(a.expand(shape).unsqueeze(last).pad(-1, 0, 1 + extra, fill),
             b.expand(shape).unsqueeze(last).pad(-1, 1, extra, fill));
}

Tensor pick(const Tensor& stack, const Tensor& index) {
  std::vector<Expr> coords = axes_of(index.shape());
  coords.push_back(Expr::slot(0, 0, stack.extent(-1) - 1));
  const Tensor indices[] = {index};
  return gather(stack, Map(index.shape(), stack.shape(), std::move(coords)), indices);
}

Tensor table(DType dtype, std::initializer_list<double> values, const Tensor& index) {
  const Tensor values_tensor = literals(index, dtype, values);
  const Tensor indices[] = {index};
  return gather(values_tensor, Map(index.shape(), values_tensor.shape(), {Expr::slot(0, 0, values.size() - 1)}),
                indices);
}

Tensor as_index(const Tensor& condition) { return cast(condition, DType::u8); }

Tensor negate(const Tensor& p) { return less_than(p, literal(p, DType::boolean, 1)); }

Tensor repeat_axis(const Tensor& x, int axis, Expr extent) {
  const Tensor with_axis = x.unsqueeze(axis);
  Shape shape = with_axis.shape();
  shape[axis] = extent;
  return with_axis.expand(std::move(shape));
}

bool equal_extents(const Tensor& x, Expr a, Expr b) { return prove_equal(a, b, x.graph().facts()); }

Shape broadcast_shape(std::string_view function, std::initializer_list<const Tensor*> tensors) {
  Shape shape;
  for (const Tensor* t : tensors) {
    shape = broadcast(shape, t->shape(), t->graph().facts(), [&](Expr, Expr) {
      std::string shapes;
      for (const Tensor* u : tensors) shapes += (shapes.empty() ? "" : " and ") + to_string(u->shape());
      throw Error(ErrorCode::shape_mismatch, fmt::format("shapes {} do not broadcast", shapes), std::string(function));
    });
  }
  return shape;
}

int checked_axis(std::string_view function, const Tensor& x, int axis) {
  const int rank = x.rank();
  if (axis < -rank || axis >= rank) {
    throw Error(ErrorCode::out_of_range, fmt::format("axis {} of shape {}", axis, to_string(x.shape())),
                std::string(function));
  }
  return axis < 0 ? axis + rank : axis;
}

void require_float(std::string_view function, const Tensor& x) {
  if (!is_float(x.dtype())) wrong_dtype(function, x, "a float");
}

void require_number(std::string_view function, const Tensor& x) {
  if (x.dtype() == DType::boolean) wrong_dtype(function, x, "a number");
}

void require_integer(std::string_view function, const Tensor& x) {
  if (!is_integer(x.dtype())) wrong_dtype(function, x, "an integer");
}

void require_bool(std::string_view function, const Tensor& x) {
  if (x.dtype() != DType::boolean) wrong_dtype(function, x, "bool");
}

void require_same_dtype(std::string_view function, const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype()) {
    throw Error(ErrorCode::dtype_mismatch,
                fmt::format("operands of dtypes {} and {}", name(a.dtype()), name(b.dtype())), std::string(function));
  }
}

double largest_finite(DType t) {
  switch (t) {
    case DType::f8e4m3: return 448;
    case DType::f8e5m2: return 57344;
    case DType::f16: return 65504;
    case DType::bf16: return std::ldexp(255.0, 120);
    case DType::f32: return std::ldexp(16777215.0, 104);
    case DType::f64: return std::ldexp(9007199254740991.0, 971);
    default: throw Error(ErrorCode::internal, fmt::format("no largest finite value of {}", name(t)));
  }
}

double integers_from(DType t) {
  switch (t) {
    case DType::f8e4m3: return 8;
    case DType::f8e5m2: return 4;
    case DType::f16: return 1024;
    case DType::bf16: return 128;
    case DType::f32: return 8388608;
    case DType::f64: return 4503599627370496;
    default: throw Error(ErrorCode::internal, fmt::format("no mantissa width of {}", name(t)));
  }
}

DType at_least_f32(DType t) { return t == DType::f64 ? DType::f64 : DType::f32; }

DType one_wider(DType t) { return t == DType::f32 || t == DType::f64 ? DType::f64 : DType::f32; }

Tensor as(const Tensor& x, DType t) { return x.dtype() == t ? x : cast(x, t); }

}  // namespace quince::nn
