// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "logitkit/pipeline/spec.hpp"
#include "logitkit/pipeline/step_types.hpp"
#include "logitkit/preset/engine.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// A spec as another engine would run it, and what is not the same there.
struct Conversion {
  Spec spec;
  std::vector<std::string> differences;  ///< sentences; empty: the same tokens for the same draws
};

namespace detail {

class Converter {
 public:
  Converter(const Spec& spec, Engine target)
      : spec_(&spec), target_(target), profile_(profile(target)), title_(profile_.title) {}

  Conversion run() {
    note_defaults();
    std::vector<Entry> kept;
    for (const Step& step : *spec_) take(kept, step);
    std::stable_sort(kept.begin(), kept.end(), [](const Entry& a, const Entry& b) { return a.place < b.place; });
    note_order(kept);
    for (Entry& entry : kept) result_.spec.steps.push_back(std::move(entry.step));
    note_shared_windows();
    return std::move(result_);
  }

 private:
  struct Entry {
    Step step;
    std::size_t place;   // in the engine's order
    std::size_t before;  // in the spec
  };

  void say(const std::string& sentence) { result_.differences.push_back(sentence); }
  std::size_t place_of(std::string_view type) const {
    const auto& order = profile_.order;
    return static_cast<std::size_t>(
        std::find_if(order.begin(), order.end(), [&](const EngineStep& step) { return step.type == type; }) -
        order.begin());
  }
  bool has(std::string_view type) const {
    return std::any_of(spec_->begin(), spec_->end(), [&](const Step& step) { return step.type() == type; });
  }

  void take(std::vector<Entry>& kept, const Step& step) {
    const std::string type(step.type());
    const std::size_t place = place_of(step.type());
    const bool is_twice = type != "custom" && std::any_of(kept.begin(), kept.end(), [&](const Entry& entry) {
                            return entry.step.type() == type;
                          });
    if (step.is_neutral()) return;  // switched off; what the engine runs by default is noted apart
    if (place == profile_.order.size() && step.is_selector()) {
      say(type + ": " + title_ + " has no such draw; multinomial takes its place");
      return kept.push_back({Multinomial(), place_of("multinomial"), kept.size()});
    }
    if (place == profile_.order.size()) return say(type + ": " + title_ + " has no such step; it is left out");
    if (is_twice) return say(type + ": " + title_ + " runs it once; the second one is left out");
    if (is_replaced_by_mirostat(type)) return say(type + ": does not run in llama.cpp beside mirostat; it is left out");
    if (type == "greedy" && target_ != Engine::huggingface) say("greedy: is temperature 0 in " + title_);
    kept.push_back({with_fixed_fields(step), place, kept.size()});
    note_ranges(kept.back().step);
  }
  bool is_replaced_by_mirostat(std::string_view type) const {
    constexpr std::string_view kBeside[] = {"allow_mask",          "logit_bias", "ban_tokens", "temperature",
                                            "dynamic_temperature", "mirostat",   "mirostat_v2"};
    return target_ == Engine::llama_cpp && (has("mirostat") || has("mirostat_v2")) &&
           std::find(std::begin(kBeside), std::end(kBeside), type) == std::end(kBeside);
  }

  /// The step with what the engine has in one form only.
  Step with_fixed_fields(const Step& step) {
    const Fields fields = step.fields();
    Fields others;
    for (const FixedField& fixed : fixed_fields(target_)) {
      if (fixed.type != step.type()) continue;
      const auto field = std::find_if(fields.begin(), fields.end(), [&](const Field& f) { return f.key == fixed.key; });
      if (field == fields.end() || field->value == fixed.value) continue;
      say(std::string(step.type()) + ": " + std::string(fixed.key) + " is " + value_text(field->value) + ", in " +
          title_ + " always " + value_text(fixed.value));
      others.push_back({fixed.key, fixed.value});
    }
    if (others.empty()) return step;
    StepProblem problem;
    return with_fields(step, others, problem).value_or(step);
  }

  void note_ranges(const Step& step) {
    for (const EngineRange& allowed : profile_.ranges)
      for (const Field& field : step.fields())
        if (allowed.type == step.type() && allowed.key == field.key)
          if (const auto* value = std::get_if<double>(&field.value);
              value != nullptr && !allowed.range.contains(*value))
            say(std::string(step.type()) + ": " + out_of_range(field.key, *value, allowed.range) + " in " + title_);
  }

