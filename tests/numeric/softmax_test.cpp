// SPDX-License-Identifier: MIT
#include "logitkit/numeric/softmax.hpp"

#include <gtest/gtest.h>

#include "isas.hpp"
#include "rows.hpp"

namespace lk = logitkit;

namespace softmax_test {

struct Result {
  std::vector<float> values;
  double log_sum_exp;
};
Result softmax(lk::LogitsView row, double temperature = 1) {
  Result result{std::vector<float>(row.size()), 0};
  result.log_sum_exp = lk::softmax(row, result.values, temperature);
  return result;
}
Result log_softmax(lk::LogitsView row) {
  Result result{std::vector<float>(row.size()), 0};
  result.log_sum_exp = lk::log_softmax(row, result.values);
  return result;
}

// `row` is what is exponentiated: already divided by the temperature.
void expect_probabilities(const Result& result, const std::vector<float>& row) {
  const long double total = rows::log_sum_exp(row);
  const float max = *std::max_element(row.begin(), row.end());
  for (std::size_t i = 0; i < row.size(); ++i) {
    const long double exact = std::exp(static_cast<long double>(row[i]) - total);
    const double p = result.values[i];
    if (row[i] == rows::kMasked) {
      ASSERT_EQ(p, 0) << i;
    } else if (exact > 1e-30L) {
      const double bound = 6e-8 * static_cast<double>(max - row[i]) + 5e-7;
      ASSERT_LT(std::fabs(p / static_cast<double>(exact) - 1), bound) << "at " << i << " of " << row.size();
    } else {
      ASSERT_GE(p, 0) << i;
      ASSERT_LT(p, 2e-30) << i;
    }
  }
  ASSERT_NEAR(result.log_sum_exp, static_cast<double>(total), 1e-6);
}

class Softmax : public EveryIsa {};
LOGITKIT_FOR_EVERY_ISA(Softmax);

TEST_P(Softmax, IsAccurateForAnyLength) {
  std::uint64_t seed = 0;
  for (const std::size_t n : rows::lengths())
    for (const double scale : {0.5, 4.0, 12.0}) {
      const auto row = rows::noise(++seed, n, scale);
      expect_probabilities(softmax(row), row);
    }
}

TEST_P(Softmax, IsAccurateForAWholeVocabulary) {
  for (const auto& profile : synthetic::kProfiles) {
    const auto row = synthetic::row(profile, 3, 151936);
    const Result result = softmax(row);
    expect_probabilities(result, row);
    double sum = 0;
    for (const float p : result.values) sum += p;
    EXPECT_NEAR(sum, 1, 1e-6) << profile.name;
  }
}

TEST_P(Softmax, GivesMaskedIdsExactlyZero) {
  for (const unsigned masked_of_8 : {1u, 4u, 7u, 8u})
    for (const std::size_t n : rows::lengths()) {
      const auto row = rows::noise(n, n, 2, masked_of_8);
      expect_probabilities(softmax(row), row);
    }
}

TEST_P(Softmax, GivesOneToTheOnlyCandidate) {
  std::vector<float> row(100, rows::kMasked);
  row[37] = -250;
  const Result result = softmax(row);
  EXPECT_EQ(result.values[37], 1);
  EXPECT_EQ(result.log_sum_exp, -250);
}

TEST_P(Softmax, GivesZerosWhereEverythingIsMasked) {
  const Result result = softmax(std::vector<float>(1050, rows::kMasked));
  EXPECT_EQ(result.values, std::vector<float>(1050, 0.0f));
  EXPECT_EQ(result.log_sum_exp, -std::numeric_limits<double>::infinity());
}

TEST_P(Softmax, GivesNaNForARowThatHoldsNaNOrInfinity) {
  for (const float bad : {rows::kNaN, -rows::kNaN, rows::kInf})
    for (const std::size_t n : {1u, 17u, 1500u}) {
      auto row = rows::noise(n, n, 2, 4);
      row[n * 2 / 3] = bad;
      const Result result = softmax(row);
      for (const float p : result.values) ASSERT_TRUE(std::isnan(p));
      EXPECT_TRUE(std::isnan(result.log_sum_exp));
    }
}

TEST_P(Softmax, DividesByTheTemperatureFirst) {
  for (const float temperature : {0.3f, 0.7f, 1.5f}) {
    const auto row = rows::noise(5, 3000, 3, 2);
    auto divided = row;
    for (float& x : divided) x /= temperature;
    const Result result = softmax(row, temperature);
    EXPECT_EQ(rows::bits(result.values), rows::bits(softmax(divided).values));
    expect_probabilities(result, divided);
  }
}

TEST_P(Softmax, StaysFiniteAsTheTemperatureGoesToZero) {
  const Result result = softmax(std::vector<float>{-100, 99.5f, 100, -100}, 1e-30);
  EXPECT_EQ(result.values, (std::vector<float>{0, 0, 1, 0}));
}

TEST_P(Softmax, MayWriteOverItsInput) {
  for (const double temperature : {1.0, 0.6}) {
    auto row = rows::noise(6, 2777, 4, 1);
    const Result expected = softmax(row, temperature);
    lk::softmax(row, row, temperature);
    EXPECT_EQ(rows::bits(row), rows::bits(expected.values));
  }
}

TEST_P(Softmax, TakesAnyAlignmentAndWritesNothingElse) {
  constexpr float kSentinel = 12345;
  for (const std::size_t n : {5u, 16u, 100u, 1030u}) {
    const auto row = rows::noise(n, n, 4, 1);
    const Result expected = softmax(row);
    for (std::size_t offset = 0; offset < 16; ++offset) {
      std::vector<float> in(n + 32, kSentinel), out(n + 32, kSentinel);
      std::copy(row.begin(), row.end(), in.begin() + static_cast<std::ptrdiff_t>(offset));
      const std::span<float> target(out.data() + 15 - offset, n);
      lk::softmax(lk::LogitsView(in.data() + offset, n), target);
      ASSERT_EQ(rows::bits({target.begin(), target.end()}), rows::bits(expected.values)) << n << ", " << offset;
      ASSERT_EQ(std::count(out.begin(), out.end(), kSentinel), 32);
    }
  }
}

template <class Half>
void expect_same_as_widened() {
  for (const std::size_t n : rows::lengths()) {
    const auto row = rows::narrowed<Half>(rows::noise(n, n, 3, 2));
    const auto wide = rows::widened(row);
    ASSERT_EQ(rows::bits(softmax(row, 0.7).values), rows::bits(softmax(wide, 0.7).values)) << n;
    ASSERT_EQ(rows::bits(log_softmax(row).values), rows::bits(log_softmax(wide).values)) << n;
  }
}
TEST_P(Softmax, ReadsFloat16AsTheFloatsThatTheyAre) { expect_same_as_widened<lk::float16>(); }
TEST_P(Softmax, ReadsBfloat16AsTheFloatsThatTheyAre) { expect_same_as_widened<lk::bfloat16>(); }

TEST_P(Softmax, GivesTheBitsOfTheScalarPath) {
  for (const std::size_t n : rows::lengths())
    for (const double scale : {0.7, 6.0, 25.0}) {
      const auto row = rows::noise(n + 1, n, scale, 1);
      const Result here = softmax(row, 0.9), log_here = log_softmax(row);
      const lk::ScopedIsa scoped(lk::Isa::scalar);
      const Result there = softmax(row, 0.9), log_there = log_softmax(row);
      ASSERT_EQ(rows::bits(here.values), rows::bits(there.values)) << n;
      ASSERT_EQ(here.log_sum_exp, there.log_sum_exp) << n;
      ASSERT_EQ(rows::bits(log_here.values), rows::bits(log_there.values)) << n;
    }
}

TEST_P(Softmax, LogSoftmaxIsTheLogitMinusTheLogSumExpRoundedOnce) {
  for (const std::size_t n : rows::lengths()) {
    const auto row = rows::noise(n + 2, n, 5, 2);
    const Result result = log_softmax(row);
    for (std::size_t i = 0; i < n; ++i)
      ASSERT_EQ(result.values[i], static_cast<float>(static_cast<double>(row[i]) - result.log_sum_exp)) << i;
    ASSERT_NEAR(result.log_sum_exp, static_cast<double>(rows::log_sum_exp(row)), 1e-6);
  }
}

TEST_P(Softmax, LogSoftmaxKeepsMaskedAndRefusesInvalid) {
  EXPECT_EQ(log_softmax(std::vector<float>(40, rows::kMasked)).values, std::vector<float>(40, rows::kMasked));
  auto row = rows::noise(8, 40, 2, 3);
  row[21] = rows::kNaN;
  for (const float x : log_softmax(row).values) EXPECT_TRUE(std::isnan(x));
}

TEST(SoftmaxParameters, AreChecked) {
  const std::vector<float> row = {1, 2, 3};
  std::vector<float> out(3), shorter(2);
  EXPECT_THROW(lk::softmax(row, shorter), lk::InvalidParameter);
  EXPECT_THROW(lk::log_softmax(row, shorter), lk::InvalidParameter);
  for (const double temperature : {0.0, -1.0, 1e-31, HUGE_VAL, std::nan("")})
    EXPECT_THROW(lk::softmax(row, out, temperature), lk::InvalidParameter) << temperature;
}

}  // namespace softmax_test
