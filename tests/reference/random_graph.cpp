// Each step picks an op and operands at random; what the graph refuses is simply not added.
#include "reference/random_graph.h"

#include <fmt/format.h>

#include <algorithm>

namespace quince::test {
namespace {

constexpr DType kComputable[] = {DType::boolean, DType::i8,     DType::i16, DType::i32, DType::i64,  DType::u8,
                                 DType::u16,     DType::u32,    DType::u64, DType::f16, DType::bf16, DType::f32,
                                 DType::f8e4m3,  DType::f8e5m2, DType::f64, DType::f32, DType::f32,  DType::f32};
constexpr DType kStorage[] = {DType::u1, DType::u2, DType::u4, DType::i4, DType::f4e2m1, DType::f8e8m0};
constexpr std::int64_t kMostElements = 3000;
constexpr std::int64_t kAnywhere = std::int64_t{1} << 40;

}  // namespace

RandomGraph::RandomGraph(std::uint64_t seed) : random_(seed) {
  const auto leaves = 2 + below(3);
  for (std::int64_t i = 0; i < leaves; ++i) leaf();
  const auto steps = 3 + below(14);
  for (std::int64_t i = 0; i < steps; ++i) {
    try {
      keep(step());
    } catch (const Error& error) {
      if (error.code() == ErrorCode::internal) throw;
    }
  }
  if (chance(40)) add_state();
  const auto outputs = 1 + below(3);
  for (std::int64_t i = 0; i < outputs; ++i) {
    // The newest tensors depend on the most.
    const auto newest = std::min<std::int64_t>(5, static_cast<std::int64_t>(tensors_.size()));
    Tensor x = tensors_[tensors_.size() - 1 - static_cast<std::size_t>(below(newest))];
    try {
      if (chance(30)) x = move(x);
      graph_->output(fmt::format("out{}", i), x);
    } catch (const Error&) {
      continue;  // a view that cannot be had
    }
  }
}

std::int64_t RandomGraph::below(std::int64_t limit) {
  return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(limit));
}

Expr RandomGraph::extent() {
  static constexpr std::int64_t kExtents[] = {0, 1, 2, 3, 4, 5, 6, 8, 15, 16, 17, 31, 32, 33};
  switch (below(6)) {
    case 0: return n_;
    case 1: return m_;
    case 2: return below(2) == 0 ? n_ + 1 : m_ * 2;
    default: return kExtents[static_cast<std::size_t>(chance(5) ? 0 : 1 + below(13))];
  }
}

Shape RandomGraph::shape(int most_axes) {
  for (;;) {
    Shape result;
    for (auto axes = below(most_axes + 1); axes > 0; --axes) result.push_back(extent());
    if (is_small(result)) return result;
  }
}

bool RandomGraph::is_small(const Shape& box) const {
  Bindings at;
  at.dims = {{"n", 33}, {"m", 33}};
  std::int64_t count = 1;
  for (Expr e : box) {
    count *= std::max<std::int64_t>(evaluate(e, at), 1);
    if (count > kMostElements) return false;
  }
  return true;
}

DType RandomGraph::computable() { return kComputable[static_cast<std::size_t>(below(std::size(kComputable)))]; }

Tensor RandomGraph::any() {
  return tensors_[static_cast<std::size_t>(below(static_cast<std::int64_t>(tensors_.size())))];
}

void RandomGraph::keep(const Tensor& x) {
  if (!is_small(x.shape())) return;
  tensors_.push_back(is_storage_only(x.dtype()) ? cast(x, chance(50) ? DType::f32 : computable()) : x);
}

void RandomGraph::leaf() {
  if (chance(15)) {
    const DType t = kStorage[static_cast<std::size_t>(below(std::size(kStorage)))];
    const Shape box = shape(2);
    if (chance(50)) return keep(graph_->input(fmt::format("x{}", names_++), t, box));
    std::vector<std::int64_t> sizes;
    for (Expr e : box) sizes.push_back(e.as_constant().value_or(7));
    return keep(graph_->constant(values(t, sizes)));
  }
  const DType t = computable();
  switch (below(4)) {
    case 0: {
      std::vector<std::int64_t> sizes;
      for (Expr e : shape(3)) sizes.push_back(e.as_constant().value_or(5));
      return keep(graph_->constant(values(t, sizes)));
    }
    case 1: {
      const Shape box = shape(3);
      Expr index = below(9) - 4;
      for (Expr axis : axes_of(box)) index = index * (1 + below(3)) + axis * (below(5) - 2);
      if (chance(30)) index = chance(50) ? floor_div(index, 3) : mod(index, 5);
      if (chance(30)) index = index * n_ - m_;
      return keep(graph_->iota(is_integer(t) ? t : DType::i32, box, index));
    }
    default: return keep(graph_->input(fmt::format("x{}", names_++), t, shape(3)));
  }
}

