// SPDX-License-Identifier: MIT
// Any bytes as a pattern: a ConstraintError, or a constraint whose invariants hold.
#include "logitkit/constrain/regex.hpp"

#include "fuzz/constraint_walk.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 200) return 0;
  const std::string pattern(reinterpret_cast<const char*>(data), size);
  try {
    const auto constraint = logitkit::compile_regex(constraint_fuzz::vocabulary(), pattern);
    for (std::uint64_t seed = 0; seed < 2; ++seed) {
      bool complete = false;
      const std::string text = constraint_fuzz::walk(constraint, seed, 30, complete);
      const auto dfa = logitkit::detail::RegexAutomaton::build(pattern, logitkit::detail::RegexAutomaton::Match::whole);
      constraint_fuzz::require(!complete || dfa.matches(text), "a complete text matches");
    }
  } catch (const logitkit::ConstraintError&) {
  }
  return 0;
}
