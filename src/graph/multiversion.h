// Runs a loop as compiled for the widest vector unit this machine has; the values are the same on each.
#pragma once

// The one place that knows an architecture: elsewhere `widest` is a plain call.
#if defined(__x86_64__)
#define QUINCE_MULTIVERSION 1
#else
#define QUINCE_MULTIVERSION 0
#endif

/// Marks the lambda given to `widest`, and every function it calls, so that they are compiled for its target.
#define QUINCE_INLINE __attribute__((always_inline))

namespace quince {

#if QUINCE_MULTIVERSION
enum class VectorUnit { baseline, avx2, avx512 };

inline VectorUnit host_vector_unit() {
  static const VectorUnit unit = [] {
    __builtin_cpu_init();
    const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
    const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                    __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
    return v4 ? VectorUnit::avx512 : v3 ? VectorUnit::avx2 : VectorUnit::baseline;
  }();
  return unit;
}

template <class Body>
__attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,avx2,fma,bmi2"))) void run_avx512(const Body& body) {
  body();
}

template <class Body>
__attribute__((target("avx2,fma,bmi2"))) void run_avx2(const Body& body) {
  body();
}

/// Calls body(), a lambda marked QUINCE_INLINE whose work is a loop.
template <class Body>
void widest(const Body& body) {
  switch (host_vector_unit()) {
    case VectorUnit::avx512: return run_avx512(body);
    case VectorUnit::avx2: return run_avx2(body);
    case VectorUnit::baseline: return body();
  }
}

/// Calls body() once as compiled for each vector unit that this machine has, for tests that they agree.
template <class Body>
void each_vector_unit(const Body& body) {
  body();
  if (host_vector_unit() != VectorUnit::baseline) run_avx2(body);
  if (host_vector_unit() == VectorUnit::avx512) run_avx512(body);
}
#else
template <class Body>
void widest(const Body& body) {
  body();
}
template <class Body>
void each_vector_unit(const Body& body) {
  body();
}
#endif

}  // namespace quince
