// SPDX-License-Identifier: MIT
#include "logitkit/json/decide_json.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "logitkit/decide/head.hpp"

namespace decide_json_test {

namespace lk = logitkit;

TEST(DecideJson, WritesADecision) {
  const lk::DecisionHead head({{"no", {3}}, {"yes", {1}}});
  constexpr float kMasked = -std::numeric_limits<float>::infinity();
  // yes alone is left of the two, with half of the row
  const auto json = lk::to_json(head.score(std::vector<float>{2, 2, kMasked, kMasked}));
  EXPECT_NEAR(json["scores"][1].get<double>(), -std::log(2.0), 1e-6);
  EXPECT_NEAR(json["mass"].get<double>(), 0.5, 1e-6);
  auto rest = json;
  rest.erase("mass");
  rest["scores"].erase(1);
  EXPECT_EQ(rest.dump(),
            R"({"status":"ok","best":1,"probabilities":[0.0,1.0],"margin":1.0,"entropy":0.0,"scores":[null]})");
  EXPECT_EQ(
      lk::to_json(head.score(std::vector<float>{0, 1})).dump(),
      R"({"status":"id_out_of_range","best":-1,"probabilities":[],"margin":null,"entropy":null,"mass":0.0,"scores":[]})");
}

TEST(DecideJson, WritesAReliabilityWithNullForEmptyBinsAndInfiniteSurprise) {
  // .75 right, 1 wrong: gaps .25 and 1, each of half the rows; Brier (2 / 16 + 2) / 2
  const std::vector<double> p = {.25, .75, 0, 1};
  EXPECT_EQ(lk::to_json(lk::reliability(p, std::vector<int>{1, 0}, {.bins = 4})).dump(),
            R"({"bins":[{"low":0.0,"high":0.25,"count":0,"confidence":null,"accuracy":null},)"
            R"({"low":0.25,"high":0.5,"count":0,"confidence":null,"accuracy":null},)"
            R"({"low":0.5,"high":0.75,"count":1,"confidence":0.75,"accuracy":1.0},)"
            R"({"low":0.75,"high":1.0,"count":1,"confidence":1.0,"accuracy":0.0}],)"
            R"("ece":0.625,"mce":1.0,"brier":1.0625,"nll":null,"accuracy":0.5,"count":2})");
}

TEST(DecideJson, WritesACalibration) {
  lk::Calibration calibration;
  calibration.temperature = 3.5;
  calibration.after.ece = 0.25;
  const auto json = lk::to_json(calibration);
  EXPECT_EQ(json["temperature"], 3.5);
  EXPECT_EQ(json["before"]["ece"], 0.0);
  EXPECT_EQ(json["after"]["ece"], 0.25);
}

TEST(DecideJson, WritesCurvesAndRules) {
  const std::vector<double> p = {.25, .75, .125, .875};
  const auto curve = lk::coverage_accuracy(p, std::vector<int>{0, 1});
  EXPECT_EQ(lk::to_json(curve).dump(), R"([{"threshold":0.875,"coverage":0.5,"accuracy":1.0},)"
                                       R"({"threshold":0.75,"coverage":1.0,"accuracy":0.5}])");
  const lk::AbstainFit fit{lk::AbstainRule::margin(0.5), curve[1], {0.5, 0, NAN}};
  EXPECT_EQ(lk::to_json(fit).dump(), R"({"rule":{"by":"margin","threshold":0.5},)"
                                     R"("fitted":{"threshold":0.75,"coverage":1.0,"accuracy":0.5},)"
                                     R"("held_out":{"threshold":0.5,"coverage":0.0,"accuracy":null}})");
}

}  // namespace decide_json_test
