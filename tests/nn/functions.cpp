// The nn functions by name.
#include "nn/functions.h"

#include <cmath>
#include <optional>

#include "quince/nn/nn.h"

namespace quince::nn::testing {
namespace {

using Inputs = std::vector<Tensor>;
using Args = std::vector<double>;

Entry unary(Tensor (*f)(const Tensor&)) {
  return {[f](const Inputs& in, const Args&) { return Inputs{f(in.at(0))}; }};
}

Entry binary(Tensor (*f)(const Tensor&, const Tensor&)) {
  return {[f](const Inputs& in, const Args&) { return Inputs{f(in.at(0), in.at(1))}; }};
}

std::vector<int> axes_from(const Args& args, std::size_t first) {
  return {args.begin() + static_cast<std::ptrdiff_t>(first), args.end()};
}

/// args: keep, axes…
Entry reduction(Tensor (*f)(const Tensor&, const std::vector<int>&, bool)) {
  return {[f](const Inputs& in, const Args& args) { return Inputs{f(in.at(0), axes_from(args, 1), args.at(0) != 0)}; }};
}

/// args: keep, axis
Entry axis_reduction(Tensor (*f)(const Tensor&, int, bool), std::vector<int> symbolic = {-1}) {
  return {[f](const Inputs& in, const Args& args) {
            return Inputs{f(in.at(0), static_cast<int>(args.at(1)), args.at(0) != 0)};
          },
          std::move(symbolic)};
}

/// args: axis
Entry along_axis(Tensor (*f)(const Tensor&, int)) {
  return {[f](const Inputs& in, const Args& args) { return Inputs{f(in.at(0), static_cast<int>(args.at(0)))}; }};
}

std::optional<double> bound(double v) { return std::isnan(v) ? std::nullopt : std::optional(v); }

std::map<std::string, Entry> make() {
  std::map<std::string, Entry> all;
  all["neg"] = unary(neg);
  all["abs"] = unary(abs);
  all["sign"] = unary(sign);
  all["floor"] = unary(floor);
  all["ceil"] = unary(ceil);
  all["trunc"] = unary(trunc);
  all["round"] = unary(round);
  all["relu"] = unary(relu);
  all["isfinite"] = unary(isfinite);
  all["isnan"] = unary(isnan);
  all["isinf"] = unary(isinf);
  all["signbit"] = unary(signbit);
  all["exp"] = unary(exp);
  all["log"] = unary(log);
  all["log10"] = unary(log10);
  all["log1p"] = unary(log1p);
  all["expm1"] = unary(expm1);
  all["rsqrt"] = unary(rsqrt);
  all["sigmoid"] = unary(sigmoid);
  all["tanh"] = unary(tanh);
  all["silu"] = unary(silu);
  all["softplus"] = unary(softplus);
  all["cos"] = unary(cos);
  all["tan"] = unary(tan);
  all["erf"] = unary(erf);
  all["gelu"] = unary(gelu);
  all["gelu_tanh"] = unary(gelu_tanh);
  all["logical_not"] = unary(logical_not);
  all["sub"] = binary(sub);
  all["maximum"] = binary(maximum);
  all["minimum"] = binary(minimum);
  all["lt"] = binary(lt);
  all["le"] = binary(le);
  all["gt"] = binary(gt);
  all["ge"] = binary(ge);
  all["eq"] = binary(eq);
  all["ne"] = binary(ne);
  all["logical_and"] = binary(logical_and);
  all["logical_or"] = binary(logical_or);
  all["logical_xor"] = binary(logical_xor);
  all["div"] = binary(div);
  all["div_exact"] = binary(div_exact);
  all["floor_divide"] = binary(floor_divide);
  all["remainder"] = binary(remainder);
  all["pow"] = binary(pow);
  all["matmul"] = binary(matmul);
  all["embedding"] = binary(embedding);
  all["mean"] = reduction(mean);
  all["amax"] = reduction(amax);
  all["amin"] = reduction(amin);
  all["any"] = reduction(any);
  all["all"] = reduction(nn::all);
  all["argmax"] = axis_reduction(argmax);
  all["logsumexp"] = axis_reduction(logsumexp);
  all["prod"] = axis_reduction(prod, {0});
  all["softmax"] = along_axis(softmax);
  all["log_softmax"] = along_axis(log_softmax);
  all["cumsum"] = along_axis(cumsum);
  all["leaky_relu"] = {[](const Inputs& in, const Args& args) { return Inputs{leaky_relu(in[0], args.at(0))}; }};
  all["pow_scalar"] = {[](const Inputs& in, const Args& args) { return Inputs{pow(in[0], args.at(0))}; }};
  all["clamp"] = {
      [](const Inputs& in, const Args& args) { return Inputs{clamp(in[0], bound(args.at(0)), bound(args.at(1)))}; }};
  all["clamp_tensor"] = {[](const Inputs& in, const Args&) { return Inputs{clamp(in[0], in[1], in[2])}; }};
  all["where"] = {[](const Inputs& in, const Args&) { return Inputs{where(in[0], in[1], in[2])}; }};
  all["where_else"] = {[](const Inputs& in, const Args& args) { return Inputs{where(in[0], in[1], args.at(0))}; }};
  all["masked_fill"] = {
      [](const Inputs& in, const Args& args) { return Inputs{masked_fill(in[0], in[1], args.at(0))}; }};
  all["var"] = {[](const Inputs& in, const Args& args) {
    return Inputs{var(in[0], axes_from(args, 2), static_cast<int>(args.at(0)), args.at(1) != 0)};
  }};
  all["topk"] = {[](const Inputs& in, const Args& args) {
    const TopK best = topk(in[0], static_cast<int>(args.at(0)), static_cast<int>(args.at(1)));
    return Inputs{best.values, best.indices};
  }};
  all["concat"] = {[](const Inputs& in, const Args& args) { return Inputs{concat(in, static_cast<int>(args.at(0)))}; }};
  all["stack"] = {[](const Inputs& in, const Args& args) { return Inputs{stack(in, static_cast<int>(args.at(0)))}; }};
  all["index_select"] = {[](const Inputs& in, const Args& args) {
    return Inputs{index_select(in[0], static_cast<int>(args.at(0)), in[1])};
  }};
  all["gather_along"] = {[](const Inputs& in, const Args& args) {
    return Inputs{gather_along(in[0], static_cast<int>(args.at(0)), in[1])};
  }};
  all["one_hot"] = {
      [](const Inputs& in, const Args& args) { return Inputs{one_hot(in[0], static_cast<std::int64_t>(args.at(0)))}; }};
  all["linear"] = {[](const Inputs& in, const Args&) {
    return Inputs{in.size() > 2 ? linear(in[0], in[1], in[2]) : linear(in[0], in[1])};
  }};
  all["layer_norm"] = {
      [](const Inputs& in, const Args& args) { return Inputs{layer_norm(in[0], in[1], in[2], args.at(0))}; }};
  all["rms_norm"] = {[](const Inputs& in, const Args& args) { return Inputs{rms_norm(in[0], in[1], args.at(0))}; }};
  all["rope"] = {
      [](const Inputs& in, const Args& args) {
        return Inputs{rope(in[0], in[1], in[2], args.at(0) == 0 ? RopeLayout::interleaved : RopeLayout::half)};
      },
      {3, 3, 3}};
  all["rope_tables"] = {[](const Inputs& in, const Args& args) {
    const RopeTables tables =
        rope_tables(in[0], std::span(args).subspan(1), args.at(0) == 0 ? RopeLayout::interleaved : RopeLayout::half);
    return Inputs{tables.cos, tables.sin};
  }};
  all["attention"] = {[](const Inputs& in, const Args& args) {
                        const auto valid = in.size() > 3 ? std::optional(in[3]) : std::nullopt;
                        return Inputs{attention(in[0], in[1], in[2], args.at(0), valid)};
                      },
                      {2, 2, 2, -1}};
  all["causal_mask"] = {[](const Inputs& in, const Args& args) {
    return Inputs{causal_mask(in[0], static_cast<std::int64_t>(args.at(0)))};
  }};
  return all;
}

}  // namespace

const std::map<std::string, Entry>& functions() {
  static const std::map<std::string, Entry> all = make();
  return all;
}

}  // namespace quince::nn::testing
