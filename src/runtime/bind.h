// Binding the dims of a run, and checking arrays against symbolic ports.
#pragma once

#include "quince/runtime/program.h"

namespace quince {

/// Reads dims off an array whose port has them as plain extents; checks dtype, rank and every extent it can.
/// `what` names the port in errors, e.g. "input 'tokens'".
void bind_shape(const std::string& what, const Program::Port& port, const Array& array, Dims& dims);
/// Throws unless every dim of `known` has a value in range and of its multiple, and no other dim is named.
/// With `partial`, missing ones are let through.
void check_dims(const std::map<std::string, Expr, std::less<>>& known, const Dims& dims, bool partial);
/// The concrete extents of a shape; Error(not_found) names a dim without a value.
std::vector<std::int64_t> evaluate_shape(const Shape& shape, const Dims& dims);

}  // namespace quince
