// Sums of products in tiles of outputs. Each output keeps its 16 partial sums, and they are added up in the defined
// order, so a tile gives the bits of one output at a time.
#include "backend/reference/dot.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "backend/reference/accumulate.h"
#include "graph/multiversion.h"

namespace quince::backend::reference {
namespace {

/// The 16 partial sums of one output, or 16 neighbouring outputs.
using Vector __attribute__((vector_size(64))) = float;

/// Bytes of a tile's reused operand that should stay in a core's cache.
constexpr std::int64_t kReusedBytes = 256 * 1024;

/// An axis of the outputs: how far it steps in the two operands and in the result.
struct Axis {
  std::int64_t extent;
  std::int64_t a, b, out;
};

struct Product {
  const float* a = nullptr;
  const float* b = nullptr;
  std::int64_t a_step = 0;  ///< along the reduced axes
  std::int64_t b_step = 0;
  std::int64_t length = 0;
  std::vector<Axis> axes;  ///< innermost first, merged
};

/// Where each combination of the axes not taken by a tile starts.
struct Origin {
  std::int64_t a = 0, b = 0, out = 0;
};

Origin origin_of(const std::vector<Axis>& axes, std::int64_t index) {
  Origin origin;
  for (const Axis& axis : axes) {
    const std::int64_t outer = index / axis.extent;
    const std::int64_t at = index - outer * axis.extent;
    origin.a += at * axis.a;
    origin.b += at * axis.b;
    origin.out += at * axis.out;
    index = outer;
  }
  return origin;
}

std::int64_t count_of(const std::vector<Axis>& axes) {
  std::int64_t n = 1;
  for (const Axis& axis : axes) n *= axis.extent;
  return n;
}

QUINCE_INLINE inline void load(Vector& v, const float* from) { std::memcpy(&v, from, sizeof(Vector)); }

/// The first n floats, then zeros: a product of zeros changes no partial sum, none of which can be −0.
QUINCE_INLINE inline void load_some(Vector& v, const float* from, std::int64_t n) {
  float padded[kPartials] = {};
  for (int l = 0; l < kPartials; ++l) {
    if (l < n) padded[l] = from[l];
  }
  std::memcpy(&v, padded, sizeof(Vector));
}

QUINCE_INLINE inline float settled(float sum) { return sum != sum ? std::numeric_limits<float>::quiet_NaN() : sum; }

/// Partial l takes partial l + 8, then + 4, + 2, + 1.
QUINCE_INLINE inline float tree(const Vector& v) {
  float p[kPartials];
  std::memcpy(p, &v, sizeof(Vector));
  for (int l = 0; l < 8; ++l) p[l] += p[l + 8];
  for (int l = 0; l < 4; ++l) p[l] += p[l + 4];
  for (int l = 0; l < 2; ++l) p[l] += p[l + 2];
  return settled(p[0] + p[1]);
}

/// I × J outputs: row i of a with row j of b.
template <int I, int J>
QUINCE_INLINE inline void tile(const float* a, std::int64_t a_row, const float* b, std::int64_t b_row,
                               std::int64_t length, float* out, std::int64_t out_i, std::int64_t out_j) {
  Vector sums[I][J];
  for (int i = 0; i < I; ++i) {
    for (int j = 0; j < J; ++j) sums[i][j] = Vector{};
  }
  std::int64_t k = 0;
  for (; k + kPartials <= length; k += kPartials) {
    Vector x[I];
    for (int i = 0; i < I; ++i) load(x[i], a + i * a_row + k);
    for (int j = 0; j < J; ++j) {
      Vector y;
      load(y, b + j * b_row + k);
      for (int i = 0; i < I; ++i) sums[i][j] += x[i] * y;
    }
  }
  if (k < length) {
    Vector x[I];
    for (int i = 0; i < I; ++i) load_some(x[i], a + i * a_row + k, length - k);
    for (int j = 0; j < J; ++j) {
      Vector y;
      load_some(y, b + j * b_row + k, length - k);
      for (int i = 0; i < I; ++i) sums[i][j] += x[i] * y;
    }
  }
  for (int i = 0; i < I; ++i) {
    for (int j = 0; j < J; ++j) out[i * out_i + j * out_j] = tree(sums[i][j]);
  }
}

/// All of i × j outputs, in tiles of at most I × J.
template <int I, int J>
QUINCE_INLINE inline void tiles(const float* a, const float* b, const Axis& rows, const Axis& columns,
                                std::int64_t length, float* out) {
  const std::int64_t block = std::max<std::int64_t>(I, kReusedBytes / (std::max<std::int64_t>(length, 1) * 4) / I * I);
  for (std::int64_t i0 = 0; i0 < rows.extent; i0 += block) {
    const std::int64_t i1 = std::min(rows.extent, i0 + block);
    std::int64_t j = 0;
    for (; j + J <= columns.extent; j += J) {
      const float* y = b + j * columns.b;
      float* to = out + j * columns.out;
      std::int64_t i = i0;
      for (; i + I <= i1; i += I)
        tile<I, J>(a + i * rows.a, rows.a, y, columns.b, length, to + i * rows.out, rows.out, columns.out);
      for (; i < i1; ++i)
        tile<1, J>(a + i * rows.a, rows.a, y, columns.b, length, to + i * rows.out, rows.out, columns.out);
    }
    for (; j < columns.extent; ++j) {
      for (std::int64_t i = i0; i < i1; ++i) {
        tile<1, 1>(a + i * rows.a, 0, b + j * columns.b, 0, length, out + i * rows.out + j * columns.out, 0, 0);
      }
    }
  }
}

/// 16 (or `width`) neighbouring outputs: element t of each is a[t·a_step]·b[t·b_step + lane].
QUINCE_INLINE inline void column(const Product& p, const float* a, const float* b, int width, float* out) {
  Vector sums[kPartials];
  for (int l = 0; l < kPartials; ++l) sums[l] = Vector{};
  std::int64_t t = 0;
  if (width == kPartials) {
    for (; t + kPartials <= p.length; t += kPartials) {
      for (int l = 0; l < kPartials; ++l) {
        Vector y;
        load(y, b + (t + l) * p.b_step);
        sums[l] += a[(t + l) * p.a_step] * y;
      }
    }
  }
  for (; t < p.length; t += kPartials) {
    for (int l = 0; l < kPartials; ++l) {
      if (t + l >= p.length) break;
      Vector y;
      load_some(y, b + (t + l) * p.b_step, width);
      sums[l] += a[(t + l) * p.a_step] * y;
    }
  }
  for (int w = kPartials / 2; w > 0; w /= 2) {
    for (int l = 0; l < w; ++l) sums[l] += sums[l + w];
  }
  for (int i = 0; i < width; ++i) out[i] = settled(sums[0][i]);
}

/// The index of the axis with the largest extent among those that satisfy the condition.
template <class Condition>
std::optional<std::size_t> largest(const std::vector<Axis>& axes, Condition condition) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (condition(axes[i]) && (!best || axes[i].extent > axes[*best].extent)) best = i;
  }
  return best;
}

