// SPDX-License-Identifier: MIT
// Any bytes as a grammar: a ConstraintError, or a constraint whose invariants hold.
#include "logitkit/constrain/gbnf.hpp"

#include "fuzz/constraint_walk.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 400) return 0;
  try {
    const auto constraint = logitkit::compile_gbnf(constraint_fuzz::vocabulary(),
                                                   std::string_view(reinterpret_cast<const char*>(data), size));
    for (std::uint64_t seed = 0; seed < 2; ++seed) {
      bool complete = false;
      constraint_fuzz::walk(constraint, seed, 30, complete, true);
    }
  } catch (const logitkit::ConstraintError&) {
  }
  return 0;
}
