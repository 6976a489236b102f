// Bulk conversions: one loop per storage form, compiled for each vector unit.
#include "graph/convert.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <limits>

#include "graph/multiversion.h"
#include "graph/narrow_float.h"

namespace quince {
namespace {

// A form of storage: how many bits an element has, and how its bits become a value and back. Integers and f64 are
// their own value; the narrow floats' value is f32.

template <class T>
struct Whole {
  using Bits = T;
  using Value = T;
  QUINCE_INLINE static T load(T bits) { return bits; }
  QUINCE_INLINE static T store(T value) { return value; }
};

struct Boolean {
  using Bits = std::uint8_t;
  using Value = std::uint8_t;
  QUINCE_INLINE static std::uint8_t load(std::uint8_t bits) { return bits != 0; }
  QUINCE_INLINE static std::uint8_t store(std::uint8_t value) { return value; }
};

template <class Format, class T>
struct Narrow {
  using Bits = T;
  using Value = float;
  QUINCE_INLINE static float load(T bits) { return Format::decode(bits); }
  QUINCE_INLINE static T store(float value) { return static_cast<T>(Format::encode(value)); }
};

/// An element of `Width` bits in a byte shared with others.
template <int Width>
struct Unsigned {
  static constexpr int kWidth = Width;
  using Value = std::uint8_t;
  QUINCE_INLINE static std::uint8_t load(std::uint8_t bits) { return bits; }
  QUINCE_INLINE static std::uint8_t store(std::uint8_t value) { return value; }
};

struct Signed4 {
  static constexpr int kWidth = 4;
  using Value = std::int8_t;
  QUINCE_INLINE static std::int8_t load(std::uint8_t bits) { return static_cast<std::int8_t>((bits ^ 8) - 8); }
  QUINCE_INLINE static std::uint8_t store(std::int8_t value) { return static_cast<std::uint8_t>(value); }
};

struct Float4 {
  static constexpr int kWidth = 4;
  using Value = float;
  QUINCE_INLINE static float load(std::uint8_t bits) { return F4E2M1::decode(bits); }
  QUINCE_INLINE static std::uint8_t store(float value) { return static_cast<std::uint8_t>(F4E2M1::encode(value)); }
};

template <class Form>
concept Packed = requires { Form::kWidth; };

/// Calls f with the form of a dtype.
template <class F>
void with_form(DType t, F&& f) {
  switch (t) {
    case DType::boolean: return f(Boolean{});
    case DType::i8: return f(Whole<std::int8_t>{});
    case DType::i16: return f(Whole<std::int16_t>{});
    case DType::i32: return f(Whole<std::int32_t>{});
    case DType::i64: return f(Whole<std::int64_t>{});
    case DType::u8: return f(Whole<std::uint8_t>{});
    case DType::u16: return f(Whole<std::uint16_t>{});
    case DType::u32: return f(Whole<std::uint32_t>{});
    case DType::u64: return f(Whole<std::uint64_t>{});
    case DType::u1: return f(Unsigned<1>{});
    case DType::u2: return f(Unsigned<2>{});
    case DType::u4: return f(Unsigned<4>{});
    case DType::i4: return f(Signed4{});
    case DType::f4e2m1: return f(Float4{});
    case DType::f8e4m3: return f(Narrow<F8E4M3, std::uint8_t>{});
    case DType::f8e5m2: return f(Narrow<F8E5M2, std::uint8_t>{});
    case DType::f8e8m0: return f(Narrow<F8E8M0, std::uint8_t>{});
    case DType::f16: return f(Narrow<F16, std::uint16_t>{});
    case DType::bf16: return f(Narrow<BF16, std::uint16_t>{});
    case DType::f32: return f(Whole<float>{});
    case DType::f64: return f(Whole<double>{});
  }
}

template <class T>
QUINCE_INLINE inline T read(const std::byte* at) {
  T bits;
  std::memcpy(&bits, at, sizeof bits);
  return bits;
}

template <int Width>
QUINCE_INLINE inline std::uint8_t read_packed(const std::byte* base, std::int64_t i) {
  const std::int64_t bit = i * Width;
  return static_cast<std::uint8_t>((std::to_integer<unsigned>(base[bit >> 3]) >> (bit & 7)) & ((1u << Width) - 1));
}

template <int Width>
QUINCE_INLINE inline void write_packed(std::byte* base, std::int64_t i, std::uint8_t bits) {
  const std::int64_t bit = i * Width;
  const unsigned mask = ((1u << Width) - 1) << (bit & 7);
  const unsigned others = std::to_integer<unsigned>(base[bit >> 3]) & ~mask;
  base[bit >> 3] = static_cast<std::byte>(others | ((static_cast<unsigned>(bits) << (bit & 7)) & mask));
}

/// All elements of whole bytes, in two steps that each vectorise: their bits in a byte each, then their values.
template <class Form, class Out>
QUINCE_INLINE inline void load_bytes(const std::byte* __restrict from, std::int64_t bytes, Out* __restrict out) {
  constexpr int kPerByte = 8 / Form::kWidth;
  constexpr std::int64_t kAtOnce = 64;
  std::uint8_t bits[kAtOnce * kPerByte];
  for (std::int64_t done = 0; done < bytes; done += kAtOnce) {
    const std::int64_t count = std::min(kAtOnce, bytes - done);
    for (std::int64_t b = 0; b < count; ++b) {
      const auto byte = std::to_integer<unsigned>(from[done + b]);
      for (int k = 0; k < kPerByte; ++k) {
        bits[b * kPerByte + k] = static_cast<std::uint8_t>((byte >> (k * Form::kWidth)) & ((1u << Form::kWidth) - 1));
      }
    }
    Out* to = out + done * kPerByte;
    for (std::int64_t j = 0; j < count * kPerByte; ++j) to[j] = static_cast<Out>(Form::load(bits[j]));
  }
}

/// Elements of whole bytes. Like other loops here, a function for the sake of its `__restrict` parameters.
template <class Form, class Out>
QUINCE_INLINE inline void load_whole(const std::byte* __restrict from, std::int64_t n, Out* __restrict out) {
  using Bits = typename Form::Bits;
  for (std::int64_t i = 0; i < n; ++i) {
    out[i] = static_cast<Out>(Form::load(read<Bits>(from + i * static_cast<std::int64_t>(sizeof(Bits)))));
  }
}

/// Elements one after the other.
template <class Form, class Out>
void load_run(const std::byte* base, std::int64_t first, std::int64_t n, Out* __restrict out) {
  if constexpr (Packed<Form>) {
    constexpr int kWidth = Form::kWidth;
    constexpr std::int64_t kPerByte = 8 / kWidth;
    std::int64_t i = 0;
    for (; i < n && (first + i) % kPerByte != 0; ++i) {
      out[i] = static_cast<Out>(Form::load(read_packed<kWidth>(base, first + i)));
    }
    const std::int64_t bytes = (n - i) / kPerByte;
    widest([&]() QUINCE_INLINE { load_bytes<Form>(base + (first + i) / kPerByte, bytes, out + i); });
    for (i += bytes * kPerByte; i < n; ++i) {
      out[i] = static_cast<Out>(Form::load(read_packed<kWidth>(base, first + i)));
    }
  } else {
    using Bits = typename Form::Bits;
    const std::byte* from = base + first * static_cast<std::int64_t>(sizeof(Bits));
    if constexpr (std::is_same_v<typename Form::Value, Out> && std::is_same_v<Bits, Out>) {
      std::memcpy(out, from, static_cast<std::size_t>(n) * sizeof(Out));
    } else {
      widest([=]() QUINCE_INLINE { load_whole<Form>(from, n, out); });
    }
  }
}

template <class Form, class Out>
QUINCE_INLINE inline Out load_one(const std::byte* base, std::int64_t i) {
  if constexpr (Packed<Form>) {
    return static_cast<Out>(Form::load(read_packed<Form::kWidth>(base, i)));
  } else {
    using Bits = typename Form::Bits;
    return static_cast<Out>(Form::load(read<Bits>(base + i * static_cast<std::int64_t>(sizeof(Bits)))));
  }
}

template <class Form, class Out>
void load(const std::byte* base, std::int64_t first, std::int64_t stride, std::int64_t n, Out* __restrict out) {
  if (n <= 0) return;
  if (stride == 1) return load_run<Form>(base, first, n, out);
  if (stride == 0) {
    std::fill_n(out, n, load_one<Form, Out>(base, first));
    return;
  }
  for (std::int64_t i = 0; i < n; ++i) out[i] = load_one<Form, Out>(base, first + i * stride);
}

/// Value to storage, where In is the form that is computed in.
template <class Form, class In>
QUINCE_INLINE inline auto to_bits(In value) {
  using Value = typename Form::Value;
  if constexpr (std::is_same_v<Form, Boolean>) {
    return static_cast<std::uint8_t>(value != 0);
  } else if constexpr (std::is_same_v<In, double> && std::is_same_v<Value, float> &&
                       !std::is_same_v<Form, Whole<float>>) {
    return Form::store(round_to_odd(value));
  } else {
    return Form::store(static_cast<Value>(value));
  }
}

/// Elements of whole bytes.
template <class Form, class In>
QUINCE_INLINE inline void store_run(std::byte* __restrict to, std::int64_t n, const In* __restrict values) {
  for (std::int64_t i = 0; i < n; ++i) {
    const auto bits = to_bits<Form>(values[i]);
    std::memcpy(to + i * static_cast<std::int64_t>(sizeof bits), &bits, sizeof bits);
  }
}

template <class Form, class In>
void store(std::byte* base, std::int64_t first, std::int64_t stride, std::int64_t n, const In* __restrict values) {
  if (n <= 0) return;
  if constexpr (Packed<Form>) {
    for (std::int64_t i = 0; i < n; ++i) {
      write_packed<Form::kWidth>(base, first + i * stride, to_bits<Form>(values[i]));
    }
  } else {
    constexpr auto kSize = static_cast<std::int64_t>(sizeof(typename Form::Bits));
    std::byte* to = base + first * kSize;
    if (stride != 1) {
      for (std::int64_t i = 0; i < n; ++i) {
        const auto bits = to_bits<Form>(values[i]);
        std::memcpy(to + i * stride * kSize, &bits, sizeof bits);
      }
    } else if constexpr (std::is_same_v<typename Form::Bits, In>) {
      std::memcpy(to, values, static_cast<std::size_t>(n) * sizeof(In));
    } else {
      widest([=]() QUINCE_INLINE { store_run<Form>(to, n, values); });
    }
  }
}

template <class Form>
inline constexpr bool kIsFloat = std::is_floating_point_v<typename Form::Value>;

/// Toward zero into [min, max], NaN to 0.
template <class In>
QUINCE_INLINE inline void cast_run(std::int64_t min, std::int64_t max, const In* __restrict values, std::int64_t n,
                                   std::int64_t* __restrict out) {
  constexpr auto kLow = static_cast<In>(-0x1p63);
  constexpr auto kHigh = static_cast<In>(0x1p63);
  for (std::int64_t i = 0; i < n; ++i) {
    const In x = values[i];
    // NaN fails every comparison, and is left with 0.
    const bool inside = (x >= kLow) & (x < kHigh);
    auto whole = static_cast<std::int64_t>(inside ? x : In{0});
    whole = x >= kHigh ? max : whole;
    whole = x < kLow ? min : whole;
    whole = whole < min ? min : whole;
    out[i] = whole > max ? max : whole;
  }
}

/// 2^63 and 2^64 are what i64's and u64's largest values become as floats; every value from there on saturates.
template <class In>
void cast_to_integer(DType to, const In* __restrict values, std::int64_t n, std::int64_t* __restrict out) {
  if (to == DType::boolean) {
    widest([=]() QUINCE_INLINE {
      for (std::int64_t i = 0; i < n; ++i) out[i] = values[i] != 0 ? 1 : 0;
    });
  } else if (to == DType::u64) {
    for (std::int64_t i = 0; i < n; ++i) {
      const In x = values[i];
      const bool inside = x > 0 && x < static_cast<In>(0x1p64);
      out[i] = inside ? static_cast<std::int64_t>(static_cast<std::uint64_t>(x)) : x > 0 ? -1 : 0;
    }
  } else {
    const std::int64_t min = integer_min(to);
    const auto max = static_cast<std::int64_t>(integer_max(to));
    widest([=]() QUINCE_INLINE { cast_run(min, max, values, n, out); });
  }
}

template <class Format>
void round_values(float* values, std::int64_t n) {
  widest([=]() QUINCE_INLINE {
    for (std::int64_t i = 0; i < n; ++i) values[i] = Format::round(values[i]);
  });
}

template <class T>
void wrap_values(std::int64_t* values, std::int64_t n) {
  widest([=]() QUINCE_INLINE {
    for (std::int64_t i = 0; i < n; ++i) values[i] = static_cast<T>(values[i]);
  });
}

void wrap_to_bits(std::int64_t* values, std::int64_t n, std::int64_t mask) {
  for (std::int64_t i = 0; i < n; ++i) values[i] &= mask;
}

}  // namespace

void load_f32(DType t, const std::byte* base, std::int64_t first, std::int64_t stride, std::int64_t n, float* out) {
  with_form(t, [&]<class Form>(Form) { load<Form>(base, first, stride, n, out); });
}

void load_f64(DType t, const std::byte* base, std::int64_t first, std::int64_t stride, std::int64_t n, double* out) {
  with_form(t, [&]<class Form>(Form) { load<Form>(base, first, stride, n, out); });
}

void load_i64(DType t, const std::byte* base, std::int64_t first, std::int64_t stride, std::int64_t n,
              std::int64_t* out) {
  with_form(t, [&]<class Form>(Form) {
    assert(!is_float(t));
    if constexpr (!kIsFloat<Form>) load<Form>(base, first, stride, n, out);
  });
}

void store_f32(DType t, std::byte* base, std::int64_t first, std::int64_t stride, std::int64_t n, const float* values) {
  with_form(t, [&]<class Form>(Form) {
    assert(is_float(t));
    if constexpr (kIsFloat<Form>) store<Form>(base, first, stride, n, values);
  });
}

void store_f64(DType t, std::byte* base, std::int64_t first, std::int64_t stride, std::int64_t n,
               const double* values) {
  with_form(t, [&]<class Form>(Form) {
    assert(is_float(t));
    if constexpr (kIsFloat<Form>) store<Form>(base, first, stride, n, values);
  });
}

void store_i64(DType t, std::byte* base, std::int64_t first, std::int64_t stride, std::int64_t n,
               const std::int64_t* values) {
  with_form(t, [&]<class Form>(Form) {
    assert(!is_float(t));
    if constexpr (!kIsFloat<Form>) store<Form>(base, first, stride, n, values);
  });
}

void round_to(DType narrow, float* values, std::int64_t n) {
  switch (narrow) {
    case DType::f16: return round_values<F16>(values, n);
    case DType::bf16: return round_values<BF16>(values, n);
    case DType::f8e4m3: return round_values<F8E4M3>(values, n);
    case DType::f8e5m2: return round_values<F8E5M2>(values, n);
    case DType::f8e8m0: return round_values<F8E8M0>(values, n);
    case DType::f4e2m1: return round_values<F4E2M1>(values, n);
    default: return;
  }
}

void wrap_to(DType t, std::int64_t* values, std::int64_t n) {
  switch (t) {
    case DType::i8: return wrap_values<std::int8_t>(values, n);
    case DType::i16: return wrap_values<std::int16_t>(values, n);
    case DType::i32: return wrap_values<std::int32_t>(values, n);
    case DType::u8: return wrap_values<std::uint8_t>(values, n);
    case DType::u16: return wrap_values<std::uint16_t>(values, n);
    case DType::u32: return wrap_values<std::uint32_t>(values, n);
    case DType::u1: return wrap_to_bits(values, n, 1);
    case DType::u2: return wrap_to_bits(values, n, 3);
    case DType::u4: return wrap_to_bits(values, n, 15);
    case DType::i4:
      for (std::int64_t i = 0; i < n; ++i) values[i] = ((values[i] & 15) ^ 8) - 8;
      return;
    case DType::boolean:
      for (std::int64_t i = 0; i < n; ++i) values[i] = values[i] != 0 ? 1 : 0;
      return;
    default: return;
  }
}

void cast_f64_to_f32(DType to, const double* values, std::int64_t n, float* out) {
  if (to == DType::f32) {
    widest([=]() QUINCE_INLINE {
      for (std::int64_t i = 0; i < n; ++i) out[i] = static_cast<float>(values[i]);
    });
    return;
  }
  widest([=]() QUINCE_INLINE {
    for (std::int64_t i = 0; i < n; ++i) out[i] = round_to_odd(values[i]);
  });
  round_to(to, out, n);
}

void cast_f32_to_i64(DType to, const float* values, std::int64_t n, std::int64_t* out) {
  cast_to_integer(to, values, n, out);
}

void cast_f64_to_i64(DType to, const double* values, std::int64_t n, std::int64_t* out) {
  cast_to_integer(to, values, n, out);
}

void cast_i64_to_f32(DType from, DType to, const std::int64_t* values, std::int64_t n, float* out) {
  const bool is_unsigned = from == DType::u64;
  if (to == DType::f32) {
    if (is_unsigned) {
      for (std::int64_t i = 0; i < n; ++i) out[i] = static_cast<float>(static_cast<std::uint64_t>(values[i]));
    } else {
      widest([=]() QUINCE_INLINE {
        for (std::int64_t i = 0; i < n; ++i) out[i] = static_cast<float>(values[i]);
      });
    }
    return;
  }
  widest([=]() QUINCE_INLINE {
    for (std::int64_t i = 0; i < n; ++i) {
      const bool negative = !is_unsigned && values[i] < 0;
      const auto bits = static_cast<std::uint64_t>(values[i]);
      out[i] = round_to_odd(negative, negative ? 0 - bits : bits);
    }
  });
  round_to(to, out, n);
}

void cast_i64_to_f64(DType from, const std::int64_t* values, std::int64_t n, double* out) {
  if (from == DType::u64) {
    for (std::int64_t i = 0; i < n; ++i) out[i] = static_cast<double>(static_cast<std::uint64_t>(values[i]));
    return;
  }
  widest([=]() QUINCE_INLINE {
    for (std::int64_t i = 0; i < n; ++i) out[i] = static_cast<double>(values[i]);
  });
}

}  // namespace quince
