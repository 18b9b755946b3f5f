// SPDX-License-Identifier: MIT
#include "logitkit/constrain/stack_sets.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace stack_sets_test {

using logitkit::detail::StackSets;
using Stack = std::vector<std::uint32_t>;

std::set<Stack> stacks(const StackSets& sets, StackSets::Id id) {
  std::set<Stack> out;
  for (StackSets::Entry entry : sets[id]) {
    if (entry.node == StackSets::kDone) {
      out.insert(Stack());
      continue;
    }
    for (Stack stack : stacks(sets, entry.below)) {
      stack.push_back(entry.node);
      out.insert(stack);
    }
  }
  return out;
}

TEST(StackSets, UnionsHoldTheStacksOfBoth) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    StackSets sets;
    std::vector<StackSets::Id> ids{sets.bottom()};
    std::vector<std::set<Stack>> expected{{Stack()}};
    for (int i = 0; i < 30; ++i) {
      const std::size_t a = random() % ids.size(), b = random() % ids.size();
      if (random() % 2) {
        const auto node = static_cast<std::uint32_t>(random() % 3);
        ids.push_back(sets.push(node, ids[a]));
        std::set<Stack> all;
        for (Stack stack : expected[a]) stack.push_back(node), all.insert(stack);
        expected.push_back(all);
      } else {
        ids.push_back(sets.unite(ids[a], ids[b]));
        std::set<Stack> all = expected[a];
        all.insert(expected[b].begin(), expected[b].end());
        expected.push_back(all);
      }
      ASSERT_EQ(stacks(sets, ids.back()), expected.back());
    }
    // equal sets have one name
    for (std::size_t i = 0; i < ids.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) EXPECT_EQ(ids[i] == ids[j], expected[i] == expected[j]);
    StackSets copy;
    const auto renamed = copy.copy_from(sets, ids);
    for (std::size_t i = 0; i < ids.size(); ++i) EXPECT_EQ(stacks(copy, renamed.at(ids[i])), expected[i]);
  }
}

TEST(StackSets, AHundredThousandLevelsAreNoDepth) {
  StackSets a;
  StackSets::Id id = a.bottom();
  for (std::uint32_t i = 0; i < 100'000; ++i) id = a.push(i % 7, id);
  StackSets b;
  EXPECT_EQ(b[b.copy_from(a, {id}).at(id)].size(), 1u);
  EXPECT_EQ(a.unite(id, a.push(3, id)), a.unite(a.push(3, id), id));
}

}  // namespace stack_sets_test
