// Partial sums and running maxima, in rows and in columns; both visit an output's elements in the same order.
#include "backend/reference/accumulate.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "backend/reference/elementary.h"
#include "backend/reference/lanes.h"
#include "graph/convert.h"
#include "graph/multiversion.h"

namespace quince::backend::reference {
namespace {

/// What a reduction starts from.
template <class T>
T identity(Root root, DType dtype) {
  if (root == Root::sum) return T{0};
  const Scalar least = lowest(dtype);
  if constexpr (std::is_integral_v<T>) {
    return least.as_integer();
  } else {
    return static_cast<T>(least.as_double());
  }
}

/// Calls f with a value of the C++ type of the dtype's lane.
template <class F>
void by_lane(DType dtype, F&& f) {
  switch (lane_of(dtype)) {
    case Lane::f32: return f(float{});
    case Lane::f64: return f(double{});
    case Lane::i64: return f(std::int64_t{});
  }
}

/// into[i] = combine(into[i], values[i]).
template <class T>
void combine(Root root, DType dtype, T* into, const T* values, int n) {
  if (root == Root::sum) {
    return widest([&]() QUINCE_INLINE {
      for (int i = 0; i < n; ++i) into[i] = reference::add(into[i], values[i]);
    });
  }
  if constexpr (std::is_integral_v<T>) {
    if (dtype == DType::u64) {
      return widest([&]() QUINCE_INLINE {
        for (int i = 0; i < n; ++i) into[i] = max_of_u64(into[i], values[i]);
      });
    }
  }
  widest([&]() QUINCE_INLINE {
    for (int i = 0; i < n; ++i) into[i] = max_of(into[i], values[i]);
  });
}

/// Results have one NaN, are rounded to narrow floats and wrapped to integers.
template <class T>
void settle(DType dtype, T* values, int n) {
  if constexpr (std::is_same_v<T, std::int64_t>) {
    wrap_to(dtype, values, n);
  } else {
    for (int i = 0; i < n; ++i) {
      if (std::isnan(values[i])) values[i] = std::numeric_limits<T>::quiet_NaN();
    }
    if constexpr (std::is_same_v<T, float>) round_to(dtype, values, n);
  }
}

}  // namespace

void RowAccumulator::start() {
  by_lane(dtype_, [&]<class T>(T) { std::fill_n(partials<T>(), kPartials, identity<T>(root_, dtype_)); });
}

void RowAccumulator::add(const void* lanes, int n) {
  by_lane(dtype_, [&]<class T>(T) {
    const T* values = static_cast<const T*>(lanes);
    T* into = partials<T>();
    int i = 0;
    if (root_ == Root::sum) {
      widest([&]() QUINCE_INLINE {
        T sums[kPartials];
        for (int l = 0; l < kPartials; ++l) sums[l] = into[l];
        for (; i + kPartials <= n; i += kPartials) {
          for (int l = 0; l < kPartials; ++l) sums[l] = reference::add(sums[l], values[i + l]);
        }
        for (int l = 0; l < kPartials; ++l) into[l] = sums[l];
      });
    } else if (!std::is_integral_v<T> || dtype_ != DType::u64) {
      widest([&]() QUINCE_INLINE {
        T best[kPartials];
        for (int l = 0; l < kPartials; ++l) best[l] = into[l];
        for (; i + kPartials <= n; i += kPartials) {
          for (int l = 0; l < kPartials; ++l) best[l] = max_of(best[l], values[i + l]);
        }
        for (int l = 0; l < kPartials; ++l) into[l] = best[l];
      });
    }
    for (; i < n; i += kPartials) combine(root_, dtype_, into, values + i, std::min(kPartials, n - i));
  });
}

void RowAccumulator::finish(void* out, int at) {
  by_lane(dtype_, [&]<class T>(T) {
    T* into = partials<T>();
    for (int width = kPartials / 2; width > 0; width /= 2) combine(root_, dtype_, into, into + width, width);
    settle(dtype_, into, 1);
    static_cast<T*>(out)[at] = into[0];
  });
}

ColumnAccumulator::ColumnAccumulator(Root root, DType dtype, std::int64_t reduced)
    : root_(root),
      dtype_(dtype),
      partials_(root == Root::sum && lane_of(dtype) != Lane::i64
                    ? static_cast<int>(std::clamp<std::int64_t>(reduced, 1, kPartials))
                    : 1),
      bytes_(
          std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(partials_) * kBlock * sizeof(double))) {}

void ColumnAccumulator::start(int n) {
  n_ = n;
  by_lane(dtype_, [&]<class T>(T) {
    for (int l = 0; l < partials_; ++l) std::fill_n(partial<T>(l), n, identity<T>(root_, dtype_));
  });
}

void ColumnAccumulator::add(std::int64_t t, const void* lanes) {
  by_lane(dtype_, [&]<class T>(T) {
    const int l = static_cast<int>(t % kPartials) % partials_;
    combine(root_, dtype_, partial<T>(l), static_cast<const T*>(lanes), n_);
  });
}

void ColumnAccumulator::finish(void* out) {
  by_lane(dtype_, [&]<class T>(T) {
    for (int width = kPartials / 2; width > 0; width /= 2) {
      // A partial sum that got no element is +0, which no sum that started at +0 is changed by.
      for (int l = 0; l < width && l + width < partials_; ++l) {
        combine(root_, dtype_, partial<T>(l), partial<T>(l + width), n_);
      }
    }
    std::copy_n(partial<T>(0), n_, static_cast<T*>(out));
    settle(dtype_, static_cast<T*>(out), n_);
  });
}

}  // namespace quince::backend::reference
