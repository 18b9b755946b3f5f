// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <string>

#include "logitkit/pipeline/spec.hpp"
#include "logitkit/pipeline/step_types.hpp"

LOGITKIT_NAMESPACE_BEGIN
namespace detail {

/// Where a spec meets a bug or an accident of an engine: what happens there, and what happens here instead.
class EngineDeviations {
 public:
  explicit EngineDeviations(const Spec& spec) : spec_(&spec) {}

  /// Calls report(index, key, message) for each.
  template <class Report>
  void find(Report report) {
    for (std::size_t i = 0; i < spec_->size(); ++i) {
      const Step& step = (*spec_)[i];
      if (step.is_neutral() || !step.problem().empty()) continue;
      const auto say = [&](const char* key, const std::string& message) { report(i, key, message); };
      find_ties(step, say);
      find_short_history(step, say);
      find_masked(step, i, say);
    }
  }

 private:
  template <class Say>
  void find_ties(const Step& step, Say say) {
    const auto* top_k = step.as<TopK>();
    const bool cuts_ties = (top_k != nullptr && top_k->ties == Ties::exact) || step.type() == "top_p";
    if (!cuts_ties || ties_are_noted_) return;
    ties_are_noted_ = true;
    say("ties", top_k != nullptr
                    ? "of equal logits at the cut the lower ids stay; Hugging Face and vLLM keep all of them (ties "
                      "\"keep\"), llama.cpp leaves it to its sort"
                    : "of equal logits at the cut the lower ids stay; the engines leave it to their sort");
  }

  template <class Say>
  static void find_short_history(const Step& step, Say say) {
    const auto* bias = step.as<SequenceBias>();
    const auto* ban = step.as<BanSequences>();
    const bool is_hf = (bias != nullptr && bias->short_history == ShortHistory::hf) ||
                       (ban != nullptr && ban->short_history == ShortHistory::hf);
    if (!is_hf) return;
    bool is_long = false, has_id_0 = false;
    for (const Field& field : step.fields()) {
      if (const auto* pairs = std::get_if<SequenceBiases>(&field.value))
        for (const auto& [ids, x] : *pairs) {
          is_long |= ids.size() > 1;
          has_id_0 |= std::find(ids.begin(), ids.end(), 0) != ids.end();
        }
      if (const auto* sequences = std::get_if<TokenSequences>(&field.value))
        for (const TokenIds& ids : *sequences) is_long |= ids.size() > 1;
    }
    if (is_long)
      say("short_history",
          "a sequence of L tokens has no effect while the history is shorter than L, as in Hugging Face; \"match\" "
          "needs the L - 1 tokens before its last one only");
    if (has_id_0) say("biases", "Hugging Face refuses id 0 in its list form; here it is a token like others");
  }

  template <class Say>
  void find_masked(const Step& step, std::size_t at, Say say) const {
    const auto is_before = [&](auto is) {
      return std::any_of(spec_->begin(), spec_->begin() + std::ptrdiff_t(at), is);
    };
    if (step.type() == "exponential_decay_length_penalty" &&
        is_before([](const Step& other) { return other.type() == "min_length" || other.type() == "min_new_tokens"; }))
      say("",
          "where a minimum length masks the end tokens, Hugging Face computes NaN and takes one; here they stay "
          "masked");
    if (step.type() == "typical_p" && removes_in_place(at))
      say("",
          "llama.cpp computes NaN from tokens that were removed before and keeps an arbitrary set; here they count "
          "as probability 0");
    if (step.type() == "logit_bias" && is_before([](const Step& other) { return other.traits().truncates; }))
      say("", "llama.cpp goes on with the order from before the bias; here the candidates are ranked again");
    if (step.type() == "guidance")
      say("", "where both rows have -inf Hugging Face computes NaN; here the token stays removed");
  }
  /// Whether llama.cpp's typical_p would meet candidates at -inf: removed in place, not cut off by a top-k since.
  bool removes_in_place(std::size_t at) const {
    bool removed = false;
    for (std::size_t i = 0; i < at; ++i) {
      const Step& step = (*spec_)[i];
      if (step.is_neutral()) continue;
      const auto* bias = step.as<LogitBias>();
      removed = removed || step.type() == "top_n_sigma" || step.type() == "ban_tokens" ||
                (bias != nullptr && std::any_of(bias->bias.begin(), bias->bias.end(), [](const auto& one) {
                   return one.second == -std::numeric_limits<double>::infinity();
                 }));
      if (step.type() == "top_k") removed = false;
    }
    return removed;
  }

  const Spec* spec_;
  bool ties_are_noted_ = false;
};

}  // namespace detail
LOGITKIT_NAMESPACE_END
