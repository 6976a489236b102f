// The ops on blocks of f32, f64 and i64 lanes.
#include "backend/reference/lanes.h"

#include <algorithm>

#include "backend/reference/elementary.h"
#include "graph/convert.h"
#include "graph/multiversion.h"
#include "quince/error.h"

namespace quince::backend::reference::lanes {
namespace {

using Signed = std::int64_t;
using Unsigned = std::uint64_t;

template <class T, class R, class F>
void zip(const void* a, const void* b, void* out, int n, F op) {
  const auto* x = static_cast<const T*>(a);
  const auto* y = static_cast<const T*>(b);
  auto* r = static_cast<R*>(out);
  widest([&]() QUINCE_INLINE {
    for (int i = 0; i < n; ++i) r[i] = op(x[i], y[i]);
  });
}

template <class T>
void binary_float(Op op, const void* a, const void* b, void* out, int n) {
  switch (op) {
    case Op::add: return zip<T, T>(a, b, out, n, [](T x, T y) QUINCE_INLINE { return x + y; });
    case Op::mul: return zip<T, T>(a, b, out, n, [](T x, T y) QUINCE_INLINE { return x * y; });
    case Op::mod: return reference::mod(static_cast<const T*>(a), static_cast<const T*>(b), static_cast<T*>(out), n);
    case Op::less_than:
      return zip<T, Signed>(a, b, out, n, [](T x, T y) QUINCE_INLINE { return static_cast<Signed>(x < y); });
    default: throw Error(ErrorCode::internal, "not a binary op");
  }
}

void binary_integer(Op op, DType dtype, const void* a, const void* b, void* out, int n) {
  switch (op) {
    case Op::add:
      zip<Unsigned, Unsigned>(a, b, out, n, [](Unsigned x, Unsigned y) QUINCE_INLINE { return x + y; });
      break;
    case Op::mul:
      zip<Unsigned, Unsigned>(a, b, out, n, [](Unsigned x, Unsigned y) QUINCE_INLINE { return x * y; });
      break;
    case Op::mod:
      if (dtype == DType::u64) {
        return reference::mod(static_cast<const Unsigned*>(a), static_cast<const Unsigned*>(b),
                              static_cast<Unsigned*>(out), n);
      }
      return reference::mod(static_cast<const Signed*>(a), static_cast<const Signed*>(b), static_cast<Signed*>(out), n);
    case Op::less_than:
      if (dtype == DType::u64) {
        return zip<Unsigned, Signed>(a, b, out, n,
                                     [](Unsigned x, Unsigned y) QUINCE_INLINE { return static_cast<Signed>(x < y); });
      }
      return zip<Signed, Signed>(a, b, out, n,
                                 [](Signed x, Signed y) QUINCE_INLINE { return static_cast<Signed>(x < y); });
    default: throw Error(ErrorCode::internal, "not a binary op");
  }
  wrap_to(dtype, static_cast<Signed*>(out), n);
}

template <class T>
void unary_float(Op op, const void* a, void* out, int n) {
  const auto* x = static_cast<const T*>(a);
  auto* r = static_cast<T*>(out);
  switch (op) {
    case Op::log2: return reference::log2(x, r, n);
    case Op::exp2: return reference::exp2(x, r, n);
    case Op::sin: return reference::sin(x, r, n);
    case Op::sqrt: return reference::sqrt(x, r, n);
    case Op::recip: return reference::recip(x, r, n);
    default: throw Error(ErrorCode::internal, "not a unary op");
  }
}

template <class T>
void blend_lanes(const void* a, const Signed* pick, T value, void* out, int n) {
  const auto* x = static_cast<const T*>(a);
  auto* r = static_cast<T*>(out);
  widest([&]() QUINCE_INLINE {
    for (int i = 0; i < n; ++i) r[i] = pick[i] != 0 ? x[i] : value;
  });
}

}  // namespace

void unary(Op op, DType dtype, const void* a, void* out, int n) {
  if (dtype == DType::f64) return unary_float<double>(op, a, out, n);
  unary_float<float>(op, a, out, n);
  if (dtype != DType::f32) round_to(dtype, static_cast<float*>(out), n);
}

void binary(Op op, DType dtype, const void* a, const void* b, void* out, int n) {
  switch (lane_of(dtype)) {
    case Lane::f64: return binary_float<double>(op, a, b, out, n);
    case Lane::i64: return binary_integer(op, dtype, a, b, out, n);
    case Lane::f32: break;
  }
  binary_float<float>(op, a, b, out, n);
  if (dtype != DType::f32 && op != Op::less_than) round_to(dtype, static_cast<float*>(out), n);
}

void cast(DType from, DType to, const void* a, void* out, int n) {
  const auto* f = static_cast<const float*>(a);
  const auto* d = static_cast<const double*>(a);
  const auto* i = static_cast<const Signed*>(a);
  auto* out_f = static_cast<float*>(out);
  auto* out_d = static_cast<double*>(out);
  auto* out_i = static_cast<Signed*>(out);
  switch (lane_of(from)) {
    case Lane::f32:
      if (lane_of(to) == Lane::i64) return cast_f32_to_i64(to, f, n, out_i);
      if (to == DType::f64) {
        std::copy_n(f, n, out_d);
      } else {
        std::copy_n(f, n, out_f);
        round_to(to, out_f, n);
      }
      return;
    case Lane::f64:
      if (lane_of(to) == Lane::i64) return cast_f64_to_i64(to, d, n, out_i);
      return cast_f64_to_f32(to, d, n, out_f);
    case Lane::i64:
      if (to == DType::f64) return cast_i64_to_f64(from, i, n, out_d);
      if (is_float(to)) return cast_i64_to_f32(from, to, i, n, out_f);
      std::copy_n(i, n, out_i);
      return wrap_to(to, out_i, n);
  }
}

void blend(Lane lane, const void* a, const Signed* pick, Scalar value, void* out, int n) {
  switch (lane) {
    case Lane::f32: return blend_lanes(a, pick, static_cast<float>(value.as_double()), out, n);
    case Lane::f64: return blend_lanes(a, pick, value.as_double(), out, n);
    case Lane::i64: return blend_lanes(a, pick, value.as_integer(), out, n);
  }
}

void fill(Lane lane, Scalar value, void* out, int n) {
  switch (lane) {
    case Lane::f32: std::fill_n(static_cast<float*>(out), n, static_cast<float>(value.as_double())); return;
    case Lane::f64: std::fill_n(static_cast<double*>(out), n, value.as_double()); return;
    case Lane::i64: std::fill_n(static_cast<Signed*>(out), n, value.as_integer()); return;
  }
}

}  // namespace quince::backend::reference::lanes
