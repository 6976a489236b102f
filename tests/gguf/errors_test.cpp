// Each way a GGUF file can be wrong, with its exact message.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "gguf_bytes.h"
#include "quince/error.h"
#include "quince/io/gguf.h"

namespace quince {
namespace {

using test::GgufBytes;

void expect_error(const std::function<void()>& action, ErrorCode code, std::string_view what) {
  try {
    action();
    ADD_FAILURE() << "no error; expected: " << what;
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()), what);
    EXPECT_EQ(name(error.code()), name(code)) << what;
  }
}

void expect_open_error(const GgufBytes& bytes, std::string_view message, ErrorCode code = ErrorCode::format) {
  expect_error([&] { bytes.open(); }, code, "reading x.gguf: " + std::string(message));
}

/// A file of one F32 tensor with these dims at that offset, and `data` bytes of data.
GgufBytes one_tensor(const std::vector<std::uint64_t>& dims, std::uint32_t type = 0, std::uint64_t offset = 0,
                     std::size_t data = 64) {
  return GgufBytes().header(1, 0).tensor("w", dims, type, offset).pad().zeros(data);
}

/// A file whose only metadata entry is 'k' of that type, its value to be appended.
GgufBytes one_entry(GgufType type) { return GgufBytes().header(0, 1).key("k", type); }

TEST(GgufErrors, System) {
  const auto dir = std::filesystem::temp_directory_path() / ("quince-gguf-" + std::to_string(::getpid()));
  std::filesystem::create_directories(dir);
  const std::string d = dir.string();
  const auto open = [](const std::string& path) { return [path] { GgufFile::open(path); }; };
  expect_error(open(d + "/none.gguf"), ErrorCode::not_found,
               "reading " + d + "/none.gguf: cannot open the file: No such file or directory");
  expect_error(open(d), ErrorCode::io, "reading " + d + ": cannot read the file: Is a directory");
  expect_error(open(std::string("a\0b", 3)), ErrorCode::io, "reading a\\x00b: cannot open the file: Invalid argument");
  std::ofstream(d + "/empty.gguf").close();
  expect_error(open(d + "/empty.gguf"), ErrorCode::format, "reading " + d + "/empty.gguf: the file is empty");
  expect_error(open(d + "/empty.gguf/x"), ErrorCode::not_found,
               "reading " + d + "/empty.gguf/x: cannot open the file: Not a directory");
  ASSERT_EQ(::mkfifo((d + "/pipe").c_str(), 0600), 0);
  expect_error(open(d + "/pipe"), ErrorCode::io, "reading " + d + "/pipe: it is not a regular file");
  if (::geteuid() != 0) {  // root may read everything
    ::chmod((d + "/empty.gguf").c_str(), 0);
    expect_error(open(d + "/empty.gguf"), ErrorCode::io,
                 "reading " + d + "/empty.gguf: cannot open the file: Permission denied");
  }
  std::filesystem::remove_all(dir);
}

TEST(GgufErrors, Header) {
  expect_open_error(GgufBytes(), "the file is empty");
  expect_open_error(GgufBytes().raw("PK\x03\x04"),
                    "not a GGUF file: it starts with 50 4b 03 04, not 47 47 55 46 (\"GGUF\")");
  expect_open_error(GgufBytes().raw("GX"), "not a GGUF file: it starts with 47 58, not 47 47 55 46 (\"GGUF\")");
  expect_open_error(GgufBytes().raw("GG"), "the magic number of the header needs 4 bytes at byte 0 but the file has 2");
  expect_open_error(GgufBytes().raw("GGUF").u32(3).u64(0),
                    "the metadata count of the header needs 8 bytes at byte 16 but the file has 16");
  for (const std::uint32_t version : {0u, 1u, 4u, 99u}) {
    expect_open_error(GgufBytes().header(0, 0, version),
                      "GGUF version " + std::to_string(version) + " is not supported; supported are 2 and 3",
                      ErrorCode::unsupported);
  }
  expect_open_error(GgufBytes().header(0, 0, 0x03000000),
                    "the file is big-endian; only little-endian GGUF files are supported", ErrorCode::unsupported);
  expect_open_error(GgufBytes().header(0, UINT64_MAX),
                    "the header claims 18446744073709551615 metadata entries, which need at least 14 bytes each, but 0 "
                    "bytes follow");
  expect_open_error(GgufBytes().header(3, 0).zeros(98),
                    "the header claims 3 tensors, which need at least 33 bytes each, but 98 bytes follow");
}