Tensor RandomGraph::as_float(const Tensor& x) {
  if (is_float(x.dtype())) return x;
  static constexpr DType kFloats[] = {DType::f32, DType::f64, DType::f16, DType::bf16};
  return cast(x, kFloats[static_cast<std::size_t>(below(4))]);
}

Tensor RandomGraph::as_integer(const Tensor& x) { return is_integer(x.dtype()) ? x : cast(x, DType::i32); }

Tensor RandomGraph::partner(const Tensor& x) {
  for (int tries = 0; tries < 6; ++tries) {
    Tensor y = any();
    try {
      Tensor z = y.dtype() == x.dtype() ? y : cast(y, x.dtype());
      const Shape together = add(cast(x, DType::i32), cast(z, DType::i32)).shape();
      if (is_small(together)) return z;
    } catch (const Error&) {
      continue;  // the shapes do not broadcast
    }
  }
  return chance(50) ? graph_->scalar(x.dtype(), static_cast<double>(below(7)) - 3)
                    : graph_->input(fmt::format("x{}", names_++), x.dtype(), x.shape());
}

Tensor RandomGraph::move(const Tensor& x) {
  const int rank = x.rank();
  const int axis = rank == 0 ? 0 : static_cast<int>(below(rank));
  switch (below(rank == 0 ? 2 : 13)) {
    case 0: return x.unsqueeze(static_cast<int>(below(rank + 1)));
    case 1: {
      Shape box = x.shape();
      box.insert(box.begin(), extent());
      return x.expand(box);
    }
    case 2: {
      std::vector<int> order(static_cast<std::size_t>(rank));
      for (int i = 0; i < rank; ++i) order[static_cast<std::size_t>(i)] = i;
      std::shuffle(order.begin(), order.end(), random_);
      return x.permute(order);
    }
    case 3: return x.slice(axis, below(3), x.extent(axis) - below(2), 1 + below(3));
    case 4: return x.flip(axis);
    case 5:
    case 6: return x.pad(axis, below(4), chance(50) ? Expr(below(4)) : m_, static_cast<double>(below(5)) - 2);
    case 7: return x.split(axis, 1 + below(4));
    case 8: return x.merge(axis);
    case 9: return x.window(axis, 1 + below(3), 1 + below(2), 1 + below(2));
    case 10: return x.select(axis, below(3));
    case 11: {
      const std::vector<Expr> axes = axes_of(x.shape());
      Expr e = below(9) - 4;
      for (Expr a : axes) e = e + a * (below(5) - 2);
      const Expr p = chance(50) ? ge(e, 0) : logical_or(lt(e, m_), eq(mod(e, 3), 1));
      return x.masked(p, static_cast<double>(below(5)) - 2);
    }
    default: {
      // Each element several times in a row, or every so many.
      Shape box = x.shape();
      const std::int64_t c = 2 + below(3);
      box[static_cast<std::size_t>(axis)] = box[static_cast<std::size_t>(axis)] * c;
      std::vector<Expr> coords = axes_of(box);
      Expr& coord = coords[static_cast<std::size_t>(axis)];
      coord = chance(50) ? floor_div(coord, c) : mod(coord, x.extent(axis) + below(2));
      return x.at(Map(box, x.shape(), coords));
    }
  }
}

Tensor RandomGraph::take_rows(const Tensor& x) {
  const int axis = static_cast<int>(below(std::max(x.rank(), 1)));
  const Tensor index = as_integer(any());
  // Its elements modulo the extent, so that every index is inside (of an empty axis there is none).
  const Tensor wide = cast(index, DType::i64);
  return take(x, axis, mod(wide, graph_->iota(DType::i64, {}, x.extent(axis))));
}

Tensor RandomGraph::gather_anywhere(const Tensor& x) {
  const Tensor index = as_integer(any());
  std::vector<Expr> coords;
  const std::vector<Expr> axes = axes_of(index.shape());
  const Expr slot = Expr::slot(0, -kAnywhere, kAnywhere);
  for (int i = 0; i < x.rank(); ++i) {
    Expr c = slot * (below(3) - 1) + below(3);
    for (Expr axis : axes) c = c + axis * (below(3) - 1);
    coords.push_back(chance(20) ? mod(c, 3) : c);
  }
  const Tensor indices[] = {index.dtype() == DType::u64 || index.dtype() == DType::i64 ? cast(index, DType::i32)
                                                                                       : index};
  return gather(x, Map(index.shape(), x.shape(), coords), indices);
}

/// where(c, x, y) as a Gather over a stack of two.
Tensor RandomGraph::choose(const Tensor& x) {
  const Tensor y = partner(x);
  const Tensor condition = less_than(x, y);
  const Tensor both = condition.rank() == x.rank() ? x : x.expand(condition.shape());
  const Tensor stack = both.unsqueeze(both.rank()).pad(-1, 0, 1, static_cast<double>(below(4)));
  std::vector<Expr> coords = axes_of(condition.shape());
  coords.push_back(Expr::slot(0, 0, 1));
  const Tensor indices[] = {condition};
  return gather(stack, Map(condition.shape(), stack.shape(), coords), indices);
}

