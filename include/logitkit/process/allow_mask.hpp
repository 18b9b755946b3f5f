// SPDX-License-Identifier: MIT
#pragma once
#include "logitkit/process/step.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// Keeps the ids whose bit is 1: bit id % 32 of word id / 32, as XGrammar and llguidance write them. Without words it
/// applies the request's constraint (Request::constrain), if it has one.
///   edge   what lies past the words is removed, bits past the row are not looked at; the constraint allows nothing:
///          `constraint_refused`; nothing that it allows is left: `no_candidates`
///   cost   one bit per id, applied on the way of later passes; few bits set: only these logits are read
///   as in  vLLM grammar bitmask
struct AllowMask {
  static constexpr std::string_view kType = "allow_mask";
  static constexpr std::string_view kSummary = "keeps what a mask or the request's constraint allows";
  static constexpr StepTraits kTraits{.masks = true, .only_allows = true};

  std::optional<MaskWords> words;

  AllowMask() = default;
  explicit AllowMask(std::vector<std::int32_t> mask) : words(MaskWords{std::move(mask)}) {}

  void operator()(Candidates& candidates, const StepView& view) const noexcept {
    if (words) return candidates.allow(words->words);
    const ConstraintState* constraint = view.constraint();
    if (constraint == nullptr) return;
    std::vector<std::int32_t>& mask = view.workspace().constraint;
    mask.resize((candidates.size() + 31) / 32);
    if (!constraint->fill(mask)) return;
    if (std::all_of(mask.begin(), mask.end(), [](std::int32_t word) { return word == 0; }))
      return candidates.fail(Status::constraint_refused, kNoToken);
    candidates.allow(mask);
  }
  template <class Self, class F>
  static void visit(Self& self, F&& f) {
    f("words", self.words);
  }
};

LOGITKIT_NAMESPACE_END
