// SPDX-License-Identifier: MIT
#include "logitkit/numeric/select_k.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "isas.hpp"
#include "rows.hpp"

namespace lk = logitkit;

namespace select_k_test {

class SelectK : public EveryIsa {
 protected:
  const lk::detail::Kernels& k = lk::detail::kernels();
};
LOGITKIT_FOR_EVERY_ISA(SelectK);

TEST_P(SelectK, ThresholdIsReachedByAtLeastKAndNotManyMore) {
  for (const std::size_t n : rows::lengths())
    for (const std::size_t wanted : {std::size_t{1}, std::size_t{20}, n / 2, n})
      for (const unsigned masked_of_8 : {0u, 4u}) {
        const auto row = rows::noise(n, n, 3, masked_of_8);
        const float max = *std::max_element(row.begin(), row.end());
        const float threshold = lk::detail::threshold_for(k, row.data(), n, wanted, max);
        const auto reaching =
            static_cast<std::size_t>(std::count_if(row.begin(), row.end(), [&](float x) { return x >= threshold; }));
        ASSERT_GE(reaching, std::min(wanted, n)) << wanted << " of " << n;
        const auto finite = n - static_cast<std::size_t>(std::count(row.begin(), row.end(), rows::kMasked));
        if (wanted > 0 && wanted <= finite && wanted < n) {
          ASSERT_LE(reaching, wanted + wanted / 4 + 8);
        }
      }
}

TEST_P(SelectK, ThresholdOfTiedValuesIsTheTiedValue) {
  const std::vector<float> row(3000, 1.5f);
  EXPECT_EQ(lk::detail::threshold_for(k, row.data(), row.size(), 20, 1.5f), 1.5f);
}

TEST_P(SelectK, ReachingIdsComeInIdOrder) {
  for (const std::size_t n : rows::lengths()) {
    const auto row = rows::noise(n, n, 3, 2);
    std::vector<float> strip_max(lk::detail::strip_count(n));
    const auto half = rows::narrowed<lk::float16>(row);
    for (const lk::LogitsView logits : {lk::LogitsView(row), lk::LogitsView(half)}) {
      lk::detail::scan(k, logits, strip_max.data());
      for (const float threshold : {rows::kMasked, -1.0f, 4.0f})
        for (const std::size_t most : {n, n / 8 + 1}) {
          std::vector<std::size_t> expected, found;
          for (std::size_t i = 0; i < n && expected.size() < most; ++i)
            if (logits[i] >= threshold && logits[i] > rows::kMasked) expected.push_back(i);
          lk::detail::for_each_reaching(k, logits, strip_max.data(), threshold, [&](std::uint32_t id, float x) {
            EXPECT_EQ(x, logits[id]);
            found.push_back(id);
            return found.size() < most;
          });
          ASSERT_EQ(found, expected) << n;
        }
    }
  }
}

TEST(SortRanks, SortsAnyNumberOfKeys) {
  std::vector<std::uint64_t> spare;
  for (std::size_t n = 0; n < 3000; n = n < 60 ? n + 1 : n * 3 / 2)
    for (const std::uint64_t values : {1u, 3u, 1000u}) {
      const auto row = n % 2 ? rows::ties(n, n, values) : rows::noise(n, n, static_cast<double>(values));
      std::vector<std::uint64_t> keys;
      for (std::size_t i = 0; i < n; ++i) keys.push_back(lk::detail::rank_key(row[i], static_cast<std::uint32_t>(i)));
      auto expected = keys;
      std::sort(expected.begin(), expected.end(), std::greater<>());
      lk::detail::sort_ranks(keys, spare);
      ASSERT_EQ(keys, expected) << n;
    }
}

}  // namespace select_k_test