Tensor RandomGraph::scatter_into(const Tensor& dest, bool in_place) {
  const Tensor src = cast(any(), dest.dtype());
  const Tensor index = cast(as_integer(any()), DType::i32);
  const Tensor slot = index.rank() <= src.rank() && chance(50) ? partner(cast(src, DType::i32))
                                                               : graph_->iota(DType::i32, src.shape(), below(3));
  const std::vector<Expr> axes = axes_of(src.shape());
  std::vector<Expr> target;
  for (int i = 0; i < dest.rank(); ++i) {
    Expr c = Expr::slot(0, -kAnywhere, kAnywhere) * below(2) + (below(5) - 2);
    for (Expr axis : axes) c = c + axis * (below(4) - 1);
    target.push_back(c);
  }
  if (in_place && dest.rank() == src.rank() && chance(50)) target = axes;
  const Tensor indices[] = {slot};
  return scatter(dest, src, target, indices);
}

Tensor RandomGraph::step() {
  const Tensor x = any();
  switch (below(14)) {
    case 0: return cast(x, computable());
    case 1: {
      static constexpr Op kUnary[] = {Op::log2, Op::exp2, Op::sin, Op::sqrt, Op::recip};
      const Tensor f = as_float(x);
      switch (kUnary[static_cast<std::size_t>(below(5))]) {
        case Op::log2: return log2(f);
        case Op::exp2: return exp2(f);
        case Op::sin: return sin(f);
        case Op::sqrt: return sqrt(f);
        default: return recip(f);
      }
    }
    case 2: return add(x, partner(x));
    case 3: return mul(x, partner(x));
    case 4: return mod(x, partner(x));
    case 5: return less_than(x, partner(x));
    case 6:
    case 7: {
      std::vector<int> axes;
      for (int i = 0; i < x.rank(); ++i) {
        if (chance(50)) axes.push_back(i);
      }
      return chance(60) ? x.sum(axes, chance(30)) : x.max(axes, chance(30));
    }
    case 8: return take_rows(x);
    case 9: return gather_anywhere(x);
    case 10: return choose(x);
    case 11: return scatter_into(x, false);
    default: return move(x);
  }
}

void RandomGraph::add_state() {
  const DType t = computable();
  const Tensor state = graph_->state("state", t, shape(2));
  Tensor last = state;
  const auto links = 1 + below(3);
  for (std::int64_t i = 0; i < links; ++i) {
    tensors_.push_back(last);
    try {
      // Readers of what is about to be overwritten.
      if (chance(60)) keep(step());
      if (chance(40)) keep(move(last));
      if (chance(30)) {
        const Tensor updated = mul(last, partner(last));
        const Tensor none[] = {graph_->iota(DType::i32, updated.shape(), 0)};
        if (updated.rank() == last.rank() && same_shape(updated.shape(), last.shape())) {
          last = scatter(last, updated, axes_of(last.shape()), none);
          continue;
        }
      }
      last = scatter_into(last, true);
    } catch (const Error& error) {
      if (error.code() == ErrorCode::internal) throw;
    }
  }
  tensors_.push_back(last);
  graph_->set_next(state, last);
}

Array RandomGraph::values(DType dtype, const std::vector<std::int64_t>& shape) {
  Array array = Array::zeros(dtype, shape);
  static constexpr double kEdges[] = {0.0, -0.0, 1, -1, 0.5, 2, -2.5, 1e-40, 3e38, 1e9, -7, 65504};
  for (std::int64_t i = 0; i < array.count(); ++i) {
    double value = 0;
    switch (below(10)) {
      case 0: value = kEdges[static_cast<std::size_t>(below(std::size(kEdges)))]; break;
      case 1:
        value = chance(30)
                    ? (chance(50) ? std::numeric_limits<double>::quiet_NaN() : -std::numeric_limits<double>::infinity())
                    : static_cast<double>(below(2000)) - 1000;
        break;
      default: value = static_cast<double>(below(4096)) / 256 - 8;
    }
    array.set(i, Scalar::of(dtype, value));
  }
  return array;
}

backend::Request RandomGraph::request(std::int64_t n, std::int64_t m) {
  backend::Request request;
  request.dims = {{"n", n}, {"m", m}};
  Bindings at;
  at.dims = request.dims;
  for (NodeId id = 0; id < graph_->nodes().size(); ++id) {
    const Node& node = graph_->node(id);
    if (node.op != Op::input) continue;
    std::vector<std::int64_t> sizes;
    for (Expr e : node.shape) {
      sizes.push_back(evaluate(e, at));
      if (sizes.back() < 0) throw Error(ErrorCode::unsupported, "a negative extent");
    }
    (node.is_state ? request.states : request.inputs)[id] = values(node.dtype, sizes);
  }
  return request;
}

}  // namespace quince::test
