// Sampling: greedy choice, filters, penalties, and the same tokens for the same seed.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "quince/error.h"
#include "quince/runtime/decoder.h"
#include "support/message_of.h"

namespace quince {
namespace {

const std::vector<float> kLogits{0, 3, 1, 3, -2};

SamplingOptions all_of(double temperature, std::uint64_t seed = 1) {
  return {.repeat_penalty = 1, .top_k = 0, .top_p = 1, .min_p = 0, .temperature = temperature, .seed = seed};
}

TEST(Sampler, GreedyTakesTheFirstOfTheLargest) { EXPECT_EQ(Sampler(all_of(0)).sample(kLogits), 1); }

TEST(Sampler, NeverChoosesNaN) {
  const std::vector<float> logits{std::numeric_limits<float>::quiet_NaN(), -5};
  EXPECT_EQ(Sampler(all_of(0)).sample(logits), 1);
  EXPECT_EQ(Sampler(all_of(1)).sample(logits), 1);
  EXPECT_THROW(Sampler(all_of(1)).sample(std::vector<float>{std::nanf("")}), Error);
}

TEST(Sampler, FollowsTheDistribution) {
  Sampler sampler(all_of(1));
  std::map<std::int32_t, int> counts;
  constexpr int kDraws = 20000;
  for (int i = 0; i < kDraws; ++i) ++counts[sampler.sample(kLogits)];
  double total = 0;
  for (float logit : kLogits) total += std::exp(logit);
  for (std::size_t i = 0; i < kLogits.size(); ++i) {
    EXPECT_NEAR(static_cast<double>(counts[static_cast<std::int32_t>(i)]) / kDraws, std::exp(kLogits[i]) / total,
                0.015);
  }
}

TEST(Sampler, FiltersKeepTheLikeliest) {
  const auto drawn = [](SamplingOptions options) {
    Sampler sampler(options);
    std::set<std::int32_t> ids;
    for (int i = 0; i < 2000; ++i) ids.insert(sampler.sample(kLogits));
    return ids;
  };
  SamplingOptions options = all_of(5);
  options.top_k = 3;
  EXPECT_EQ(drawn(options), (std::set<std::int32_t>{1, 2, 3}));
  options = all_of(5);
  options.top_p = 0.5;  // the two largest have 0.46 each
  EXPECT_EQ(drawn(options), (std::set<std::int32_t>{1, 3}));
  options = all_of(5);
  options.min_p = 0.1;  // e^-2 = 0.135 stays, e^-3 = 0.0498 goes
  EXPECT_EQ(drawn(options), (std::set<std::int32_t>{1, 2, 3}));
}

TEST(Sampler, PenaltyMakesSeenTokensLessLikely) {
  SamplingOptions options = all_of(0);
  options.repeat_penalty = 4;
  const std::vector<std::int32_t> seen{1, 3, 4};
  EXPECT_EQ(Sampler(options).sample(kLogits, seen), 2);
  EXPECT_EQ(Sampler(options).sample(std::vector<float>{-1, -2}, std::vector<std::int32_t>{0}), 1);
}

TEST(Sampler, SameSeedSameTokens) {
  const auto draw = [](std::uint64_t seed) {
    Sampler sampler(all_of(1, seed));
    std::vector<std::int32_t> ids;
    for (int i = 0; i < 50; ++i) ids.push_back(sampler.sample(kLogits));
    return ids;
  };
  EXPECT_EQ(draw(7), draw(7));
  EXPECT_NE(draw(7), draw(8));
}

TEST(Sampler, BadOptionsAreNamed) {
  const auto message = [](const SamplingOptions& options) {
    return test::message_of([&] { Sampler sampler(options); });
  };
  SamplingOptions options;
  options.temperature = -1;
  EXPECT_EQ(message(options), "temp is -1, but it must be 0 or more");
  options = {};
  options.top_p = 0;
  EXPECT_EQ(message(options), "top-p is 0, but it must be in (0, 1]");
  options = {};
  options.top_k = -3;
  EXPECT_EQ(message(options), "top-k is -3, but it must be 0 or more");
  options = {};
  options.min_p = std::nan("");
  EXPECT_EQ(message(options), "min-p is nan, but it must be in [0, 1]");
}

TEST(TopLogits, AreSortedAndSkipNaN) {
  const std::vector<float> logits{1, std::nanf(""), 5, 5, -1};
  const auto top = top_logits(logits, 3);
  ASSERT_EQ(top.size(), 3u);
  EXPECT_EQ(top[0], std::pair(2, 5.0f));
  EXPECT_EQ(top[1], std::pair(3, 5.0f));
  EXPECT_EQ(top[2], std::pair(0, 1.0f));
  EXPECT_EQ(top_logits(logits, 10).size(), 4u);
}

}  // namespace
}  // namespace quince
