// Random graphs over all ops, dtypes and views, with small symbolic boxes, and random values for their inputs.
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "backend/executable.h"
#include "quince/graph/tensor.h"

namespace quince::test {

class RandomGraph {
 public:
  /// The same seed gives the same graph.
  explicit RandomGraph(std::uint64_t seed);

  const Graph& graph() const { return *graph_; }
  /// Values for the inputs and states at these dims. Error(unsupported) where an extent would be negative.
  backend::Request request(std::int64_t n, std::int64_t m);

 private:
  std::int64_t below(std::int64_t limit);
  bool chance(int percent) { return below(100) < percent; }
  Expr extent();
  Shape shape(int most_axes);
  DType computable();
  Tensor any();
  /// Reads x as float (or integer), casting where it is not.
  Tensor as_float(const Tensor& x);
  Tensor as_integer(const Tensor& x);
  /// Some tensor of this dtype that broadcasts against x.
  Tensor partner(const Tensor& x);
  void leaf();
  Tensor step();
  Tensor move(const Tensor& x);
  Tensor take_rows(const Tensor& x);
  Tensor gather_anywhere(const Tensor& x);
  Tensor choose(const Tensor& x);
  Tensor scatter_into(const Tensor& dest, bool in_place);
  void add_state();
  bool is_small(const Shape& shape) const;
  void keep(const Tensor& x);
  Array values(DType dtype, const std::vector<std::int64_t>& shape);

  std::mt19937_64 random_;
  std::unique_ptr<Graph> graph_ = std::make_unique<Graph>();
  Expr n_ = Expr::dim("n", {0, 33});
  Expr m_ = Expr::dim("m", {1, 33});
  std::vector<Tensor> tensors_;
  int names_ = 0;
};

}  // namespace quince::test