void swap_operands(Product& p) {
  std::swap(p.a, p.b);
  std::swap(p.a_step, p.b_step);
  for (Axis& axis : p.axes) std::swap(axis.a, axis.b);
}

Axis take(std::vector<Axis>& axes, std::optional<std::size_t> index) {
  if (!index) return {1, 0, 0, 0};
  const Axis axis = axes[*index];
  axes.erase(axes.begin() + static_cast<std::ptrdiff_t>(*index));
  return axis;
}

/// Both operands are contiguous along the reduced axes.
void run_rows(Product p, Pool& pool, float* out) {
  const auto only_a = [](const Axis& axis) { return axis.b == 0 && axis.a != 0; };
  const auto only_b = [](const Axis& axis) { return axis.a == 0 && axis.b != 0; };
  const auto i_axis = largest(p.axes, only_a);
  const auto j_axis = largest(p.axes, only_b);
  // The operand with more rows is the one that is streamed.
  if (i_axis && (!j_axis || p.axes[*i_axis].extent > p.axes[*j_axis].extent)) swap_operands(p);
  const Axis columns = take(p.axes, largest(p.axes, only_b));
  const Axis rows = take(p.axes, largest(p.axes, only_a));
  const std::int64_t batches = count_of(p.axes);
  constexpr std::int64_t kColumns = 16;  // per unit of work
  const std::int64_t strips = (columns.extent + kColumns - 1) / kColumns;
  const std::int64_t units = batches * strips;
  const double unit_cost = static_cast<double>(rows.extent * p.length * std::min(columns.extent, kColumns)) / 8;
  const int parts = parts_for(pool, units, unit_cost);
  pool.run(parts, [&](int part) {
    const std::int64_t end = part_begin(units, parts, part + 1, 1);
    for (std::int64_t unit = part_begin(units, parts, part, 1); unit < end;) {
      // As many strips of one batch as this part has.
      const std::int64_t batch = unit / strips;
      const std::int64_t first = unit - batch * strips;
      const std::int64_t last = std::min(strips, first + (end - unit));
      const Origin origin = origin_of(p.axes, batch);
      Axis strip = columns;
      strip.extent = std::min(columns.extent, last * kColumns) - first * kColumns;
      const float* a = p.a + origin.a;
      const float* b = p.b + origin.b + first * kColumns * columns.b;
      float* to = out + origin.out + first * kColumns * columns.out;
      widest([&]() QUINCE_INLINE { tiles<4, 4>(a, b, rows, strip, p.length, to); });
      unit += last - first;
    }
  });
}

