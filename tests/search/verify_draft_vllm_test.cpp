// SPDX-License-Identifier: MIT
// Rejection sampling as recorded from vLLM's sampler, with its uniforms and its noise.
#include <gtest/gtest.h>

#include <cmath>

#include "logitkit/logitkit.hpp"
#include "support/golden.hpp"

namespace verify_draft_vllm_test {

namespace lk = logitkit;
using Rows = std::vector<std::vector<float>>;

std::vector<lk::LogitsView> views(const Rows& rows) { return {rows.begin(), rows.end()}; }

TEST(VerifyDraftVllm, AcceptsAndReplacesAsRecorded) {
  int checked = 0;
  for (const golden::Json& c : golden::cases("vllm", "rejection")) {
    SCOPED_TRACE(c["name"].get<std::string>());
    const bool is_greedy = c["mode"] == "greedy";
    Rows rows, draft_probs;
    for (const golden::Json& row : c[is_greedy ? "target_logits" : "target_probs"]) {
      rows.push_back(golden::numbers(row));
      if (!is_greedy)  // probability 0: a candidate whose exp underflows; a removed one would not be accepted by u = 0
        for (float& x : rows.back()) x = x > 0 ? std::log(x) : -1000.0f;
    }
    if (!is_greedy && !c["draft_probs"].is_null())
      for (const golden::Json& row : c["draft_probs"]) draft_probs.push_back(golden::numbers(row));
    const auto uniforms = is_greedy ? std::vector<double>{} : c["uniforms"].get<std::vector<double>>();
    const auto noise = is_greedy ? std::vector<float>{} : golden::numbers(c["exp_noise"]);
    const golden::Ids drafts = c["draft_tokens"];
    const lk::Pipeline pipeline = is_greedy ? lk::Pipeline(lk::Greedy()) : lk::Pipeline(lk::Multinomial());
    const lk::DraftResult result =
        lk::verify_draft(pipeline, views(rows), drafts, views(draft_probs), lk::Request({1}, {.seed = 1}),
                         {.uniforms = uniforms, .exp_noise = noise});
    ASSERT_EQ(result.status, lk::Status::ok);
    EXPECT_EQ(result.accepted, c["expect"]["accepted"]);
    golden::Ids output(drafts.begin(), drafts.begin() + static_cast<std::ptrdiff_t>(result.accepted));
    output.push_back(result.accepted == drafts.size() ? c["bonus_token"].get<lk::TokenId>() : result.token);
    // Padding, and p = q: vLLM takes the argmax of a residual of zeros, id 0. Nothing was proposed, so here p is drawn
    // from: p / noise is largest for id 2.
    const bool is_padding = c["name"] == "padded_minus_one_rejects";
    EXPECT_EQ(output, is_padding ? golden::Ids{2} : c["expect"]["output"].get<golden::Ids>());
    ++checked;
  }
  EXPECT_EQ(checked, 36);
}

}  // namespace verify_draft_vllm_test
