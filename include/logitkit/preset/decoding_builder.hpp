// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>

#include "logitkit/pipeline/chain.hpp"
#include "logitkit/pipeline/step_types.hpp"
#include "logitkit/preset/decoding.hpp"

LOGITKIT_NAMESPACE_BEGIN
namespace detail {

/// Collects what a preset makes of an engine's parameters: steps in the engine's order, and notes.
class DecodingBuilder {
 public:
  explicit DecodingBuilder(std::string_view engine) : engine_(engine) {}

  Decoding decoding;

  /// Appends a step, by its JSON type and parameters; it is there because of the engine's `field`. A parameter that the
  /// step refuses is an error that names the field.
  void add(std::string_view field, std::string_view type, const Fields& parameters = {}, std::string_view why = "") {
    StepProblem problem;
    std::optional<Step> step = make_step(type, parameters, problem);
    if (!step) refuse(field, problem.message);
    append(std::move(*step), std::string(field) + (why.empty() ? "" : ", " + std::string(why)));
  }
  /// The place where the request's constraint applies.
  void add_constraint() { add("the request's constraint", "allow_mask"); }
  /// Hugging Face's rule for steps of the user's own: the first of each type takes the place of one that is there
  /// already, the others follow.
  void merge(const Chain& customs) {
    std::vector<Step> rest(customs.steps().begin(), customs.steps().end());
    std::vector<Step>& steps = decoding.spec.steps;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const auto same = std::find_if(rest.begin(), rest.end(), [&](const Step& custom) {
        return custom.type() != "custom" && custom.type() == steps[i].type();
      });
      if (same == rest.end()) continue;
      note(Severity::warning, "replaced", decoding.reasons[i],
           "a step of the same type among the custom ones takes its place");
      steps[i] = *same;
      decoding.reasons[i] = "custom, instead of " + decoding.reasons[i];
      rest.erase(same);
    }
    add_constraint();
    for (const Step& custom : rest) append(custom, "custom");
  }

  /// A seed of an engine whose generator is not reproduced; `why_greedy` is why it is not used, or empty.
  void take_seed(std::string_view field, std::int64_t seed, std::string_view engine, const std::string& why_greedy) {
    decoding.seed = static_cast<std::uint64_t>(seed);
    if (!why_greedy.empty())
      ignored(field, why_greedy);
    else
      deviates(field, "the draws have the same distribution as " + std::string(engine) + "'s, not the same tokens");
  }

  /// The field has no effect.
  void ignored(std::string_view field, const std::string& why) { note(Severity::note, "ignored", field, why); }
  /// The field's value was changed, as the engine does.
  void adjusted(std::string_view field, const std::string& why) { note(Severity::note, "adjusted", field, why); }
  /// The result is not the engine's.
  void deviates(std::string_view field, const std::string& why) { note(Severity::warning, "deviates", field, why); }

  /// Throws InvalidParameter naming the engine and the field.
  [[noreturn]] void refuse(std::string_view field, const std::string& why) const {
    fail(InvalidParameter(engine_ + ": " + std::string(field) + ": " + why));
  }
  template <class T>
  void require(std::string_view field, T value, const Range& range) const {
    if (!range.contains(static_cast<double>(value)))
      fail(InvalidParameter(engine_ + ": " + out_of_range(field, value, range)));
  }

 private:
  void append(Step step, std::string reason) {
    decoding.spec.steps.push_back(std::move(step));
    decoding.reasons.push_back(std::move(reason));
  }
  void note(Severity severity, std::string_view code, std::string_view field, const std::string& why) {
    decoding.notes.push_back({severity, std::string(code), -1, std::string(field), std::string(field) + ": " + why});
  }

  std::string engine_;
};

}  // namespace detail
LOGITKIT_NAMESPACE_END
