// Splitting one axis of a box in two.
#include <fmt/format.h>

#include "expr/node.h"
#include "quince/error.h"
#include "quince/expr/map.h"

namespace quince {

using namespace detail;

namespace {

/// The box with `axis` replaced by (outer, inner), and the coordinates that read it back: a·inner + b on that axis.
struct Parts {
  Shape domain;
  std::vector<Expr> coords;
};

Parts split_axis(const Shape& box, std::size_t axis, Expr outer, Expr inner) {
  Parts parts{box, {}};
  parts.domain[axis] = outer;
  parts.domain.insert(parts.domain.begin() + static_cast<std::ptrdiff_t>(axis) + 1, inner);
  parts.coords = axes_of(parts.domain);
  parts.coords[axis] = parts.coords[axis] * inner + parts.coords[axis + 1];
  parts.coords.erase(parts.coords.begin() + static_cast<std::ptrdiff_t>(axis) + 1);
  return parts;
}

std::size_t checked(const Shape& box, int axis, Expr c) {
  if (axis < 0 || static_cast<std::size_t>(axis) >= box.size()) {
    throw Error(ErrorCode::out_of_range, fmt::format("split: {} has no axis {}", to_string(box), axis));
  }
  if (range_of(c).hi < 1 || !is_uniform(c)) {
    throw Error(ErrorCode::invalid_argument, fmt::format("split: {} is no chunk size", to_string(c)));
  }
  return static_cast<std::size_t>(axis);
}

}  // namespace

Map split(const Shape& box, int axis, Expr c) {
  const std::size_t at = checked(box, axis, c);
  if (!prove_multiple(box[at], c)) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("split: {} does not provably divide {}", to_string(c), to_string(box[at])));
  }
  Parts parts = split_axis(box, at, floor_div(box[at], c), c);
  return Map::assembled(std::move(parts.domain), box, std::move(parts.coords));
}

OuterSplit outer_split(const Shape& box, int axis, Expr c) {
  const std::size_t at = checked(box, axis, c);
  Parts parts = split_axis(box, at, ceil_div(box[at], c), c);
  const Expr inside = lt(parts.coords[at], box[at]);
  return {Map(std::move(parts.domain), box, std::move(parts.coords)), inside};
}

}  // namespace quince
