// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "logitkit/logitkit.hpp"
#include "support/random_case.hpp"
#include "support/slow_build.hpp"

namespace top_p_survivors_test {

namespace lk = logitkit;

constexpr int kRows = kSlowBuild ? 300 : 10000;

/// How many of the row stay by exact arithmetic, and how close the decision is: the distance of the nearest running
/// sum.
struct Exact {
  std::size_t kept;
  long double margin;
};
Exact exact_survivors(std::vector<float> row, double p) {
  std::sort(row.begin(), row.end(), std::greater<>());
  std::vector<long double> e;
  long double sum = 0, mass = 0;
  for (const float x : row) sum += e.emplace_back(std::exp(static_cast<long double>(x) - row[0]));
  Exact exact{0, 1};
  for (const long double one : e) {
    exact.margin = std::min(exact.margin, std::abs(mass / sum - p));
    if (exact.kept > 0 && mass / sum >= p) return exact;
    ++exact.kept;
    mass += one / 1;
  }
  return exact;
}

// Exps are floats (0.9 ulp), sums of 64 of them too: on rows so flat that one token holds 1e-8 of the mass that can
// move the cut by a token. Where the running sum passes p by less than 1e-7 the count may differ by that one.
TEST(TopP, KeepsAsManyAsExactArithmetic) {
  int close = 0;
  for (int seed = 1; seed <= kRows; ++seed) {
    random_case::Source s(static_cast<std::uint64_t>(seed));
    const std::size_t width = random_case::random_size(s, seed % 50 == 0 ? 151936 : 5000);
    const double scale = s.one_of({0.3, 1.0, 2.0, 4.0}), p = s.one_of({0.5, 0.8, 0.9, 0.95, 0.99});
    std::vector<float> row(width);
    for (float& x : row) x = static_cast<float>(scale * (s.unit() + s.unit() + s.unit() - 1.5) * 4);
    const lk::Request request({1}, {.seed = 1});
    const lk::Pick pick = (lk::TopP(p) | lk::Multinomial()).pick(row, request);
    const Exact exact = exact_survivors(row, p);
    if (pick.survivors == exact.kept) continue;
    ++close;
    ASSERT_LT(exact.margin, 1e-7L) << "seed " << seed << ": kept " << pick.survivors << ", exactly " << exact.kept;
    ASSERT_LE(pick.survivors > exact.kept ? pick.survivors - exact.kept : exact.kept - pick.survivors, 1u);
  }
  RecordProperty("decided_by_rounding", close);
  EXPECT_LE(close, kRows / 1000) << "rows decided by rounding";
}

}  // namespace top_p_survivors_test
