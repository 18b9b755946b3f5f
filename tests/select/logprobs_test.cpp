// SPDX-License-Identifier: MIT
#include "logitkit/select/logprobs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "logitkit/logitkit.hpp"
#include "support/golden.hpp"
#include "support/random_case.hpp"

namespace logprobs_test {

namespace lk = logitkit;
using Row = std::vector<float>;
constexpr float kMasked = -std::numeric_limits<float>::infinity();

/// Sorts everything and adds in long double.
std::vector<lk::TokenLogprob> reference(const Row& row) {
  std::vector<lk::TokenLogprob> all;
  long double sum = 0;
  const float most = *std::max_element(row.begin(), row.end());
  for (std::size_t id = 0; id < row.size(); ++id) {
    if (row[id] == kMasked) continue;
    all.push_back({static_cast<lk::TokenId>(id), row[id], 0});
    sum += std::exp(static_cast<long double>(row[id]) - static_cast<long double>(most));
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.logprob > b.logprob; });
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].rank = i + 1;
    all[i].logprob =
        static_cast<float>(static_cast<long double>(all[i].logprob) - static_cast<long double>(most) - std::log(sum));
  }
  return all;
}

TEST(Logprobs, EqualAFullSort) {
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    random_case::Source s(seed);
    Row row(s.one_of({2u, 7u, 64u, 1000u, 3000u}));
    for (float& x : row) x = s.chance(0.2) ? kMasked : static_cast<float>(std::round(s.between(-20, 20)) / 2);
    row[1] = 3;
    const auto all = reference(row);
    const auto asked = static_cast<lk::TokenId>(s.below(row.size()));
    const std::size_t top = s.below(row.size() + 2);
    const lk::Logprobs got = lk::logprobs(row, {.top = top, .tokens = {asked}});
    ASSERT_EQ(got.status, lk::Status::ok);
    ASSERT_EQ(got.top.size(), std::min(top, all.size()));
    for (std::size_t i = 0; i < got.top.size(); ++i) {
      ASSERT_EQ(got.top[i].token, all[i].token) << "seed " << seed;
      ASSERT_EQ(got.top[i].rank, i + 1);
      ASSERT_NEAR(got.top[i].logprob, all[i].logprob, 2e-6);
      ASSERT_LE(got.top[i].logprob, 1e-6);
    }
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto& t) { return t.token == asked; });
    ASSERT_EQ(got.tokens.front().rank, found == all.end() ? all.size() + 1 : found->rank) << "seed " << seed;
    if (found == all.end())
      ASSERT_EQ(got.tokens.front().logprob, kMasked);
    else
      ASSERT_NEAR(got.tokens.front().logprob, found->logprob, 2e-6);
  }
}

TEST(Logprobs, PutLowerIdsFirstWhereLogitsAreEqual) {
  const lk::Logprobs got = lk::logprobs(Row{1, 2, 2, 0}, {.top = 3, .tokens = {2}});
  EXPECT_EQ(got.tokens.front().rank, 2u);
  EXPECT_EQ(got.top[0].token, 1);
  EXPECT_EQ(got.top[1].token, 2);
  EXPECT_EQ(got.top[2].token, 0);
}

TEST(Logprobs, OfARowDoNotMoveWithTheChain) {
  const Row row{3, 2.4f, 2, 1, 0.4f, -0.5f};
  const lk::Request request({1}, {.seed = 1});
  const lk::Pipeline pipeline = lk::Temperature(1.5) | lk::TopP(0.5) | lk::Multinomial();
  // ln(e^2 / (e^3 + e^2.4 + e^2 + e^1 + e^0.4 + e^-0.5)) = 2 - ln(43.3144) = -1.768485
  EXPECT_NEAR(lk::logprobs(row, {.tokens = {2}}).tokens.front().logprob, -1.768485, 1e-6);
  EXPECT_NE(pipeline.logprobs(row, request, {.tokens = {1}}).tokens.front().logprob,
            lk::logprobs(row, {.tokens = {1}}).tokens.front().logprob);
}

TEST(Logprobs, AfterAChainAreOverTheSurvivors) {
  const lk::Request request({1}, {.seed = 1});
  const lk::Pipeline pipeline = lk::TopK(2) | lk::Multinomial();
  const lk::Logprobs got = pipeline.logprobs(Row{0, 3, 1, 3}, request, {.top = 4, .tokens = {2, 3}});
  ASSERT_EQ(got.top.size(), 2u);
  EXPECT_EQ(got.top[0], (lk::TokenLogprob{1, got.top[0].logprob, 1}));
  EXPECT_NEAR(got.top[0].logprob, -0.693147, 1e-6);  // ln(1 / 2)
  EXPECT_EQ(got.tokens[0], (lk::TokenLogprob{2, kMasked, 3}));
  EXPECT_EQ(got.tokens[1].rank, 2u);
}

