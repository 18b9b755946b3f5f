// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <vector>

#include "logitkit/pipeline/chain.hpp"
#include "logitkit/process/allow_mask.hpp"
#include "logitkit/process/ban_sequences.hpp"
#include "logitkit/process/ban_tokens.hpp"
#include "logitkit/process/dry.hpp"
#include "logitkit/process/exponential_decay_length_penalty.hpp"
#include "logitkit/process/force_tokens.hpp"
#include "logitkit/process/forced_bos.hpp"
#include "logitkit/process/forced_eos.hpp"
#include "logitkit/process/frequency_presence.hpp"
#include "logitkit/process/logit_bias.hpp"
#include "logitkit/process/min_length.hpp"
#include "logitkit/process/min_new_tokens.hpp"
#include "logitkit/process/min_p.hpp"
#include "logitkit/process/no_repeat_ngram.hpp"
#include "logitkit/process/prefix_force.hpp"
#include "logitkit/process/repetition_penalty.hpp"
#include "logitkit/process/sequence_bias.hpp"
#include "logitkit/process/suppress_at_begin.hpp"
#include "logitkit/process/temperature.hpp"
#include "logitkit/process/top_k.hpp"
#include "logitkit/process/top_p.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// How one logit x changes, in float32. -inf stays -inf.
struct DeviceEdit {
  enum class Kind : std::uint8_t {
    add,    ///< x + value; -inf removes the token
    scale,  ///< x > 0: x / value, else x * value
  };
  Kind kind = Kind::add;
  TokenId id = kNoToken;  ///< one past the row (of a history with placeholders) is to be ignored
  float value = 0;
  bool operator==(const DeviceEdit&) const = default;
};

/// The first steps of a chain at one position as data, for an engine that keeps the logits on a device and has a kernel
/// of its own. The kernel does, in this order, what is not at its default:
///   vocabulary_size, mask   remove tokens
///   edits                   one after the other; those of an id in this order
///   temperature             a true float32 division
///   top_k                   exactly k by logit, then lower id; top_k_ties keep: and all that equal the k-th
///   top_p, min_p            as TopP and MinP mean them, min_p first where min_p_first says so
/// What is left equals what the chain's first `steps` steps leave. `rest` and the selector then run over the survivors,
/// as a row with -inf elsewhere or a SparseRow with one -inf. It is for the kernel to watch that the row holds no NaN
/// or +inf and that a token is left.
struct DevicePlan {
  std::size_t vocabulary_size = 0;  ///< ids at and past it are removed; 0 = the row's width
  std::vector<std::int32_t> mask;   ///< bit id % 32 of word id / 32, 0 removes, as does an id past it; empty = no mask
  std::vector<DeviceEdit> edits;
  float temperature = 1;
  std::int64_t top_k = 0;  ///< 0 = off
  Ties top_k_ties = Ties::exact;
  double top_p = 1;          ///< 1 = off
  double min_p = 0;          ///< 0 = off
  bool min_p_first = false;  ///< min-p before top-p (vLLM), not after it (Hugging Face, llama.cpp)
  std::size_t steps = 0;     ///< so many steps of the chain are in it
  bool complete = true;      ///< all are
  /// The chain with those steps made idle, so that indices stay; a constraint is applied once more.
  Chain rest;
};

namespace detail {

/// Fills a plan step by step. Steps that treat ids one by one are asked what they do by running them over a list of all
/// ids that they could mean.
class DevicePlanner {
 public:
  DevicePlanner(const Chain& chain, const Request& request, std::size_t width)
      : chain_(chain),
        request_(request),
        workspace_(request.workspace()),
        running_(request.running()),
        width_(width),
        view_(request, {}, width, workspace_, running_) {
    plan_.vocabulary_size = chain.vocabulary_of(request);
    if (plan_.vocabulary_size != 0 && (width_ == 0 || plan_.vocabulary_size < width_)) width_ = plan_.vocabulary_size;
    for (const TokenCounts* counts : {&request.prompt_counts(), &request.output_counts()}) add(history_, counts->ids());
    add(history_, request.end_ids());
  }

