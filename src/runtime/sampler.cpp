// Choosing the next token from logits.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_set>

#include "quince/error.h"
#include "quince/runtime/decoder.h"

namespace quince {
namespace {

struct Candidate {
  std::int32_t id;
  double logit;
};

/// Larger logits first, smaller ids among equals.
bool before(const Candidate& a, const Candidate& b) { return a.logit != b.logit ? a.logit > b.logit : a.id < b.id; }

/// SplitMix64 (Steele, Lea, Flood 2014): the next 64 bits.
std::uint64_t next_bits(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

void need(bool ok, std::string_view option, double value, std::string_view range) {
  if (!ok) {
    throw Error(ErrorCode::out_of_range, fmt::format("{} is {}, but it must be {}", option, value, range));
  }
}

std::vector<double> softmax(const std::vector<Candidate>& sorted, double temperature) {
  std::vector<double> p(sorted.size());
  double total = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    p[i] = std::exp((sorted[i].logit - sorted[0].logit) / temperature);
    total += p[i];
  }
  for (double& x : p) x /= total;
  return p;
}

}  // namespace

Sampler::Sampler(const SamplingOptions& options) : options_(options), state_(options.seed) {
  need(options.repeat_penalty > 0 && std::isfinite(options.repeat_penalty), "repeat-penalty", options.repeat_penalty,
       "positive");
  need(options.top_k >= 0, "top-k", static_cast<double>(options.top_k), "0 or more");
  need(options.top_p > 0 && options.top_p <= 1, "top-p", options.top_p, "in (0, 1]");
  need(options.min_p >= 0 && options.min_p <= 1, "min-p", options.min_p, "in [0, 1]");
  need(options.temperature >= 0 && std::isfinite(options.temperature), "temp", options.temperature, "0 or more");
}

std::int32_t Sampler::sample(std::span<const float> logits, std::span<const std::int32_t> seen) {
  std::vector<Candidate> candidates;
  candidates.reserve(logits.size());
  const std::unordered_set<std::int32_t> penalised(seen.begin(), seen.end());
  for (std::size_t i = 0; i < logits.size(); ++i) {
    double logit = static_cast<double>(logits[i]);
    if (std::isnan(logit)) continue;
    const auto id = static_cast<std::int32_t>(i);
    if (options_.repeat_penalty != 1 && penalised.contains(id)) {
      logit = logit > 0 ? logit / options_.repeat_penalty : logit * options_.repeat_penalty;
    }
    candidates.push_back({id, logit});
  }
  if (candidates.empty()) throw Error(ErrorCode::invalid_argument, "every logit is NaN");
  if (options_.temperature == 0) return std::ranges::min_element(candidates, before)->id;
  const std::size_t keep =
      options_.top_k == 0 ? candidates.size() : std::min(candidates.size(), static_cast<std::size_t>(options_.top_k));
  std::ranges::partial_sort(candidates, candidates.begin() + static_cast<std::ptrdiff_t>(keep), before);
  candidates.resize(keep);
  if (!std::isfinite(candidates[0].logit)) return candidates[0].id;

  const std::vector<double> p = softmax(candidates, 1);
  std::size_t count = 0;
  double reached = 0;
  while (count < p.size() && (count == 0 || (reached < options_.top_p && p[count] >= options_.min_p * p[0]))) {
    reached += p[count++];
  }
  candidates.resize(count);

  const std::vector<double> chance = softmax(candidates, options_.temperature);
  double draw = static_cast<double>(next_bits(state_) >> 11) * 0x1p-53;
  for (std::size_t i = 0; i < chance.size(); ++i) {
    draw -= chance[i];
    if (draw < 0) return candidates[i].id;
  }
  return candidates.back().id;
}

std::vector<std::pair<std::int32_t, float>> top_logits(std::span<const float> logits, std::size_t n) {
  std::vector<std::pair<std::int32_t, float>> all;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    if (!std::isnan(logits[i])) all.emplace_back(static_cast<std::int32_t>(i), logits[i]);
  }
  n = std::min(n, all.size());
  std::ranges::partial_sort(all, all.begin() + static_cast<std::ptrdiff_t>(n), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  all.resize(n);
  return all;
}

}  // namespace quince
