// A GGUF file written anew with some of its metadata and tensors changed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace quince::test {

struct GgufEdits {
  struct Value {
    std::string type;  ///< a GGUF type's name, or "strings" / "i32s" for arrays of those
    std::vector<std::string> items;
  };
  std::map<std::string, Value> set;  ///< replaced, or added at the end
  std::set<std::string> drop;        ///< keys
  std::set<std::string> drop_tensors;
  std::map<std::string, std::vector<std::int64_t>> reshape;  ///< outermost axis first; the data is cut or filled with 0
};

/// The bytes of the file at `path` with the edits made. All its tensors are F32.
std::vector<std::byte> edited_gguf(const std::string& path, const GgufEdits& edits);

}  // namespace quince::test