TEST(Logprobs, TellLogitsWhereAskedTo) {
  const lk::Request request({1}, {.seed = 1});
  const lk::Chain chain = lk::Temperature(2) | lk::TopK(2);
  const lk::LogprobOptions logits{.top = 1, .tokens = {3}, .values = lk::LogprobValues::logits};
  EXPECT_EQ(lk::logprobs(Row{0, 3, 1, 2}, logits).tokens.front().logprob, 2.0f);
  EXPECT_EQ(chain.logprobs(Row{0, 3, 1, 2}, request, logits).tokens.front().logprob, 1.0f);
  EXPECT_EQ(chain.logprobs(Row{0, 3, 1, 2}, request, logits).top.front().logprob, 1.5f);
}

TEST(Logprobs, LeaveOutWhatLiesPastTheVocabulary) {
  const Row row{0, 2, 1, 9};
  EXPECT_EQ(lk::logprobs(lk::LogitsView(row).first(3), {.top = lk::LogprobOptions::kAll}).top.size(), 3u);
  const lk::Request request({1}, {.seed = 1, .vocabulary_size = 3});
  const lk::Logprobs got = lk::Chain().logprobs(row, request, {.top = lk::LogprobOptions::kAll, .tokens = {3}});
  EXPECT_EQ(got.top.size(), 3u);
  EXPECT_EQ(got.tokens.front(), (lk::TokenLogprob{3, kMasked, 4}));
}

TEST(Logprobs, SayWhatIsWrong) {
  EXPECT_EQ(lk::logprobs(Row{1, NAN}).status, lk::Status::invalid_logits);
  EXPECT_EQ(lk::logprobs(Row{kMasked, kMasked}).status, lk::Status::no_candidates);
  for (const lk::TokenId id : {-1, 2}) {
    const lk::Logprobs got = lk::logprobs(Row{1, 2}, {.top = 1, .tokens = {1, id}});
    EXPECT_EQ(got.status, lk::Status::id_out_of_range);
    EXPECT_TRUE(got.tokens.empty() && got.top.empty());
  }
  const lk::Request request({1}, {.seed = 1});
  EXPECT_EQ((lk::Chain() | lk::BanTokens({0, 1})).logprobs(Row{1, 2}, request, {.top = 1}).status,
            lk::Status::no_candidates);
}

TEST(Logprobs, EqualThoseOfVllm) {
  int checked = 0;
  for (const golden::Json& c : golden::cases("vllm", "logprobs")) {
    lk::Chain chain;
    for (const golden::Json& step : c["pipeline"]) {
      if (step["type"] == "temperature") chain = chain | lk::Temperature(step["temperature"]);
      if (step["type"] == "min_p") chain = chain | lk::MinP(step["p"]);
      if (step["type"] == "top_p") chain = chain | lk::TopP(step["p"]);
    }
    const std::string mode = c["mode"];
    const lk::LogprobOptions options{
        .top = c["num_logprobs"],
        .tokens = {c["sampled"].get<lk::TokenId>()},
        .values = mode.ends_with("logits") ? lk::LogprobValues::logits : lk::LogprobValues::logprobs};
    const Row row = golden::numbers(c["logits"]);
    const lk::Logprobs got = mode.starts_with("raw") ? lk::logprobs(row, options)
                                                     : chain.logprobs(row, lk::Request({1}, {.seed = 1}), options);
    std::vector<lk::TokenLogprob> all = got.tokens;
    all.insert(all.end(), got.top.begin(), got.top.end());
    const golden::Json& want = c["expect"];
    ASSERT_EQ(all.size(), want["token_ids"].size()) << c["name"];
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_EQ(all[i].token, want["token_ids"][i]) << c["name"];
      EXPECT_NEAR(all[i].logprob, want["logprobs"][i].get<float>(), 3e-6) << c["name"];
    }
    EXPECT_EQ(all[0].rank, want["rank"]) << c["name"];  // ties: in rank_counts_ties both rules say 2
    ++checked;
  }
  EXPECT_EQ(checked, 9);
}

}  // namespace logprobs_test
