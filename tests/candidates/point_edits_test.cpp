// SPDX-License-Identifier: MIT
// PointEdits against a std::map, over random edits, batches, stretches and resets.
#include "logitkit/candidates/point_edits.hpp"

#include <gtest/gtest.h>

#include <map>

#include "support/synthetic_rows.hpp"

namespace lk = logitkit;

namespace point_edits_test {

using Edits = lk::detail::PointEdits;
using Expected = std::map<std::uint32_t, float>;

void expect_equal(const Edits& edits, const Expected& expected, std::size_t width) {
  ASSERT_EQ(edits.size(), expected.size());
  ASSERT_EQ(edits.empty(), expected.empty());
  for (std::uint32_t id = 0; id < width; ++id) {
    ASSERT_EQ(edits.contains(id), expected.contains(id)) << id;
    ASSERT_EQ(edits.contains(id) ? edits.at(id) : -1, expected.contains(id) ? expected.at(id) : -1) << id;
    ASSERT_EQ(edits.word(id / 64) >> (id % 64) & 1, expected.contains(id) ? 1u : 0u) << id;
  }
}

TEST(PointEdits, AreAMapFromIdToValue) {
  Edits edits;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const std::size_t width = 1 + synthetic::hash64(seed, 1) % 700;
    const auto random = [&](std::uint64_t i, std::uint64_t below) { return synthetic::hash64(seed, 10 + i) % below; };
    edits.reset(width);
    Expected expected;
    for (std::uint64_t i = 0; i < 60; ++i) {
      const auto id = static_cast<std::uint32_t>(random(4 * i, width));
      const auto value = static_cast<float>(random(4 * i + 1, 100));
      if (random(4 * i + 2, 5) > 0) {
        if (!expected.contains(id))
          edits.insert(id, value);
        else
          edits.at(id) = value;
        expected[id] = value;
        continue;
      }
      std::vector<lk::TokenId> batch;  // with repeats, and with ids that are edited already
      for (std::uint64_t j = 0; j < 9; ++j) batch.push_back(static_cast<lk::TokenId>(random(4 * i + j, width)));
      edits.assign(batch, value, [](std::uint32_t other) { return other % 3 != 0; });
      for (const lk::TokenId each : batch)
        if (const auto other = static_cast<std::uint32_t>(each); expected.contains(other) || other % 3 != 0)
          expected[other] = value;
    }
    expect_equal(edits, expected, width);
  }
}

TEST(PointEdits, AStretchIsFoundByExactlyItsIds) {
  Edits edits;
  edits.reset(1000);
  const std::vector<lk::TokenId> ids = {900, 3, 64, 63}, others = {900, 3, 64}, swapped = {3, 900, 64, 63};
  const std::span<float> values = edits.insert(ids);
  std::copy_n(std::begin({1.0f, 2.0f, 3.0f, 4.0f}), 4, values.begin());
  edits.insert(7, 5.0f);
  ASSERT_EQ(edits.stretch(ids).size(), 4u);
  EXPECT_EQ(edits.stretch(ids)[1], 2.0f);
  EXPECT_TRUE(edits.stretch(others).empty());
  EXPECT_TRUE(edits.stretch(swapped).empty());
  expect_equal(edits, {{900, 1.0f}, {3, 2.0f}, {64, 3.0f}, {63, 4.0f}, {7, 5.0f}}, 1000);
  edits.reset(1000);
  EXPECT_TRUE(edits.stretch(ids).empty());
  expect_equal(edits, {}, 1000);
}

}  // namespace point_edits_test
