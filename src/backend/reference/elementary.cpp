// The elementary functions one at a time and in bulk: blocks that vectorise, and the rare cases one by one.
#include "backend/reference/elementary.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "backend/reference/elementary_f32.h"
#include "backend/reference/elementary_f64.h"

namespace quince::backend::reference {
namespace {

/// Elements computed at once: enough to fill vectors of any width, few enough to waste little on a short run.
template <class T>
constexpr int kRun = 256 / sizeof(T);

/// y[i] = one(x[i]) for kRun elements; through copies, so that y may be x.
template <class T, class F>
QUINCE_INLINE inline void map_run(const T* x, T* y, F one) {
  T in[kRun<T>];
  T out[kRun<T>];
  std::memcpy(in, x, sizeof in);
  for (int i = 0; i < kRun<T>; ++i) out[i] = one(in[i]);
  std::memcpy(y, out, sizeof out);
}

/// Calls run(x, y) for every kRun elements, the last of them padded with zeros.
template <class T, class Run>
QUINCE_INLINE inline void for_runs(const T* x, T* y, std::int64_t n, Run run) {
  const std::int64_t whole = n - n % kRun<T>;
  for (std::int64_t i = 0; i < whole; i += kRun<T>) run(x + i, y + i);
  if (whole < n) {
    T rest[kRun<T>] = {};
    std::memcpy(rest, x + whole, static_cast<std::size_t>(n - whole) * sizeof(T));
    run(rest, rest);
    std::memcpy(y + whole, rest, static_cast<std::size_t>(n - whole) * sizeof(T));
  }
}

/// y[i] = one(x[i]).
template <class T, class F>
void map(const T* x, T* y, std::int64_t n, F one) {
  widest([&]()
             QUINCE_INLINE { for_runs(x, y, n, [&](const T* from, T* to) QUINCE_INLINE { map_run(from, to, one); }); });
}

/// The same where some elements need more than `one`: rare(x) says which, and `other` computes them.
template <class T, class F, class Rare, class Other>
void map_with_rare(const T* x, T* y, std::int64_t n, F one, Rare rare, Other other) {
  widest([&]() QUINCE_INLINE {
    for_runs(x, y, n, [&](const T* from, T* to) QUINCE_INLINE {
      T in[kRun<T>];
      std::memcpy(in, from, sizeof in);
      int any = 0;
      for (int i = 0; i < kRun<T>; ++i) any |= rare(in[i]);
      map_run(in, to, one);
      if (any == 0) return;
      for (int i = 0; i < kRun<T>; ++i) {
        if (rare(in[i]) != 0) to[i] = other(in[i]);
      }
    });
  });
}

/// Exact, whatever the quotient.
template <class T>
T mod_by_fmod(T x, T y) {
  const T r = std::fmod(x, y);
  if (r == 0) return std::copysign(T{0}, y);
  return (r < 0) != (y < 0) ? r + y : r;
}

template <class T>
QUINCE_INLINE inline bool has_small_quotient(T x, T y) {
  constexpr T kExact = sizeof(T) == 4 ? static_cast<T>(0x1p22) : static_cast<T>(0x1p51);
  const bool small = std::abs(x / y) < kExact;
  const bool finite = std::abs(y) < std::numeric_limits<T>::infinity();
  return small & finite;
}

QUINCE_INLINE inline float mod_by_quotient(float x, float y) { return f32::mod(x, y); }
QUINCE_INLINE inline double mod_by_quotient(double x, double y) { return f64::mod(x, y); }

/// out[i] = x[i] mod y[i] for kRun elements.
template <class T>
QUINCE_INLINE inline void mod_run(const T* x, const T* y, T* out) {
  T a[kRun<T>];
  T b[kRun<T>];
  T r[kRun<T>];
  std::memcpy(a, x, sizeof a);
  std::memcpy(b, y, sizeof b);
  int any = 0;
  for (int i = 0; i < kRun<T>; ++i) any |= has_small_quotient(a[i], b[i]) ? 0 : 1;
  for (int i = 0; i < kRun<T>; ++i) r[i] = mod_by_quotient(a[i], b[i]);
  if (any != 0) {
    for (int i = 0; i < kRun<T>; ++i) {
      if (!has_small_quotient(a[i], b[i])) r[i] = mod_by_fmod(a[i], b[i]);
    }
  }
  std::memcpy(out, r, sizeof r);
}

template <class T>
void mod_floats(const T* x, const T* y, T* out, std::int64_t n) {
  widest([&]() QUINCE_INLINE {
    const std::int64_t whole = n - n % kRun<T>;
    for (std::int64_t i = 0; i < whole; i += kRun<T>) mod_run(x + i, y + i, out + i);
    if (whole < n) {
      const auto bytes = static_cast<std::size_t>(n - whole) * sizeof(T);
      T a[kRun<T>] = {};
      T b[kRun<T>];
      std::fill(b, b + kRun<T>, T{1});
      std::memcpy(a, x + whole, bytes);
      std::memcpy(b, y + whole, bytes);
      mod_run(a, b, a);
      std::memcpy(out + whole, a, bytes);
    }
  });
}

}  // namespace

float exp2(float x) { return f32::exp2(x); }
double exp2(double x) { return f64::exp2(x); }
float log2(float x) { return f32::log2(x); }
double log2(double x) { return f64::log2(x); }
float sin(float x) { return std::abs(x) < f32::kLarge ? f32::sin(x) : f32::sin_large(x); }
double sin(double x) { return std::abs(x) < f64::kLarge ? f64::sin(x) : f64::sin_large(x); }
float sqrt(float x) { return std::sqrt(x); }
double sqrt(double x) { return std::sqrt(x); }
float recip(float x) { return 1.0f / x; }
double recip(double x) { return 1.0 / x; }
float mod(float x, float y) { return mod_by_fmod(x, y); }
double mod(double x, double y) { return mod_by_fmod(x, y); }

std::int64_t mod(std::int64_t x, std::int64_t y) {
  // The lowest integer over −1 would trap.
  if (y == 0 || y == -1) return 0;
  const std::int64_t r = x % y;
  return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}
std::uint64_t mod(std::uint64_t x, std::uint64_t y) { return y == 0 ? 0 : x % y; }

void exp2(const float* x, float* y, std::int64_t n) {
  map(x, y, n, [](float v) QUINCE_INLINE { return f32::exp2(v); });
}
void exp2(const double* x, double* y, std::int64_t n) {
  map(x, y, n, [](double v) QUINCE_INLINE { return f64::exp2(v); });
}
void log2(const float* x, float* y, std::int64_t n) {
  map(x, y, n, [](float v) QUINCE_INLINE { return f32::log2(v); });
}
void log2(const double* x, double* y, std::int64_t n) {
  map(x, y, n, [](double v) QUINCE_INLINE { return f64::log2(v); });
}
void sin(const float* x, float* y, std::int64_t n) {
  map_with_rare(
      x, y, n, [](float v) QUINCE_INLINE { return f32::sin(v); },
      [](float v) QUINCE_INLINE { return std::abs(v) < f32::kLarge ? 0 : 1; },
      [](float v) { return f32::sin_large(v); });
}
void sin(const double* x, double* y, std::int64_t n) {
  map_with_rare(
      x, y, n, [](double v) QUINCE_INLINE { return f64::sin(v); },
      [](double v) QUINCE_INLINE { return std::abs(v) < f64::kLarge ? 0 : 1; },
      [](double v) { return f64::sin_large(v); });
}
void sqrt(const float* x, float* y, std::int64_t n) {
  map(x, y, n, [](float v) QUINCE_INLINE { return std::sqrt(v); });
}
void sqrt(const double* x, double* y, std::int64_t n) {
  map(x, y, n, [](double v) QUINCE_INLINE { return std::sqrt(v); });
}
void recip(const float* x, float* y, std::int64_t n) {
  map(x, y, n, [](float v) QUINCE_INLINE { return 1.0f / v; });
}
void recip(const double* x, double* y, std::int64_t n) {
  map(x, y, n, [](double v) QUINCE_INLINE { return 1.0 / v; });
}
void mod(const float* x, const float* y, float* out, std::int64_t n) { mod_floats(x, y, out, n); }
void mod(const double* x, const double* y, double* out, std::int64_t n) { mod_floats(x, y, out, n); }
void mod(const std::int64_t* x, const std::int64_t* y, std::int64_t* out, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) out[i] = mod(x[i], y[i]);
}
void mod(const std::uint64_t* x, const std::uint64_t* y, std::uint64_t* out, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) out[i] = mod(x[i], y[i]);
}

}  // namespace quince::backend::reference