  void note_defaults() {
    for (const EngineDefault& on : profile_.defaults) {
      const auto is_set = [&](const Step& step) {
        const bool is_temperature = on.type == "temperature" && step.type() == "dynamic_temperature";
        return step.type() == "greedy" || ((step.type() == on.type || is_temperature) && !step.is_neutral());
      };
      if (std::none_of(spec_->begin(), spec_->end(), is_set))
        say(std::string(on.parameter) + ": is " + std::string(on.value) + " in " + title_ +
            " unless it is set; set it to " + std::string(on.off));
    }
    if (target_ == Engine::vllm)
      say("defaults: vLLM's server takes repetition_penalty, temperature, top_k, top_p and min_p that a request leaves "
          "out from the model's generation_config.json");
  }

  void note_order(const std::vector<Entry>& kept) {
    for (std::size_t i = 0; i < kept.size(); ++i)
      for (std::size_t j = i + 1; j < kept.size(); ++j)
        if (kept[i].before > kept[j].before && !commute(kept[i].step, kept[j].step))
          say("order: " + std::string(kept[i].step.type()) + " runs before " + std::string(kept[j].step.type()) +
              " in " + title_ + ", after it in the spec");
  }
  /// Whether the order of two steps does not matter but for the last bits.
  static bool commute(const Step& a, const Step& b) {
    const auto either = [&](auto is, auto is_too) { return (is(a) && is_too(b)) || (is(b) && is_too(a)); };
    const auto is = [](std::string_view type) { return [type](const Step& step) { return step.type() == type; }; };
    const auto truncates = [](const Step& step) { return step.traits().truncates; };
    const auto scale_free = [&](const Step& step) { return step.type() == "top_k" || step.type() == "top_n_sigma"; };
    const auto adds = [](const Step& step) {
      constexpr std::string_view kAdding[] = {"frequency_penalty", "presence_penalty", "dry", "logit_bias",
                                              "sequence_bias"};
      return std::find(std::begin(kAdding), std::end(kAdding), step.type()) != std::end(kAdding);
    };
    const auto only_masks = [](const Step& step) {
      const StepTraits traits = step.traits();
      return step.type() != "custom" && traits.masks && !traits.changes_odds && !traits.truncates;
    };
    const auto penalises = [&](const Step& step) { return adds(step) || step.type() == "repetition_penalty"; };
    if (either(is("temperature"), scale_free) || either(is("temperature"), is("repetition_penalty"))) return true;
    if (either(is("top_k"), is("min_p")) || either(is("log_softmax"), truncates)) return true;
    return (adds(a) && adds(b)) || (only_masks(a) && only_masks(b)) ||
           either(only_masks, [&](const Step& step) { return penalises(step) || step.type() == "temperature"; });
  }

  /// llama.cpp has one window for the three penalties, and no value for the whole history.
  void note_shared_windows() {
    if (target_ != Engine::llama_cpp && target_ != Engine::ollama) return;
    std::vector<std::int64_t> windows;
    for (const Step& step : result_.spec)
      for (const Field& field : step.fields())
        if (field.key == "window") {
          const auto window = std::get<std::int64_t>(field.value);
          if (window == 0)
            say(std::string(step.type()) + ": sees the whole history; set " +
                (step.type() == "dry" ? "dry_penalty_last_n" : "repeat_last_n") +
                ", which is 64, to at least the context's length");
          if (step.type() != "dry") windows.push_back(window);
        }
    if (!windows.empty() && std::count(windows.begin(), windows.end(), windows[0]) != std::ssize(windows))
      say("window: " + title_ + " has one repeat_last_n for the three penalties");
  }

  const Spec* spec_;
  Engine target_;
  EngineProfile profile_;
  std::string title_;
  Conversion result_;
};

}  // namespace detail

/// The same parameters in another engine's order, and the differences that remain: steps that it does not have,
/// parameters that it has in one form only (ties, scope, windows), orders that matter, its ranges, and what it runs
/// without being asked. Preset results convert to specs, so convert(presets::huggingface(config), Engine::vllm) is the
/// sheet for a change of engine. Neutral steps are dropped. A spec that already is in the target's order and form keeps
/// its steps.
inline Conversion convert(const Spec& spec, Engine target) { return detail::Converter(spec, target).run(); }

LOGITKIT_NAMESPACE_END
