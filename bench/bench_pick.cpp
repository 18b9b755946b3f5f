// SPDX-License-Identifier: MIT
// Pick/<case>: whole chains, from a row to a token.
#include "harness.hpp"
#include "picks.hpp"

namespace bench {

namespace {

namespace lk = logitkit;

void add_pick(const std::string& name, const std::string& profile, const lk::Pipeline& pipeline,
              const lk::Request& request = fresh(), const std::optional<lk::Pipeline>& plain = std::nullopt) {
  add("Pick/" + name, profile,
      [=](Rows rows) { return pick_work(pipeline, request, rows, lk::Dtype::float32, plain); });
}

/// One bit per id.
std::vector<std::int32_t> words_of(const lk::TokenIds& ids) {
  std::vector<std::int32_t> words(kVocabulary / 32);
  for (const lk::TokenId id : ids)
    words[static_cast<std::size_t>(id) / 32] |= std::int32_t(std::uint32_t{1} << id % 32);
  return words;
}

}  // namespace

void add_pick() {
  using namespace lk;
  const Request history = long_history();
  const TokenIds allowed = spread_ids(1000);
  const PenaltyOptions everywhere{.scope = Scope::prompt_and_output};

  add_pick("min_p", "typical", MinP(0.05) | Multinomial());
  add_pick("chat", "typical", chat());
  add_pick("hf_order", "typical", Temperature(0.7) | TopK(50) | TopP(0.9) | MinP(0.1) | Multinomial());
  add_pick("vllm_order", "typical", Temperature(0.7) | MinP(0.1) | TopK(50) | TopP(0.9) | Multinomial());
  add_pick("qwen", "typical",
           RepetitionPenalty(1.1) | Temperature(0.7) | TopK(20) | TopP(0.8) | MinP(0.05) | Multinomial(), history);
  add_pick("llama_default", "typical",
           RepetitionPenalty(1, {.window = 64}) | FrequencyPenalty(0, everywhere) | PresencePenalty(0, everywhere) |
               Dry(0) | TopNSigma(-1) | TopK(40) | TypicalP(1) | TopP(0.95) | MinP(0.05) | Xtc(0, 0.1) |
               DynamicTemperature(0.8, 0) | Multinomial(),
           fresh(), TopK(40) | TopP(0.95) | MinP(0.05) | Temperature(0.8) | Multinomial());
  add_pick("top_p", "typical", TopP(0.9) | Multinomial());
  add_pick("top_p", "very_flat", TopP(0.9) | Multinomial());
  add_pick("top_p", "flat_t15", TopP(0.9) | Multinomial());
  add_pick("plain", "typical", Multinomial());
  add_pick("greedy", "typical",
           RepetitionPenalty(1.1) | FrequencyPenalty(0.1, everywhere) | PresencePenalty(0.1, everywhere) | Greedy(),
           history);
  const Chain then = Temperature(0.7) | TopP(0.9);
  add_pick("mask_json", "typical", AllowMask(words_of(allowed)) | then | Multinomial(), fresh(),
           ForceTokens(allowed) | then | Multinomial());
}

}  // namespace bench
