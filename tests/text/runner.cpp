// Text tests: tests/data/text/**/*.test, each a graph with runs and the values or the error they must give.
//
//   quince test 1
//   --- graph            the graph's text
//   --- error            the whole message that parsing it must give
//   --- run s=2          one run of one session; lines "x f32 [2] = (1, 2)" are its inputs
//   --- expect           lines of the same form: the outputs' values, bit for bit, any NaN for any other
//   --- error            or the whole message that the run must give
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "graph/scalar_text.h"
#include "graph/text_cursor.h"
#include "quince/error.h"
#include "quince/graph/text.h"
#include "quince/runtime/program.h"
#include "support/message_of.h"

namespace quince {
namespace {

using test::message_of;

struct Section {
  std::string head;  ///< "graph", "run s=2", …
  std::string body;
  std::size_t line = 0;
};

std::vector<Section> sections_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::vector<Section> sections;
  std::string line;
  for (std::size_t number = 1; std::getline(file, line); ++number) {
    if (number == 1) {
      EXPECT_EQ(line, "quince test 1");
    } else if (line.starts_with("--- ")) {
      sections.push_back({line.substr(4), "", number});
    } else if (!sections.empty()) {
      sections.back().body += line + "\n";
    }
  }
  return sections;
}

/// "x f32 [2] = (1, 2)" lines as arrays by name.
Arrays arrays_of(const Section& section) {
  Arrays arrays;
  std::istringstream body(section.body);
  std::string line;
  for (std::size_t number = section.line + 1; std::getline(body, line); ++number) {
    TextCursor c(line, number);
    if (c.done() || c.at('#')) continue;
    const std::string array_name(c.word("a name"));
    const auto dtype = dtype_from_name(c.word("a dtype"));
    if (!dtype) c.fail("expected a dtype");
    std::vector<std::int64_t> shape;
    for (const Piece& extent : c.bracketed()) shape.push_back(std::stoll(std::string(extent.text)));
    c.expect("=");
    Array array = Array::zeros(*dtype, shape);
    const std::vector<Piece> values = c.bracketed('(', ')');
    if (static_cast<std::int64_t>(values.size()) != array.count())
      c.fail(fmt::format("expected {} values", array.count()));
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto value = parse_scalar(*dtype, values[i].text);
      if (!value) c.fail_at(values[i].column, "expected a value");
      array.set(static_cast<std::int64_t>(i), *value);
    }
    arrays.emplace(array_name, std::move(array));
  }
  return arrays;
}

Dims dims_of(std::string_view head) {
  Dims dims;
  std::istringstream words{std::string(head)};
  std::string word;
  words >> word;
  while (words >> word) {
    const std::size_t equals = word.find('=');
    dims[word.substr(0, equals)] = std::stoll(word.substr(equals + 1));
  }
  return dims;
}

std::string values_text(const Array& array) {
  std::string text;
  for (std::int64_t i = 0; i < array.count(); ++i) {
    const Scalar value = array.at(i);
    const bool is_nan = is_float(array.dtype) && std::isnan(value.as_double());  // any NaN equals any other
    text += (i > 0 ? ", " : "") + (is_nan ? "nan" : to_string(value));
  }
  return fmt::format("{} ({})", name(array.dtype), text);
}

std::string trimmed(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

/// The dims that shape states, which a session fixes.
Dims session_dims(const Program& program, const Dims& dims) {
  Dims fixed;
  for (const Program::Port& port : program.states()) {
    for (Expr extent : port.shape) {
      for (Expr dim : collect(extent, ExprKind::dim)) {
        if (const auto it = dims.find(dim.dim_name()); it != dims.end()) fixed.insert(*it);
      }
    }
  }
  return fixed;
}

class TextTest : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(TextTest, GivesWhatItSays) {
  const std::vector<Section> sections = sections_of(GetParam());
  ASSERT_FALSE(sections.empty());
  ASSERT_EQ(sections[0].head, "graph");
  if (sections.size() == 2 && sections[1].head == "error") {
    EXPECT_EQ(message_of([&] { parse_graph(sections[0].body); }), trimmed(sections[1].body));
    return;
  }
  const std::unique_ptr<Graph> graph = parse_graph(sections[0].body);
  EXPECT_EQ(to_text(*parse_graph(to_text(*graph))), to_text(*graph));
  for (const int threads : {1, 2}) {
    const auto program = Program::compile(*graph, {.threads = threads});
    std::optional<Session> session;
    ASSERT_EQ(sections.size() % 2, 1u);
    for (std::size_t i = 1; i + 1 < sections.size(); i += 2) {
      SCOPED_TRACE(fmt::format("line {}, {} threads", sections[i].line, threads));
      ASSERT_TRUE(sections[i].head.starts_with("run"));
      const Dims dims = dims_of(sections[i].head);
      const Section& wanted = sections[i + 1];
      const auto run = [&] {
        if (!session) session.emplace(program, session_dims(*program, dims));
        return session->run(arrays_of(sections[i]), dims);
      };
      if (wanted.head == "error") {
        EXPECT_EQ(message_of(run), trimmed(wanted.body));
        continue;
      }
      ASSERT_EQ(wanted.head, "expect");
      const Arrays got = run();
      const Arrays expected = arrays_of(wanted);
      ASSERT_EQ(expected.size(), got.size());
      for (const auto& [output, array] : expected) {
        ASSERT_TRUE(got.contains(output)) << output;
        EXPECT_EQ(got.at(output).shape, array.shape) << output;
        EXPECT_EQ(values_text(got.at(output)), values_text(array)) << output;
      }
    }
  }
}

std::vector<std::filesystem::path> all_tests() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(QUINCE_TEST_DATA "/text")) {
    if (entry.path().extension() == ".test") paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  return paths;
}

std::string test_name(const testing::TestParamInfo<std::filesystem::path>& test) {
  std::string text = std::filesystem::relative(test.param, QUINCE_TEST_DATA "/text").replace_extension().string();
  for (char& c : text) {
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  }
  return text;
}

INSTANTIATE_TEST_SUITE_P(Files, TextTest, testing::ValuesIn(all_tests()), test_name);

}  // namespace
}  // namespace quince
