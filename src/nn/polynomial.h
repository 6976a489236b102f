// Polynomials by Horner's rule.
#pragma once

#include <span>

#include "quince/graph/tensor.h"

namespace quince::nn {

/// Σ coefficients[i]·xⁱ; at least two coefficients. 2·degree ops.
inline Tensor horner(const Tensor& x, std::span<const double> coefficients) {
  Tensor value = x * coefficients.back();
  for (std::size_t i = coefficients.size() - 2; i > 0; --i) value = mul(x, value + coefficients[i]);
  return value + coefficients[0];
}

}  // namespace quince::nn
