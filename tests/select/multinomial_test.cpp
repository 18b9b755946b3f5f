// SPDX-License-Identifier: MIT
#include "logitkit/select/multinomial.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "logitkit/logitkit.hpp"

namespace multinomial_test {

namespace lk = logitkit;
constexpr float kOut = -std::numeric_limits<float>::infinity();

// ln 1, ln 2, ln 5 with one removed between: shares 1/8, 2/8, 5/8 in id order
TEST(Multinomial, TakesTheTokenInWhoseShareTheUniformFalls) {
  const std::vector<float> row{0.0f, kOut, std::log(2.0f), std::log(5.0f), kOut};
  const lk::Request request({1}, {.seed = 1});
  const auto token = [&](double u) { return lk::Pipeline(lk::Multinomial::with_uniform(u)).pick(row, request).token; };
  EXPECT_EQ(token(0.0), 0);
  EXPECT_EQ(token(0.1249), 0);
  EXPECT_EQ(token(0.1251), 2);
  EXPECT_EQ(token(0.3749), 2);
  EXPECT_EQ(token(0.3751), 3);
  EXPECT_EQ(token(1 - 0x1p-53), 3);
}

TEST(Multinomial, NeverDrawsWhatHasNoMass) {
  const std::vector<float> row{kOut, 0.0f, -88.0f, kOut, -200.0f};
  for (std::uint64_t seed = 0; seed < 3000; ++seed)
    ASSERT_EQ(lk::Pipeline(lk::Multinomial()).pick(row, lk::Request({1}, {.seed = seed})).token, 1);
}

TEST(Multinomial, IsPureAndDependsOnSeedStreamAndPosition) {
  const std::vector<float> row(1000, 1.0f);
  const lk::Pipeline pipeline = lk::Multinomial();
  lk::Request request({1}, {.seed = 3});
  const lk::TokenId token = pipeline.pick(row, request).token;
  EXPECT_EQ(pipeline.pick(row, request).token, token);
  EXPECT_NE(pipeline.pick(row, request.fork(1)).token, token);
  EXPECT_NE(pipeline.pick(row, lk::Request({1}, {.seed = 4})).token, token);
  request.accept(token);
  EXPECT_NE(pipeline.pick(row, request).token, token);
}

// Chi-square of 200,000 draws over 12 tokens; the 1e-6 quantile of 11 degrees of freedom is 49.0.
TEST(Multinomial, DrawsWithTheProbabilitiesOfTheSoftmax) {
  std::vector<float> row;
  for (int i = 0; i < 12; ++i) row.push_back(static_cast<float>(std::sin(i * 1.7) * 2));
  std::vector<long double> p;
  long double sum = 0;
  for (const float x : row) sum += p.emplace_back(std::exp(static_cast<long double>(x)));
  const lk::Pipeline pipeline = lk::Multinomial();
  for (const int how : {0, 1}) {  // by position, by stream
    std::vector<int> count(row.size());
    lk::Request request({1}, {.seed = 77});
    constexpr int kDraws = 200000;
    for (int i = 0; i < kDraws; ++i) {
      const lk::Pick pick =
          how == 0 ? pipeline.pick(row, request) : pipeline.pick(row, request.fork(static_cast<std::uint64_t>(i)));
      ++count[static_cast<std::size_t>(pick.token)];
      if (how == 0) request.accept(pick);
    }
    long double chi = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const long double wanted = p[i] / sum * kDraws;
      chi += (count[i] - wanted) * (count[i] - wanted) / wanted;
    }
    EXPECT_LT(chi, 49.0L) << how;
  }
}

TEST(Multinomial, RefusesAUniformOutsideItsRange) {
  EXPECT_THROW(lk::Multinomial::with_uniform(1.0), lk::InvalidParameter);
}

}  // namespace multinomial_test