TEST(GgufErrors, Keys) {
  expect_open_error(GgufBytes().header(0, 1).u64(100).zeros(10),
                    "the key of metadata entry 1 of 1 needs 100 bytes at byte 32 but the file has 42");
  expect_open_error(GgufBytes().header(0, 1).u64(UINT64_MAX).zeros(10),
                    "the key of metadata entry 1 of 1 needs 18446744073709551615 bytes at byte 32 but the file has 42");
  expect_open_error(GgufBytes().header(0, 1).key("", GgufType::u64).u64(0), "metadata entry 1 of 1 has an empty key");
  expect_open_error(GgufBytes().header(0, 1).key(std::string(65536, 'k'), GgufType::u8).put('1'),
                    "metadata entry 1 of 1 has a key of 65536 bytes; at most 65535 are allowed");
  expect_open_error(
      GgufBytes().header(0, 2).key("a\n\xff", GgufType::u8).put('1').key("a\n\xff", GgufType::u8).put('1'),
      "metadata 'a\\n\\xff' is there twice");
}

TEST(GgufErrors, Values) {
  expect_open_error(GgufBytes().header(0, 1).string("k").u32(13).put('1'), "metadata 'k' has unknown value type 13");
  expect_open_error(one_entry(GgufType::u32).put('1'),
                    "the value of metadata 'k' needs 4 bytes at byte 37 but the file has 38");
  expect_open_error(one_entry(GgufType::boolean).put('\x02'), "metadata 'k' has a bool of value 2, not 0 or 1");
  expect_open_error(one_entry(GgufType::string).u64(1u << 30),
                    "the string of metadata 'k' needs 1073741824 bytes at byte 45 but the file has 45");
}

TEST(GgufErrors, Arrays) {
  const auto array = [](GgufType type, std::uint64_t count) {
    return GgufBytes().header(0, 1).array("k", type, count);
  };
  expect_open_error(GgufBytes().header(0, 1).key("k", GgufType::array).u32(77).u64(0),
                    "metadata 'k' has unknown value type 77");
  expect_open_error(
      array(GgufType::u32, std::uint64_t{1} << 62),
      "metadata 'k' claims 4611686018427387904 elements, which need at least 4 bytes each, but 0 bytes follow");
  expect_open_error(array(GgufType::string, 2).zeros(15),
                    "metadata 'k' claims 2 elements, which need at least 8 bytes each, but 15 bytes follow");
  expect_open_error(array(GgufType::string, 2).string("12345678"),
                    "the length of an element of metadata 'k' needs 8 bytes at byte 65 but the file has 65");
  expect_open_error(array(GgufType::boolean, 2).put('\1').put('\x09'),
                    "metadata 'k' has a bool of value 9, not 0 or 1");
  GgufBytes deep = array(GgufType::array, 1);
  for (int i = 0; i < 2; ++i) deep.u32(static_cast<std::uint32_t>(GgufType::array)).u64(1);
  GgufBytes deeper = deep;
  EXPECT_EQ(deep.u32(0).u64(1).put('1').open().metadata().size(), 1u);
  deeper.u32(static_cast<std::uint32_t>(GgufType::array)).u64(1).u32(0).u64(1).put('1');
  expect_open_error(deeper, "metadata 'k' nests arrays deeper than 4");
}

