// The naive evaluator: expressions are evaluated afresh for each element, values are Scalars.
#include "reference/naive.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "backend/reference/elementary.h"

namespace quince::test {
namespace {

using Index = std::vector<std::int64_t>;
constexpr std::int64_t kUnconstrained = std::int64_t{1} << 40;

std::int64_t count_of(const Index& shape) {
  std::int64_t n = 1;
  for (std::int64_t extent : shape) n *= extent;
  return n;
}

Index position_of(std::int64_t flat, const Index& shape) {
  Index at(shape.size());
  for (std::size_t i = shape.size(); i-- > 0;) {
    at[i] = flat % shape[i];
    flat /= shape[i];
  }
  return at;
}

Scalar cast_float(double value, DType to) {
  if (to == DType::boolean) return {to, value != 0 ? 1u : 0u};
  if (is_float(to)) return {to, encode_float(to, value)};
  if (std::isnan(value)) return {to, 0};
  const double t = std::trunc(value);
  if (t <= static_cast<double>(integer_min(to))) return Scalar::of_integer(to, integer_min(to));
  if (t >= static_cast<double>(integer_max(to))) {
    return Scalar::of_integer(to, static_cast<std::int64_t>(integer_max(to)));
  }
  const bool big = t >= 0x1p63;
  return Scalar::of_integer(
      to, big ? static_cast<std::int64_t>(static_cast<std::uint64_t>(t)) : static_cast<std::int64_t>(t));
}

Scalar cast_integer(Scalar x, DType to) {
  const std::int64_t v = x.as_integer();
  const bool is_unsigned = x.dtype == DType::u64;
  if (to == DType::boolean) return {to, v != 0 ? 1u : 0u};
  if (!is_float(to)) return Scalar::of_integer(to, v);
  const long double exact =
      is_unsigned ? static_cast<long double>(static_cast<std::uint64_t>(v)) : static_cast<long double>(v);
  if (to == DType::f64) return {to, encode_float(to, static_cast<double>(exact))};
  if (to == DType::f32) return {to, encode_float(to, static_cast<double>(static_cast<float>(exact)))};
  // To odd, where a double is not enough, so that the narrow rounding is the only one.
  double d = static_cast<double>(exact);
  if (static_cast<long double>(d) != exact) {
    if (std::fabs(static_cast<long double>(d)) > std::fabs(exact)) d = std::nextafter(d, 0.0);
    std::uint64_t bits = 0;
    std::memcpy(&bits, &d, sizeof d);
    bits |= 1;
    std::memcpy(&d, &bits, sizeof d);
  }
  return {to, encode_float(to, d)};
}

Scalar cast(Scalar x, DType to) {
  if (x.dtype == to) return x;
  return is_float(x.dtype) ? cast_float(x.as_double(), to) : cast_integer(x, to);
}

class Naive {
 public:
  Naive(const Graph& graph, const backend::Request& request) : graph_(graph), values_(graph.nodes().size()) {
    bindings_.dims = request.dims;
    for (NodeId id = 0; id < graph.nodes().size(); ++id) {
      const Node& node = graph.node(id);
      if (node.op == Op::constant) {
        values_[id] = node.value;
      } else if (node.op == Op::input) {
        values_[id] = copy_of((node.is_state ? request.states : request.inputs).at(id));
      } else {
        compute(id, node);
      }
    }
  }

  NaiveResult result() {
    NaiveResult result;
    for (const Output& output : graph_.outputs()) {
      Array array = Array::zeros(graph_.node(output.value.node).dtype, numbers(output.value.view.map.domain()));
      for (std::int64_t i = 0; i < array.count(); ++i) {
        array.set(i, read(output.value, position_of(i, array.shape), {}));
      }
      result.outputs.push_back(std::move(array));
    }
    for (const StateUpdate& update : graph_.updates()) result.states[update.input] = values_[update.next];
    return result;
  }

 private:
  std::int64_t value_of(Expr e, const Index& at = {}, const Index& slots = {}) {
    bindings_.axes = at;
    bindings_.slots = slots;
    return evaluate(e, bindings_);
  }

  Index numbers(const Shape& shape) {
    Index result;
    for (Expr extent : shape) {
      result.push_back(value_of(extent));
      if (result.back() < 0) throw Error(ErrorCode::unsupported, "a negative extent");
    }
    return result;
  }

  bool is_masked(const View& view, const Index& at, const Index& slots) {
    for (const Mask& mask : view.masks) {
      if (value_of(mask.predicate, at, slots) == 0) return true;
    }
    return false;
  }

  Scalar read(const Operand& operand, const Index& at, const Index& slots) {
    for (const Mask& mask : operand.view.masks) {
      if (value_of(mask.predicate, at, slots) == 0) return mask.fill;
    }
    const Array& source = values_[operand.node];
    if (source.count() == 0) throw Error(ErrorCode::unsupported, "an empty source is read where nothing masks it");
    std::int64_t flat = 0;
    for (std::size_t i = 0; i < source.shape.size(); ++i) {
      const std::int64_t c = value_of(operand.view.map.coords()[i], at, slots);
      if (c < 0 || c >= source.shape[i]) {
        throw std::logic_error(
            fmt::format("%{} is read at {} on axis {} of extent {}", operand.node, c, i, source.shape[i]));
      }
      flat = flat * source.shape[i] + c;
    }
    return source.at(flat);
  }

  /// Slot values of a Gather or Scatter at a position; `users` are the expressions that read them.
  Index slots_at(const Node& node, std::size_t first, const Index& at) {
    Index slots;
    for (std::size_t i = first; i < node.operands.size(); ++i) {
      slots.push_back(read(node.operands[i], at, {}).as_integer());
    }
    return slots;
  }

