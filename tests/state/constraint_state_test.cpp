// SPDX-License-Identifier: MIT
#include "logitkit/state/constraint_state.hpp"

#include <gtest/gtest.h>

#include "logitkit/constrain/choices.hpp"
#include "logitkit/logitkit.hpp"

namespace constraint_state_test {

namespace lk = logitkit;

/// Allows the ids of a list, one after the other; nothing after its end.
struct OneAfterTheOther {
  std::vector<lk::TokenId> ids;
  std::size_t at = 0;
  bool fill(std::span<std::int32_t> words) const {
    std::fill(words.begin(), words.end(), 0);
    if (at < ids.size())
      words[static_cast<std::size_t>(ids[at]) / 32] = static_cast<std::int32_t>(1u << (ids[at] % 32));
    return true;
  }
  bool accept(lk::TokenId id) { return at < ids.size() && ids[at] == id && (++at, true); }
  void rollback(std::size_t n) { at -= n; }
};
static_assert(lk::ConstraintMatcher<OneAfterTheOther> && lk::ConstraintMatcher<lk::Matcher>);

const std::vector<float> kRow = {9, 1, 2, 3, 4, 5, 6, 7};
const lk::Pipeline kConstrained = lk::AllowMask() | lk::Greedy();

TEST(Constrained, PicksFollowTheConstraintThroughAcceptRollbackAndFork) {
  lk::Request request({1}, {.seed = 1});
  request.constrain(OneAfterTheOther{{3, 5, 2}});
  const auto next = [](lk::Request& r) {
    const lk::Pick pick = kConstrained.pick(kRow, r);
    r.accept(pick);
    return pick.token;
  };
  EXPECT_EQ(next(request), 3);
  lk::Request fork = request.fork();
  EXPECT_EQ(next(request), 5);
  EXPECT_EQ(next(request), 2);
  EXPECT_EQ(next(fork), 5);
  request.rollback(2);
  EXPECT_EQ(next(request), 5);
}

TEST(Constrained, ARefusedTokenChangesNothing) {
  lk::Request request({1}, {.seed = 1});
  request.constrain(OneAfterTheOther{{3, 5}});
  EXPECT_FALSE(request.accept(4));
  EXPECT_TRUE(request.output().empty());
  EXPECT_TRUE(request.accept(3));
  EXPECT_EQ(kConstrained.pick(kRow, request).token, 5);
}

TEST(Constrained, RollbackPastTheConstraintsStartKeepsItsStart) {
  lk::Request request({1}, {.seed = 1});
  request.accept(6);
  request.accept(6);
  request.constrain(OneAfterTheOther{{3, 5}});
  request.accept(3);
  request.rollback(2);  // the 3 and one 6
  EXPECT_EQ(kConstrained.pick(kRow, request).token, 3);
  request.accept(3);
  request.rollback(1);
  EXPECT_EQ(kConstrained.pick(kRow, request).token, 3);
}

TEST(Constrained, AChainThatDoesNotApplyItIsAnError) {
  lk::Request request({1}, {.seed = 1});
  request.constrain(OneAfterTheOther{{3}});
  EXPECT_EQ(lk::Pipeline(lk::Greedy()).pick(kRow, request).status, lk::Status::constraint_not_applied);
  const lk::Pipeline own_words = lk::AllowMask({-1}) | lk::Greedy();
  EXPECT_EQ(own_words.pick(kRow, request).status, lk::Status::constraint_not_applied);
  const lk::Pipeline custom = lk::step("mine",
                                       [](lk::Candidates& candidates, const lk::StepView& view) {
                                         std::int32_t words[1];
                                         if (view.constraint() != nullptr && view.constraint()->fill(words))
                                           candidates.keep_if([&](lk::TokenId id, float) {
                                             return (static_cast<std::uint32_t>(words[0]) >> id & 1) != 0;
                                           });
                                       }) |
                              lk::Greedy();
  EXPECT_EQ(custom.pick(kRow, request).token, 3);
}

TEST(Constrained, NothingAllowedIsNoToken) {
  lk::Request request({1}, {.seed = 1});
  request.constrain(OneAfterTheOther{{}});
  const lk::Pick pick = kConstrained.pick(kRow, request);
  EXPECT_EQ(pick.status, lk::Status::constraint_refused);
  EXPECT_EQ(pick.step, 0);
  request.constrain(OneAfterTheOther{{3}});
  const lk::Pipeline banned = lk::BanTokens({3}) | kConstrained.chain() | lk::Greedy();
  EXPECT_EQ(banned.pick(kRow, request).status, lk::Status::no_candidates);
}

TEST(Constrained, AMatcherSteersTheText) {
  std::vector<std::string> texts = {"x", "n", "o", "ye", "s", "y", "e", ""};
  const lk::Vocabulary vocabulary(texts, {.end_ids = {7}});
  const lk::Constraint choice = lk::compile_choices(vocabulary, {"yes", "no"});
  lk::Request request({1}, {.seed = 1, .end_ids = {7}});
  request.constrain(choice.matcher());
  std::string text;
  while (!request.is_finished()) {
    const lk::Pick pick = kConstrained.pick(kRow, request);
    ASSERT_TRUE(pick) << pick.message();
    text += texts[static_cast<std::size_t>(pick.token)];
    request.accept(pick);
  }
  EXPECT_EQ(text, "yes");  // of n, ye, y the row likes y best
}

TEST(AllowMask, WithoutAConstraintChangesNothing) {
  const lk::Chain chain = lk::Chain{} | lk::AllowMask();
  EXPECT_EQ(chain.process(kRow, lk::Request({1}, {.seed = 1})), kRow);
}

}  // namespace constraint_state_test
