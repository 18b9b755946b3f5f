// SPDX-License-Identifier: MIT
#include "logitkit/search/beam_options.hpp"

#include <gtest/gtest.h>

#include "logitkit/search/beam_search.hpp"

namespace beam_options_test {

namespace lk = logitkit;

TEST(LengthRule, PowerOfTheGeneratedLength) {
  EXPECT_DOUBLE_EQ(lk::LengthRule::power(2).divisor(100, 3, true), 9);
  EXPECT_DOUBLE_EQ(lk::LengthRule::power(0).divisor(100, 3, true), 1);
  EXPECT_DOUBLE_EQ(lk::LengthRule::power(-1).divisor(100, 4, false), 0.25);
}

TEST(LengthRule, PowerOfTheWholeLengthLeavesOutAnEndId) {
  const auto rule = lk::LengthRule::power(1, lk::LengthCounts::prompt_and_generated);
  EXPECT_DOUBLE_EQ(rule.divisor(10, 3, false), 13);
  EXPECT_DOUBLE_EQ(rule.divisor(10, 3, true), 12);
}

TEST(LengthRule, GnmtIsAPowerOfFivePlusLengthOverSix) {
  EXPECT_DOUBLE_EQ(lk::LengthRule::gnmt(1).divisor(100, 7, true), 2);    // (5 + 7) / 6
  EXPECT_DOUBLE_EQ(lk::LengthRule::gnmt(3).divisor(100, 13, true), 27);  // ((5 + 13) / 6)^3
  EXPECT_DOUBLE_EQ(lk::LengthRule::gnmt(0.7).divisor(0, 1, false), 1);
}

TEST(LengthRule, RefusesAnExponentThatIsNoNumber) {
  EXPECT_THROW(lk::LengthRule::power(NAN), lk::InvalidParameter);
  EXPECT_THROW(lk::LengthRule::gnmt(1e7), lk::InvalidParameter);
}

TEST(BeamOptions, OutOfRangeNameParameterAndValue) {
  const lk::Request request({1}, {.seed = 1, .end_ids = {3}});
  const auto message = [&](lk::BeamOptions options) -> std::string {
    try {
      lk::BeamSearch(lk::Chain(), request, options);
    } catch (const lk::InvalidParameter& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(message({}), "");
  EXPECT_EQ(message({.width = 0}), "beam search: width is 0, allowed is at least 1");
  EXPECT_EQ(message({.max_new_tokens = 0}), "beam search: max_new_tokens is 0, allowed is at least 1");
  EXPECT_EQ(message({.width = 4, .groups = 3}), "beam search: groups is 3, allowed is a divisor of width");
  EXPECT_EQ(message({.diversity = -1}), "beam search: diversity is -1, allowed is at least 0 and finite");
  EXPECT_NE(message({.width = 1, .initial = {{{1}, -1}, {{2}, -2}}}), "");   // more than fit
  EXPECT_NE(message({.max_new_tokens = 2, .initial = {{{1, 2}, -1}}}), "");  // no room for a token
  EXPECT_NE(message({.initial = {{{}, -1}}}), "");                           // nothing that could have cost 1
  EXPECT_NE(message({.initial = {{{1, 3}, -1}}}), "");                       // has ended
  EXPECT_NE(message({.initial = {{{1}, -std::numeric_limits<double>::infinity()}}}), "");
}

}  // namespace beam_options_test
