// SPDX-License-Identifier: MIT
// keep_mass on whole rows where its search is at its limits: more equal logits than a list holds, cuts among the very
// last, rows of which everything stays. The plain program says what stays, what it sums to, and what is drawn.
#include <gtest/gtest.h>

#include "logitkit/candidates/candidates.hpp"
#include "logitkit/process/top_p.hpp"
#include "numeric/isas.hpp"
#include "numeric/rows.hpp"
#include "reference.hpp"
#include "support/slow_build.hpp"

namespace lk = logitkit;

namespace nucleus_test {

constexpr std::uint64_t kRows = kSlowBuild ? 8 : 60;

class Nucleus : public EveryIsa {};
LOGITKIT_FOR_EVERY_ISA(Nucleus);

/// Compares what stays of `row`, on which `change` was done first; returns how many that is.
template <class Change>
std::size_t expect_plain(const std::vector<float>& row, double p, std::int64_t min_keep, Change change) {
  std::vector<float> expected = row;
  lk::Workspace workspace;
  lk::Candidates candidates;
  candidates.open(workspace, row, 0);
  change(candidates, expected);
  reference::top_p(expected, lk::TopP(p, {.min_keep = min_keep}));
  candidates.keep_mass(p, static_cast<std::size_t>(min_keep));

  std::vector<float> kept(row.size(), rows::kMasked);
  candidates.for_each([&](lk::TokenId id, float x) { kept[static_cast<std::size_t>(id)] = x; });
  EXPECT_EQ(kept, expected);
  EXPECT_EQ(candidates.survivors(), reference::survivors(expected));
  EXPECT_EQ(candidates.normaliser(), reference::normaliser(expected, reference::largest(expected)));
  for (const double u : {0.0, 0.3, 0.77, 0.9999}) EXPECT_EQ(candidates.draw(u), reference::draw(expected, u));
  return candidates.survivors();
}
const auto nothing = [](lk::Candidates&, std::vector<float>&) {};

TEST_P(Nucleus, OfEqualLogitsKeepsTheFirstIds) {
  for (const double p : {0.0001, 0.3, 0.5, 0.9, 0.99999}) {
    const std::vector<float> row(20000, -1.25f);
    EXPECT_EQ(expect_plain(row, p, 1, nothing), static_cast<std::size_t>(std::ceil(p * 20000)));
    EXPECT_EQ(expect_plain(row, p, 18001, nothing),
              std::max<std::size_t>(18001, static_cast<std::size_t>(std::ceil(p * 20000))));
  }
}

TEST_P(Nucleus, CutsInsideTheTiesOfTheLargestOrBehindThem) {
  for (std::uint64_t seed = 0; seed < kRows; ++seed) {
    const std::size_t size = 3000 + synthetic::hash64(seed, 1) % 9000;
    std::vector<float> row = rows::ties(seed, size, 1 + seed % 3);  // one to three different values
    if (seed % 4 == 0)
      for (std::size_t id = 0; id < size; id += 3) row[id] = rows::kMasked;
    const double p = std::array{0.1, 0.4, 0.6, 0.95}[seed / 2 % 4];
    SCOPED_TRACE("seed " + std::to_string(seed));
    expect_plain(row, p, seed % 5 == 0 ? 700 : 1, nothing);
    expect_plain(row, p, 1, [&](lk::Candidates& candidates, std::vector<float>& expected) {  // edits take ties away
      for (std::size_t id = 7; id < size; id += 41) {
        if (expected[id] == rows::kMasked) continue;
        candidates.set(static_cast<lk::TokenId>(id), expected[id] -= 0.5f);
      }
    });
    expect_plain(row, p, 1, [&](lk::Candidates& candidates, std::vector<float>& expected) {
      candidates.divide(0.7f);
      for (float& x : expected) x /= 0.7f;
    });
  }
}

TEST_P(Nucleus, CutsAmongTheVeryLast) {
  for (std::uint64_t seed = 0; seed < kRows; ++seed) {
    const auto row = rows::noise(seed, 20000 + 977 * (seed % 7), seed % 2 ? 0.09 : 0.4, seed % 3 == 0 ? 3 : 0);
    for (const double p : {0.99, 0.999, 0.9999, 0.99999}) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", p " + std::to_string(p));
      EXPECT_GT(expect_plain(row, p, 1, nothing), row.size() / 3);
    }
  }
}

