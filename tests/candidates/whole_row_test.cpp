// SPDX-License-Identifier: MIT
// WholeRow against an array to which the same was done: edits, bans, divisions, masks, cuts, in random order.
#include "logitkit/candidates/whole_row.hpp"

#include <gtest/gtest.h>

#include "numeric/isas.hpp"
#include "numeric/rows.hpp"

namespace lk = logitkit;

namespace whole_row_test {

class WholeRow : public EveryIsa {
 protected:
  std::uint64_t random(std::uint64_t below) { return synthetic::hash64(seed_, ++drawn_) % below; }

  void open(std::uint64_t seed) {
    seed_ = seed;
    drawn_ = 0;
    logits_ = seed % 2 ? rows::ties(seed, 20 + random(5000), 9)
                       : rows::noise(seed, 20 + random(5000), 2.0, static_cast<unsigned>(seed % 3));
    expected_ = logits_;
    row_.open(lk::detail::kernels(), workspace_, logits_);
  }
  void change() {
    const auto id = static_cast<std::uint32_t>(random(logits_.size()));
    switch (random(5)) {
      case 0:
        if (float* x = row_.edit(id)) *x = expected_[id] = static_cast<float>(random(40)) / 4 - 5;
        break;
      case 1: {
        const std::vector<lk::TokenId> bans = {static_cast<lk::TokenId>(id), 5, static_cast<lk::TokenId>(id)};
        row_.remove(bans);
        for (const lk::TokenId ban : bans) expected_[static_cast<std::size_t>(ban)] = rows::kMasked;
        break;
      }
      case 2:
        if (row_.pointwise().full()) break;
        row_.pointwise().divide(0.7f);
        for (float& x : row_.edits().values()) x /= 0.7f;
        for (float& x : expected_) x /= 0.7f;
        break;
      case 3: {
        std::vector<std::int32_t> words((logits_.size() + 31) / 32);
        for (auto& word : words)
          word = static_cast<std::int32_t>(random(~std::uint64_t{0}) | random(~std::uint64_t{0}));
        masks_.push_back(words);
        row_.allow(masks_.back());
        for (std::size_t i = 0; i < expected_.size(); ++i)
          if ((static_cast<std::uint32_t>(words[i / 32]) >> (i % 32) & 1) == 0) expected_[i] = rows::kMasked;
        break;
      }
      default: {
        const float y = expected_[id];  // what goes are the lower half, more or less
        if (y == rows::kMasked || count([&](float x) { return x > y; }) * 2 < candidates()) break;
        row_.cut(y, id);
        for (std::size_t i = 0; i < expected_.size(); ++i)
          if (expected_[i] < y || (expected_[i] == y && i > id)) expected_[i] = rows::kMasked;
      }
    }
  }
  template <class Is>
  std::size_t count(Is is) const {
    return static_cast<std::size_t>(std::count_if(expected_.begin(), expected_.end(), is));
  }
  std::size_t candidates() const {
    return count([](float x) { return x > rows::kMasked; });
  }
  std::vector<std::pair<std::uint32_t, float>> listed() const {
    std::vector<std::pair<std::uint32_t, float>> list;
    for (std::size_t i = 0; i < workspace_.ids.size(); ++i) list.emplace_back(workspace_.ids[i], workspace_.values[i]);
    return list;
  }

  void expect_equal() {
    std::vector<float> values;
    for (std::uint32_t id = 0; id < expected_.size(); ++id) values.push_back(row_.value(id));
    ASSERT_EQ(values, expected_);
    ASSERT_EQ(row_.max(), *std::max_element(expected_.begin(), expected_.end()));
    if (candidates() == 0) return;
    std::uint32_t id = 0;
    while (!(expected_[id] > rows::kMasked) || random(4) > 0) id = (id + 1) % static_cast<std::uint32_t>(values.size());
    const float y = expected_[id];
    ASSERT_EQ(row_.count(y), count([&](float x) { return x >= y; }));
    const auto before = static_cast<std::size_t>(std::count(expected_.begin(), expected_.begin() + id, y));
    ASSERT_EQ(row_.ties_before(y, id), before);
    ASSERT_EQ(row_.id_of_tie(y, before + 1), id);

    std::vector<std::pair<std::uint32_t, float>> reaching, up_to_id;
    for (std::uint32_t i = 0; i < expected_.size(); ++i) {
      if (expected_[i] >= y) reaching.emplace_back(i, expected_[i]);
      if (expected_[i] > y || (expected_[i] == y && i <= id)) up_to_id.emplace_back(i, expected_[i]);
    }
    ASSERT_EQ(row_.gather(y, expected_.size()), reaching.size());
    ASSERT_EQ(listed(), reaching);
    ASSERT_EQ(row_.gather_to(y, id, expected_.size()), up_to_id.size());
    ASSERT_EQ(listed(), up_to_id);

    const std::size_t k = 1 + random(candidates());
    if (const float reached = row_.value_reached_by(k); reached > rows::kMasked) {
      ASSERT_GE(count([&](float x) { return x >= reached; }) + row_.edits().size(), k);
    }
  }

  std::vector<float> logits_, expected_;
  std::vector<std::vector<std::int32_t>> masks_;
  lk::Workspace workspace_;
  lk::detail::WholeRow row_;
  std::uint64_t seed_ = 0, drawn_ = 0;
};
LOGITKIT_FOR_EVERY_ISA(WholeRow);

TEST_P(WholeRow, IsWhatAnArrayWouldBe) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    open(seed);
    const std::uint64_t changes = random(9);
    for (std::uint64_t i = 0; i < changes; ++i) {
      change();
      SCOPED_TRACE("seed " + std::to_string(seed) + ", change " + std::to_string(i));
      if (random(2) == 0) expect_equal();
      if (HasFatalFailure()) return;
    }
    SCOPED_TRACE("seed " + std::to_string(seed));
    expect_equal();
    if (HasFatalFailure()) return;
  }
}

}  // namespace whole_row_test