TEST(GgufErrors, Alignment) {
  const auto aligned = [](std::uint64_t value) {
    return GgufBytes().header(0, 1).key("general.alignment", GgufType::u64).u64(value);
  };
  for (const char* value : {"0", "3", "2097152"}) {
    expect_open_error(aligned(std::stoull(value)),
                      "metadata 'general.alignment' is " + std::string(value) + ", not a power of two up to 1048576");
  }
  expect_open_error(GgufBytes().header(0, 1).key("general.alignment", GgufType::f32).put(32.0f),
                    "metadata 'general.alignment' has type f32; expected unsigned integer");
}

TEST(GgufErrors, TensorNames) {
  expect_open_error(GgufBytes().header(1, 0).tensor("", {4}, 0, 0).pad().zeros(64), "tensor 1 of 1 has an empty name");
  expect_open_error(GgufBytes().header(1, 0).tensor(std::string(65536, 'w'), {4}, 0, 0).pad().zeros(64),
                    "tensor 1 of 1 has a name of 65536 bytes; at most 65535 are allowed");
  expect_open_error(GgufBytes().header(2, 0).tensor("w", {4}, 0, 0).tensor("w", {4}, 0, 32).pad().zeros(64),
                    "tensor 'w' is there twice");
}

TEST(GgufErrors, TensorShapes) {
  expect_open_error(one_tensor({}), "tensor 'w' has 0 dimensions; 1 to 4 are allowed");
  expect_open_error(one_tensor({1, 1, 1, 1, 1}), "tensor 'w' has 5 dimensions; 1 to 4 are allowed");
  expect_open_error(one_tensor({4, 0}), "tensor 'w' has 0 elements in dimension 1");
  expect_open_error(one_tensor({std::uint64_t{1} << 63}),
                    "tensor 'w' has more elements than a 64-bit count holds: dimension 0 is 9223372036854775808");
  expect_open_error(one_tensor({std::uint64_t{1} << 32, std::uint64_t{1} << 31}),
                    "tensor 'w' has more elements than a 64-bit count holds: dimension 1 is 2147483648");
  expect_open_error(one_tensor({std::uint64_t{1} << 62}),
                    "tensor 'w' has 4611686018427387904 elements, more bytes than a 64-bit count holds");
  expect_open_error(one_tensor({48, 2}, 2),
                    "tensor 'w' has rows of 48 elements, not a multiple of the 32 in a block of Q4_0");
  expect_open_error(one_tensor({128}, 14),
                    "tensor 'w' has rows of 128 elements, not a multiple of the 256 in a block of Q6_K");
}

TEST(GgufErrors, TensorTypes) {
  const std::string supported =
      "F32, F16, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q4_K, Q5_K, Q6_K, I8, I16, I32, I64, F64, BF16";
  expect_open_error(one_tensor({256}, 10), "tensor 'w' has unsupported type 10 (Q2_K); supported are " + supported,
                    ErrorCode::unsupported);
  expect_open_error(one_tensor({256}, 4711), "tensor 'w' has unknown type 4711; supported are " + supported,
                    ErrorCode::unsupported);
}

TEST(GgufErrors, TensorPlaces) {
  // Header 24 bytes, one description 33: the data starts at byte 64 (two: 96).
  expect_open_error(one_tensor({4}, 0, 33), "tensor 'w' has offset 33, not a multiple of the alignment 32");
  expect_open_error(one_tensor({16}, 0, 0, 63), "tensor 'w' ends at byte 128 but the file has 127");
  expect_open_error(one_tensor({4}, 0, 64), "tensor 'w' ends at byte 144 but the file has 128");
  // -32 as an offset.
  expect_open_error(one_tensor({4}, 0, UINT64_MAX - 31),
                    "tensor 'w' has offset 18446744073709551584 and 16 bytes, which end beyond any 64-bit byte count");
  expect_open_error(GgufBytes().header(2, 0).tensor("w", {9}, 0, 32).tensor("v", {8}, 0, 64).pad().zeros(128),
                    "tensor 'v' starts at byte 160, inside tensor 'w', which ends at byte 164");
  expect_open_error(GgufBytes().header(1, 0).string("w").u32(1).u64(16).u32(0).u64(0),
                    "tensor 'w' ends at byte 128 but the file has 57");
}

