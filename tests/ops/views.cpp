// The views of tests/data/ops/make.py.
#include "ops/views.h"

#include <stdexcept>
#include <string>

namespace quince::testing {

Tensor viewed(const Tensor& x, std::string_view name) {
  if (name == "permuted") return x.transpose(0, 1);
  if (name == "expanded") return x.slice(1, 2, 3).unsqueeze(1).expand({4, 2, 3});
  if (name == "sliced") return x.slice(0, 1, 4).slice(1, 0, 6, 2);
  if (name == "flipped") return x.flip(1);
  if (name == "padded") return x.pad(1, 1, 2, 1).pad(0, 2, 0, 0);
  if (name == "masked") {
    const std::vector<Expr> a = axes_of(x.shape());
    return x.masked(le(a[0], a[1]), 1).masked(logical_not(eq(mod(a[0] + 2 * a[1], 3), 1)), 0);
  }
  if (name == "reshaped") return x.reshape({3, 8});
  if (name == "split") return x.split(1, 3);
  if (name == "window") return x.window(1, 3, 2);
  if (name == "merged") return x.transpose(0, 1).merge(0);
  if (name == "selected") return x.select(0, 2);
  if (name == "diagonal") {
    const Shape four{4};
    const Expr i = Expr::axis(0, 4);
    return x.at(Map(four, x.shape(), {i, i}));
  }
  if (name == "chain") return x.slice(0, 0, 4, 2).transpose(0, 1).reshape({2, 6}).flip(1).pad(1, 0, 1, 1);
  if (name == "empty") return x.slice(0, 0, 0);
  if (name == "plain") return x;
  throw std::invalid_argument(std::string(name));
}

}  // namespace quince::testing
