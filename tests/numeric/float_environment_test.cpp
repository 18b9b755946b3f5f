// SPDX-License-Identifier: MIT
// Engines switch flush-to-zero on, and some change the rounding; results must not depend on it, and the caller's state
// must come back.
#include "logitkit/numeric/float_environment.hpp"

#include <gtest/gtest.h>

#include "isas.hpp"
#include "logitkit/numeric/argmax.hpp"
#include "logitkit/numeric/softmax.hpp"
#include "logitkit/numeric/top_k.hpp"
#include "rows.hpp"

namespace lk = logitkit;

namespace float_environment_test {

#if defined(LOGITKIT_X86)
constexpr unsigned kPlain = 0x1f80;
constexpr unsigned kHostile = 0x1f80 | 0x8040 | 0x4000;  // flush to zero, denormals are zero, round up
unsigned get_state() { return _mm_getcsr() & ~0x3fu; }   // without the sticky exception flags
void set_state(unsigned state) { _mm_setcsr(state); }
#else
constexpr std::uint64_t kPlain = 0;
constexpr std::uint64_t kHostile = std::uint64_t{1} << 24 | std::uint64_t{1} << 22;  // flush to zero, round up
std::uint64_t get_state() {
  std::uint64_t state;
  asm volatile("mrs %0, fpcr" : "=r"(state));
  return state;
}
void set_state(std::uint64_t state) { asm volatile("msr fpcr, %0" : : "r"(state)); }
#endif

struct Results {
  std::vector<std::uint32_t> softmax, log_softmax;
  double log_sum_exp;
  std::size_t argmax;
  std::vector<lk::RankedLogit> top;
  bool operator==(const Results&) const = default;
};

// Where the others are at 86 below (after T = 0.5), they get exp(-86) / 1000 = 4e-41, a subnormal probability.
std::vector<float> row_of_subnormal_probabilities() {
  auto row = rows::noise(3, 3000, 0.05, 1);
  for (std::size_t i = 500; i < 1500; ++i) row[i] += 43;
  return row;
}

Results results(const std::vector<float>& row) {
  const std::vector<float> tiny = {-1e-44f, 1e-44f, 3e-44f, 2e-44f, 0.0f};
  Results r;
  std::vector<float> out(row.size());
  lk::softmax(row, out, 0.5);
  r.softmax = rows::bits(out);
  lk::log_softmax(row, out);
  r.log_softmax = rows::bits(out);
  r.log_sum_exp = lk::log_sum_exp(row);
  r.argmax = lk::argmax(tiny);
  r.top = lk::top_k(tiny, 3);
  return r;
}

class FloatEnvironment : public EveryIsa {
 protected:
  void TearDown() override { set_state(kPlain); }
};
LOGITKIT_FOR_EVERY_ISA(FloatEnvironment);

TEST_P(FloatEnvironment, OfTheCallerChangesNoBitAndComesBack) {
  const auto row = row_of_subnormal_probabilities();
  const Results plain = results(row);
  set_state(kHostile);
  const volatile float subnormal = 1e-40f;
  const float flushed = subnormal * 0.5f;
  const Results hostile = results(row);
  const auto after = get_state();
  set_state(kPlain);
  ASSERT_EQ(flushed, 0) << "the test did not switch flush-to-zero on";
  EXPECT_EQ(after, kHostile);
  EXPECT_TRUE(plain == hostile);
  EXPECT_EQ(plain.argmax, 2u);
  EXPECT_EQ(plain.top[1].index, 3u);
  const auto is_subnormal = [](std::uint32_t bits) { return bits != 0 && bits < 0x00800000; };
  EXPECT_GT(std::count_if(plain.softmax.begin(), plain.softmax.end(), is_subnormal), 0);
}

}  // namespace float_environment_test
