// Arrays: packing (docs/ops-numerics.md, N1), sizes, and memory that cannot be had.
#include "quince/graph/array.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "quince/error.h"

namespace quince {
namespace {

template <class F>
std::string error_of(ErrorCode code, F&& f) {
  try {
    f();
  } catch (const Error& e) {
    EXPECT_EQ(name(e.code()), name(code));
    return e.what();
  }
  return "no error";
}

TEST(Array, ElementIOfWidthWLiesAtBitIW) {
  Array a = Array::zeros(DType::u4, {2, 3});
  for (int i = 0; i < 6; ++i) a.set(i, Scalar::of_integer(DType::u4, i + 9));
  const auto bytes = a.data<std::uint8_t>();
  ASSERT_EQ(bytes.size(), 3u);
  EXPECT_EQ(bytes[0], 0xa9);
  EXPECT_EQ(bytes[1], 0xcb);
  EXPECT_EQ(bytes[2], 0xed);
  for (int i = 0; i < 6; ++i) EXPECT_EQ(a.at(i).as_integer(), i + 9);
}

TEST(Array, HoldsEveryDtype) {
  for (int t = 0; t < kDTypeCount; ++t) {
    const auto dtype = static_cast<DType>(t);
    Array a = Array::zeros(dtype, {13});
    const std::uint64_t mask = bit_width(dtype) == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bit_width(dtype)) - 1;
    const auto bits = [&](int i) { return (std::uint64_t{0x9e3779b97f4a7c15} * static_cast<unsigned>(i + 1)) & mask; };
    for (int i : {5, 0, 12, 3, 4, 11, 1, 2, 6, 10, 9, 8, 7}) a.set(i, {dtype, bits(i)});
    for (int i = 0; i < 13; ++i) EXPECT_EQ(a.at(i), (Scalar{dtype, bits(i)})) << name(dtype) << " " << i;
  }
}

TEST(Array, CopiesShareAndZerosAreZero) {
  const std::vector<float> values{1, 2, 3};
  const Array a = Array::of<float>(DType::f32, {3}, values);
  const Array b = a;
  EXPECT_EQ(a.storage.data(), b.storage.data());
  EXPECT_EQ(a.at(2).as_double(), 3);
  for (const std::int64_t n : {1, 1000, 1 << 20}) {
    const Array z = Array::zeros(DType::u8, {n});
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(z.storage.data()) % 64, 0u);
    for (const std::uint8_t byte : z.data<std::uint8_t>()) ASSERT_EQ(byte, 0);
  }
}

TEST(Array, EmptyAndZeroDimensional) {
  EXPECT_EQ(Array::zeros(DType::f32, {}).count(), 1);
  EXPECT_EQ(Array::zeros(DType::f32, {}).storage.size(), 4u);
  const Array empty = Array::zeros(DType::f32, {4, 0, 7});
  EXPECT_EQ(empty.count(), 0);
  EXPECT_EQ(empty.storage.size(), 0u);
}

TEST(BytesNeeded, RoundsUpToBytes) {
  const auto bytes = [](DType t, std::vector<std::int64_t> shape) { return bytes_needed(t, shape); };
  EXPECT_EQ(bytes(DType::u1, {9}), 2u);
  EXPECT_EQ(bytes(DType::u2, {3, 3}), 3u);
  EXPECT_EQ(bytes(DType::i4, {1}), 1u);
  EXPECT_EQ(bytes(DType::f64, {3, 5}), 120u);
  EXPECT_EQ(bytes(DType::boolean, {5}), 5u);
}

TEST(BytesNeeded, NamesWhatIsWrong) {
  const auto message = [](ErrorCode code, DType t, std::vector<std::int64_t> shape) {
    return error_of(code, [&] { bytes_needed(t, shape); });
  };
  EXPECT_EQ(message(ErrorCode::overflow, DType::u8, {std::int64_t{1} << 40, std::int64_t{1} << 40}),
            "an array of u8 [1099511627776, 1099511627776] has more than 2^63 elements");
  EXPECT_EQ(message(ErrorCode::overflow, DType::f64, {std::int64_t{1} << 60}),
            "an array of f64 [1152921504606846976] has more than 2^63 bits");
  EXPECT_EQ(message(ErrorCode::overflow, DType::u1, {INT64_MAX}),
            "an array of u1 [9223372036854775807] has more than 2^63 bits");
  EXPECT_EQ(message(ErrorCode::overflow, DType::u8, {0, INT64_MAX, 2}),
            "an array of u8 [0, 9223372036854775807, 2] has more than 2^63 elements");
  EXPECT_EQ(message(ErrorCode::invalid_argument, DType::f32, {3, -1}), "an array of f32 [3, -1] has a negative extent");
}

TEST(Storage, LargeMemoryIsTouchedOnlyAsItIsWritten) {
  // More than a test could afford to touch.
  Storage s = Storage::zeroed(std::size_t{2} << 30);
  s.mutable_data()[s.size() - 1] = std::byte{7};
  EXPECT_EQ(s.data()[s.size() - 1], std::byte{7});
  EXPECT_EQ(s.data()[0], std::byte{0});
}

TEST(Storage, NamesTheSizeThatCannotBeHad) {
  EXPECT_EQ(error_of(ErrorCode::resource, [] { Storage::zeroed(std::size_t{1} << 50); }),
            "allocating an array: 1125899906842624 bytes of memory cannot be had");
  EXPECT_EQ(error_of(ErrorCode::resource, [] { Storage::zeroed(SIZE_MAX); }),
            "allocating an array: 18446744073709551615 bytes of memory cannot be had");
}

}  // namespace
}  // namespace quince