  DevicePlan plan() {
    std::vector<Step> steps(chain_.steps().begin(), chain_.steps().end());
    for (; plan_.steps < steps.size(); ++plan_.steps) {
      Step& step = steps[plan_.steps];
      const std::size_t edits = plan_.edits.size();
      if (!takes(step)) {
        plan_.edits.resize(edits);
        break;
      }
      const auto* mask = step.as<AllowMask>();
      const bool stays = step.is_neutral() || (mask != nullptr && !mask->words);  // an idle one may number draws
      if (!stays) step = BanTokens();
    }
    plan_.complete = plan_.steps == steps.size();
    plan_.rest = Chain(std::move(steps), chain_.row_width(), chain_.vocabulary_size());
    return std::move(plan_);
  }

 private:
  static constexpr std::size_t kWidest = std::size_t{1} << 31;

  /// Puts a step into the plan; false if it has no place there, after what is in it already.
  bool takes(const Step& step) {
    if (step.is_neutral()) return true;
    if (const auto* cut = step.as<TopK>()) return takes_top_k(*cut);
    if (const auto* cut = step.as<TopP>()) return takes_top_p(*cut);
    if (const auto* cut = step.as<MinP>()) return takes_min_p(*cut);
    if (const auto* bos = step.as<ForcedBos>()) return !bos->acts(view_);
    if (const auto* eos = step.as<ForcedEos>()) return !eos->acts(view_);
    if (const auto* decay = step.as<ExponentialDecayLengthPenalty>()) return !decay->acts(view_);
    if (is_cut()) return false;
    if (const auto* t = step.as<Temperature>()) return takes_temperature(static_cast<float>(t->temperature));
    if (const auto* mask = step.as<AllowMask>()) return takes_mask(*mask);
    if (const auto* force = step.as<ForceTokens>()) return allow_only(force->ids);
    if (const auto* prefix = step.as<PrefixForce>())
      return request_.output().size() >= prefix->ids.size() || allow_only({prefix->ids[request_.output().size()]});
    if (const auto* biases = step.as<SequenceBias>()) return takes_biases(*biases);
    if (step.as<RepetitionPenalty>() != nullptr) return takes_scaling(step);
    return is_any<FrequencyPenalty, PresencePenalty, LogitBias, Dry, BanTokens, BanSequences, NoRepeatNgram,
                  MinNewTokens, MinLength, SuppressAtBegin>(step) &&
           takes_additions(step, ids_of(step));
  }
  template <class... T>
  static bool is_any(const Step& step) {
    return ((step.as<T>() != nullptr) || ...);
  }
  bool is_cut() const { return plan_.top_k > 0 || plan_.top_p < 1 || plan_.min_p > 0; }

  bool takes_top_k(const TopK& cut) {
    if (plan_.top_k > 0 || plan_.top_p < 1) return false;  // before or after min-p: both keep a prefix of the order
    plan_.top_k = std::max(cut.k, cut.min_keep);
    plan_.top_k_ties = cut.ties;
    return true;
  }
  bool takes_top_p(const TopP& cut) {
    if (plan_.top_p < 1 || cut.min_keep > 1) return false;
    plan_.top_p = cut.p;
    plan_.min_p_first = plan_.min_p > 0;
    return true;
  }
  bool takes_min_p(const MinP& cut) {
    if (plan_.min_p > 0 || cut.min_keep > 1) return false;
    plan_.min_p = cut.p;
    return true;
  }
  bool takes_temperature(float t) {
    if (plan_.temperature != 1) return false;
    plan_.temperature = t;
    return true;
  }

  bool takes_mask(const AllowMask& mask) {
    if (mask.words) return allow(mask.words->words);
    const ConstraintState* constraint = request_.constraint();
    if (constraint == nullptr) return true;
    if (width_ == 0) return false;  // as wide as what?
    std::vector<std::int32_t> words((width_ + 31) / 32);
    return !constraint->fill(words) || allow(std::move(words));
  }
  bool allow_only(const TokenIds& ids) {
    std::vector<std::int32_t> words(static_cast<std::size_t>(*std::max_element(ids.begin(), ids.end())) / 32 + 1);
    for (const TokenId id : ids)
      words[static_cast<std::size_t>(id) / 32] |= static_cast<std::int32_t>(std::uint32_t{1} << (id % 32));
    return allow(std::move(words));
  }
  bool allow(std::vector<std::int32_t> words) {
    if (words.empty()) words.push_back(0);
    if (plan_.mask.empty()) return plan_.mask = std::move(words), true;
    plan_.mask.resize(std::min(plan_.mask.size(), words.size()));
    for (std::size_t i = 0; i < plan_.mask.size(); ++i) plan_.mask[i] &= words[i];
    return true;
  }

