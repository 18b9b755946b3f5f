// SPDX-License-Identifier: MIT
#include "logitkit/trace/batch_sensitivity.hpp"

#include <gtest/gtest.h>

#include "logitkit/trace/tell_apart.hpp"

namespace batch_sensitivity_test {

namespace lk = logitkit;
using Row = std::vector<float>;
using Rows = std::vector<lk::LogitsView>;
lk::Request request() { return lk::Request({1}, {.seed = 7}); }

TEST(BatchSensitivity, FindsTheFirstStepThatDiffersAndCountsNearTies) {
  const Row clear{0, 4, 1}, near{0, 2, 1.95f}, nearer{0, 2, 1.99f};
  const Row clear_b{0, 4, 1.0625f}, near_b{0, 2, 1.95f}, nearer_b{0, 1.98f, 1.99f};
  const lk::BatchSensitivity s = lk::batch_sensitivity(Rows{clear, near, nearer}, Rows{clear_b, near_b, nearer_b},
                                                       lk::Multinomial::with_uniform(0.5), request());
  EXPECT_EQ(s.rows, 3u);
  EXPECT_EQ(s.largest_difference, 0.0625);
  EXPECT_EQ(s.largest_at, 0u);
  EXPECT_EQ(s.largest_token, 2);
  EXPECT_EQ(s.greedy_differences, 1u);
  EXPECT_EQ(s.first_greedy, 2u);
  EXPECT_EQ(s.greedy_near_ties, 2u);  // 0.05 / 2 and 0.01 / 2 are within 0.0625, 3 / 2 is not
  EXPECT_EQ(s.draw_differences, 0u);
  EXPECT_EQ(s.first_draw, lk::BatchSensitivity::kNever);
}

TEST(BatchSensitivity, FindsADrawThatDiffersWhereGreedyDoesNot) {
  // 1/2 against 1/3 and 2/3: u = 0.5 is at the edge of the second, and inside of it
  const Row even{0, 0}, first{0, -0.1f};
  const lk::BatchSensitivity s =
      lk::batch_sensitivity(Rows{even}, Rows{first}, lk::Multinomial::with_uniform(0.5), request());
  EXPECT_EQ(s.first_draw, 0u);
  EXPECT_EQ(s.draw_near_ties, 1u);
  EXPECT_EQ(s.greedy_differences, 0u);
}

TEST(BatchSensitivity, OfEqualRecordingsIsNothing) {
  const Row row{0, 2, 1};
  const lk::BatchSensitivity s = lk::batch_sensitivity(Rows{row, row}, Rows{row, row}, lk::Multinomial(), request());
  EXPECT_EQ(s.largest_difference, 0);
  EXPECT_EQ(s.largest_token, lk::kNoToken);
  EXPECT_EQ(s.greedy_near_ties + s.draw_near_ties + s.greedy_differences + s.draw_differences, 0u);
}

TEST(BatchSensitivity, AdvancesTheRequestByWhatThePipelinePicks) {
  const Row row{0, 2, 1};
  lk::Request advanced = request();
  const lk::Pipeline pipeline = lk::Multinomial();
  std::vector<lk::TokenId> seen;
  const auto watch = [&seen](lk::Candidates&, const lk::StepView& view) {
    seen.assign(view.output().begin(), view.output().end());
  };
  for (int i = 0; i < 3; ++i) advanced.accept(pipeline.pick(row, advanced));
  lk::batch_sensitivity(Rows{row, row, row, row}, Rows{row, row, row, row},
                        lk::Pipeline(lk::Chain({lk::Step(watch)}), lk::Multinomial()), request());
  EXPECT_EQ(seen, std::vector<lk::TokenId>(advanced.output().begin(), advanced.output().end()));
}

TEST(BatchSensitivity, RefusesRecordingsOfDifferentShape) {
  const Row row{0, 2, 1}, narrow{0, 2};
  EXPECT_THROW(lk::batch_sensitivity(Rows{row}, Rows{row, row}, lk::Greedy(), request()), lk::InvalidParameter);
  EXPECT_THROW(lk::batch_sensitivity(Rows{row}, Rows{narrow}, lk::Greedy(), request()), lk::InvalidParameter);
}

TEST(TellApart, NamesTheLayerAtWhichTwoAnswersPart) {
  const Row row{0, 2, 1.99f}, rounded{0, 2, 2.01f}, other{0, 2, 9};
  const auto greedy = [](const Row& r) { return lk::explain(lk::Greedy(), r, request()); };
  EXPECT_EQ(lk::tell_apart(greedy(row), greedy(row), 0.02), lk::Layer::none);
  EXPECT_EQ(lk::tell_apart(greedy(row), greedy(rounded), 0.02), lk::Layer::near_tie);
  EXPECT_EQ(lk::tell_apart(greedy(row), greedy(rounded), 0.001), lk::Layer::real);
  EXPECT_EQ(lk::tell_apart(greedy(Row{0, 2, -9}), greedy(other), 0.02), lk::Layer::real);
  const auto draw = [](const Row& r, double u) { return lk::explain(lk::Multinomial::with_uniform(u), r, request()); };
  EXPECT_EQ(lk::tell_apart(draw(row, 0.1), draw(row, 0.9), 0.02), lk::Layer::sampling);
  EXPECT_EQ(lk::tell_apart(draw(Row{0, 0.01f}, 0.5), draw(Row{0.01f, 0}, 0.5), 0.02), lk::Layer::near_tie);
}

}  // namespace batch_sensitivity_test
