// SPDX-License-Identifier: MIT
// CompactList against plain sorting of (id, logit) pairs.
#include "logitkit/candidates/compact_list.hpp"

#include <gtest/gtest.h>

#include "numeric/isas.hpp"
#include "numeric/rows.hpp"

namespace lk = logitkit;

namespace compact_list_test {

using Pair = std::pair<std::uint32_t, float>;
using Pairs = std::vector<Pair>;

class CompactList : public EveryIsa {
 protected:
  /// Every third id or so, with noise or with few values.
  const Pairs& fill(std::uint64_t seed) {
    const std::size_t width = 30 + synthetic::hash64(seed, 1) % 4000;
    const auto row = seed % 2 ? rows::ties(seed, width, 7) : rows::noise(seed, width, 2.0);
    pairs_.clear();
    workspace_.ids.clear();
    workspace_.values.clear();
    for (std::uint32_t id = 0; id < width; ++id) {
      if (synthetic::hash64(seed + 5, id) % 3 != 0) continue;
      pairs_.emplace_back(id, row[id]);
      workspace_.ids.push_back(id);
      workspace_.values.push_back(row[id]);
    }
    list_.adopt(lk::detail::kernels(), workspace_);
    return pairs_;
  }
  Pairs held() const {
    Pairs all;
    for (std::size_t i = 0; i < list_.size(); ++i) all.emplace_back(list_.ids()[i], list_.values()[i]);
    return all;
  }
  static Pairs ranked(Pairs pairs) {
    std::stable_sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) { return a.second > b.second; });
    return pairs;
  }
  static Pairs by_id(Pairs pairs) {
    std::sort(pairs.begin(), pairs.end());
    return pairs;
  }

  lk::Workspace workspace_;
  lk::detail::CompactList list_;
  Pairs pairs_;
};
LOGITKIT_FOR_EVERY_ISA(CompactList);

TEST_P(CompactList, KeepsTheFirstOfTheTotalOrderInIdOrder) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const Pairs order = ranked(fill(seed));
    if (order.size() < 4) continue;
    const std::size_t k = 1 + synthetic::hash64(seed, 3) % (order.size() - 1);
    const bool keeps_ties = seed % 3 == 0;
    std::size_t n = k;
    while (keeps_ties && n < order.size() && order[n].second == order[k - 1].second) ++n;
    list_.keep_top(k, keeps_ties);
    ASSERT_EQ(held(), by_id({order.begin(), order.begin() + static_cast<std::ptrdiff_t>(n)})) << "seed " << seed;
  }
}

TEST_P(CompactList, BestBeginsWithTheFirstRanks) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const Pairs order = ranked(fill(seed));
    const std::size_t k = std::min<std::size_t>(order.size(), 1 + synthetic::hash64(seed, 4) % 40);
    const auto best = list_.best(k, list_.max());
    ASSERT_GE(best.size(), k);
    for (std::size_t i = 0; i < best.size(); ++i) {
      ASSERT_EQ(lk::detail::id_of(best[i]), order[i].first) << "seed " << seed << ", rank " << i;
      ASSERT_EQ(lk::detail::logit_of(best[i]), order[i].second);
    }
    ASSERT_EQ(held(), pairs_) << "looking changes nothing";
  }
}

TEST_P(CompactList, FindsAndDropsSingleCandidates) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    fill(seed);
    for (const auto& [id, value] : pairs_) ASSERT_EQ(list_.value(id), value);
    const auto absent = pairs_.back().first + 1;
    EXPECT_EQ(list_.find(absent), list_.size());
    EXPECT_EQ(list_.value(absent), rows::kMasked);

    const std::size_t at = synthetic::hash64(seed, 6) % pairs_.size();
    list_.erase(at);
    pairs_.erase(pairs_.begin() + static_cast<std::ptrdiff_t>(at));
    ASSERT_EQ(held(), pairs_);
    for (std::size_t i = 0; i < pairs_.size(); i += 5) list_.values()[i] = pairs_[i].second = rows::kMasked;
    std::erase_if(pairs_, [](const Pair& pair) { return pair.second == rows::kMasked; });
    list_.drop_masked();
    ASSERT_EQ(held(), pairs_);
  }
}

}  // namespace compact_list_test