/// b is contiguous along an axis of the outputs that a does not have.
void run_columns(Product p, std::size_t axis_index, Pool& pool, float* out) {
  const Axis axis = take(p.axes, axis_index);
  const std::int64_t batches = count_of(p.axes);
  const std::int64_t strips = (axis.extent + kPartials - 1) / kPartials;
  const std::int64_t units = batches * strips;
  const int parts = parts_for(pool, units, static_cast<double>(p.length) * 2);
  pool.run(parts, [&](int part) {
    const std::int64_t end = part_begin(units, parts, part + 1, 1);
    for (std::int64_t unit = part_begin(units, parts, part, 1); unit < end; ++unit) {
      const Origin origin = origin_of(p.axes, unit / strips);
      const std::int64_t first = unit % strips * kPartials;
      const int width = static_cast<int>(std::min<std::int64_t>(kPartials, axis.extent - first));
      const float* a = p.a + origin.a;
      const float* b = p.b + origin.b + first;
      float* to = out + origin.out + first;
      widest([&]() QUINCE_INLINE { column(p, a, b, width, to); });
    }
  });
}

/// The product's two loads, where the kernel is one.
std::optional<std::pair<Reg, Reg>> factors(const Kernel& kernel) {
  if (kernel.root != Root::sum || kernel.dtype != DType::f32) return std::nullopt;
  const auto step = [&](Reg reg) -> const Step& { return kernel.steps[static_cast<std::size_t>(reg)]; };
  const Step& product = step(kernel.result);
  if (product.kind != StepKind::binary || product.op != Op::mul) return std::nullopt;
  for (Reg reg : product.args) {
    if (step(reg).kind != StepKind::load || step(reg).dtype != DType::f32) return std::nullopt;
  }
  // A check must be run, and only the general way does.
  if (std::ranges::any_of(kernel.steps, [](const Step& s) { return s.kind == StepKind::check; })) return std::nullopt;
  return std::pair(product.args[0], product.args[1]);
}

/// The outputs' axes, where all three walks agree merged.
std::vector<Axis> output_axes(const Bound& rows, const BoundLoad& a, const BoundLoad& b) {
  std::vector<Axis> axes;
  std::int64_t out = 1;
  for (int axis = rows.kernel->outputs - 1; axis >= 0; --axis) {
    const auto i = static_cast<std::size_t>(axis);
    const std::int64_t extent = rows.numbers[static_cast<std::size_t>(rows.kernel->extents[i])];
    const Axis next{extent, a.strides[i], b.strides[i], out};
    out *= extent;
    if (extent == 1) continue;
    if (!axes.empty() && axes.back().a * axes.back().extent == next.a && axes.back().b * axes.back().extent == next.b) {
      axes.back().extent *= extent;
    } else {
      axes.push_back(next);
    }
  }
  return axes;
}

bool is_aligned(const std::byte* p) { return reinterpret_cast<std::uintptr_t>(p) % alignof(float) == 0; }

}  // namespace

bool run_dot(const Bound& rows, const Run& run, std::byte* out) {
  const auto pair = factors(*rows.kernel);
  if (!pair || rows.inner_count == 0 || rows.outer_count == 0) return false;
  const BoundLoad& a = rows.loads[static_cast<std::size_t>(pair->first)];
  const BoundLoad& b = rows.loads[static_cast<std::size_t>(pair->second)];
  for (const BoundLoad* load : {&a, &b}) {
    if (load->is_empty || !load->indirect.empty() || !load->inner.is_line() || !is_aligned(load->data)) return false;
  }
  Product p;
  p.a = reinterpret_cast<const float*>(a.data) + a.base;
  p.b = reinterpret_cast<const float*>(b.data) + b.base;
  p.a_step = a.inner.line_stride();
  p.b_step = b.inner.line_stride();
  p.length = rows.inner_count;
  if (p.length == 1) p.a_step = p.b_step = 1;
  p.axes = output_axes(rows, a, b);
  auto* result = reinterpret_cast<float*>(out);
  if (p.a_step == 1 && p.b_step == 1) {
    run_rows(std::move(p), run.pool, result);
    return true;
  }
  for (int tries = 0; tries < 2; ++tries, swap_operands(p)) {
    const auto axis = largest(p.axes, [](const Axis& x) { return x.a == 0 && x.b == 1 && x.out == 1; });
    if (axis && p.axes[*axis].extent >= kPartials / 2) {
      run_columns(std::move(p), *axis, run.pool, result);
      return true;
    }
  }
  return false;
}

}  // namespace quince::backend::reference
