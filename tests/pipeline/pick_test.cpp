// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "logitkit/logitkit.hpp"

namespace pick_test {

namespace lk = logitkit;
using Row = std::vector<float>;
constexpr float kOut = -std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

lk::Request request() { return lk::Request({1}, {.seed = 1}); }

TEST(Pick, OfAnEmptyChainSamplesTheSoftmax) {
  EXPECT_EQ((lk::Chain{} | lk::Greedy()).pick(Row{1, 3, 2}, request()).token, 1);
}
TEST(Pick, NamesTheLowestInvalidIdWhateverIsMaskedLater) {
  const lk::Pick pick = (lk::BanTokens({1}) | lk::Greedy()).pick(Row{0, kNaN, 1, kNaN, 2}, request());
  EXPECT_EQ(pick.status, lk::Status::invalid_logits);
  EXPECT_EQ(pick.id, 1);
  EXPECT_EQ(pick.token, lk::kNoToken);
  EXPECT_EQ(lk::Pipeline(lk::Greedy()).pick(Row{0, 1, -kOut, 2}, request()).id, 2);
}
// A mask that comes first is looked at in the pass that reads the row: what the row tells still comes first.
TEST(Pick, NamesAnInvalidRowBeforeWhatTheFirstMaskSays) {
  for (const std::size_t width : {std::size_t{5}, std::size_t{5000}}) {
    Row row(width, 1);
    row[1] = row[3] = kNaN;
    row[4] = 2;
    const std::vector<lk::float16> half(row.begin(), row.end());
    for (const lk::Chain& chain :
         {lk::Chain{} | lk::AllowMask({0b10001}), lk::Chain{} | lk::ForceTokens({4}),
          lk::Chain{} | lk::AllowMask(std::vector<std::int32_t>{0}), lk::Chain{} | lk::AllowMask()})
      for (const lk::LogitsView view : {lk::LogitsView(row), lk::LogitsView(half)}) {
        const lk::Pick pick = (chain | lk::Greedy()).pick(view, request());
        EXPECT_EQ(pick.status, lk::Status::invalid_logits);
        EXPECT_EQ(pick.step, -1);
        EXPECT_EQ(pick.id, 1);
      }
    EXPECT_EQ((lk::AllowMask({0b10001}) | lk::RemoveInvalid() | lk::Greedy()).pick(row, request()).token, 4);

    const Row nothing(width, kOut);
    lk::Pick pick = (lk::ForceTokens({4}) | lk::Greedy()).pick(nothing, request());
    EXPECT_EQ(pick.status, lk::Status::no_candidates);
    EXPECT_EQ(pick.step, -1);
    row[1] = row[3] = 0;
    pick = (lk::AllowMask(std::vector<std::int32_t>{0}) | lk::Greedy()).pick(row, request());
    EXPECT_EQ(pick.status, lk::Status::no_candidates);
    EXPECT_EQ(pick.step, 0);
    EXPECT_EQ((lk::AllowMask({0b01110}) | lk::Greedy()).pick(row, request()).token, 2);
  }
}
TEST(Pick, OfAMaskedRowHasNoToken) {
  const lk::Pick pick = lk::Pipeline(lk::Multinomial()).pick(Row{kOut, kOut}, request());
  EXPECT_EQ(pick.status, lk::Status::no_candidates);
  EXPECT_EQ(pick.step, -1);
}
TEST(Pick, NeverReadsPastTheVocabulary) {
  const lk::Request narrow({1}, {.seed = 1, .vocabulary_size = 3});
  EXPECT_EQ(lk::Pipeline(lk::Greedy()).pick(Row{1, 3, 2, 99, kNaN}, narrow).token, 1);
  const std::vector<float> out = lk::Chain{}.process(Row{1, 3, 2, 99, kNaN}, narrow);
  EXPECT_EQ(out, (Row{1, 3, 2, kOut, kOut}));
}
TEST(Pick, CarriesLogprobAndRankWhenAsked) {
  const lk::Pick pick =
      lk::Pipeline(lk::Multinomial::with_uniform(0.2)).pick(Row{0, 0, 0, 0}, request(), {.logprob = true});
  EXPECT_EQ(pick.token, 0);
  EXPECT_FLOAT_EQ(pick.logprob, -1.386294f);  // ln(1/4)
  EXPECT_EQ(pick.rank, 1u);
  EXPECT_EQ(pick.survivors, 4u);
  EXPECT_TRUE(std::isnan(lk::Pipeline(lk::Greedy()).pick(Row{0, 1}, request()).logprob));
}
TEST(Pick, ReadsHalfPrecisionRows) {
  std::vector<lk::float16> half;
  std::vector<lk::bfloat16> brain;
  for (const float x : {1.0f, 4.0f, 2.0f}) half.emplace_back(x), brain.emplace_back(x);
  EXPECT_EQ(lk::Pipeline(lk::Greedy()).pick(half, request()).token, 1);
  EXPECT_EQ(lk::Pipeline(lk::Greedy()).pick(brain, request()).token, 1);
}
TEST(Pick, LeavesTheRowAlone) {
  const Row row{3, 1, 2};
  (lk::Temperature(0.5) | lk::BanTokens({0}) | lk::Multinomial()).pick(row, request());
  EXPECT_EQ(row, (Row{3, 1, 2}));
}

TEST(CustomStep, PipesLikeABuiltInOne) {
  const auto no_twos = [](lk::Candidates& c, const lk::StepView&) { c.remove(2); };
  const auto shift = [](lk::Candidates& c, const lk::StepView& view) { c.add(1, static_cast<float>(view.position())); };
  EXPECT_EQ((lk::Chain{} | no_twos | shift).process(Row{1, 1, 9, 1}, request()), (Row{1, 2, kOut, 1}));
  EXPECT_EQ((lk::TopK(3) | no_twos | lk::Greedy()).pick(Row{1, 5, 9, 1}, request()).token, 1);
  EXPECT_EQ((lk::step("named", no_twos) | lk::Greedy()).pick(Row{1, 5, 9, 1}, request()).token, 1);
}
TEST(CustomStep, SeesCandidatesAsTheyStand) {
  std::vector<std::pair<int, float>> seen;
  const auto look = [&seen](lk::Candidates& c, const lk::StepView&) {
    c.for_each([&](lk::TokenId id, float x) { seen.emplace_back(id, x); });
    c.keep_if([](lk::TokenId id, float) { return id != 3; });
    EXPECT_EQ(c.survivors(), 1u);
    EXPECT_EQ(c.logit(3), kOut);
    EXPECT_FALSE(c.set(3, 5.0f));
  };
  (lk::Temperature(2) | lk::TopK(2) | look | lk::Greedy()).pick(Row{1, 8, 2, 4}, request());
  EXPECT_EQ(seen, (std::vector<std::pair<int, float>>{{1, 4.0f}, {3, 2.0f}}));
}
TEST(CustomStep, MayWriteAPlainArray) {
  const auto reverse = [](lk::Candidates& c, const lk::StepView&) {
    const auto x = c.materialize();
    std::reverse(x.begin(), x.end());
  };
  EXPECT_EQ((lk::BanTokens({0}) | reverse).process(Row{1, 2, 3}, request()), (Row{3, 2, kOut}));
  const auto spoil = [](lk::Candidates& c, const lk::StepView&) { c.materialize()[1] = kNaN; };
  const lk::Pick pick = (lk::TopK(2) | spoil | lk::Greedy()).pick(Row{1, 2, 3}, request());
  EXPECT_EQ(pick.status, lk::Status::overflow);
  EXPECT_EQ(pick.step, 1);
  EXPECT_EQ(pick.id, 1);
}
TEST(CustomStep, ReportsStatusExceptionAndBadIds) {
  const auto refuse = [](lk::Candidates&, const lk::StepView&) { return lk::Status::unsupported; };
  EXPECT_EQ((lk::Chain{} | refuse | lk::Greedy()).pick(Row{1, 2}, request()).status, lk::Status::unsupported);
  const auto boom = [](lk::Candidates&, const lk::StepView&) { throw std::runtime_error("boom"); };
  EXPECT_EQ((lk::Temperature(2) | boom | lk::Greedy()).pick(Row{1, 2}, request()).status, lk::Status::step_threw);
  const auto past = [](lk::Candidates& c, const lk::StepView&) { c.set(17, 1.0f); };
  const lk::Pick pick = (lk::Chain{} | past | lk::Greedy()).pick(Row{1, 2}, request());
  EXPECT_EQ(pick.status, lk::Status::id_out_of_range);
  EXPECT_EQ(pick.id, 17);
}
TEST(Process, ThrowsWhatIsNotACandidateShortage) {
  EXPECT_EQ(lk::Chain({lk::BanTokens({0, 1})}).process(Row{1, 2}, request()), (Row{kOut, kOut}));
  try {
    lk::Chain{}.process(Row{1, kNaN}, request());
    FAIL();
  } catch (const lk::RowError& e) {
    EXPECT_EQ(e.status, lk::Status::invalid_logits);
    EXPECT_EQ(e.id, 1);
  }
}
TEST(Pipeline, RefusesAChainInPlaceOfASelector) {
  EXPECT_THROW(lk::Pipeline(lk::Chain{}, lk::Step(lk::TopK(3))), lk::SpecError);
  EXPECT_THROW(lk::Chain({lk::Step(lk::Greedy())}), lk::SpecError);
}

}  // namespace pick_test
