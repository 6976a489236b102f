// Bulk conversions against the conversion of one element, on every vector unit's code (docs/ops-numerics.md, N9–N13).
#include "graph/convert.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "graph/narrow_float.h"
#include "quince/graph/array.h"

namespace quince {
namespace {

/// Equal bits, or both NaN.
template <class T>
bool same(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
    return a == b && std::signbit(a) == std::signbit(b);
  }
  return a == b;
}

DType any_dtype() { return static_cast<DType>(*rc::gen::inRange(0, kDTypeCount)); }

/// An array of random bits.
Array random_array(DType t, std::int64_t n, std::uint64_t seed) {
  Array a = Array::zeros(t, {n});
  std::mt19937_64 random(seed);
  for (std::int64_t i = 0; i < n; ++i) {
    const std::uint64_t bits = random();
    a.set(i, {t, bit_width(t) == 64 ? bits : bits & ((std::uint64_t{1} << bit_width(t)) - 1)});
  }
  if (t == DType::boolean) {
    for (std::int64_t i = 0; i < n; ++i) a.set(i, {t, a.at(i).bits & 1});
  }
  return a;
}

/// A value with the magnitude of interest for some narrow format now and then.
double random_value(std::mt19937_64& random) {
  const std::uint64_t bits = random();
  const double sign = (bits & 1) != 0 ? -1 : 1;
  switch (random() % 6) {
    case 0: return std::bit_cast<double>(bits);
    case 1: return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    case 2: return sign * std::numeric_limits<double>::infinity();
    case 3: return sign * std::ldexp(static_cast<double>(bits >> 11), static_cast<int>(random() % 90) - 90);
    case 4: return sign * static_cast<double>(bits >> (random() % 64));
    default: return sign * static_cast<double>(bits % 1024) / 32;
  }
}

RC_GTEST_PROP(Load, EqualsTheElements, ()) {
  const DType t = any_dtype();
  const auto size = *rc::gen::inRange<std::int64_t>(1, 300);
  const Array a = random_array(t, size, *rc::gen::arbitrary<std::uint64_t>());
  const auto stride = *rc::gen::element<std::int64_t>(1, 1, 1, 0, 2, 3, -1, -2);
  const auto n = stride == 0 ? size : *rc::gen::inRange<std::int64_t>(0, (size - 1) / std::abs(stride) + 2);
  const std::int64_t reach = n > 0 ? (n - 1) * std::abs(stride) : 0;
  const auto slack = *rc::gen::inRange<std::int64_t>(0, size - reach);
  const std::int64_t first = stride < 0 ? slack + reach : slack;
  std::vector<float> f32(static_cast<std::size_t>(n) + 1, 77);
  std::vector<double> f64(f32.size(), 77);
  std::vector<std::int64_t> i64(f32.size(), 77);
  load_f32(t, a.storage.data(), first, stride, n, f32.data());
  load_f64(t, a.storage.data(), first, stride, n, f64.data());
  if (!is_float(t)) load_i64(t, a.storage.data(), first, stride, n, i64.data());
  for (std::int64_t i = 0; i < n; ++i) {
    const Scalar s = a.at(first + i * stride);
    const auto at = static_cast<std::size_t>(i);
    RC_ASSERT(same(f32[at], static_cast<float>(s.cast_to(DType::f32).as_double())));
    RC_ASSERT(same(f64[at], s.as_double()));
    if (!is_float(t)) RC_ASSERT(i64[at] == s.as_integer());
  }
  RC_ASSERT(f32.back() == 77 && f64.back() == 77 && i64.back() == 77);
}

RC_GTEST_PROP(Store, WritesTheElementsAndNoOthers, ()) {
  const DType t = any_dtype();
  const auto size = *rc::gen::inRange<std::int64_t>(1, 300);
  const Array before = random_array(t, size, *rc::gen::arbitrary<std::uint64_t>());
  const auto stride = *rc::gen::element<std::int64_t>(1, 1, 1, 2, 3, -1);
  const auto n = *rc::gen::inRange<std::int64_t>(0, (size - 1) / std::abs(stride) + 2);
  const std::int64_t reach = n > 0 ? (n - 1) * std::abs(stride) : 0;
  const auto slack = *rc::gen::inRange<std::int64_t>(0, size - reach);
  const std::int64_t first = stride < 0 ? slack + reach : slack;
  std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
  std::vector<double> values(static_cast<std::size_t>(n));
  for (double& v : values) v = random_value(random);
  const auto check = [&](auto store, auto expected) {
    Array after = Array::zeros(t, {size});
    for (std::int64_t i = 0; i < size; ++i) after.set(i, before.at(i));
    store(after.storage.mutable_data());
    for (std::int64_t i = 0; i < size; ++i) {
      const bool written = n > 0 && (i - first) % stride == 0 && (i - first) / stride >= 0 && (i - first) / stride < n;
      const Scalar want = written ? expected(static_cast<std::size_t>((i - first) / stride)) : before.at(i);
      if (is_float(t)) {
        RC_ASSERT(same(after.at(i).as_double(), want.as_double()));
      } else {
        RC_ASSERT(after.at(i) == want);
      }
    }
  };
  if (is_float(t)) {
    check([&](std::byte* base) { store_f64(t, base, first, stride, n, values.data()); },
          [&](std::size_t i) { return Scalar::of(t, values[i]); });
    const std::vector<float> narrow(values.begin(), values.end());
    check([&](std::byte* base) { store_f32(t, base, first, stride, n, narrow.data()); },
          [&](std::size_t i) { return Scalar::of(t, narrow[i]); });
  } else {
    std::vector<std::int64_t> whole;
    for (std::size_t i = 0; i < values.size(); ++i) whole.push_back(static_cast<std::int64_t>(random()));
    check([&](std::byte* base) { store_i64(t, base, first, stride, n, whole.data()); },
          [&](std::size_t i) { return Scalar::of_integer(t, whole[i]); });
  }
}

RC_GTEST_PROP(Cast, EqualsTheElements, ()) {
  const DType to = any_dtype();
  const auto n = *rc::gen::inRange<std::size_t>(0, 300);
  std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
  std::vector<double> f64(n);
  for (double& v : f64) v = random_value(random);
  const std::vector<float> f32(f64.begin(), f64.end());
  std::vector<std::int64_t> i64(n);
  for (std::int64_t& v : i64) v = static_cast<std::int64_t>(random()) >> (random() % 64);
  std::vector<float> out_f32(n);
  std::vector<double> out_f64(n);
  std::vector<std::int64_t> out(n);
  const auto count = static_cast<std::int64_t>(n);
  if (is_float(to) && to != DType::f64) {
    cast_f64_to_f32(to, f64.data(), count, out_f32.data());
    for (std::size_t i = 0; i < n; ++i) RC_ASSERT(same<double>(out_f32[i], Scalar::of(to, f64[i]).as_double()));
    for (const DType from : {DType::i64, DType::u64}) {
      cast_i64_to_f32(from, to, i64.data(), count, out_f32.data());
      cast_i64_to_f64(from, i64.data(), count, out_f64.data());
      for (std::size_t i = 0; i < n; ++i) {
        const Scalar s{from, static_cast<std::uint64_t>(i64[i])};
        RC_ASSERT(same<double>(out_f32[i], s.cast_to(to).as_double()));
        RC_ASSERT(same(out_f64[i], s.as_double()));
      }
    }
    std::vector<float> rounded = f32;
    round_to(to, rounded.data(), count);
    for (std::size_t i = 0; i < n; ++i) RC_ASSERT(same<double>(rounded[i], Scalar::of(to, f32[i]).as_double()));
  } else if (to != DType::f64) {
    cast_f64_to_i64(to, f64.data(), count, out.data());
    for (std::size_t i = 0; i < n; ++i) RC_ASSERT(out[i] == Scalar::of(to, f64[i]).as_integer());
    cast_f32_to_i64(to, f32.data(), count, out.data());
    for (std::size_t i = 0; i < n; ++i) RC_ASSERT(out[i] == Scalar::of(to, f32[i]).as_integer());
    std::vector<std::int64_t> wrapped = i64;
    wrap_to(to, wrapped.data(), count);
    for (std::size_t i = 0; i < n; ++i) RC_ASSERT(wrapped[i] == Scalar::of_integer(to, i64[i]).as_integer());
  }
}

/// decode, encode and round of a format as compiled for each vector unit, on every code and on sampled f32.
template <class Format>
void check_on_each_unit(DType t) {
  const std::int64_t codes = std::int64_t{1} << bit_width(t);
  std::vector<float> decoded(static_cast<std::size_t>(codes));
  std::vector<float> x;
  for (std::uint64_t bits = 0; bits < (std::uint64_t{1} << 32); bits += 40961) {
    x.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  }
  std::vector<float> rounded(x.size());
  std::vector<std::uint32_t> encoded(x.size());
  each_vector_unit([&]() QUINCE_INLINE {
    for (std::uint32_t c = 0; c < codes; ++c) decoded[c] = Format::decode(c);
    for (std::size_t i = 0; i < x.size(); ++i) rounded[i] = Format::round(x[i]);
    for (std::size_t i = 0; i < x.size(); ++i) encoded[i] = Format::encode(x[i]);
    for (std::uint32_t c = 0; c < codes; ++c) {
      ASSERT_TRUE(same<double>(decoded[c], decode_float(t, c))) << name(t) << " " << c;
    }
    for (std::size_t i = 0; i < x.size(); ++i) {
      ASSERT_EQ(encoded[i], encode_float(t, x[i])) << name(t) << " " << x[i];
      ASSERT_TRUE(same<double>(rounded[i], decode_float(t, encoded[i]))) << name(t) << " " << x[i];
    }
  });
}

TEST(EachVectorUnit, ConvertsNarrowFloatsAlike) {
  check_on_each_unit<F16>(DType::f16);
  check_on_each_unit<BF16>(DType::bf16);
  check_on_each_unit<F8E4M3>(DType::f8e4m3);
  check_on_each_unit<F8E5M2>(DType::f8e5m2);
  check_on_each_unit<F8E8M0>(DType::f8e8m0);
  check_on_each_unit<F4E2M1>(DType::f4e2m1);
}

}  // namespace
}  // namespace quince