// Little goes, and it is looked for from the last rank up, whatever was done to the row before.
TEST_P(Nucleus, LetsAFewOfTheLastGo) {
  std::size_t gone = 0;
  for (std::uint64_t seed = 0; seed < kRows; ++seed) {
    auto row = rows::noise(seed, 20000 + 977 * (seed % 7), seed % 2 ? 0.2 : 0.05);
    if (seed % 3 == 0)  // some of the smallest are equal
      for (float& x : row) x = std::round(x * 256) / 256;
    for (const double p : {0.9998, 0.99995, 0.999999}) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", p " + std::to_string(p));
      const std::size_t kept = expect_plain(row, p, 1, nothing);
      gone += row.size() - kept;
      for (const float divisor : {0.7f, 1.3f})
        expect_plain(row, p, 1, [&](lk::Candidates& candidates, std::vector<float>& expected) {
          candidates.divide(divisor);
          for (float& x : expected) x /= divisor;
        });
      expect_plain(row, p, 1, [&](lk::Candidates& candidates, std::vector<float>& expected) {
        for (std::size_t id = 5; id < row.size(); id += 611)
          candidates.set(static_cast<lk::TokenId>(id), expected[id] -= 0.6f);
        for (std::size_t id = 9; id < row.size(); id += 401) {
          candidates.remove(static_cast<lk::TokenId>(id));
          expected[id] = rows::kMasked;
        }
      });
      std::vector<std::int32_t> words((row.size() + 31) / 32, 0x7bf7efde);
      expect_plain(row, p, 1, [&](lk::Candidates& candidates, std::vector<float>& expected) {
        candidates.allow(words);
        for (std::size_t id = 0; id < expected.size(); ++id)
          if ((words[id / 32] >> (id % 32) & 1) == 0) expected[id] = rows::kMasked;
        candidates.keep_mass(0.9999, 1);  // and a cut lies under the next
        reference::top_p(expected, lk::TopP(0.9999));
      });
    }
  }
  EXPECT_GT(gone, 10u * kRows);
}

// Of many equal last ones the highest ids go, in whichever lane they lie.
TEST_P(Nucleus, LetsTheHighestIdsOfEqualLastOnesGo) {
  std::vector<float> row(20000);
  for (std::size_t block = 4; block < 9; ++block)
    for (std::size_t i = 0; i < 30; ++i)
      for (const std::size_t lane : {3u, 5u}) row[block * 1024 + i * 16 + lane] = -0.3f;
  // The mass is 19,700 + 300 exp(-0.3) = 19,922.2. 0.0002 of it is 3.98, five times exp(-0.3) = 0.741 are 3.70.
  EXPECT_EQ(expect_plain(row, 0.9998, 1, nothing), 19995u);

  std::vector<float> short_row(591);  // all but one equal, fewer than a block
  short_row[84] = -5;
  EXPECT_EQ(expect_plain(short_row, 0.9998, 1, nothing), 590u);  // 0.0002 * 590 is more than exp(-5) and less than 1
}

