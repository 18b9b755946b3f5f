// SPDX-License-Identifier: MIT
#pragma once
#include <array>
#include <optional>

#include "logitkit/process/allow_mask.hpp"
#include "logitkit/process/ban_sequences.hpp"
#include "logitkit/process/ban_tokens.hpp"
#include "logitkit/process/dry.hpp"
#include "logitkit/process/dynamic_temperature.hpp"
#include "logitkit/process/epsilon_cutoff.hpp"
#include "logitkit/process/eta_cutoff.hpp"
#include "logitkit/process/exponential_decay_length_penalty.hpp"
#include "logitkit/process/field_text.hpp"
#include "logitkit/process/force_tokens.hpp"
#include "logitkit/process/forced_bos.hpp"
#include "logitkit/process/forced_eos.hpp"
#include "logitkit/process/frequency_presence.hpp"
#include "logitkit/process/guidance.hpp"
#include "logitkit/process/log_softmax.hpp"
#include "logitkit/process/logit_bias.hpp"
#include "logitkit/process/min_length.hpp"
#include "logitkit/process/min_new_tokens.hpp"
#include "logitkit/process/min_p.hpp"
#include "logitkit/process/no_repeat_ngram.hpp"
#include "logitkit/process/prefix_force.hpp"
#include "logitkit/process/remove_invalid.hpp"
#include "logitkit/process/repetition_penalty.hpp"
#include "logitkit/process/sequence_bias.hpp"
#include "logitkit/process/suppress_at_begin.hpp"
#include "logitkit/process/temperature.hpp"
#include "logitkit/process/top_h.hpp"
#include "logitkit/process/top_k.hpp"
#include "logitkit/process/top_n_sigma.hpp"
#include "logitkit/process/top_p.hpp"
#include "logitkit/process/typical_p.hpp"
#include "logitkit/process/xtc.hpp"
#include "logitkit/select/adaptive_p.hpp"
#include "logitkit/select/exponential_race.hpp"
#include "logitkit/select/greedy.hpp"
#include "logitkit/select/llama_cpp_dist.hpp"
#include "logitkit/select/mirostat.hpp"
#include "logitkit/select/mirostat_v2.hpp"
#include "logitkit/select/multinomial.hpp"

LOGITKIT_NAMESPACE_BEGIN
namespace detail {

/// What is wrong with a step that was to be made: a code (see Diagnostic), the key, and a sentence.
struct StepProblem {
  std::string code, key, message;
};

/// The key that a sentence of Step::problem() starts with.
inline std::string key_of(const std::string& problem) { return problem.substr(0, problem.find(' ')); }

/// Fills the parameters of a step from fields; the first problem wins.
class FieldReader {
 public:
  FieldReader(const Fields& fields, StepProblem& problem) : fields_(&fields), problem_(&problem) {}

  template <class T>
  void operator()(std::string_view key, T& member) {
    read(key, member, kIsOptional<T>, Range{});
  }
  template <class T>
  void operator()(std::string_view key, T& member, const Range& range) {
    read(key, member, kIsOptional<T>, range);
  }
  template <class T, class Default>
  void operator()(std::string_view key, T& member, const Range& range, const Default&) {
    read(key, member, true, range);
  }
  /// Keys that no parameter has.
  void check_unknown() {
    for (const Field& field : *fields_) {
      if (!problem_->message.empty() || known_.find(" " + std::string(field.key) + " ") != std::string::npos) continue;
      problem_->code = "unknown_key";
      problem_->key = field.key;
      problem_->message =
          "unknown key \"" + std::string(field.key) + "\", " +
          (known_.empty() ? "the step takes none" : "allowed are" + known_.substr(0, known_.size() - 1));
    }
  }

 private:
  template <class T>
  void read(std::string_view key, T& member, bool may_be_absent, const Range& range) {
    known_ += known_.empty() ? " " + std::string(key) + " " : std::string(key) + " ";
    if (!problem_->message.empty()) return;
    const auto found = std::find_if(fields_->begin(), fields_->end(), [&](const Field& f) { return f.key == key; });
    const bool is_missing = found == fields_->end();
    if (is_missing && may_be_absent) return;
    std::string allowed;
    if (from_value(is_missing ? OtherValue{} : found->value, member, allowed)) return;
    if (allowed == "a number") allowed += ", " + range.text();
    *problem_ = {
        is_missing ? "missing_key" : "invalid_parameter", std::string(key),
        std::string(key) + " is " + (is_missing ? "missing" : value_text(found->value)) + ", allowed is " + allowed};
  }

  const Fields* fields_;
  StepProblem* problem_;
  std::string known_;
};

template <class T>
std::optional<Step> make(const Fields& fields, StepProblem& problem) {
  T step;
  FieldReader reader(fields, problem);
  if constexpr (HasFields<T>) T::visit(step, reader);
  reader.check_unknown();
  if (const std::string wrong = problem.message.empty() ? problem_of(step) : ""; !wrong.empty())
    problem = {"invalid_parameter", key_of(wrong), wrong};
  if (!problem.message.empty()) return std::nullopt;
  if constexpr (requires { step.prepare(); }) step.prepare();
  return Step(std::move(step));
}

struct StepType {
  std::string_view type;
  std::optional<Step> (*make)(const Fields&, StepProblem&);
};

template <class... T>
constexpr std::array<StepType, sizeof...(T)> step_table() {
  return {StepType{T::kType, make<T>}...};
}

/// Every step and selector that JSON and presets know by name.
inline constexpr auto kStepTypes =
    step_table<Temperature, DynamicTemperature, TopK, TopP, MinP, TypicalP, TopNSigma, EpsilonCutoff, EtaCutoff, TopH,
               Xtc, RepetitionPenalty, FrequencyPenalty, PresencePenalty, Dry, NoRepeatNgram, LogitBias, SequenceBias,
               BanTokens, BanSequences, ForceTokens, MinNewTokens, MinLength, ForcedBos, ForcedEos, SuppressAtBegin,
               ExponentialDecayLengthPenalty, PrefixForce, AllowMask, LogSoftmax, RemoveInvalid, Guidance, Greedy,
               Multinomial, ExponentialRace, LlamaCppDist, Mirostat, MirostatV2, AdaptiveP>();

}  // namespace detail

/// Makes a step from its JSON type and parameters; absent ones take their defaults. Null, with the reason in `problem`,
/// if the type or a key is unknown or a value is out of range.
inline std::optional<Step> make_step(std::string_view type, const Fields& fields, detail::StepProblem& problem) {
  std::string known;
  for (const detail::StepType& known_type : detail::kStepTypes) {
    if (known_type.type == type) return known_type.make(fields, problem);
    known += (known.empty() ? "" : ", ") + std::string(known_type.type);
  }
  problem = {"unknown_type", "type", "unknown type \"" + std::string(type) + "\", allowed are " + known};
  return std::nullopt;
}

namespace detail {

/// The step with some parameters replaced, by their keys; those that it does not have are passed over. Null, with the
/// reason in `problem`, if that makes none.
inline std::optional<Step> with_fields(const Step& step, const Fields& others, StepProblem& problem) {
  Fields fields;
  for (Field field : step.fields()) {
    for (const Field& other : others)
      if (other.key == field.key) field.value = other.value;
    if (!std::holds_alternative<std::monostate>(field.value)) fields.push_back(std::move(field));
  }
  return make_step(step.type(), fields, problem);
}

}  // namespace detail

LOGITKIT_NAMESPACE_END
