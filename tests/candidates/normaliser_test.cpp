// SPDX-License-Identifier: MIT
// The sum of exps is a function of the set {(id, logit)} alone: however the candidates are held, the bits are the same,
// and so are the log-sum-exp and the tokens that are drawn.
#include <gtest/gtest.h>

#include "logitkit/candidates/candidates.hpp"
#include "numeric/isas.hpp"
#include "numeric/rows.hpp"

namespace lk = logitkit;

namespace normaliser_test {

struct Facts {
  std::uint64_t normaliser, log_sum_exp;  // bits
  std::vector<lk::TokenId> drawn;
  bool operator==(const Facts&) const = default;
};
Facts facts(lk::Candidates& candidates) {
  Facts f{std::bit_cast<std::uint64_t>(candidates.normaliser()),
          std::bit_cast<std::uint64_t>(candidates.log_sum_exp()),
          {}};
  for (int i = 0; i < 16; ++i) f.drawn.push_back(candidates.draw(i / 16.0));
  return f;
}

class Normaliser : public EveryIsa {};
LOGITKIT_FOR_EVERY_ISA(Normaliser);

TEST_P(Normaliser, DoesNotDependOnHowTheCandidatesAreHeld) {
  lk::Workspace workspace;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const std::size_t size = 1 + synthetic::hash64(seed, 1) % 6000, few = 1 + synthetic::hash64(seed, 2) % 60;
    const auto row = rows::noise(seed, size, seed % 2 ? 3.0 : 0.4);
    std::vector<bool> stays(size);
    for (std::size_t i = 0; i < few; ++i) stays[synthetic::hash64(seed, 10 + i) % size] = true;

    auto masked = row;
    std::vector<std::int32_t> words((size + 31) / 32);
    for (std::size_t id = 0; id < size; ++id) {
      if (!stays[id]) masked[id] = rows::kMasked;
      if (stays[id]) words[id / 32] |= static_cast<std::int32_t>(1u << (id % 32));
    }

    lk::Candidates from_masked_row;
    from_masked_row.open(workspace, masked, 0);
    ASSERT_FALSE(from_masked_row.is_compact());
    const Facts expected = facts(from_masked_row);

    lk::Candidates listed;
    listed.open(workspace, row, 0);
    listed.keep_if([&](lk::TokenId id, float) { return stays[static_cast<std::size_t>(id)]; });
    ASSERT_TRUE(listed.is_compact());
    ASSERT_EQ(facts(listed), expected) << "a list, seed " << seed;

    lk::Candidates edited;
    edited.open(workspace, row, 0);
    for (std::size_t id = 0; id < size; ++id)
      if (!stays[id]) edited.remove(static_cast<lk::TokenId>(id));
    ASSERT_EQ(facts(edited), expected) << "ids removed one by one, seed " << seed;

    lk::Candidates allowed;
    allowed.open(workspace, row, 0);
    allowed.allow(words);
    ASSERT_EQ(facts(allowed), expected) << "a mask, seed " << seed;

    lk::Candidates array;
    array.open(workspace, row, 0);
    std::copy(masked.begin(), masked.end(), array.materialize().begin());
    array.settle();
    ASSERT_EQ(facts(array), expected) << "an array, seed " << seed;
  }
}

TEST_P(Normaliser, IsTheSameOnTheScalarPath) {
  lk::Workspace workspace;
  const auto row = rows::noise(1, 5000, 2, 2);
  lk::Candidates here;
  here.open(workspace, row, 0);
  const Facts expected = facts(here);
  const lk::ScopedIsa scoped(lk::Isa::scalar);
  lk::Candidates there;
  there.open(workspace, row, 0);
  EXPECT_EQ(facts(there), expected);
}

}  // namespace normaliser_test
