// Elementwise kernels and reductions, block by block.
#include "backend/reference/execute.h"

#include <algorithm>

#include "backend/reference/accumulate.h"
#include "backend/reference/dot.h"
#include "backend/reference/frame.h"
#include "backend/reference/memory.h"
#include "backend/reference/scatter.h"

namespace quince::backend::reference {
namespace {

/// Simple operations below which a second thread costs more than it saves.
constexpr double kPartWork = 20000;
/// What starting a step on a block costs, in simple operations.
constexpr double kStepStart = 60;

/// The address of element i where lanes and memory have the same bits; else null.
std::byte* direct_address(DType dtype, std::byte* out, std::int64_t i) {
  const Lane lane = lane_of(dtype);
  if (!memory::is_lane(dtype, lane)) return nullptr;
  return out + static_cast<std::size_t>(i) * (lane == Lane::f32 ? sizeof(float) : sizeof(std::int64_t));
}

void run_map(const Kernel& kernel, const Run& run, std::byte* out) {
  const Bound bound = bind(kernel, run.numbers, run.buffers, Along::outputs);
  const std::int64_t count = bound.inner_count;
  const int parts = parts_for(run.pool, count, kernel.cost);
  run.pool.run(parts, [&](int part) {
    Frame frame(bound);
    const std::int64_t end = part_begin(count, parts, part + 1, kBlock);
    for (std::int64_t first = part_begin(count, parts, part, kBlock); first < end; first += kBlock) {
      const int n = static_cast<int>(std::min<std::int64_t>(kBlock, end - first));
      std::byte* direct = direct_address(kernel.dtype, out, first);
      const void* lanes = frame.run(0, first, n, direct);
      if (lanes != direct) memory::store(kernel.dtype, lanes, n, out, first);
    }
  });
}

/// Stores results of a reduction in blocks.
class ResultBlock {
 public:
  ResultBlock(DType dtype, std::byte* out, std::int64_t first) : dtype_(dtype), out_(out), first_(first) {}
  void* lanes() { return bytes_; }
  int used() const { return used_; }
  void push() {
    if (++used_ == kBlock) flush();
  }
  void flush() {
    memory::store(dtype_, bytes_, used_, out_, first_);
    first_ += used_;
    used_ = 0;
  }

 private:
  DType dtype_;
  std::byte* out_;
  std::int64_t first_;
  int used_ = 0;
  alignas(64) std::byte bytes_[kBlock * sizeof(double)];
};

void reduce_rows(const Bound& bound, const Run& run, std::byte* out) {
  const Kernel& kernel = *bound.kernel;
  const std::int64_t outputs = bound.outer_count;
  const std::int64_t reduced = bound.inner_count;
  const int parts = parts_for(run.pool, outputs, kernel.cost * static_cast<double>(std::max<std::int64_t>(reduced, 1)));
  run.pool.run(parts, [&](int part) {
    Frame frame(bound);
    RowAccumulator row(kernel.root, kernel.dtype);
    const std::int64_t begin = part_begin(outputs, parts, part, 1);
    const std::int64_t end = part_begin(outputs, parts, part + 1, 1);
    ResultBlock results(kernel.dtype, out, begin);
    for (std::int64_t output = begin; output < end; ++output) {
      row.start();
      for (std::int64_t first = 0; first < reduced; first += kBlock) {
        const int n = static_cast<int>(std::min<std::int64_t>(kBlock, reduced - first));
        row.add(frame.run(output, first, n), n);
      }
      row.finish(results.lanes(), results.used());
      results.push();
    }
    results.flush();
  });
}

void reduce_columns(const Bound& bound, const Run& run, std::byte* out) {
  const Kernel& kernel = *bound.kernel;
  const std::int64_t outputs = bound.inner_count;
  const std::int64_t reduced = bound.outer_count;
  const int parts = parts_for(run.pool, outputs, kernel.cost * static_cast<double>(std::max<std::int64_t>(reduced, 1)));
  run.pool.run(parts, [&](int part) {
    Frame frame(bound);
    ColumnAccumulator columns(kernel.root, kernel.dtype, reduced);
    const std::int64_t begin = part_begin(outputs, parts, part, 64);
    const std::int64_t end = part_begin(outputs, parts, part + 1, 64);
    alignas(64) std::byte results[kBlock * sizeof(double)];
    for (std::int64_t first = begin; first < end; first += kBlock) {
      const int n = static_cast<int>(std::min<std::int64_t>(kBlock, end - first));
      columns.start(n);
      for (std::int64_t t = 0; t < reduced; ++t) columns.add(t, frame.run(t, first, n));
      columns.finish(results);
      memory::store(kernel.dtype, results, n, out, first);
    }
  });
}

/// What loading an element costs along the blocked axes, in simple operations.
double load_cost(const Bound& bound) {
  double cost = 0;
  for (Reg reg : bound.each) {
    const Step& step = bound.kernel->steps[static_cast<std::size_t>(reg)];
    if (step.kind != StepKind::load) continue;
    const BoundLoad& load = bound.loads[static_cast<std::size_t>(reg)];
    if (!load.indirect.empty()) {
      cost += 6;
    } else if (load.inner.size() > 0) {
      const Dim& innermost = load.inner[0];
      cost += innermost.stride == 0 || innermost.stride == 1 ? 0.5 : 3;
      if (load.inner.size() > 1) cost += 10.0 / static_cast<double>(innermost.extent);
    }
  }
  return cost;
}

double estimate(const Bound& bound) {
  const auto outer = static_cast<double>(bound.outer_count);
  const auto inner = static_cast<double>(bound.inner_count);
  const std::int64_t block_count = (bound.inner_count + kBlock - 1) / kBlock;
  const auto blocks = static_cast<double>(block_count);
  const double starts = static_cast<double>(bound.each.size() + 2) * kStepStart;
  return outer * (blocks * starts + inner * load_cost(bound));
}

void run_reduction(const Kernel& kernel, const Run& run, std::byte* out) {
  const Bound rows = bind(kernel, run.numbers, run.buffers, Along::reduced);
  if (run_dot(rows, run, out)) return;
  const Bound columns = bind(kernel, run.numbers, run.buffers, Along::outputs);
  const bool is_empty = rows.inner_count == 0 || rows.outer_count == 0;
  if (!is_empty && estimate(rows) < estimate(columns)) {
    reduce_rows(rows, run, out);
  } else {
    reduce_columns(columns, run, out);
  }
}

}  // namespace

int parts_for(const Pool& pool, std::int64_t count, double cost) {
  const double parts = static_cast<double>(count) * cost / kPartWork;
  return static_cast<int>(std::clamp<double>(parts, 1, pool.most_chunks()));
}

std::int64_t part_begin(std::int64_t count, int parts, int part, std::int64_t grain) {
  if (part >= parts) return count;
  const std::int64_t grains = count / grain;
  return grains / parts * part * grain + std::min<std::int64_t>(part, grains % parts) * grain;
}

void execute(const Kernel& kernel, const Run& run, std::byte* out) {
  switch (kernel.root) {
    case Root::map: return run_map(kernel, run, out);
    case Root::sum:
    case Root::max: return run_reduction(kernel, run, out);
    case Root::scatter: return run_scatter(kernel, run, out);
  }
}

}  // namespace quince::backend::reference