TEST(GgufErrors, Accessors) {
  const GgufFile file = GgufBytes()
                            .header(0, 4)
                            .key("llama.block_count", GgufType::string)
                            .string("thirty")
                            .key("n", GgufType::i32)
                            .put(-5)
                            .array("a", GgufType::u8, 3)
                            .raw("abc")
                            .array("big", GgufType::i64, 1)
                            .put(std::int64_t{5000000000})
                            .open();
  const auto expect = [](const std::function<void()>& action, std::string_view message,
                         ErrorCode code = ErrorCode::format) {
    expect_error(action, code, "reading x.gguf: " + std::string(message));
  };
  expect([&] { file.require_u64("llama.block_count"); },
         "metadata 'llama.block_count' has type string (\"thirty\"); expected unsigned integer");
  expect([&] { file.u64_or("n", 1); }, "metadata 'n' has type i32 (-5); expected unsigned integer");
  expect([&] { file.i64_or("a", 1); }, "metadata 'a' has type array of 3 u8s; expected integer");
  expect([&] { file.require_f32("n"); }, "metadata 'n' has type i32 (-5); expected f32 or f64");
  expect([&] { file.require_bool("n"); }, "metadata 'n' has type i32 (-5); expected bool");
  expect([&] { file.string_or("n", ""); }, "metadata 'n' has type i32 (-5); expected string");
  expect([&] { file.require_strings("n"); }, "metadata 'n' has type i32 (-5); expected array of strings");
  expect([&] { file.require_strings("a", 4); }, "metadata 'a' has type array of 3 u8s; expected array of 4 strings");
  expect([&] { file.require_strings("a"); }, "metadata 'a' has type array of 3 u8s; expected array of strings");
  expect([&] { file.require_f32s("a"); }, "metadata 'a' has type array of 3 u8s; expected array of f32s");
  expect([&] { file.require_i32s("a", 2); }, "metadata 'a' has type array of 3 u8s; expected array of 2 i32s");
  expect([&] { file.require_i32s("big"); }, "metadata 'big' has 5000000000 at index 0, which i32 does not hold");
  expect([&] { file.require_u64("no\x01"); }, "metadata 'no\\x01' is missing; expected unsigned integer",
         ErrorCode::not_found);
  expect([&] { file.require_i32s("none", 2); }, "metadata 'none' is missing; expected array of 2 i32s",
         ErrorCode::not_found);
  expect([&] { file.tensor("output.weight"); }, "tensor 'output.weight' is missing", ErrorCode::not_found);
}

/// Every prefix of a file that uses all of the format is refused, and so is every prefix of its description alone.
TEST(GgufErrors, EveryTruncationPoint) {
  for (const std::uint32_t version : {2u, 3u}) {
    const GgufBytes bytes = GgufBytes()
                                .header(2, 4, version)
                                .key("general.alignment", GgufType::u32)
                                .u32(8)
                                .array("tokens", GgufType::string, 2)
                                .string("ab")
                                .string("")
                                .array("nested", GgufType::array, 1)
                                .u32(static_cast<std::uint32_t>(GgufType::i16))
                                .u64(2)
                                .put(std::int16_t{1})
                                .put(std::int16_t{2})
                                .key("flag", GgufType::boolean)
                                .put('\1')
                                .tensor("w", {32, 2}, 2, 0)
                                .tensor("v", {3}, 0, 40)
                                .pad(8)
                                .zeros(40 + 12);
    EXPECT_EQ(bytes.open().tensors().size(), 2u);
    for (std::size_t n = 0; n < bytes.bytes().size(); ++n) {
      try {
        GgufFile::from_memory(bytes.bytes().first(n), "x.gguf");
        ADD_FAILURE() << "a prefix of " << n << " bytes opens";
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::format) << error.what();
        EXPECT_EQ(error.doing(), "reading x.gguf");
      }
    }
  }
}

}  // namespace
}  // namespace quince
