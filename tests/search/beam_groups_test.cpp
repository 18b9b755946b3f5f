// SPDX-License-Identifier: MIT
// Diverse beam search: BeamOptions::groups and diversity.
#include <gtest/gtest.h>

#include <set>

#include "search/toy_model.hpp"

namespace beam_groups_test {

namespace lk = logitkit;

const ToyModel kModel{.vocabulary = 25, .seed = 6};
const lk::Request kRequest({3}, {.seed = 1, .end_ids = {2}});

TEST(BeamGroups, WithoutDiversityAreTheSameSearchTwice) {
  lk::BeamSearch one(lk::Chain(), kRequest, {.width = 2, .max_new_tokens = 6});
  lk::BeamSearch two(lk::Chain(), kRequest, {.width = 4, .max_new_tokens = 6, .groups = 2});
  EXPECT_EQ(two.live().size(), 2u);  // the prompt, once for each group
  ASSERT_EQ(kModel.finish(one), lk::Status::ok);
  ASSERT_EQ(kModel.finish(two), lk::Status::ok);
  const auto a = one.hypotheses(), b = two.hypotheses();
  ASSERT_EQ(b.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(b[i].tokens, a[i / 2].tokens);
}

TEST(BeamGroups, AvoidTheTokensOfTheGroupsBefore) {
  const lk::Request endless({3}, {.seed = 1});
  lk::BeamSearch beams(lk::Chain(), endless, {.width = 4, .max_new_tokens = 6, .groups = 4, .diversity = 100});
  ASSERT_EQ(kModel.advance(beams), lk::Status::ok);
  std::set<lk::TokenId> first;
  for (const lk::BeamMove& move : beams.moves()) first.insert(move.token);
  EXPECT_EQ(first.size(), 4u);
  while (!beams.done()) {
    ASSERT_EQ(kModel.advance(beams), lk::Status::ok);
    std::set<lk::TokenId> tokens;
    for (const lk::BeamMove& move : beams.moves()) tokens.insert(move.token);
    EXPECT_EQ(tokens.size(), beams.moves().size());
  }
}

TEST(BeamGroups, PayForEveryHypothesisThatTookTheToken) {
  // Log-probabilities differ by 1 from token to token. In group 1 the end id 2 finishes, 1 and 3 live on. In group 2
  // these two pay 1.5: the ranking is 2 (-2, finishes), 1 (-1 - 1.5), 4 (-4), 3 (-3 - 1.5).
  const std::vector<float> row{-20, -1, -2, -3, -4};
  lk::BeamSearch beams(lk::Chain(), kRequest, {.width = 4, .max_new_tokens = 6, .groups = 2, .diversity = 1.5});
  const std::vector<lk::LogitsView> two_rows{row, row};
  ASSERT_EQ(beams.advance(two_rows), lk::Status::ok);
  const auto moves = beams.moves();
  ASSERT_EQ(moves.size(), 4u);
  EXPECT_EQ(moves[0], (lk::BeamMove{0, 1}));
  EXPECT_EQ(moves[1], (lk::BeamMove{0, 3}));
  EXPECT_EQ(moves[2], (lk::BeamMove{1, 1}));
  EXPECT_EQ(moves[3], (lk::BeamMove{1, 4}));
}

TEST(BeamGroups, ScoresAreWithoutThePenalty) {
  lk::BeamSearch beams(lk::Chain(), kRequest, {.width = 6, .max_new_tokens = 5, .groups = 3, .diversity = 2});
  ASSERT_EQ(kModel.finish(beams), lk::Status::ok);
  for (const lk::Hypothesis& h : beams.hypotheses()) {
    lk::Request request = kRequest.fork();
    double sum = 0;
    for (const lk::TokenId token : h.tokens) {
      const lk::Chain none;
      sum += static_cast<double>(none.logprobs(kModel(request), request, {.tokens = {token}}).tokens.front().logprob);
      request.accept(token);
    }
    EXPECT_EQ(h.sum_logprob, sum);
  }
}

}  // namespace beam_groups_test
