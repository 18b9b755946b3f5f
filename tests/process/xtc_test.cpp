// SPDX-License-Identifier: MIT
#include "logitkit/process/xtc.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "logitkit/logitkit.hpp"

namespace xtc_test {

namespace lk = logitkit;
using Ids = std::vector<int>;
const std::vector<float> kRow = {std::log(0.1f), std::log(0.4f), std::log(0.2f), std::log(0.3f)};

Ids left(const lk::Step& step, const lk::Request& request = lk::Request({5}, {.seed = 1})) {
  const std::vector<float> out = (lk::Chain{} | step).process(kRow, request);
  Ids ids;
  for (std::size_t id = 0; id < out.size(); ++id)
    if (std::isfinite(out[id])) ids.push_back(static_cast<int>(id));
  return ids;
}

TEST(Xtc, DropsAllThatReachTheThresholdButTheLeastLikely) {
  EXPECT_EQ(left(lk::Xtc(1, 0.15)), (Ids{0, 2}));  // 0.4, 0.3 and 0.2 reach it
  EXPECT_EQ(left(lk::Xtc(1, 0.25)), (Ids{0, 2, 3}));
  EXPECT_EQ(left(lk::Xtc(1, 0.05)), Ids{0}) << "even the least likely of all";
}

TEST(Xtc, NeedsTwoThatReachTheThreshold) {
  EXPECT_EQ(left(lk::Xtc(1, 0.35)), (Ids{0, 1, 2, 3}));
  EXPECT_EQ(left(lk::Xtc(1, 0.45)), (Ids{0, 1, 2, 3}));
}

TEST(Xtc, DropsNothingRatherThanLeaveFewerThanMinKeep) {
  EXPECT_EQ(left(lk::Xtc(1, 0.15, {.min_keep = 2})), (Ids{0, 2}));
  EXPECT_EQ(left(lk::Xtc(1, 0.15, {.min_keep = 3})), (Ids{0, 1, 2, 3}));
}

TEST(Xtc, FiresByADrawOfItsOwnPosition) {
  int fired = 0;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    const lk::Request request({5}, {.seed = seed});
    const bool fires = lk::uniform(seed, 0, 1, 0x1000) <= 0.3;
    EXPECT_EQ(left(lk::Xtc(0.3, 0.15), request).size(), fires ? 2u : 4u) << seed;
    fired += fires ? 1 : 0;
  }
  EXPECT_NEAR(fired, 300, 60);  // four standard deviations of 14.5
}

TEST(Xtc, DrawsWordsOfLlamaCppsGeneratorWithASeed) {
  // std::mt19937(42) gives 1608637542 and 3421126067: 0.3745 and 0.7965.
  EXPECT_EQ(left(lk::Xtc(0.38, 0.15, {.seed = 42})).size(), 2u);
  EXPECT_EQ(left(lk::Xtc(0.37, 0.15, {.seed = 42})).size(), 4u);
  for (const auto& [chance, survivors] : {std::pair{0.80, 2u}, {0.79, 4u}}) {
    const lk::Pipeline pipeline = lk::Xtc(chance, 0.15, {.seed = 42}) | lk::Multinomial();
    lk::Request request({5}, {.seed = 1});
    request.accept(pipeline.pick(kRow, request));
    EXPECT_EQ(pipeline.pick(kRow, request).survivors, survivors) << "the second word";
    request.rollback(1);
    EXPECT_EQ(pipeline.pick(kRow, request).survivors, 2u) << "the first word again";
  }
}

TEST(Xtc, IsOffAtProbability0OrAThresholdAboveOneHalf) {
  EXPECT_TRUE(lk::Xtc(0, 0.1).is_neutral());
  EXPECT_TRUE(lk::Xtc(1, 0.51).is_neutral());
  EXPECT_THROW(lk::Xtc(1.5, 0.1), lk::InvalidParameter);
  EXPECT_THROW(lk::Xtc(0.5, -0.1), lk::InvalidParameter);
}

}  // namespace xtc_test
