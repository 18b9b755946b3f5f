// SPDX-License-Identifier: MIT
#pragma once
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "logitkit/numeric/simd/dispatch.hpp"

/// The instruction sets that this host can run, the best last.
inline std::vector<logitkit::Isa> host_isas() {
  std::vector<logitkit::Isa> isas;
  for (const auto isa : {logitkit::Isa::scalar, logitkit::Isa::neon, logitkit::Isa::avx2, logitkit::Isa::avx512})
    if (logitkit::detail::host_has(isa)) isas.push_back(isa);
  return isas;
}

/// Repeats a test with the kernels of every instruction set of the host, and fails if they are not the ones that run.
class EveryIsa : public testing::TestWithParam<logitkit::Isa> {
 protected:
  void SetUp() override {
    ASSERT_EQ(logitkit::active_isa(), GetParam());
    ASSERT_EQ(logitkit::detail::kernels().isa, GetParam());
  }

 private:
  logitkit::ScopedIsa scoped_{GetParam()};
};

inline std::string isa_name(const testing::TestParamInfo<logitkit::Isa>& info) {
  return std::string(logitkit::name(info.param));
}
#define LOGITKIT_FOR_EVERY_ISA(Suite) INSTANTIATE_TEST_SUITE_P(, Suite, testing::ValuesIn(host_isas()), isa_name)
