// SPDX-License-Identifier: MIT
// Any bytes as a sequence of accept, rollback and fork: every matcher must be what a fresh one is that accepted the
// same tokens.
#include <array>

#include "fuzz/constraint_walk.hpp"
#include "logitkit/constrain/gbnf.hpp"
#include "logitkit/constrain/json_text.hpp"
#include "logitkit/json_schema.hpp"

namespace {

using namespace constraint_fuzz;

const std::vector<lk::Constraint>& constraints() {
  static const std::vector<lk::Constraint> all = [] {
    const char* schema =
        R"({"type":"object","properties":{"a":{"type":"array","items":{"$ref":"#"}},"s":{"type":"string","minLength":1,"maxLength":4},
            "p":{"type":"string","pattern":"^(a|bbb)*$","maxLength":6}}})";
    return std::vector<lk::Constraint>{
        lk::compile_json(vocabulary()), lk::compile_json_schema(vocabulary(), schema),
        lk::compile_json_schema(vocabulary(), schema, {.whitespace = lk::Whitespace::compact(), .memory_limit = 1}),
        lk::compile_gbnf(vocabulary(), "root ::= s\ns ::= \"a\" s \"b\" s | \"a\" s | <[281]> | \"\""),
        lk::compile_choices(vocabulary(), {"ab", "abc", "abcabc", "12", ""})};
  }();
  return all;
}

struct Tracked {
  lk::Matcher matcher;
  std::vector<lk::TokenId> tokens;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2 || size > 300) return 0;
  const lk::Constraint& constraint = constraints()[data[0] % constraints().size()];
  std::array<Tracked, 3> tracked;
  for (Tracked& each : tracked) each.matcher = constraint.matcher();
  for (std::size_t i = 1; i + 1 < size; i += 2) {
    Tracked& one = tracked[data[i] % 3];
    switch (data[i] / 3 % 4) {
      case 0: {
        const std::size_t n = data[i + 1] % 8;
        const bool enough = n <= one.tokens.size();
        require(one.matcher.rollback(n) == enough, "rollback knows how much there is");
        if (enough) one.tokens.resize(one.tokens.size() - n);
        break;
      }
      case 1:
        tracked[data[i + 1] % 3] = Tracked(one);
        break;
      default: {
        // mostly an allowed token, so that the text gets somewhere
        lk::TokenId id = data[i + 1] + (data[i] & 128 ? 34 : 0);
        if (data[i] & 64) {
          const Mask mask = mask_of(one.matcher);
          for (int tries = 0; tries < 290 && !allowed(mask, id); ++tries) id = (id + 1) % 290;
        }
        if (one.matcher.accept(id)) one.tokens.push_back(id);
      }
    }
    lk::Matcher fresh = constraint.matcher();
    for (lk::TokenId id : one.tokens) require(fresh.accept(id), "what was accepted is accepted again");
    require(mask_of(fresh) == mask_of(one.matcher), "the same tokens give the same mask");
    require(fresh.is_complete() == one.matcher.is_complete() && fresh.is_terminated() == one.matcher.is_terminated(),
            "the same tokens give the same end");
    require(fresh.forced_bytes(16) == one.matcher.forced_bytes(16), "the same tokens force the same bytes");
  }
  return 0;
}
