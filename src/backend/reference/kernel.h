// A kernel: the loop nest that computes one stored value, as a straight line of steps over blocks of elements.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "backend/reference/numbers.h"
#include "quince/graph/graph.h"

namespace quince::backend::reference {

/// Elements that a step processes at once; a multiple of the 16 partial sums of a SumReduce.
inline constexpr int kBlock = 512;

/// How a block of values is held while it is computed with: narrow floats as f32, rounded after each op; integers as
/// i64, wrapped after each op (u64 as its bits); bool as i64 0 or 1.
enum class Lane : std::uint8_t { f32, f64, i64 };

inline Lane lane_of(DType t) {
  if (t == DType::f64) return Lane::f64;
  return is_float(t) ? Lane::f32 : Lane::i64;
}

/// A value inside a kernel: the index of the step that makes it.
using Reg = int;
inline constexpr Reg kNoReg = -1;

/// One coordinate into a source box, over the kernel's axes: constant + Σ coefficient·axis, or where it has no such
/// form, the value of a register, which is clamped into the box.
struct Coordinate {
  NumberId extent = 0;
  NumberId constant = 0;
  std::vector<std::pair<int, NumberId>> terms;  ///< (axis, coefficient)
  Reg index = kNoReg;
};

enum class StepKind : std::uint8_t {
  // Index arithmetic, on i64; a result is a scalar while its arguments are.
  number,        ///< a number of the table
  axis,          ///< the position on a kernel axis
  sum,           ///< constant + Σ coefficients[i]·args[i]
  product,       ///< of its args
  floor_div,     ///< args[0] // args[1]; 0 for a divisor of 0
  floor_mod,     ///< args[0] mod args[1]
  min,           ///< of its args
  max,           ///< of its args
  not_negative,  ///< args[0] ≥ 0
  all,           ///< every arg is not 0
  any,           ///< some arg is not 0
  // Values, on blocks.
  load,   ///< reads a source at coordinates
  index,  ///< args[0], wrapped to an integer dtype: Iota
  unary,
  binary,
  cast,
  blend,  ///< args[0] where args[1] is not 0, else fill
  check,  ///< throws where args[0] leaves [lo, hi] and every further arg is not 0
};

struct Step {
  StepKind kind = StepKind::number;
  Op op = Op::input;         ///< unary, binary: what to compute; check: of the node
  DType dtype = DType::i64;  ///< of the result
  DType from = DType::i64;   ///< cast: of the argument; unary, binary: of the arguments
  Lane lane = Lane::i64;     ///< of the result
  std::vector<Reg> args{};
  NumberId number = 0;                       ///< number
  int axis = 0;                              ///< axis: which
  std::int64_t constant = 0;                 ///< sum
  std::vector<std::int64_t> coefficients{};  ///< sum
  NodeId source = 0;                         ///< load: the node whose buffer is read
  std::vector<Coordinate> coordinates{};     ///< load: one per axis of the source
  Scalar fill{};                             ///< blend
  NodeId node = 0;                           ///< check: the Gather or Scatter
  int slot = 0;                              ///< check: which slot
  NumberId lo = 0, hi = 0;                   ///< check: its declared range
};

enum class Root : std::uint8_t { map, sum, max, scatter };

/// map: value of each element. sum, max: the axes from `outputs` on are reduced. scatter: the axes are src's, and
/// `target` says where each value goes.
struct Kernel {
  Root root = Root::map;
  NodeId node = 0;                ///< for messages and buffers
  DType dtype = DType::f32;       ///< of the stored value; narrow floats that are only moved have an integer's
  std::vector<NumberId> extents;  ///< of the kernel's axes
  int outputs = 0;                ///< how many leading axes index the stored value
  std::vector<Step> steps;        ///< each after its arguments
  Reg result = kNoReg;
  std::vector<Coordinate> target;  ///< scatter
  std::vector<Reg> drop_unless;    ///< scatter: a write is dropped where one of these is 0
  double cost = 1;                 ///< rough work per element, in simple operations
};

}  // namespace quince::backend::reference
