// Reshapes as maps: boxes are matched in runs of equal element count, so that most coordinates need no division.
#include <fmt/format.h>

#include "expr/node.h"
#include "quince/error.h"
#include "quince/expr/map.h"

namespace quince {

using namespace detail;

namespace {

/// The coordinates of `from` (one run of it) at the row-major index that `axes` over `to` have.
void unflatten(std::span<const Expr> from, std::span<const Expr> to, std::span<const Expr> axes,
               std::vector<Expr>& coords) {
  Expr flat = 0;
  for (std::size_t i = 0; i < to.size(); ++i) flat = flat * to[i] + axes[i];
  std::vector<Expr> reversed;
  for (std::size_t i = from.size(); i-- > 0;) {
    // The first coordinate needs no remainder: the index is inside the run.
    reversed.push_back(i == 0 ? flat : mod(flat, from[i]));
    if (i > 0) flat = floor_div(flat, from[i]);
  }
  coords.insert(coords.end(), reversed.rbegin(), reversed.rend());
}

}  // namespace

Map reshape(const Shape& from, const Shape& to) {
  if (!prove_equal(element_count(from), element_count(to))) {
    throw Error(ErrorCode::shape_mismatch,
                fmt::format("{} and {} do not provably have equally many elements", to_string(from), to_string(to)));
  }
  const std::vector<Expr> axes = axes_of(to);
  std::vector<Expr> coords;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < from.size()) {
    // The shortest next runs of both boxes that hold equally many elements; at worst, all that is left.
    std::size_t end_i = i + 1;
    std::size_t end_j = j;
    bool found = false;
    for (; end_i <= from.size() && !found; ++end_i) {
      const Expr count = element_count(
          Shape(from.begin() + static_cast<std::ptrdiff_t>(i), from.begin() + static_cast<std::ptrdiff_t>(end_i)));
      Expr other = 1;
      for (end_j = j; end_j <= to.size(); ++end_j) {
        if (other == count) {
          found = true;
          break;
        }
        if (end_j < to.size()) other = other * to[end_j];
      }
    }
    if (found) {
      --end_i;
    } else {
      end_i = from.size();
      end_j = to.size();
    }
    unflatten(std::span(from).subspan(i, end_i - i), std::span(to).subspan(j, end_j - j),
              std::span(axes).subspan(j, end_j - j), coords);
    i = end_i;
    j = end_j;
  }
  return Map::assembled(to, from, std::move(coords));
}

}  // namespace quince
