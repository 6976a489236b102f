// Softmax and its logarithms.
#include "nn/count.h"
#include "nn/lanes.h"
#include "quince/nn/elementwise.h"
#include "quince/nn/reduce.h"

namespace quince::nn {

Tensor softmax(const Tensor& x, int axis) {
  require_float("softmax", x);
  axis = checked_axis("softmax", x, axis);
  return via_f32(x, [axis](const Tensor& v) {
    const Tensor e = exp2(sub(v, v.max({axis}, true)) * kLog2E);
    return mul(e, recip(e.sum({axis}, true)));
  });
}

Tensor log_softmax(const Tensor& x, int axis) {
  require_float("log_softmax", x);
  axis = checked_axis("log_softmax", x, axis);
  return via_f32(x, [axis](const Tensor& v) {
    const Tensor d = sub(v, v.max({axis}, true));
    return add(d, log2(exp2(d * kLog2E).sum({axis}, true)) * -kLn2);
  });
}

Tensor logsumexp(const Tensor& x, int axis, bool keep) {
  require_float("logsumexp", x);
  axis = checked_axis("logsumexp", x, axis);
  return via_f32(x, [axis, keep](const Tensor& v) {
    const Tensor m = v.max({axis}, true);
    const double f = largest_finite(v.dtype());
    const Tensor negative_clamped = lane(neg(lane(m, -f).max({-1})), -f).max({-1});
    const Tensor sum = exp2(add(v, negative_clamped) * kLog2E).sum({axis}, true);
    const Tensor result = add(m, log2(sum) * kLn2);
    return keep ? result : result.squeeze(axis);
  });
}

}  // namespace quince::nn
