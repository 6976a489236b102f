// Test cases with arrays, as tests/data/arrays.py writes them, and the comparison of arrays.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "quince/graph/array.h"

namespace quince::testing {

/// One case: `row` holds what is particular to a test program.
struct ArrayCase {
  std::string name;
  std::vector<Array> in;
  std::vector<Array> out;
  nlohmann::json row;
};

/// The cases of tests/data/<folder>.
inline std::vector<ArrayCase> load_cases(const std::string& folder) {
  const std::string path = std::string(QUINCE_TEST_DATA) + "/" + folder;
  std::ifstream index(path + "/index.json");
  std::ifstream file(path + "/values.bin", std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  const auto array = [&bytes](const nlohmann::json& j) {
    const auto dtype = dtype_from_name(j.at(0).get<std::string>());
    Array a = Array::zeros(dtype.value(), j.at(1).get<std::vector<std::int64_t>>());
    const std::size_t size = bytes_needed(a.dtype, a.shape);
    const std::size_t offset = j.at(2).get<std::size_t>();
    if (offset + size > bytes.size()) throw std::out_of_range("values.bin is too short");
    if (size > 0) std::memcpy(a.storage.mutable_data(), bytes.data() + offset, size);
    return a;
  };
  const nlohmann::json all = nlohmann::json::parse(index);
  std::vector<Array> arrays;
  for (const auto& j : all.at("arrays")) arrays.push_back(array(j));
  std::vector<ArrayCase> cases;
  for (const auto& row : all.at("cases")) {
    ArrayCase c{row.at("name").get<std::string>(), {}, {}, row};
    for (const auto& j : row.at("in")) c.in.push_back(arrays.at(j.get<std::size_t>()));
    for (const auto& j : row.at("out")) c.out.push_back(arrays.at(j.get<std::size_t>()));
    cases.push_back(std::move(c));
  }
  return cases;
}

/// How two elements may differ.
enum class Compare {
  bits,   ///< equal, zero signs included; any NaN for a NaN
  value,  ///< equal; +0 is −0
  close,  ///< within torch.testing.assert_close's default tolerance for the dtype
};

inline Compare compare_from_name(const std::string& name) {
  return name == "bits" ? Compare::bits : name == "value" ? Compare::value : Compare::close;
}

inline bool same_element(Scalar got, Scalar want, Compare how) {
  if (!is_float(want.dtype)) return got.bits == want.bits;
  const double a = got.as_double();
  const double b = want.as_double();
  if (std::isnan(b)) return std::isnan(a);
  if (how == Compare::bits) return a == b && std::signbit(a) == std::signbit(b);
  if (a == b) return true;
  if (how == Compare::value || std::isinf(a) || std::isinf(b)) return false;
  const double relative = want.dtype == DType::f64    ? 1e-7
                          : want.dtype == DType::f32  ? 1.3e-6
                          : want.dtype == DType::bf16 ? 1.6e-2
                                                      : 1e-3;
  const double absolute = want.dtype == DType::f64 ? 1e-7 : 1e-5;
  return std::abs(a - b) <= absolute + relative * std::abs(b);
}

/// Shape, dtype and every element; names the first difference.
inline ::testing::AssertionResult same_array(const Array& got, const Array& want, Compare how) {
  if (got.dtype != want.dtype) {
    return ::testing::AssertionFailure() << "dtype " << name(got.dtype) << ", expected " << name(want.dtype);
  }
  if (got.shape != want.shape) {
    return ::testing::AssertionFailure() << "shape " << ::testing::PrintToString(got.shape) << ", expected "
                                         << ::testing::PrintToString(want.shape);
  }
  std::int64_t wrong = 0;
  std::int64_t first = -1;
  for (std::int64_t i = 0; i < want.count(); ++i) {
    if (same_element(got.at(i), want.at(i), how)) continue;
    if (wrong++ == 0) first = i;
  }
  if (wrong == 0) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << wrong << " of " << want.count() << " elements differ, first at " << first
                                       << fmt::format(": {} (bits {:#x}), expected {} (bits {:#x})",
                                                      got.at(first).as_double(), got.at(first).bits,
                                                      want.at(first).as_double(), want.at(first).bits);
}

}  // namespace quince::testing
