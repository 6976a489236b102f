// One thread's registers while it runs the steps of a kernel block by block.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "backend/reference/bind.h"
#include "backend/reference/lanes.h"

namespace quince::backend::reference {

class Frame {
 public:
  explicit Frame(const Bound& bound);

  /// Runs the steps for elements [first, first + n) of the blocked axes, n ≤ kBlock, at position `outer` of the stepped
  /// ones. Returns the result's lanes, which may lie in a buffer that the kernel reads, or at `direct` where that is
  /// given (room for n lanes). Error(out_of_range) of a slot's value.
  const void* run(std::int64_t outer, std::int64_t first, int n, void* direct = nullptr);

  /// An integer register after run().
  lanes::Index index(Reg reg) const;

 private:
  struct alignas(64) Slot {
    std::byte bytes[kBlock * sizeof(std::int64_t)];
  };
  struct Register {
    std::byte* own = nullptr;          ///< room for a block; null for a scalar
    const std::byte* lanes = nullptr;  ///< the block
    std::int64_t scalar = 0;
  };

  void run_step(Reg reg, int n);
  void run_index_step(const Step& step, Register& out, int n);
  void position(const Step& step, Register& out, int n) const;
  void load(const Step& step, const BoundLoad& load, Register& out, int n);
  void load_indirect(const Step& step, const BoundLoad& load, Register& out, int n);
  void blend(const Step& step, Register& out, int n);
  void check(const Step& step, int n) const;
  template <class F>
  void fold(const Step& step, Register& out, int n, F combine);
  const void* lanes_of_arg(const Step& step, std::size_t i) const {
    return registers_[static_cast<std::size_t>(step.args[i])].lanes;
  }
  std::int64_t number(NumberId id) const { return bound_.numbers[static_cast<std::size_t>(id)]; }

  const Bound& bound_;
  std::unique_ptr<Slot[]> slots_;
  std::vector<Register> registers_;
  bool ready_ = false;  ///< the steps that never change have run
  std::int64_t outer_ = 0;
  std::int64_t first_ = 0;
};

}  // namespace quince::backend::reference
