// SPDX-License-Identifier: MIT
#include "logitkit/numeric/simd/dispatch.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "isas.hpp"

namespace lk = logitkit;

namespace dispatch_test {

#if defined(LOGITKIT_X86)
constexpr const char* kMissing = "neon";
#else
constexpr const char* kMissing = "avx512";
#endif

// The variable is read once, so every case needs a fresh process: a death test that runs the program again.
class ForcedIsa : public testing::Test {
 protected:
  ForcedIsa() { testing::FLAGS_gtest_death_test_style = "threadsafe"; }
};

// Exits with the number of the active set, or with 100 and the error's text.
[[noreturn]] void exit_with_active_isa(const char* forced) {
  setenv("LOGITKIT_FORCE_ISA", forced, 1);
  try {
    const lk::Isa isa = lk::active_isa();
    std::exit(lk::detail::kernels().isa == isa ? static_cast<int>(isa) : 101);
  } catch (const lk::InvalidParameter& error) {
    std::fprintf(stderr, "%s\n", error.what());
    std::exit(100);
  }
}

TEST_F(ForcedIsa, IsTheOneThatRuns) {
  for (const lk::Isa isa : host_isas())
    EXPECT_EXIT(exit_with_active_isa(std::string(lk::name(isa)).c_str()),
                testing::ExitedWithCode(static_cast<int>(isa)), "");
}

TEST_F(ForcedIsa, IsTheBestOfTheHostWhereTheVariableIsEmpty) {
  EXPECT_EXIT(exit_with_active_isa(""), testing::ExitedWithCode(static_cast<int>(host_isas().back())), "");
}

TEST_F(ForcedIsa, MustBeKnownAndThere) {
  EXPECT_EXIT(exit_with_active_isa("sse9"), testing::ExitedWithCode(100), "sse9.*scalar, avx2, avx512, neon");
  EXPECT_EXIT(exit_with_active_isa(kMissing), testing::ExitedWithCode(100), kMissing);
}

TEST(ScopedIsa, NestsAndComesBack) {
  const lk::Isa before = lk::active_isa();
  {
    const lk::ScopedIsa outer(lk::Isa::scalar);
    EXPECT_EQ(lk::active_isa(), lk::Isa::scalar);
    {
      const lk::ScopedIsa inner(host_isas().back());
      EXPECT_EQ(lk::active_isa(), host_isas().back());
    }
    EXPECT_EQ(lk::active_isa(), lk::Isa::scalar);
  }
  EXPECT_EQ(lk::active_isa(), before);
}

TEST(ScopedIsa, RefusesWhatTheHostLacks) {
  const lk::Isa missing = std::string(kMissing) == "neon" ? lk::Isa::neon : lk::Isa::avx512;
  EXPECT_THROW(lk::ScopedIsa{missing}, lk::InvalidParameter);
}

}  // namespace dispatch_test
