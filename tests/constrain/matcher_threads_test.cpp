// SPDX-License-Identifier: MIT
// A compiled constraint is shared: its tables are filled by all threads at once. Meant for ThreadSanitizer; everywhere
// the masks must be those of a thread alone.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "logitkit/json_schema.hpp"
#include "walks.hpp"

namespace matcher_threads_test {

using namespace constrain_test;

const char* const kSchema = R"({"type":"object","properties":{"a":{"type":"array","items":{"$ref":"#"}},
    "s":{"type":"string","maxLength":30},"p":{"type":"string","pattern":"^(a|bbb)*$","maxLength":9},
    "n":{"type":"number","minimum":-2,"maximum":17}},"required":["s"]})";

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) { return lk::detail::mix_hash(hash, value); }

/// A walk that depends on the seed alone: allowed tokens, now and then a fork that goes elsewhere, a rollback, forced
/// bytes. Returns a hash of all masks on the way.
std::uint64_t walk_of(const lk::Constraint& constraint, std::uint64_t seed) {
  std::uint64_t hash = seed;
  lk::Matcher m = constraint.matcher();
  for (std::uint64_t step = 0; step < 60; ++step) {
    const Mask mask = mask_of(m);
    for (const std::int32_t word : mask) hash = mixed(hash, static_cast<std::uint32_t>(word));
    const std::uint64_t draw = mixed(seed, step);
    auto id = static_cast<lk::TokenId>(draw % kWidth);
    while (!allowed(mask, id)) id = (id + 1) % static_cast<lk::TokenId>(kWidth);
    if (id == kEnd || id == kOtherEnd) break;
    if (draw >> 20 & 1) hash = mixed(hash, m.forced_bytes(20).size());
    if (!(draw >> 21 & 7)) m.rollback(std::min<std::size_t>(m.size(), 3));
    lk::Matcher fork = m;
    fork.accept(static_cast<lk::TokenId>((draw >> 30) % kWidth));
    hash = mixed(hash, fork.size() * 2 + m.accept(id));
  }
  return hash;
}

TEST(MatcherThreads, AConstraintThatIsSharedGivesTheMasksOfOneAlone) {
  // The second one starts its tables afresh all the time, while others still use the old ones.
  for (const std::size_t memory : {lk::kDefaultConstraintMemory, std::size_t{1}}) {
    const lk::SchemaOptions options{.whitespace = lk::Whitespace::compact(), .memory_limit = memory};
    constexpr std::size_t kThreads = 4, kWalks = 32;
    std::vector<std::uint64_t> alone;
    for (std::uint64_t i = 0; i < kWalks; ++i)
      alone.push_back(walk_of(lk::compile_json_schema(small_vocabulary(), kSchema, options), i / 2 * 2));

    const lk::Constraint shared = lk::compile_json_schema(small_vocabulary(), kSchema, options);
    std::vector<std::uint64_t> together(kWalks);
    std::atomic<std::size_t> next = 0;
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < kThreads; ++t)
      threads.emplace_back([&] {
        for (std::size_t i; (i = next++) < kWalks;) together[i] = walk_of(shared, i / 2 * 2);  // pairs race
      });
    for (std::thread& thread : threads) thread.join();
    for (std::size_t i = 0; i < kWalks; ++i) EXPECT_EQ(together[i], alone[i]) << i;
  }
}

}  // namespace matcher_threads_test
