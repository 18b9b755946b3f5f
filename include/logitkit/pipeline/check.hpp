// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <set>
#include <vector>

#include "logitkit/pipeline/diagnostic.hpp"
#include "logitkit/pipeline/engine_deviations.hpp"
#include "logitkit/pipeline/spec.hpp"
#include "logitkit/pipeline/step_types.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// What a chain or pipeline is built for.
struct BuildOptions {
  std::size_t row_width = 0;        ///< of all rows to come, another one is `width_mismatch`; 0 = any
  std::size_t vocabulary_size = 0;  ///< logits at and past it are never read; 0 = the row's width
};

namespace detail {

class Checker {
 public:
  Checker(const Spec& spec, BuildOptions options) : spec_(&spec), options_(options) {}

  std::vector<Diagnostic> run() {
    for (at_ = 0; at_ < spec_->size(); ++at_) {
      if (!check_parameters()) continue;
      check_selector();
      check_neutral();
      check_place();
      check_twice();
      check_constraint();
      check_allowed();
      check_memory();
    }
    check_before_greedy();
    EngineDeviations(*spec_).find([&](std::size_t at, const char* key, const std::string& message) {
      at_ = at;
      report(Severity::note, "engine_deviation", message, key);
    });
    std::stable_sort(found_.begin(), found_.end(), [](const auto& a, const auto& b) { return a.step < b.step; });
    return std::move(found_);
  }

 private:
  const Step& step() const { return (*spec_)[at_]; }
  static std::string label(std::size_t index, const Step& step) {
    return "step " + std::to_string(index) + " (" + std::string(step.type()) + ")";
  }
  static bool is_temperature(const Step& step) {
    return step.type() == "temperature" || step.type() == "dynamic_temperature";
  }
  void report(Severity severity, std::string_view code, const std::string& message, std::string key = "") {
    found_.push_back({severity, std::string(code), static_cast<int>(at_), std::move(key),
                      std::string(step().type()) + ": " + message});
  }

  bool check_parameters() {
    if (const std::string problem = step().problem(); !problem.empty()) {
      report(Severity::error, "invalid_parameter", problem, key_of(problem));
      return false;
    }
    if (options_.row_width == 0) return true;
    if (const TokenId id = step().id_past(options_.row_width); id != kNoToken)
      report(Severity::error, "id_out_of_range",
             "id " + std::to_string(id) + " is out of range, allowed is 0 to " +
                 std::to_string(options_.row_width - 1) + ", below the row's width",
             key_with(id));
    return true;
  }
  /// The parameter that holds the id.
  std::string key_with(TokenId id) const {
    for (const Field& field : step().fields()) {
      bool holds = false;
      std::visit([&](const auto& value) { for_ids(value, [&](TokenId other) { holds |= other == id; }); }, field.value);
      if (holds) return std::string(field.key);
    }
    return "";
  }

  void check_selector() {
    if (step().is_selector() && at_ + 1 < spec_->size())
      report(Severity::error, "selector_not_last", "a selector ends a pipeline, nothing may follow it");
  }

  void check_neutral() {
    if (step().is_neutral()) report(Severity::note, "neutral", "changes nothing with these parameters");
  }

  void check_place() {
    if (step().is_selector()) return;
    const StepTraits traits = step().traits();
    if (first_truncation_ == kNone) {
      if (traits.truncates && !step().is_neutral()) first_truncation_ = at_;
      return;
    }
    const std::string before = label(first_truncation_, (*spec_)[first_truncation_]);
    if (traits.masks && step().type() != "custom" && !step().is_neutral())
      report(Severity::warning, "mask_after_truncation",
             "after " + before + " it sees only the tokens that were kept, so what it allows or favours may be gone; " +
                 "masks and biases belong before truncations");
    if (is_temperature(step()))
      report(Severity::note, "temperature_after_truncation",
             "after " + before + " it does not change how many tokens that keeps: llama.cpp's order; Hugging Face " +
                 "and vLLM divide before they truncate");
  }

  void check_twice() {
    const std::string_view type = step().type();
    if (!(type.ends_with("_penalty") || type == "dry") || step().is_neutral()) return;
    for (std::size_t i = 0; i < at_; ++i)
      if ((*spec_)[i].type() == type && !(*spec_)[i].is_neutral())
        return report(Severity::warning, "penalty_twice", "penalises again what " + label(i, (*spec_)[i]) + " did");
  }