  /// Whether each slot leaf of e is in its declared range; out_of_range unless that is the unconstrained one.
  bool in_range(Expr e, const Index& slots) {
    bool inside = true;
    for (Expr slot : collect(e, ExprKind::slot)) {
      const std::int64_t lo = value_of(slot.operands()[0]);
      const std::int64_t hi = value_of(slot.operands()[1]);
      const std::int64_t v = slots[static_cast<std::size_t>(slot.value())];
      if (v >= lo && v <= hi) continue;
      if (lo != -kUnconstrained || hi != kUnconstrained) throw Error(ErrorCode::out_of_range, "slot");
      inside = false;
    }
    return inside;
  }

  Scalar gather(const Node& node, const Index& at) {
    const Index slots = slots_at(node, 1, at);
    const View& view = node.operands[0].view;
    if (!is_masked(view, at, slots)) {
      for (Expr coord : view.map.coords()) in_range(coord, slots);
    }
    return read(node.operands[0], at, slots);
  }

  Scalar reduce(const Node& node, const Index& at, DType dtype) {
    const Index domain = numbers(node.operands[0].view.map.domain());
    const Index tail(domain.begin() + static_cast<std::ptrdiff_t>(at.size()), domain.end());
    const std::int64_t n = count_of(tail);
    const bool sums = node.op == Op::sum_reduce;
    const DType held = sums && is_float(dtype) && dtype != DType::f64 ? DType::f32 : dtype;
    std::vector<Scalar> partial(16, sums ? Scalar::of(held, 0) : backend::reference::lowest(dtype));
    for (std::int64_t t = 0; t < n; ++t) {
      Index full = at;
      const Index inner = position_of(t, tail);
      full.insert(full.end(), inner.begin(), inner.end());
      Scalar& into = partial[static_cast<std::size_t>(t % 16)];
      into = backend::reference::apply(sums ? Op::add : Op::max_reduce, into,
                                       cast(read(node.operands[0], full, {}), held));
    }
    for (std::size_t w = 8; w > 0; w /= 2) {
      for (std::size_t l = 0; l < w; ++l) {
        partial[l] = backend::reference::apply(sums ? Op::add : Op::max_reduce, partial[l], partial[l + w]);
      }
    }
    return cast(partial[0], dtype);
  }

  Scalar element(const Node& node, const Index& at) {
    switch (node.op) {
      case Op::iota: return Scalar::of_integer(node.dtype, value_of(node.index, at));
      case Op::gather: return gather(node, at);
      case Op::cast: return cast(read(node.operands[0], at, {}), node.dtype);
      case Op::sum_reduce:
      case Op::max_reduce: return reduce(node, at, node.dtype);
      case Op::scatter: return read(node.operands[0], at, {});
      default: break;
    }
    const Scalar x = read(node.operands[0], at, {});
    if (node.operands.size() == 1) return backend::reference::apply(node.op, x);
    return backend::reference::apply(node.op, x, read(node.operands[1], at, {}));
  }

  void compute(NodeId id, const Node& node) {
    Array array = Array::zeros(node.dtype, numbers(node.shape));
    for (std::int64_t i = 0; i < array.count(); ++i) array.set(i, element(node, position_of(i, array.shape)));
    if (node.op == Op::scatter) write(node, array);
    values_[id] = std::move(array);
  }

  void write(const Node& node, Array& array) {
    const Index box = numbers(node.operands[1].view.map.domain());
    for (std::int64_t i = 0; i < count_of(box); ++i) {
      const Index at = position_of(i, box);
      const Index slots = slots_at(node, 2, at);
      bool keep = true;
      for (Expr coord : node.target) keep = in_range(coord, slots) && keep;
      std::int64_t flat = 0;
      for (std::size_t axis = 0; keep && axis < array.shape.size(); ++axis) {
        const std::int64_t c = value_of(node.target[axis], at, slots);
        keep = c >= 0 && c < array.shape[axis];
        flat = flat * array.shape[axis] + c;
      }
      if (keep) array.set(flat, read(node.operands[1], at, {}));
    }
  }

  const Graph& graph_;
  Bindings bindings_;
  std::vector<Array> values_;
};

bool is_nan(Scalar x) { return is_float(x.dtype) && std::isnan(x.as_double()); }

}  // namespace

Array copy_of(const Array& array) {
  Array copy = Array::zeros(array.dtype, array.shape);
  const std::size_t bytes = bytes_needed(array.dtype, array.shape);
  if (bytes > 0) std::memcpy(copy.storage.mutable_data(), array.storage.data(), bytes);
  return copy;
}

NaiveResult run_naive(const Graph& graph, const backend::Request& request) { return Naive(graph, request).result(); }

std::string difference(const Array& expected, const Array& actual) {
  if (expected.dtype != actual.dtype)
    return fmt::format("dtype {} is not {}", name(actual.dtype), name(expected.dtype));
  if (expected.shape != actual.shape) return "the shapes differ";
  for (std::int64_t i = 0; i < expected.count(); ++i) {
    const Scalar e = expected.at(i);
    const Scalar a = actual.at(i);
    if (e == a || (is_nan(e) && is_nan(a))) continue;
    return fmt::format("element {} of {} is {:#x} ({}), expected {:#x} ({})", i, name(e.dtype), a.bits,
                       is_float(a.dtype) ? a.as_double() : static_cast<double>(a.as_integer()), e.bits,
                       is_float(e.dtype) ? e.as_double() : static_cast<double>(e.as_integer()));
  }
  return {};
}

}  // namespace quince::test