// The sum by the fixed order is off by more than a step of the mass: 20,000 equal exps round alike.
TEST_P(Nucleus, LetsGoByTheExactMassNotByItsRoundedSum) {
  std::vector<float> row(20000, -0.5f);
  row[777] = 0;
  for (std::size_t i = 0; i < 40; ++i) row[100 + 311 * i] = -0.7f - 0.001f * static_cast<float>(i * 17 % 40);
  std::vector<float> ranked = row;
  std::sort(ranked.rbegin(), ranked.rend());
  std::vector<double> before{0};
  for (const float x : ranked) {
    float e = x;
    lk::detail::kernels().exp(&e, &e, 1, 0);
    before.push_back(before.back() + static_cast<double>(e));
  }
  const double rounded = reference::normaliser(row, 0), off = before.back() - rounded;
  ASSERT_GT(std::abs(off), 2.5 * 0x1p-18 * 20);  // half of it is more than the exact sum may be off
  for (std::size_t kept = row.size() - 4; kept < row.size(); ++kept) {
    EXPECT_EQ(expect_plain(row, (before[kept] + std::abs(off) / 2) / rounded, 1, nothing), kept + 1);
    EXPECT_EQ(expect_plain(row, (before[kept] - std::abs(off) / 2) / rounded, 1, nothing), kept);
  }
}

TEST_P(Nucleus, MayKeepEverything) {
  std::uint64_t all = 0, not_all = 0;
  for (std::uint64_t seed = 0; seed < kRows; ++seed) {
    const auto row = rows::noise(seed, 5000, seed % 2 ? 0.04 : 0.3, seed % 3 == 0 ? 4 : 0);
    const std::size_t candidates = reference::survivors(row);
    for (const double p : {0.9999, 0.99995, 0.99999, 0.999999, 1 - 1e-9, 1 - 1e-15}) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", 1 - p " + std::to_string(1 - p));
      (expect_plain(row, p, 1, nothing) == candidates ? all : not_all) += 1;
    }
  }
  EXPECT_GT(all, kRows * 3 / 4);
  EXPECT_GT(not_all, kRows * 3 / 4);
}

// The cut of a list is looked for with a sum in another order than the contract's. Here the mass before a candidate is
// as near to p of the whole as a double can tell, on either side of it.
TEST_P(Nucleus, CutsAListWhereTheContractsSumSays) {
  for (std::uint64_t seed = 0; seed < kRows; ++seed) {
    const std::size_t size = 7000, listed = 260 + seed * 2;
    std::vector<float> row = rows::noise(seed, size, 0.4), only(size, rows::kMasked);
    std::vector<std::int32_t> words(size / 32 + 1);
    for (std::size_t i = 0; i < listed; ++i) {
      const std::size_t id = i * (seed % 2 == 0 ? 1 : 17) + 5;  // in a few blocks or in all
      words[id / 32] |= static_cast<std::int32_t>(1u << (id % 32));
      only[id] = row[id];
    }
    const float most = reference::largest(only);
    const double total = reference::normaliser(only, most);
    std::vector<float> ranked = only;
    std::sort(ranked.begin(), ranked.end(), std::greater<>());
    double mass = 0;
    std::size_t first = 0;
    for (; first < 100 + seed; ++first) {
      float e = 0;
      lk::detail::kernels().exp(&ranked[first], &e, 1, most);
      mass += static_cast<double>(e);
    }
    for (const double p : {std::nextafter(mass / total, 0.0), mass / total, std::nextafter(mass / total, 1.0)}) {
      const std::size_t kept = expect_plain(row, p, 1, [&](lk::Candidates& candidates, std::vector<float>& expected) {
        candidates.allow(words);
        expected = only;
      });
      EXPECT_LE(kept, first + 1);
      EXPECT_GE(kept, first);
    }
  }
}

// Float sums are off by 1e-8 of themselves and more: a token may go that holds more than 1 - p of the mass.
TEST_P(Nucleus, SeesThatItsSumIsRounded) {
  for (std::uint64_t seed = 0; seed < 20 * kRows; ++seed) {
    const auto row = rows::noise(seed, 40 + seed % 90, 1.5);
    for (const double p : {1 - 1e-7, 1 - 1e-8, 1 - 1e-9}) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", 1 - p " + std::to_string((1 - p) * 1e9) + "e-9");
      expect_plain(row, p, 1, nothing);
    }
  }
}

}  // namespace nucleus_test
