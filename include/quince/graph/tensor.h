// The tensor API: handles that record ops into a graph and compute nothing.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <vector>

#include "quince/graph/graph.h"

namespace quince {

/// A node of a graph read through a view. Movement (permute, slice, pad, …) changes only the view. Every function
/// checks shapes and dtypes at once; its Error names the op and the operands.
///
/// Axes count from 0; negative ones from the end. Binary ops take operands of one dtype and broadcast as NumPy does:
/// missing leading axes and extents that are provably 1 are expanded.
class Tensor {
 public:
  Tensor() = default;
  Tensor(Graph* graph, NodeId node, View view) : graph_(graph), node_(node), view_(std::move(view)) {}

  Graph& graph() const { return *graph_; }
  bool valid() const { return graph_ != nullptr; }
  NodeId node() const { return node_; }
  const View& view() const { return view_; }
  Operand operand() const { return {node_, view_}; }
  const Shape& shape() const { return view_.map.domain(); }
  int rank() const { return static_cast<int>(shape().size()); }
  Expr extent(int axis) const;
  DType dtype() const;
  /// Marks the node as pinned (docs/ops.md); returns the tensor.
  Tensor pinned() const;

  // --- movement: views only ---------------------------------------------------------------------------------------
  Tensor permute(std::vector<int> order) const;
  /// Swaps two axes.
  Tensor transpose(int a, int b) const;
  /// To `shape` by NumPy's broadcasting rule.
  Tensor expand(Shape shape) const;
  /// [begin, end) by step on one axis. Errors where the range is provably outside.
  Tensor slice(int axis, Expr begin, Expr end, std::int64_t step = 1) const;
  Tensor flip(int axis) const;
  /// Adds `before` and `after` elements that read as `fill`.
  Tensor pad(int axis, Expr before, Expr after, double fill = 0) const;
  Tensor squeeze(int axis) const;
  Tensor unsqueeze(int axis) const;
  /// Row-major; the element counts must be provably equal.
  Tensor reshape(const Shape& shape) const;
  /// Axis of extent n to two axes (n/inner, inner).
  Tensor split(int axis, Expr inner) const;
  /// Axes `axis` and `axis + 1` to one.
  Tensor merge(int axis) const;
  /// Sliding windows on one axis: extent n becomes ⌊(n − dilation·(size − 1) − 1)/stride⌋ + 1 and a new last axis
  /// of `size` appears.
  Tensor window(int axis, std::int64_t size, std::int64_t stride = 1, std::int64_t dilation = 1) const;
  /// One index of one axis; the axis disappears.
  Tensor select(int axis, Expr index) const;
  /// Reads at an arbitrary map into this tensor's shape.
  Tensor at(const Map& map) const;
  /// Reads as `fill` where the predicate over this tensor's axes is 0.
  Tensor masked(Expr predicate, double fill) const;

  // --- reductions -------------------------------------------------------------------------------------------------
  Tensor sum(const std::vector<int>& axes, bool keep = false) const;
  Tensor max(const std::vector<int>& axes, bool keep = false) const;

 private:
  Graph* graph_ = nullptr;
  NodeId node_ = 0;
  View view_;
};

// --- the ops ------------------------------------------------------------------------------------------------------
Tensor log2(const Tensor& x);
Tensor exp2(const Tensor& x);
Tensor sin(const Tensor& x);
Tensor sqrt(const Tensor& x);
Tensor recip(const Tensor& x);
Tensor cast(const Tensor& x, DType to);
Tensor add(const Tensor& a, const Tensor& b);
Tensor mul(const Tensor& a, const Tensor& b);
Tensor mod(const Tensor& a, const Tensor& b);
Tensor less_than(const Tensor& a, const Tensor& b);

/// out[i] = data[map(i, slots)] with the slots' values read from `indices` (integer or bool, each of the map's
/// domain). The map's source is data's shape; slot k is indices[k], and its declared range is a promise that checked
/// runs verify.
Tensor gather(const Tensor& data, const Map& map, std::span<const Tensor> indices);
/// data with axis replaced by the axes of `index`: out[…, j…, …] = data[…, index[j…], …]. Every index is in
/// [0, extent).
Tensor take(const Tensor& data, int axis, const Tensor& index);
/// dest with src written at `target`: coordinates over src's axes and the slots supplied by `indices`.
Tensor scatter(const Tensor& dest, const Tensor& src, std::vector<Expr> target, std::span<const Tensor> indices);

inline Tensor operator+(const Tensor& a, const Tensor& b) { return add(a, b); }
inline Tensor operator*(const Tensor& a, const Tensor& b) { return mul(a, b); }
/// With a constant of the tensor's dtype.
Tensor operator+(const Tensor& a, double b);
Tensor operator*(const Tensor& a, double b);
inline Tensor operator+(double a, const Tensor& b) { return b + a; }
inline Tensor operator*(double a, const Tensor& b) { return b * a; }

}  // namespace quince
