// Metadata of every type, written by the `gguf` package (data/gguf/make.py) and by hand: access and text.
#include <gtest/gtest.h>

#include "gguf_bytes.h"
#include "io/gguf_json.h"
#include "quince/io/block_format.h"
#include "quince/io/gguf.h"

namespace quince {
namespace {

using test::GgufBytes;

GgufFile formats() { return GgufFile::open(QUINCE_TEST_DATA "/gguf/formats.gguf"); }

TEST(GgufMetadata, File) {
  const GgufFile file = formats();
  EXPECT_EQ(file.path(), QUINCE_TEST_DATA "/gguf/formats.gguf");
  EXPECT_EQ(file.version(), 3u);
  EXPECT_EQ(file.alignment(), 32u);
  EXPECT_EQ(file.metadata().size(), 19u);
  EXPECT_EQ(file.metadata()[1].key, "t.u8");
  EXPECT_EQ(file.require_string("general.architecture"), "quince-test");
}

TEST(GgufMetadata, Scalars) {
  const GgufFile file = formats();
  EXPECT_EQ(file.require_u64("t.u8"), 200u);
  EXPECT_EQ(file.require_i64("t.i8"), -100);
  EXPECT_EQ(file.require_u64("t.u16"), 60000u);
  EXPECT_EQ(file.require_i64("t.i16"), -30000);
  EXPECT_EQ(file.require_u64("t.u32"), 4000000000u);
  EXPECT_EQ(file.require_i64("t.i32"), -2000000000);
  EXPECT_EQ(file.require_u64("t.u64"), UINT64_MAX);
  EXPECT_EQ(file.require_i64("t.i64"), INT64_MIN);
  EXPECT_EQ(file.require_f32("t.f32"), 0.1f);
  EXPECT_EQ(file.find("t.f64")->as_f64(), 0.1);
  EXPECT_TRUE(file.require_bool("t.bool"));
  EXPECT_EQ(file.require_string("t.string"), "a \"line\"\nand über");
  EXPECT_EQ(file.find("t.u64")->as_i64(), std::nullopt);
  EXPECT_EQ(file.find("t.none"), nullptr);
}

TEST(GgufMetadata, Arrays) {
  const GgufFile file = formats();
  const auto strings = file.require_strings("t.strings", 4);
  EXPECT_EQ(std::vector(strings.begin(), strings.end()),
            (std::vector<std::string_view>{"", "one", std::string_view("two\0", 4), "Grüße"}));
  EXPECT_EQ(file.require_i32s("t.i32s"), (std::vector<std::int32_t>{1, -2, 3}));
  EXPECT_EQ(file.require_f32s("t.f32s", 2), (std::vector<float>{0.5f, -1.5f}));
  const GgufValue& nested = *file.find("t.nested");
  ASSERT_EQ(nested.size(), 2u);
  EXPECT_EQ(nested.element(0).size(), 2u);
  EXPECT_EQ(nested.element(1).element(0).as_i64(), 3);
}

TEST(GgufMetadata, Fallbacks) {
  const GgufFile file = formats();
  EXPECT_EQ(file.u64_or("t.u8", 1), 200u);
  EXPECT_EQ(file.u64_or("none", 1), 1u);
  EXPECT_EQ(file.i64_or("none", -1), -1);
  EXPECT_EQ(file.f32_or("t.f32", 1), 0.1f);
  EXPECT_EQ(file.f32_or("none", 1), 1.0f);
  EXPECT_FALSE(file.bool_or("none", false));
  EXPECT_EQ(file.string_or("none", "x"), "x");
}

TEST(GgufMetadata, Text) {
  const GgufFile file = formats();
  const auto text = [&](const char* key, std::size_t items = 8) { return to_string(*file.find(key), items); };
  EXPECT_EQ(text("t.i8"), "-100");
  EXPECT_EQ(text("t.u64"), "18446744073709551615");
  EXPECT_EQ(text("t.f32"), "0.1");
  EXPECT_EQ(text("t.bool"), "true");
  EXPECT_EQ(text("t.string"), "\"a \"line\"\\nand über\"");
  EXPECT_EQ(text("t.strings"), "[\"\", \"one\", \"two\\x00\", \"Grüße\"]");
  EXPECT_EQ(text("t.i32s", 2), "[1, -2, … 3 in all]");
  EXPECT_EQ(text("t.i32s", 0), "[… 3 in all]");
  EXPECT_EQ(text("t.nested"), "[[1, 2], [3]]");
  EXPECT_EQ(text("t.u64s"), "[1, 18446744073709551615]");
  EXPECT_EQ(file.find("t.strings")->type_text(), "array of 4 strings");
  EXPECT_EQ(file.find("t.f64")->type_text(), "f64");
}

TEST(GgufMetadata, Json) {
  const GgufFile file = formats();
  const auto json = [&](const char* key, std::size_t items = 8) { return to_json(*file.find(key), items).dump(); };
  EXPECT_EQ(json("t.i64"), "-9223372036854775808");
  EXPECT_EQ(json("t.u64"), "18446744073709551615");
  EXPECT_EQ(json("t.bool"), "true");
  EXPECT_EQ(json("t.f64"), "0.1");
  EXPECT_EQ(json("t.f32"), "0.1");
  EXPECT_EQ(json("t.strings"), "[\"\",\"one\",\"two\\u0000\",\"Grüße\"]");
  EXPECT_EQ(json("t.nested"), "[[1,2],[3]]");
  EXPECT_EQ(json("t.i32s", 2), "{\"first\":[1,-2],\"size\":3}");
}

TEST(GgufMetadata, Printable) {
  EXPECT_EQ(printable("blk.0.attn_q.weight"), "blk.0.attn_q.weight");
  EXPECT_EQ(printable("a\tb\r\n\x1b[31m\x7f"), "a\\tb\\r\\n\\x1b[31m\\x7f");
  EXPECT_EQ(printable("\xff\xc3\xa9\xc3"), "\\xff\xc3\xa9\\xc3");
  EXPECT_EQ(printable("\xe2\x80\xae"), "\\xe2\\x80\\xae");  // an override of the text's direction
  EXPECT_EQ(printable("abcdef", 3), "abc…");
  EXPECT_EQ(printable("ab\xc3\xa9", 3), "ab…");
  EXPECT_EQ(printable("abc", 3), "abc");
}

TEST(GgufMetadata, InvalidUtf8IsKept) {
  const GgufFile file = GgufBytes().header(0, 1, 2).key("k\xff", GgufType::string).string("\xfe").open();
  EXPECT_EQ(file.version(), 2u);
  EXPECT_EQ(file.require_string("k\xff"), "\xfe");
  EXPECT_EQ(to_json(*file.find("k\xff"), 8).dump(), "\"\xef\xbf\xbd\"");
}

TEST(GgufTensors, Descriptions) {
  const GgufFile file = formats();
  const GgufTensor& q = file.tensor("Q4_1");
  EXPECT_EQ(q.shape, (std::vector<std::int64_t>{3, 512}));
  EXPECT_EQ(q.format->name, "Q4_1");
  EXPECT_EQ(q.count, 1536);
  EXPECT_EQ(q.bytes, 960u);
  EXPECT_EQ(q.offset % 32, 0u);
  EXPECT_EQ(file.bytes(q).size(), 960u);
  EXPECT_EQ(file.find_tensor("none"), nullptr);
  EXPECT_EQ(file.tensors()[0].name, "Q4_0");
}

TEST(GgufTensors, DimsAreReversedAndGapsAllowed) {
  const GgufFile file = GgufBytes().header(1, 0).tensor("w", {4, 3, 2, 1}, 24, 32).pad().zeros(32 + 24).open();
  EXPECT_EQ(file.tensors()[0].shape, (std::vector<std::int64_t>{1, 2, 3, 4}));
  EXPECT_EQ(file.tensors()[0].offset, file.size() - 24);
}

TEST(GgufTensors, CopiesOutliveTheFirst) {
  Storage bytes;
  {
    const GgufFile file = formats();
    const GgufFile copy = file;
    bytes = copy.bytes(copy.tensor("F32"));
  }
  EXPECT_EQ(bytes.size(), 3u * 512 * 4);
  EXPECT_NE(bytes.data()[0], bytes.data()[1]);
}

}  // namespace
}  // namespace quince
