// The table of tensor types, and planes split from blocks against values by the `gguf` package (data/gguf/make.py).
#include "quince/io/block_format.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <bit>
#include <random>

#include "gguf_bytes.h"
#include "plane_values.h"
#include "same_bits.h"

namespace quince {
namespace {

using test::GgufBytes;

std::vector<const BlockFormat*> quantised() {
  std::vector<const BlockFormat*> formats;
  for (const BlockFormat& format : block_formats()) {
    if (!format.is_plain()) formats.push_back(&format);
  }
  return formats;
}

TEST(BlockFormats, Table) {
  std::string names;
  std::uint32_t last = 0;
  for (const BlockFormat& format : block_formats()) {
    names += std::string(format.name) + " ";
    EXPECT_TRUE(format.name == "F32" || format.ggml_type > last) << format.name;
    last = format.ggml_type;
    EXPECT_EQ(find_block_format(format.ggml_type), &format);
    EXPECT_EQ(ggml_type_name(format.ggml_type), format.name);
  }
  EXPECT_EQ(names, "F32 F16 Q4_0 Q4_1 Q5_0 Q5_1 Q8_0 Q4_K Q5_K Q6_K I8 I16 I32 I64 F64 BF16 ");
  EXPECT_EQ(find_block_format(10), nullptr);
  EXPECT_EQ(ggml_type_name(10), "Q2_K");
  EXPECT_EQ(ggml_type_name(4711), "");
}

TEST(BlockFormats, PlanesGrowByAtMostThreePercent) {
  for (const BlockFormat& format : block_formats()) {
    int bits = 0;
    for (const PlaneFormat& plane : format.planes) {
      const int plane_bits = plane.per_block * bit_width(plane.dtype);
      EXPECT_EQ(plane_bits % 8, 0) << format.name << "." << plane.suffix << ": a block ends within a byte";
      EXPECT_EQ(format.elements % plane.per_block, 0) << format.name << "." << plane.suffix;
      bits += plane_bits;
    }
    EXPECT_GE(bits, format.bytes * 8) << format.name;
    EXPECT_LE(bits * 100, format.bytes * 8 * 103) << format.name;
  }
}

TEST(BlockFormats, PlanesHoldTheValuesOfTheGgufPackage) {
  const GgufFile file = GgufFile::open(QUINCE_TEST_DATA "/gguf/formats.gguf");
  ASSERT_EQ(quantised().size(), 8u);
  for (const BlockFormat* format : quantised()) {
    const auto values = test::plane_values(*format, load_planes(file, file.tensor(format->name)));
    const auto expected = load_planes(file, file.tensor(std::string(format->name) + ".expected"));
    test::expect_same_bits(values, expected[0].data<float>(), format->name);
  }
}

TEST(BlockFormats, PlaneShapes) {
  const GgufFile file = GgufBytes().header(1, 0).tensor("w", {512, 3, 2}, 14, 0).pad().zeros(12 * 210).open();
  const auto planes = load_planes(file, file.tensor("w"));
  ASSERT_EQ(planes.size(), 4u);
  EXPECT_EQ(planes[0].shape, (std::vector<std::int64_t>{2, 3, 512}));
  EXPECT_EQ(planes[2].shape, (std::vector<std::int64_t>{2, 3, 32}));
  EXPECT_EQ(planes[3].shape, (std::vector<std::int64_t>{2, 3, 2}));
  EXPECT_EQ(planes[1].dtype, DType::u2);
  EXPECT_EQ(planes[1].storage.size(), 2u * 3 * 512 / 4);
}

TEST(BlockFormats, PlainPlanesShareTheFile) {
  const GgufFile file = GgufFile::open(QUINCE_TEST_DATA "/gguf/formats.gguf");
  for (const char* name : {"F32", "F16", "BF16", "F64", "I8", "I16", "I32", "I64"}) {
    const GgufTensor& tensor = file.tensor(name);
    const auto planes = load_planes(file, tensor);
    ASSERT_EQ(planes.size(), 1u);
    EXPECT_EQ(planes[0].storage.data(), file.bytes(tensor).data()) << name;
    EXPECT_EQ(planes[0].shape, tensor.shape);
  }
}

TEST(BlockFormats, UnalignedPlainPlanesAreCopied) {
  const GgufFile file = GgufBytes()
                            .header(1, 1)
                            .key("general.alignment", GgufType::u32)
                            .u32(1)
                            .tensor("w", {2}, 0, 0)
                            .put(1.5f)
                            .put(-2.5f)
                            .open();
  ASSERT_NE(reinterpret_cast<std::uintptr_t>(file.bytes(file.tensor("w")).data()) % 4, 0u);
  const auto planes = load_planes(file, file.tensor("w"));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(planes[0].storage.data()) % 4, 0u);
  EXPECT_EQ(planes[0].data<float>()[1], -2.5f);
}

TEST(BlockFormats, ReleasedPagesReadTheSameAgain) {
  const GgufFile file = GgufFile::open(QUINCE_TEST_DATA "/gguf/formats.gguf");
  const GgufTensor& tensor = file.tensor("F64");  // three pages
  const Storage bytes = file.bytes(tensor);
  const std::vector<std::byte> before(bytes.bytes().begin(), bytes.bytes().end());
  file.release(bytes.bytes());
  EXPECT_TRUE(std::ranges::equal(bytes.bytes(), before));
}

/// Large tensors are split in pieces; the planes are those of one go.
TEST(BlockFormats, LargeTensors) {
  constexpr std::uint64_t kBlocks = (1 << 15) + 3;
  for (const BlockFormat* format : quantised()) {
    std::mt19937 random(1);
    std::string blocks(kBlocks * static_cast<std::size_t>(format->bytes), '\0');
    for (char& c : blocks) c = static_cast<char>(random());
    const auto row = static_cast<std::uint64_t>(format->elements);
    const GgufFile file =
        GgufBytes().header(1, 0).tensor("w", {row, kBlocks}, format->ggml_type, 0).pad().raw(blocks).open();
    const auto planes = load_planes(file, file.tensor("w"));
    std::vector<std::vector<std::byte>> expected;
    std::vector<std::byte*> targets;
    for (const Array& plane : planes) targets.push_back(expected.emplace_back(plane.storage.size()).data());
    format->split(std::as_bytes(std::span(blocks)).data(), kBlocks, targets.data());
    for (std::size_t p = 0; p < planes.size(); ++p) {
      EXPECT_TRUE(std::ranges::equal(planes[p].storage.bytes(), expected[p])) << format->name << " plane " << p;
    }
  }
}

/// Every bit of the integers of a block reaches exactly one place: a block with one bit set differs from the zero block
/// in one element of one plane (two bits of a block never meet in one plane bit).
TEST(BlockFormats, EveryBitHasItsOwnPlace) {
  for (const BlockFormat* format : quantised()) {
    std::vector<std::vector<std::byte>> planes;
    std::vector<std::byte*> targets;
    for (const PlaneFormat& plane : format->planes) {
      planes.emplace_back(static_cast<std::size_t>(plane.per_block * bit_width(plane.dtype) / 8));
      targets.push_back(planes.back().data());
    }
    std::vector<std::vector<std::byte>> seen(planes.size());
    for (std::size_t p = 0; p < planes.size(); ++p) seen[p].resize(planes[p].size());
    for (int bit = 0; bit < format->bytes * 8; ++bit) {
      std::vector<std::byte> block(static_cast<std::size_t>(format->bytes));
      block[static_cast<std::size_t>(bit / 8)] = std::byte{1} << bit % 8;
      format->split(block.data(), 1, targets.data());
      int set = 0;
      for (std::size_t p = 0; p < planes.size(); ++p) {
        for (std::size_t i = 0; i < planes[p].size(); ++i) {
          set += std::popcount(static_cast<unsigned>(planes[p][i]));
          ASSERT_EQ(seen[p][i] & planes[p][i], std::byte{0}) << format->name << " bit " << bit;
          seen[p][i] |= planes[p][i];
        }
      }
      ASSERT_EQ(set, 1) << format->name << " bit " << bit;
    }
  }
}

/// Splitting n blocks is splitting each.
RC_GTEST_PROP(BlockFormats, BlocksAreIndependent, ()) {
  const BlockFormat& format = *quantised()[*rc::gen::inRange<std::size_t>(0, quantised().size())];
  const auto count = *rc::gen::inRange<std::size_t>(1, 5);
  const auto size = static_cast<std::size_t>(format.bytes);
  const auto blocks = *rc::gen::container<std::vector<std::uint8_t>>(count * size, rc::gen::arbitrary<std::uint8_t>());
  const auto split = [&](std::size_t first, std::size_t n) {
    std::vector<std::vector<std::byte>> planes;
    std::vector<std::byte*> targets;
    for (const PlaneFormat& plane : format.planes) {
      planes.emplace_back(n * static_cast<std::size_t>(plane.per_block * bit_width(plane.dtype) / 8));
      targets.push_back(planes.back().data());
    }
    format.split(std::as_bytes(std::span(blocks)).data() + first * size, n, targets.data());
    return planes;
  };
  auto joined = split(0, 1);
  for (std::size_t b = 1; b < count; ++b) {
    const auto next = split(b, 1);
    for (std::size_t p = 0; p < joined.size(); ++p) joined[p].insert(joined[p].end(), next[p].begin(), next[p].end());
  }
  RC_ASSERT(joined == split(0, count));
}

}  // namespace
}  // namespace quince
