// Maps: construction with clamps, composition, and the elementary maps between boxes.
#include "quince/expr/map.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "expr/node.h"
#include "expr/prover.h"
#include "expr/substitute.h"
#include "quince/error.h"

namespace quince {

using namespace detail;

namespace {

/// Every axis leaf of e is the box's axis of that position.
void check_axes(Expr e, const Shape& box, Expr coord) {
  const ExprNode& node = *e.node();
  if (node.axes == 0) return;
  if (node.kind == ExprKind::axis) {
    const auto position = static_cast<std::size_t>(node.value);
    if (position >= box.size() || node.operands[0] != box[position]) {
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("coordinate {}: a{} is no axis of {}", to_string(coord), node.value, to_string(box)));
    }
    return;
  }
  for (Expr o : e.operands()) check_axes(o, box, coord);
}

std::string join(const std::vector<Expr>& parts) {
  std::string text;
  for (Expr e : parts) text += (text.empty() ? "" : ", ") + to_string(e);
  return text;
}

}  // namespace

std::string to_string(const Shape& shape) { return "[" + join(shape) + "]"; }

Expr element_count(const Shape& shape) {
  Expr count = 1;
  for (Expr extent : shape) count = count * extent;
  return count;
}

bool same_shape(const Shape& a, const Shape& b) {
  return std::ranges::equal(a, b, [](Expr x, Expr y) { return prove_equal(x, y); });
}

std::vector<Expr> axes_of(const Shape& box) {
  std::vector<Expr> axes;
  axes.reserve(box.size());
  for (std::size_t i = 0; i < box.size(); ++i) axes.push_back(Expr::axis(static_cast<int>(i), box[i]));
  return axes;
}

Map::Map(Shape domain, Shape source, std::vector<Expr> coords, Assumptions assume)
    : domain_(std::move(domain)), source_(std::move(source)), coords_(std::move(coords)) {
  if (coords_.size() != source_.size()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{} coordinates for the source {}", coords_.size(), to_string(source_)));
  }
  std::optional<Prover> prover;
  for (std::size_t i = 0; i < coords_.size(); ++i) {
    Expr& e = coords_[i];
    check_axes(e, domain_, e);
    if (e.kind() == ExprKind::axis && e.operands()[0] == source_[i]) continue;
    if (e.is_constant(0)) continue;
    Polynomial room(source_[i]);
    room.add(Polynomial(e), -1);
    room.add_constant(-1);
    bool above = range_of(e).lo >= 0;
    bool below = !room.overflowed && range_of(room).lo >= 0;
    if ((!above || !below) && !prover) {
      // A point to read at exists only where no extent of either box is 0.
      prover.emplace(assume);
      for (const Shape* box : {&domain_, &source_}) {
        for (Expr extent : *box) {
          if (range_of(extent).lo < 1) prover->add_fact(extent - 1);
        }
      }
    }
    above = above || prover->not_negative(Polynomial(e));
    below = below || prover->not_negative(room);
    if (!below) e = min(e, source_[i] - 1);
    if (!above) e = max(e, 0);
  }
}

Map Map::identity(const Shape& box) { return assembled(box, box, axes_of(box)); }

Map Map::assembled(Shape domain, Shape source, std::vector<Expr> coords) {
  Map map;
  map.domain_ = std::move(domain);
  map.source_ = std::move(source);
  map.coords_ = std::move(coords);
  return map;
}

bool Map::is_identity() const {
  if (domain_ != source_) return false;
  for (std::size_t i = 0; i < coords_.size(); ++i) {
    const ExprNode& node = *coords_[i].node();
    const bool own = node.kind == ExprKind::axis && node.value == static_cast<std::int64_t>(i);
    if (!own && !(coords_[i].is_constant(0) && range_of(domain_[i]) == Range{1, 1})) return false;
  }
  return true;
}

int Map::slot_count() const {
  int count = 0;
  for (Expr e : coords_) count = std::max(count, quince::slot_count(e));
  return count;
}

std::string to_string(const Map& map) {
  return fmt::format("{} -> ({}) in {}", to_string(map.domain()), join(map.coords()), to_string(map.source()));
}

Map compose(const Map& inner, const Map& outer, int outer_slot_shift) {
  if (!same_shape(inner.domain(), outer.source())) {
    throw Error(ErrorCode::shape_mismatch,
                fmt::format("a map of {} read at a map into {}", to_string(inner.domain()), to_string(outer.source())));
  }
  if (outer_slot_shift == 0 && inner.is_identity())
    return Map::assembled(outer.domain(), inner.source(), outer.coords());
  std::vector<Expr> through = outer.coords();
  if (outer_slot_shift != 0) {
    for (Expr& e : through) e = substitute_axes(e, {}, outer_slot_shift);
  }
  std::vector<Expr> coords;
  coords.reserve(inner.coords().size());
  for (Expr e : inner.coords()) coords.push_back(substitute_axes(e, through));
  return Map::assembled(outer.domain(), inner.source(), std::move(coords));
}

Expr pull(Expr e, const Map& map) { return substitute_axes(e, map.coords()); }

Map lift(const Map& map, const Shape& extra) {
  Shape domain = map.domain();
  Shape source = map.source();
  std::vector<Expr> coords = map.coords();
  for (Expr extent : extra) {
    coords.push_back(Expr::axis(static_cast<int>(domain.size()), extent));
    domain.push_back(extent);
    source.push_back(extent);
  }
  return Map::assembled(std::move(domain), std::move(source), std::move(coords));
}

namespace {

std::size_t kept_axes(const Shape& box, int n) {
  if (n < 0 || static_cast<std::size_t>(n) > box.size()) {
    throw Error(ErrorCode::invalid_argument, fmt::format("{} last axes of {}", n, to_string(box)));
  }
  return box.size() - static_cast<std::size_t>(n);
}

}  // namespace

Map project_last(const Shape& box, int n) {
  const std::size_t kept = kept_axes(box, n);
  Shape source(box.begin(), box.begin() + static_cast<std::ptrdiff_t>(kept));
  std::vector<Expr> coords = axes_of(source);
  return Map::assembled(box, std::move(source), std::move(coords));
}

Map zero_last(const Shape& box, int n) {
  std::vector<Expr> coords = axes_of(box);
  std::fill(coords.begin() + static_cast<std::ptrdiff_t>(kept_axes(box, n)), coords.end(), Expr(0));
  return Map::assembled(box, box, std::move(coords));
}

Map fix_last(const Shape& box, Expr e) {
  Shape domain(box.begin(), box.begin() + static_cast<std::ptrdiff_t>(kept_axes(box, 1)));
  std::vector<Expr> coords = axes_of(domain);
  coords.push_back(e);
  return {std::move(domain), box, std::move(coords)};
}

}  // namespace quince
