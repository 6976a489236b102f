// The interpreter of steps: a switch per block, loops per element in lanes.h and memory.h.
#include "backend/reference/frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "backend/reference/memory.h"
#include "graph/convert.h"
#include "quince/error.h"

namespace quince::backend::reference {

using lanes::Index;

Frame::Frame(const Bound& bound) : bound_(bound), registers_(bound.kernel->steps.size()) {
  const auto with_lanes = static_cast<std::size_t>(std::ranges::count(bound.has_lanes, true));
  slots_ = std::make_unique_for_overwrite<Slot[]>(with_lanes);
  std::size_t next = 0;
  for (std::size_t i = 0; i < registers_.size(); ++i) {
    if (!bound.has_lanes[i]) continue;
    registers_[i].own = slots_[next++].bytes;
    registers_[i].lanes = registers_[i].own;
  }
}

Index Frame::index(Reg reg) const {
  const Register& r = registers_[static_cast<std::size_t>(reg)];
  return {reinterpret_cast<const std::int64_t*>(r.lanes), r.scalar};
}

const void* Frame::run(std::int64_t outer, std::int64_t first, int n, void* direct) {
  outer_ = outer;
  first_ = first;
  const Reg result = bound_.kernel->result;
  if (!ready_) {
    for (Reg reg : bound_.once) run_step(reg, kBlock);
    ready_ = true;
  }
  for (Reg reg : bound_.each) {
    Register& r = registers_[static_cast<std::size_t>(reg)];
    if (reg != result || direct == nullptr) {
      run_step(reg, n);
    } else {
      std::byte* own = std::exchange(r.own, static_cast<std::byte*>(direct));
      r.lanes = r.own;
      run_step(reg, n);
      r.own = own;
    }
  }
  return registers_[static_cast<std::size_t>(result)].lanes;
}

void Frame::run_step(Reg reg, int n) {
  const Step& step = bound_.kernel->steps[static_cast<std::size_t>(reg)];
  Register& out = registers_[static_cast<std::size_t>(reg)];
  switch (step.kind) {
    case StepKind::load: load(step, bound_.loads[static_cast<std::size_t>(reg)], out, n); return;
    case StepKind::index: {
      const Index a = index(step.args[0]);
      auto* lanes = reinterpret_cast<std::int64_t*>(out.own);
      if (a.lanes) {
        std::copy_n(a.lanes, n, lanes);
      } else {
        std::fill_n(lanes, n, a.scalar);
      }
      wrap_to(step.dtype, lanes, n);
      return;
    }
    case StepKind::unary: lanes::unary(step.op, step.dtype, lanes_of_arg(step, 0), out.own, n); return;
    case StepKind::binary:
      lanes::binary(step.op, step.from, lanes_of_arg(step, 0), lanes_of_arg(step, 1), out.own, n);
      return;
    case StepKind::cast: lanes::cast(step.from, step.dtype, lanes_of_arg(step, 0), out.own, n); return;
    case StepKind::blend: blend(step, out, n); return;
    case StepKind::check: check(step, n); return;
    default: run_index_step(step, out, n);
  }
}

void Frame::blend(const Step& step, Register& out, int n) {
  const Index pick = index(step.args[1]);
  if (pick.lanes) {
    lanes::blend(step.lane, lanes_of_arg(step, 0), pick.lanes, step.fill, out.own, n);
  } else if (pick.scalar == 0) {
    lanes::fill(step.lane, step.fill, out.own, n);
  } else {
    const std::size_t width = step.lane == Lane::f32 ? sizeof(float) : sizeof(std::int64_t);
    std::memcpy(out.own, lanes_of_arg(step, 0), width * static_cast<std::size_t>(n));
  }
}

void Frame::check(const Step& step, int n) const {
  const Index value = index(step.args[0]);
  const std::int64_t lo = number(step.lo);
  const std::int64_t hi = number(step.hi);
  const auto is_outside = [&](std::int64_t v) { return v < lo || v > hi || (step.dtype == DType::u64 && v < 0); };
  for (int i = 0; i < n; ++i) {
    if (!is_outside(value.at(i))) continue;
    const bool used = std::all_of(step.args.begin() + 1, step.args.end(), [&](Reg r) { return index(r).at(i) != 0; });
    if (!used) continue;
    const std::int64_t v = value.at(i);
    const std::string text =
        step.dtype == DType::u64 ? fmt::format("{}", static_cast<std::uint64_t>(v)) : fmt::format("{}", v);
    throw Error(ErrorCode::out_of_range, fmt::format("{} %{}: slot s{} is {}, outside [{}, {}]", name(step.op),
                                                     step.node, step.slot, text, lo, hi));
  }
}

void Frame::position(const Step& step, Register& out, int n) const {
  const auto axis = static_cast<std::size_t>(step.axis);
  if (!out.own) {
    out.scalar = bound_.axis_outer[axis].offset(outer_);
    return;
  }
  auto* lanes = reinterpret_cast<std::int64_t*>(out.own);
  bound_.axis_inner[axis].for_each_stretch(first_, n, [&](int done, int count, std::int64_t at, std::int64_t stride) {
    for (int i = 0; i < count; ++i) lanes[done + i] = at + stride * i;
  });
}

/// Combines all arguments, from the left.
template <class F>
void Frame::fold(const Step& step, Register& out, int n, F combine) {
  auto* lanes = reinterpret_cast<std::int64_t*>(out.own);
  Index so_far = index(step.args[0]);
  for (std::size_t i = 1; i < step.args.size(); ++i) {
    const Index next = index(step.args[i]);
    if (so_far.lanes || next.lanes) {
      combine(so_far, next, lanes, n);
      so_far = {lanes, 0};
    } else {
      std::int64_t value = 0;
      const std::int64_t operand = so_far.scalar;
      combine({&operand, 0}, next, &value, 1);
      so_far = {nullptr, value};
    }
  }
  if (!out.own) {
    out.scalar = so_far.scalar;
  } else if (so_far.lanes != lanes) {
    std::copy_n(so_far.lanes, n, lanes);
  }
}

void Frame::run_index_step(const Step& step, Register& out, int n) {
  auto* lanes = reinterpret_cast<std::int64_t*>(out.own);
  switch (step.kind) {
    case StepKind::number: out.scalar = number(step.number); return;
    case StepKind::axis: position(step, out, n); return;
    case StepKind::sum: {
      out.scalar = step.constant;
      for (std::size_t i = 0; i < step.args.size(); ++i) {
        const Index a = index(step.args[i]);
        if (a.lanes) continue;
        out.scalar = lanes::wrapping_add(out.scalar, lanes::wrapping_mul(step.coefficients[i], a.scalar));
      }
      if (!lanes) return;
      std::fill_n(lanes, n, out.scalar);
      for (std::size_t i = 0; i < step.args.size(); ++i) {
        const Index a = index(step.args[i]);
        if (a.lanes) lanes::add_product(a, step.coefficients[i], lanes, n);
      }
      return;
    }
    case StepKind::product: return fold(step, out, n, lanes::multiply);
    case StepKind::floor_div:
      return fold(step, out, n, [](Index a, Index b, std::int64_t* o, int k) { lanes::floor_div(a, b, o, k); });
    case StepKind::floor_mod:
      return fold(step, out, n, [](Index a, Index b, std::int64_t* o, int k) { lanes::floor_mod(a, b, o, k); });
    case StepKind::min: return fold(step, out, n, lanes::minimum);
    case StepKind::max: return fold(step, out, n, lanes::maximum);
    case StepKind::not_negative: {
      const Index a = index(step.args[0]);
      if (a.lanes) return lanes::not_negative(a, lanes, n);
      out.scalar = a.scalar >= 0 ? 1 : 0;
      return;
    }
    case StepKind::all: return fold(step, out, n, lanes::both);
    case StepKind::any: return fold(step, out, n, lanes::either);
    default: throw Error(ErrorCode::internal, "a step of unknown kind");
  }
}

void Frame::load(const Step& step, const BoundLoad& load, Register& out, int n) {
  if (load.is_empty) {
    lanes::fill(step.lane, Scalar{step.dtype, 0}, out.own, n);
    return;
  }
  if (!load.indirect.empty()) return load_indirect(step, load, out, n);
  const std::int64_t base = load.base + load.outer.offset(outer_);
  if (load.inner.is_line() && load.inner.line_stride() == 1 && memory::is_lane(step.dtype, step.lane)) {
    const std::size_t width = step.lane == Lane::f32 ? sizeof(float) : sizeof(std::int64_t);
    const std::byte* at = load.data + static_cast<std::size_t>(base + first_) * width;
    if (reinterpret_cast<std::uintptr_t>(at) % width == 0) {
      out.lanes = at;  // read in place
      return;
    }
  }
  out.lanes = out.own;
  load.inner.for_each_stretch(first_, n, [&](int done, int count, std::int64_t offset, std::int64_t stride) {
    memory::load(step.dtype, step.lane, load.data, base + offset, stride, count, out.own, done);
  });
}

void Frame::load_indirect(const Step& step, const BoundLoad& load, Register& out, int n) {
  std::array<std::int64_t, kBlock> offsets;
  std::int64_t base = load.base + load.outer.offset(outer_);
  for (const auto& part : load.indirect) {
    const Index at = index(part.index);
    if (!at.lanes) base += std::clamp<std::int64_t>(at.scalar, 0, part.extent - 1) * part.stride;
  }
  load.inner.for_each_stretch(first_, n, [&](int done, int count, std::int64_t offset, std::int64_t stride) {
    for (int i = 0; i < count; ++i) offsets[static_cast<std::size_t>(done + i)] = base + offset + stride * i;
  });
  for (const auto& part : load.indirect) {
    const Index at = index(part.index);
    if (!at.lanes) continue;
    for (int i = 0; i < n; ++i) {
      offsets[static_cast<std::size_t>(i)] += std::clamp<std::int64_t>(at.lanes[i], 0, part.extent - 1) * part.stride;
    }
  }
  memory::gather(step.dtype, step.lane, load.data, offsets.data(), n, out.own);
}

}  // namespace quince::backend::reference
