// SPDX-License-Identifier: MIT
#include "logitkit/select/exponential_race.hpp"

#include <gtest/gtest.h>

#include <array>

#include "logitkit/logitkit.hpp"

namespace exponential_race_test {

namespace lk = logitkit;
constexpr float kMasked = -std::numeric_limits<float>::infinity();

TEST(ExponentialRace, DrawsWithTheProbabilitiesOfTheLogits) {
  // p = 1/2, 1/4, 1/8, 1/8; chi-square of 40,000 draws with 3 degrees of freedom: 20.5 is p = 1.3e-4
  const std::vector<float> row = {kMasked, std::log(4.0f), std::log(2.0f), 0, 0, kMasked};
  const std::array<double, 6> expected = {0, 20000, 10000, 5000, 5000, 0};
  std::array<int, 6> drawn{};
  const lk::Pipeline race = lk::ExponentialRace();
  for (std::uint64_t seed = 1; seed <= 40000; ++seed)
    ++drawn[static_cast<std::size_t>(race.pick(row, lk::Request({7, 7}, {.seed = seed})).token)];
  double chi_square = 0;
  for (std::size_t id = 1; id < 5; ++id) {
    const double off = drawn[id] - expected[id];
    chi_square += off * off / expected[id];
  }
  EXPECT_LT(chi_square, 20.5);
  EXPECT_EQ(drawn[0] + drawn[5], 0);
}

TEST(ExponentialRace, MostlyDrawsTheSameTokenFromANearlyEqualRow) {
  std::vector<float> row(200);
  for (std::size_t id = 0; id < row.size(); ++id) row[id] = static_cast<float>(id % 7);
  std::vector<float> other = row;
  other[100] += 0.5f;
  const lk::Pipeline race = lk::ExponentialRace();
  int same = 0;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    const lk::Request request({7}, {.seed = seed});
    same += race.pick(row, request).token == race.pick(other, request).token ? 1 : 0;
  }
  EXPECT_GE(same, 990);
}

TEST(ExponentialRace, WithNoiseTakesTheBestRatio) {
  const std::vector<float> noise = {1, 0.5f, 0.05f, 1};
  const lk::Pipeline race = lk::ExponentialRace::with_noise(noise);
  const lk::Request request({7}, {.seed = 1});
  EXPECT_EQ(race.pick(std::vector<float>{2, 1, 0, -9}, request).token, 2);  // e^2, 2 e, 20
  EXPECT_EQ(race.pick(std::vector<float>{1, 2, 3, 4, 5}, request).status, lk::Status::width_mismatch);
  EXPECT_THROW(lk::ExponentialRace::with_noise(std::vector<float>{1, -1}), lk::InvalidParameter);
}

}  // namespace exponential_race_test
