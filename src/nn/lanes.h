// The vocabulary of the compositions: lanes on a new last axis, tables, dtype widening, and checks.
#pragma once

#include <initializer_list>
#include <string_view>

#include "quince/graph/tensor.h"

namespace quince::nn {

inline constexpr double kLog2E = 1.4426950408889634074;  ///< L
inline constexpr double kLn2 = 0.69314718055994530942;   ///< l

/// A 1-d constant of x's graph.
Tensor literals(const Tensor& like, DType dtype, std::initializer_list<double> values);
/// x with a second lane that reads as c: [x|c].
Tensor lane(const Tensor& x, double c);
/// x with a first lane that reads as c: [c|x].
Tensor lane_before(double c, const Tensor& x);
/// a·x, b·x, … on a new last axis: x(a, b, …). One Mul.
Tensor lanes(const Tensor& x, std::initializer_list<double> factors);
/// {a; b} on a new last axis, broadcast to one shape. One Add; `extra` further lanes read as the fill.
Tensor pair(std::string_view function, const Tensor& a, const Tensor& b, int extra = 0);
/// What the absent operand of an Add must read as: −0.0, or 0 of an integer or bool.
double add_identity(DType t);
/// stack[…, n] read at an integer index of shape […]. One Gather.
Tensor pick(const Tensor& stack, const Tensor& index);
/// values[index], a constant table of `dtype`. One Gather.
Tensor table(DType dtype, std::initializer_list<double> values, const Tensor& index);
/// A bool as a slot's integer. One Cast.
Tensor as_index(const Tensor& condition);
/// not p. One LessThan.
Tensor negate(const Tensor& p);
/// A new axis of `extent` that repeats x, before axis `axis`.
Tensor repeat_axis(const Tensor& x, int axis, Expr extent);

/// Provable equality under the assumptions of the graph of x.
bool equal_extents(const Tensor& x, Expr a, Expr b);
/// The shape all tensors broadcast to. Error(shape_mismatch) names the function and the shapes.
Shape broadcast_shape(std::string_view function, std::initializer_list<const Tensor*> tensors);
/// An axis in [0, rank). Error(out_of_range) names the function.
int checked_axis(std::string_view function, const Tensor& x, int axis);

/// Errors(dtype_mismatch) that name the function and the operand.
void require_float(std::string_view function, const Tensor& x);
void require_number(std::string_view function, const Tensor& x);
void require_integer(std::string_view function, const Tensor& x);
void require_bool(std::string_view function, const Tensor& x);
void require_same_dtype(std::string_view function, const Tensor& a, const Tensor& b);

/// Largest finite value of a float dtype, and 2^mantissa bits, from which on every value is an integer.
double largest_finite(DType t);
double integers_from(DType t);

/// f32 for narrower floats, else the dtype itself.
DType at_least_f32(DType t);
/// f64 for f32 and f64, f32 for narrower floats.
DType one_wider(DType t);
/// x in that dtype: x itself, or one Cast.
Tensor as(const Tensor& x, DType t);

/// f applied in f32 where x is narrower, and its result cast back.
template <class F>
Tensor via_f32(const Tensor& x, F&& f) {
  return as(f(as(x, at_least_f32(x.dtype()))), x.dtype());
}
/// As via_f32 for floats; integers as they are.
template <class F>
Tensor via_f32_or_integer(const Tensor& x, F&& f) {
  return is_float(x.dtype()) ? via_f32(x, f) : f(x);
}
/// f applied one step wider, and its result cast back.
template <class F>
Tensor wider(const Tensor& x, F&& f) {
  return as(f(as(x, one_wider(x.dtype()))), x.dtype());
}

}  // namespace quince::nn
