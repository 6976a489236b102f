// Maps: total functions from a consumer's box into a source's box, one coordinate expression per source axis.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "quince/expr/expr.h"

namespace quince {

/// Extents of a box, outermost axis first; sizes may be symbolic: `Shape{s, 4096}`.
using Shape = std::vector<Expr>;

/// Text of a shape: "[s, 4096]".
std::string to_string(const Shape& shape);
/// The number of elements, as an expression.
Expr element_count(const Shape& shape);
/// Provable equality of every extent.
bool same_shape(const Shape& a, const Shape& b);
/// The axis leaves a0 a1 … of a box (0 where the extent is 1).
std::vector<Expr> axes_of(const Shape& box);

/// coords[i] is the coordinate on source axis i, over the axes of `domain` and over slots. Every coordinate is
/// clamped into the source box (explicitly, unless its range proves it), so a map is total wherever the source is
/// not empty. Immutable.
class Map {
 public:
  Map() = default;
  /// Clamps what is not provably inside under the assumptions (a graph's facts about its dims). Errors:
  /// coords.size() ≠ source.size(); an axis leaf that is not the domain's axis of that position.
  Map(Shape domain, Shape source, std::vector<Expr> coords, Assumptions assume = {});
  static Map identity(const Shape& box);
  /// As the constructor, for coordinates that are known to lie inside the source: nothing is checked or clamped.
  static Map assembled(Shape domain, Shape source, std::vector<Expr> coords);

  const Shape& domain() const { return domain_; }
  const Shape& source() const { return source_; }
  const std::vector<Expr>& coords() const { return coords_; }
  bool is_identity() const;
  /// One more than the largest slot index used; 0 without slots.
  int slot_count() const;
  bool operator==(const Map& other) const = default;

 private:
  Shape domain_;
  Shape source_;
  std::vector<Expr> coords_;
};

std::string to_string(const Map& map);

/// x read at `inner`, then that read at `outer`: the map from outer's domain to inner's source. Both being total, the
/// result needs no clamps of its own: none is added, so those an assumption proved away stay away.
/// Slots of `inner` keep their indices; slots of `outer` are shifted by `outer_slot_shift`.
Map compose(const Map& inner, const Map& outer, int outer_slot_shift = 0);
/// A predicate or index expression over `map`'s source axes, read through the map: p ∘ m.
Expr pull(Expr e, const Map& map);
/// m × identity on `extra` further trailing axes.
Map lift(const Map& map, const Shape& extra);
/// Drops the last n axes: box × tail → box.
Map project_last(const Shape& box, int n);
/// The same box with the last n axes read at 0.
Map zero_last(const Shape& box, int n);
/// Reads the last axis at the fixed index e (over the other axes): box without last → box.
Map fix_last(const Shape& box, Expr e);

/// A reshape between boxes of provably equal element count, as one map (row-major order). Error: counts differ.
Map reshape(const Shape& from, const Shape& to);

/// m = injective ∘ projection: `projection` maps m's domain onto a smaller box by dropping unread axes (an axis read
/// only as a // c, with c dividing its extent, becomes one of extent/c); `injective` maps that box to m's source.
struct Factored {
  Map injective;
  Map projection;
};
Factored factor(const Map& map);
/// True only if no two points of the domain are sent to the same source point.
bool is_injective(const Map& map);
/// The largest number of domain points sent to one source point, or an upper bound of it, where provable.
std::optional<Expr> largest_fibre(const Map& map);
/// (a, b) ↦ a·c + b on one axis: box with axis split in two → box. c must divide the extent.
Map split(const Shape& box, int axis, Expr c);
/// As split, for any c: the box has ceildiv(n, c) outer chunks, the tail is clamped; `inside` says where it is real.
struct OuterSplit {
  Map map;
  Expr inside;
};
OuterSplit outer_split(const Shape& box, int axis, Expr c);
/// Per source axis, the inclusive range of coordinates (over dims and slots' ranges) that the map may read.
std::vector<std::pair<Expr, Expr>> footprint(const Map& map);
/// k⁻¹ ∘ m: the map r with k ∘ r = m, for injective k, where one can be found.
std::optional<Map> solve(const Map& k, const Map& m);
/// Replaces slot `slot` by an affine index over the domain's axes (within the slot's range); later slots move down.
Map fold_slot(const Map& map, int slot, Expr index);
/// True only if the images of the two maps (of one source box) never meet.
bool images_disjoint(const Map& a, const Map& b);
/// True only if every point read by `a` is also reached by `b`.
bool image_subset(const Map& a, const Map& b);

}  // namespace quince
