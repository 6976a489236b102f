// The nn functions by name, for tests that are driven by stored cases.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "quince/graph/tensor.h"

namespace quince::nn::testing {

using Function = std::function<std::vector<Tensor>(const std::vector<Tensor>& in, const std::vector<double>& args)>;

/// A function and, per operand, how many leading axes may have symbolic extents (−1: all).
struct Entry {
  Function apply;
  std::vector<int> symbolic_axes = {-1, -1, -1, -1};
};

const std::map<std::string, Entry>& functions();

}  // namespace quince::nn::testing