  void check_constraint() {
    const std::string_view type = step().type();
    if ((type != "repetition_penalty" && type != "no_repeat_ngram") || step().is_neutral()) return;
    const auto is_mask = [](const Step& other) { return other.type() == "allow_mask"; };
    if (std::any_of(spec_->begin(), spec_->end(), is_mask))
      report(Severity::warning, "repetition_meets_constraint",
             "text that a constraint shapes, such as JSON or code, has to repeat itself; where the request has one, "
             "leave this out");
  }

  /// Allow-lists against bans: the ids that every allow-list so far holds, and the ids banned so far.
  void check_allowed() {
    if (step().type() == "custom" || step().type() == "remove_invalid") {  // may bring a masked token back
      banned_.clear();
      is_limited_ = false;
    }
    std::set<TokenId> banned_here;
    if (const auto* ban = step().as<BanTokens>()) banned_here.insert(ban->ids.begin(), ban->ids.end());
    if (const auto* bias = step().as<LogitBias>())
      for (const auto& [id, x] : bias->bias)
        if (x == -std::numeric_limits<double>::infinity()) banned_here.insert(id);
    banned_.insert(banned_here.begin(), banned_here.end());

    std::set<TokenId> left;
    if (const auto* force = step().as<ForceTokens>()) {
      for (const TokenId id : force->ids)
        if (!is_limited_ || allowed_.contains(id)) left.insert(id);
      is_limited_ = true;
    } else if (is_limited_ && !banned_here.empty()) {
      left = allowed_;
    } else {
      return;
    }
    const std::size_t before_bans = left.size();
    TokenId both = kNoToken;
    for (const TokenId id : banned_)
      if (left.erase(id) != 0 && both == kNoToken) both = id;
    allowed_ = left;
    if (left.empty())
      report(Severity::error, "nothing_allowed",
             before_bans == 0 ? "no token is on all allow-lists" : "every token that is allowed is banned", "ids");
    else if (both != kNoToken)
      report(Severity::warning, "allowed_and_banned",
             "id " + std::to_string(both) + " is both allowed and banned, so it is banned", "ids");
  }

  void check_memory() {
    if (step().traits().remembers && ++remembering_ == RunningValues::kMost + 1)
      report(Severity::error, "too_many_running_values",
             "is one step with a running value too many, allowed are " + std::to_string(RunningValues::kMost));
  }

  void check_before_greedy() {
    if (spec_->size() == 0 || spec_->steps.back().type() != "greedy") return;
    for (at_ = spec_->size() - 1; at_-- > 0;) {
      if (step().is_neutral()) continue;
      const bool keeps = step().traits().keeps_best || is_temperature(step()) || step().type() == "log_softmax";
      if (!keeps) return;
      report(Severity::note, "no_effect_before_greedy",
             "does not change which token is the largest, all that greedy uses");
    }
  }

  static constexpr std::size_t kNone = ~std::size_t{0};
  const Spec* spec_;
  BuildOptions options_;
  std::vector<Diagnostic> found_;
  std::size_t at_ = 0, first_truncation_ = kNone, remembering_ = 0;
  std::set<TokenId> banned_, allowed_;
  bool is_limited_ = false;
};

}  // namespace detail

/// Explains what is wrong, doubtful or without effect in a spec, by step index. Codes:
///   invalid_parameter             error    outside its range; also an empty allow-list
///   id_out_of_range               error    an id at or past options.row_width
///   selector_not_last             error    a selector that is not at the end
///   nothing_allowed               error    allow-lists and bans that contradict: no token can be left
///   too_many_running_values       error    more than four steps that remember (mirostat, xtc, ...)
///   allowed_and_banned            warning  they contradict for one id
///   mask_after_truncation         warning  a mask, ban or bias after a truncation
///   repetition_meets_constraint   warning  a repetition penalty or n-gram ban where a constraint may apply
///   penalty_twice                 warning  a second penalty of one kind
///   temperature_after_truncation  note     and which engine orders it so
///   neutral                       note     parameters that change nothing
///   engine_deviation              note     where an engine has a bug or leaves something to chance: what happens here
///   no_effect_before_greedy       note     steps right before Greedy that cannot change the argmax
/// `build` refuses exactly the specs for which this has an error (and those without a selector).
inline std::vector<Diagnostic> check(const Spec& spec, BuildOptions options = {}) {
  return detail::Checker(spec, options).run();
}

LOGITKIT_NAMESPACE_END