  /// What becomes of the logit 0 is what the step adds.
  bool takes_additions(const Step& step, const TokenIds& ids) {
    if (!run_over(step, ids, 0.0f)) return false;
    for (const TokenId id : ids) {
      const float value = candidates_.logit(id);
      if (value == 0.0f) continue;
      if (value > kMasked && plan_.temperature != 1) return false;
      plan_.edits.push_back({DeviceEdit::Kind::add, id, value});
    }
    return true;
  }
  /// Biases of one token add up one by one.
  bool takes_biases(const SequenceBias& step) {
    for (const bool single : {true, false})
      for (const auto& pair : step.biases)
        if ((pair.first.size() == 1) == single && pair.second != 0 &&
            !takes_additions(SequenceBias({pair}, {step.short_history}), {pair.first.back()}))
          return false;
    return true;
  }
  /// What becomes of the logit -1 is minus the factor.
  bool takes_scaling(const Step& step) {
    if (plan_.temperature != 1) return false;
    const TokenIds ids = ids_of(step);
    if (!run_over(step, ids, -1.0f)) return false;
    for (const TokenId id : ids)
      if (const float value = candidates_.logit(id); value != -1.0f)
        plan_.edits.push_back({DeviceEdit::Kind::scale, id, -value});
    return true;
  }

  /// Runs a step over a list of ids that all have the logit x. False if it fails.
  bool run_over(const Step& step, const TokenIds& ids, float x) {
    auto& list = workspace_.keys;
    list.clear();
    for (const TokenId id : ids) list.push_back(listed_key(static_cast<std::uint32_t>(id), x));
    candidates_.open_list(workspace_, kWidest, width(), list);
    view_.enter(static_cast<int>(plan_.steps), 0);
    step.apply(candidates_, view_);
    return candidates_.status() == Status::ok;
  }

  /// The ids that a step can mean: those of the history, of the request and of its own parameters; ascending.
  TokenIds ids_of(const Step& step) const {
    TokenIds ids = history_;
    for (const Field& field : step.fields()) {
      if (const auto* list = std::get_if<TokenIds>(&field.value)) add(ids, *list);
      if (const auto* sequences = std::get_if<TokenSequences>(&field.value))
        for (const TokenIds& sequence : *sequences) add(ids, sequence);
      if (const auto* biases = std::get_if<TokenBiases>(&field.value))
        for (const auto& bias : *biases) add(ids, {&bias.first, 1});
    }
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    return ids;
  }
  void add(TokenIds& ids, std::span<const TokenId> more) const {
    for (const TokenId id : more)
      if (id >= 0 && static_cast<std::size_t>(id) < width()) ids.push_back(id);
  }
  std::size_t width() const { return width_ == 0 ? kWidest : width_; }

  const Chain& chain_;
  const Request& request_;
  Workspace& workspace_;
  RunningValues running_;
  std::size_t width_;  // of the row, or the vocabulary if that is smaller; 0 = not known
  StepView view_;
  TokenIds history_;
  Candidates candidates_;
  DevicePlan plan_;
};

}  // namespace detail

/// What an engine's kernel has to do to a row of this request, at its present position.
///   in it  masks, the constraint, bans, biases and penalties, then one temperature, then top-k, top-p and min-p, once
///          each; and whatever does nothing here. The first step that comes elsewhere, or is of another kind
///          (typical-p, log-softmax, a custom one, a forced token), ends the plan
///   width  of the row; 0 = as the chain was built with, else the vocabulary's size. Where none is known a constraint
///          ends the plan
///   cost   O(distinct tokens of the history + parameters) per step
inline DevicePlan device_plan(const Chain& chain, const Request& request, std::size_t width = 0) {
  const detail::FloatEnvironment plain;
  return detail::DevicePlanner(chain, request, width == 0 ? chain.row_width() : width).plan();
}

LOGITKIT_NAMESPACE_END
