// SPDX-License-Identifier: MIT
// Pick/<case>: whole chains, from a row to a token.
#include "harness.hpp"
#include "picks.hpp"

namespace bench {

namespace {

namespace lk = logitkit;

void add_pick(const std::string& name, const std::string& profile, const lk::Pipeline& pipeline,
              const lk::Request& request = fresh()) {
  add("Pick/" + name, profile, [=](Rows rows) { return pick_work(pipeline, request, rows); });
}

}  // namespace

void add_pick() {
  using namespace lk;
  const Request history = long_history();
  const PenaltyOptions everywhere{.scope = Scope::prompt_and_output};

  add_pick("min_p", "typical", MinP(0.05) | Multinomial());
  add_pick("chat", "typical", chat());
  add_pick("hf_order", "typical", Temperature(0.7) | TopK(50) | TopP(0.9) | MinP(0.1) | Multinomial());
  add_pick("vllm_order", "typical", Temperature(0.7) | MinP(0.1) | TopK(50) | TopP(0.9) | Multinomial());
  add_pick("qwen", "typical",
           RepetitionPenalty(1.1) | Temperature(0.7) | TopK(20) | TopP(0.8) | MinP(0.05) | Multinomial(), history);
  add_pick("llama_default", "typical", TopK(40) | TopP(0.95) | MinP(0.05) | Temperature(0.8) | Multinomial());
  add_pick("top_p", "typical", TopP(0.9) | Multinomial());
  add_pick("top_p", "very_flat", TopP(0.9) | Multinomial());
  add_pick("top_p", "flat_t15", TopP(0.9) | Multinomial());
  add_pick("plain", "typical", Multinomial());
  add_pick("greedy", "typical",
           RepetitionPenalty(1.1) | FrequencyPenalty(0.1, everywhere) | PresencePenalty(0.1, everywhere) | Greedy(),
           history);
  add_pick("mask_json", "typical", ForceTokens(spread_ids(1000)) | Temperature(0.7) | TopP(0.9) | Multinomial());
}

}  // namespace bench
