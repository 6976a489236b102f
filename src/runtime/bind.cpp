// Binding the dims of a run, and checking arrays against symbolic ports.
#include "runtime/bind.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "quince/error.h"

namespace quince {

void bind_shape(const std::string& what, const Program::Port& port, const Array& array, Dims& dims) {
  if (array.dtype != port.dtype) {
    throw Error(ErrorCode::dtype_mismatch, fmt::format("{} is {}, not {}", what, name(port.dtype), name(array.dtype)));
  }
  const auto mismatch = [&](std::string_view why) {
    throw Error(ErrorCode::shape_mismatch, fmt::format("{} has shape {}, given [{}]{}", what, to_string(port.shape),
                                                       fmt::join(array.shape, ", "), why));
  };
  if (array.shape.size() != port.shape.size()) mismatch("");
  for (std::size_t i = 0; i < port.shape.size(); ++i) {
    const Expr extent = port.shape[i];
    if (extent.kind() == ExprKind::dim) {
      const auto [it, added] = dims.emplace(extent.dim_name(), array.shape[i]);
      if (!added && it->second != array.shape[i]) {
        mismatch(fmt::format(", but {} is {}", extent.dim_name(), it->second));
      }
    }
  }
  if (array.storage.size() < bytes_needed(array.dtype, array.shape)) mismatch(", with too few bytes");
}

void check_dims(const std::map<std::string, Expr, std::less<>>& known, const Dims& dims, bool partial) {
  for (const auto& [dim_name, value] : dims) {
    const auto it = known.find(dim_name);
    if (it == known.end()) throw Error(ErrorCode::not_found, fmt::format("there is no dim '{}'", dim_name));
    const Range range = it->second.dim_range();
    if (value < range.lo || value > range.hi) {
      throw Error(ErrorCode::out_of_range,
                  fmt::format("dim {} is {}, outside {}..{}", dim_name, value, range.lo, range.hi));
    }
    if (value % it->second.dim_multiple() != 0) {
      throw Error(ErrorCode::out_of_range,
                  fmt::format("dim {} is {}, not a multiple of {}", dim_name, value, it->second.dim_multiple()));
    }
  }
  if (partial) return;
  for (const auto& [dim_name, dim] : known) {
    if (!dims.contains(dim_name)) throw Error(ErrorCode::not_found, fmt::format("dim '{}' has no value", dim_name));
  }
}

std::vector<std::int64_t> evaluate_shape(const Shape& shape, const Dims& dims) {
  std::vector<std::int64_t> result;
  for (Expr extent : shape) result.push_back(evaluate(extent, {.dims = dims, .axes = {}, .slots = {}}));
  return result;
}

}  // namespace quince
