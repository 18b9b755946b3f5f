// SPDX-License-Identifier: MIT
// Rule: pick is pure, accept(pick) commits what stateful steps remember, rollback and fork follow exactly.
#include "logitkit/state/running_values.hpp"

#include <gtest/gtest.h>

#include "logitkit/logitkit.hpp"
#include "support/synthetic_rows.hpp"

namespace running_values_test {

namespace lk = logitkit;
using Ids = std::vector<lk::TokenId>;

const std::vector<float>& row() {
  static const std::vector<float> row = synthetic::row(synthetic::kVeryFlat, 3, 500);
  return row;
}
std::vector<lk::Pipeline> stateful() {
  return {lk::TopK(200) | lk::LlamaCppDist(7), lk::Temperature(1.5) | lk::Mirostat(5, 0.1, {.seed = 7}),
          lk::Temperature(1.5) | lk::MirostatV2(5, 0.1), lk::MinP(0.01) | lk::AdaptiveP(0.3, 0.9, {.seed = 7}),
          lk::Xtc(0.5, 0.01, {.seed = 7}) | lk::Xtc(0.5, 0.01, {.seed = 7}) | lk::LlamaCppDist(7)};
}
Ids decode(const lk::Pipeline& pipeline, lk::Request& request, int count) {
  Ids tokens;
  for (int i = 0; i < count; ++i) {
    const lk::Pick pick = pipeline.pick(row(), request);
    EXPECT_TRUE(pick) << pick.message();
    request.accept(pick);
    tokens.push_back(pick.token);
  }
  return tokens;
}

TEST(RunningValues, PickingTwiceGivesTheSame) {
  for (const lk::Pipeline& pipeline : stateful()) {
    lk::Request request({3}, {.seed = 1});
    decode(pipeline, request, 5);
    const lk::Pick first = pipeline.pick(row(), request), second = pipeline.pick(row(), request);
    EXPECT_EQ(first.token, second.token);
    EXPECT_EQ(first.running, second.running);
    EXPECT_NE(first.running, request.running()) << "something is remembered";
  }
}

TEST(RunningValues, RollbackAndForkContinueAsBefore) {
  for (const lk::Pipeline& pipeline : stateful()) {
    lk::Request request({3}, {.seed = 1});
    decode(pipeline, request, 4);
    lk::Request fork = request.fork();
    const Ids tokens = decode(pipeline, request, 30);
    EXPECT_EQ(decode(pipeline, fork, 30), tokens);
    request.rollback(30);
    EXPECT_EQ(decode(pipeline, request, 30), tokens);
    request.rollback(11);
    EXPECT_EQ(decode(pipeline, request, 11), Ids(tokens.end() - 11, tokens.end()));
  }
}

TEST(RunningValues, DoNotDependOnTheWorkspaceOrOnOtherRequests) {
  for (const lk::Pipeline& pipeline : stateful()) {
    lk::Request alone({3}, {.seed = 1});
    const Ids tokens = decode(pipeline, alone, 20);
    lk::Workspace shared;
    lk::Request a({3}, {.seed = 1}), b({3}, {.seed = 2});
    for (const lk::TokenId token : tokens) {
      const lk::Pick pick = pipeline.pick(row(), a, {}, shared);
      ASSERT_EQ(pick.token, token);
      a.accept(pick);
      b.accept(pipeline.pick(row(), b, {}, shared));
    }
  }
}

TEST(RunningValues, StayWhereOnlyATokenIsAccepted) {
  lk::Request request({3}, {.seed = 1});
  decode(stateful()[0], request, 2);
  const lk::RunningValues before = request.running();
  request.accept(5);
  EXPECT_EQ(request.running(), before);
  request.rollback(2);
  EXPECT_NE(request.running(), before);
  EXPECT_TRUE(lk::Request({3}, {.seed = 1}).running().empty());
}

TEST(RunningValues, AreForFourStepsAtMost) {
  const lk::Xtc xtc(0.5, 0.1);
  const lk::Chain three = xtc | xtc | xtc;
  EXPECT_NO_THROW(static_cast<void>(three | lk::LlamaCppDist(1)));
  EXPECT_THROW(static_cast<void>(three | xtc | lk::LlamaCppDist(1)), lk::SpecError);
  const auto found = lk::check({{xtc, xtc, xtc, xtc, lk::LlamaCppDist(1)}});
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.back().code, "too_many_running_values");
  EXPECT_EQ(found.back().step, 4);
}

}  // namespace running_values_test
