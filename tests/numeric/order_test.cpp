// SPDX-License-Identifier: MIT
#include "logitkit/numeric/order.hpp"

#include <gtest/gtest.h>

#include "rows.hpp"

namespace lk = logitkit;

namespace order_test {

using namespace lk::detail;

constexpr float kLargest = std::numeric_limits<float>::max();

// Floats of every size and sign, their neighbours included.
std::vector<float> some_floats() {
  std::vector<float> floats = {0.0f, -0.0f, kLargest, -kLargest, rows::kMasked, rows::kInf};
  for (std::uint64_t i = 0; i < 3000; ++i) {
    const float x = std::bit_cast<float>(static_cast<std::uint32_t>(synthetic::hash64(1, i)));
    if (!std::isnan(x) && std::fabs(x) < kLargest)
      floats.insert(floats.end(), {std::nextafter(x, -kLargest), x, std::nextafter(x, kLargest)});
  }
  return floats;
}

TEST(OrderKey, OrdersAsLessDoes) {
  const auto floats = some_floats();
  for (std::size_t i = 0; i < floats.size(); ++i) {
    const float a = floats[i], b = floats[synthetic::hash64(2, i) % floats.size()];
    ASSERT_EQ(order_key(a) < order_key(b), a < b) << a << " " << b;
    ASSERT_EQ(order_key(a) == order_key(b), a == b) << a << " " << b;
    ASSERT_EQ(from_order_key(order_key(a)), a);
  }
}

TEST(OrderKey, KnowsTheNeighbours) {
  for (const float x : some_floats())
    if (std::fabs(x) < kLargest) {
      ASSERT_EQ(next_above(x), std::nextafter(x, rows::kInf));
      ASSERT_EQ(next_below(x), std::nextafter(x, rows::kMasked));
    }
  EXPECT_EQ(next_above(-0.0f), 0x1p-149f);
  EXPECT_EQ(next_above(-0x1p-149f), 0.0f);
  EXPECT_EQ(next_above(rows::kMasked), -kLargest);
}

TEST(RankKey, RanksByLogitDescendingThenIdAscending) {
  EXPECT_GT(rank_key(2, 9), rank_key(1, 3));
  EXPECT_GT(rank_key(1, 3), rank_key(1, 9));
  EXPECT_GT(rank_key(0.0f, 3), rank_key(-0.0f, 4));
  EXPECT_GT(rank_key(-0.0f, 3), rank_key(0.0f, 4));
  EXPECT_GT(rank_key(-kLargest, 0xfffffffe), rank_key(rows::kMasked, 0));
  for (const float x : some_floats()) {
    ASSERT_EQ(id_of(rank_key(x, 151935)), 151935u);
    ASSERT_EQ(logit_of(rank_key(x, 151935)), x);
  }
}

TEST(LowestFloat, FindsTheBorderOfAMonotonePredicate) {
  const auto floats = some_floats();
  for (std::size_t i = 0; i < floats.size(); ++i) {
    const float border = floats[i];
    if (std::fabs(border) > kLargest) continue;
    const auto reaches = [border](float x) { return x >= border; };
    const float known = std::max(border, floats[synthetic::hash64(3, i) % floats.size()]);
    for (const float guess : {border, next_below(border), floats[synthetic::hash64(4, i) % floats.size()], rows::kNaN})
      ASSERT_EQ(lowest_float(known, guess, reaches), border == -kLargest ? rows::kMasked : border)
          << known << " " << guess;
  }
  EXPECT_EQ(lowest_float(3.0f, 1.0f, [](float) { return true; }), rows::kMasked);
}

}  // namespace order_test
