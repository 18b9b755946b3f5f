// SPDX-License-Identifier: MIT
#pragma once
#include <optional>

#include "logitkit/pipeline/run.hpp"
#include "logitkit/process/dry.hpp"
#include "logitkit/process/force_tokens.hpp"
#include "logitkit/process/frequency_presence.hpp"
#include "logitkit/process/logit_bias.hpp"
#include "logitkit/process/min_p.hpp"
#include "logitkit/process/repetition_penalty.hpp"
#include "logitkit/process/temperature.hpp"
#include "logitkit/process/top_k.hpp"
#include "logitkit/process/top_p.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// The best logits of a row that is held elsewhere (a device's top-k, an API's top log-probabilities). `Pipeline::pick`
/// gives what the full row would, or says `needs_full_row`.
///   ids      distinct, in any order; no other token of the row has a larger logit than the smallest here
///   limits   the others are taken to be valid numbers; an id with the logit -inf says that none is a candidate
struct SparseRow {
  std::span<const TokenId> ids;
  std::span<const float> logits;
  std::size_t width = 0;  ///< of the whole row
  /// Of the whole row, right within 1e-6; helps a top-p that comes first.
  std::optional<double> log_sum_exp = {};
};

namespace detail {

/// What is known of the tokens that a sparse row leaves out, while the steps run over those that it has.
class SparseRest {
 public:
  /// Opens the row; invalid_logits as for a whole one. Throws InvalidParameter if it contradicts itself.
  Outcome open(Candidates& candidates, const SparseRow& row, std::size_t vocabulary_size, Workspace& workspace) {
    candidates_ = &candidates;
    workspace_ = &workspace;
    const std::size_t size = vocabulary_size == 0 ? row.width : std::min(row.width, vocabulary_size);
    if (row.ids.size() != row.logits.size() || row.ids.empty())
      fail(InvalidParameter("sparse row: " + std::to_string(row.logits.size()) + " logits for " +
                            std::to_string(row.ids.size()) + " ids, allowed are as many, and at least one"));
    auto& list = workspace.keys;
    list.clear();
    bound_ = row.logits[0];
    Outcome invalid;
    for (std::size_t i = 0; i < row.ids.size(); ++i) {
      const TokenId id = row.ids[i];
      const float x = row.logits[i];
      if (id < 0 || static_cast<std::size_t>(id) >= row.width)
        fail(InvalidParameter("sparse row: id is " + std::to_string(id) + ", allowed is 0 to below its width"));
      if (static_cast<std::size_t>(id) < size && is_invalid(x) && (invalid.status == Status::ok || id < invalid.id))
        invalid = {Status::invalid_logits, -1, id};
      bound_ = std::min(bound_, x);
      if (static_cast<std::size_t>(id) < size && x > kMasked)
        list.push_back(listed_key(static_cast<std::uint32_t>(id), x));
    }
    if (invalid.status != Status::ok) return invalid;
    std::sort(list.begin(), list.end());
    for (std::size_t i = 1; i < list.size(); ++i)
      if (listed_id(list[i]) == listed_id(list[i - 1]))
        fail(InvalidParameter("sparse row: id " + std::to_string(listed_id(list[i])) + " occurs twice"));
    left_out_ = row.width - row.ids.size();
    is_open_ = left_out_ > 0 && bound_ > kMasked;
    log_sum_exp_ = size == row.width ? row.log_sum_exp : std::nullopt;
    candidates.open_list(workspace, row.width, vocabulary_size, list);
    return list.empty() && is_open_ ? Outcome{Status::needs_full_row} : Outcome{};
  }

  /// Whether tokens that are left out may still be candidates; their logits are at most bound().
  bool is_open() const { return is_open_; }
  float bound() const { return bound_; }

  /// Applies a step to the candidates, or fails it with needs_full_row where what is left out could matter.
  void apply(const Step& step, const StepView& view) {
    if (is_open_ && !step.is_neutral()) {
      if (const auto* top_p = step.as<TopP>()) return cut_mass(top_p->p, static_cast<std::size_t>(top_p->min_keep));
      if (!follow(step)) return candidates_->fail(Status::needs_full_row, kNoToken);
    }
    apply_guarded(step, *candidates_, view);
    if (is_open_ && candidates_->empty()) candidates_->fail(Status::needs_full_row, kNoToken);
  }

 private:
  /// False if what is left out could matter to the step.
  bool follow(const Step& step) {
    if (const auto* top_k = step.as<TopK>())
      return close_if(certain() >= static_cast<std::size_t>(std::max(top_k->k, top_k->min_keep)));
    if (const auto* min_p = step.as<MinP>())
      return close_if(certain() >= static_cast<std::size_t>(min_p->min_keep) &&
                      static_cast<double>(bound_) < static_cast<double>(candidates_->max()) + math::log(min_p->p));
    if (const auto* force = step.as<ForceTokens>(); force != nullptr && has_all(force->ids)) return close_if(true);
    log_sum_exp_ = std::nullopt;
    const StepTraits traits = step.traits();
    return (traits.masks && !traits.changes_odds && !traits.truncates) || raise(step);
  }
  bool close_if(bool provable) {
    is_open_ = !provable;
    return provable;
  }
  /// How many candidates certainly rank before everything that is left out.
  std::size_t certain() const {
    std::size_t n = 0;
    for (const float x : candidates_->values()) n += x > bound_ ? 1 : 0;
    return n;
  }
  bool has_all(const TokenIds& ids) const {
    const auto known = candidates_->ids();
    return std::all_of(ids.begin(), ids.end(), [&](TokenId id) {
      return std::binary_search(known.begin(), known.end(), static_cast<std::uint32_t>(id));
    });
  }
  /// What a step that changes logits does to the bound; false where that is not known.
  bool raise(const Step& step) {
    if (const auto* t = step.as<Temperature>()) return bound_ /= static_cast<float>(t->temperature), true;
    if (const auto* r = step.as<RepetitionPenalty>()) {
      const auto factor = static_cast<float>(r->penalty);
      if (factor < 1) bound_ = bound_ > 0 ? bound_ / factor : bound_ * factor;
      return true;
    }
    if (const auto* f = step.as<FrequencyPenalty>()) return f->penalty >= 0;
    if (const auto* p = step.as<PresencePenalty>()) return p->penalty >= 0;
    if (step.as<Dry>() != nullptr) return true;  // it only takes off
    if (const auto* b = step.as<LogitBias>()) {
      float most = bound_;
      for (const auto& [id, bias] : b->bias) most = std::max(most, bound_ + static_cast<float>(bias));
      bound_ = most;
      return true;
    }
    return false;
  }
  /// Top-p, if it keeps the same with the least and the most mass that can be left out, and nothing of that.
  void cut_mass(double p, std::size_t min_keep) {
    constexpr double kMargin = 2e-6;  // rounding of the sums of exps and of what the caller was told
    const double known = candidates_->normaliser(), best = static_cast<double>(candidates_->max());
    double least = known,
           most = known + rounded(static_cast<double>(left_out_) * math::exp(static_cast<double>(bound_) - best));
    if (log_sum_exp_) {
      least = std::max(least, math::exp(*log_sum_exp_ - best));
      most = std::min(most, math::exp(*log_sum_exp_ - best));
    }
    const double low = p * least * (1 - kMargin), high = p * most * (1 + kMargin);
    const std::size_t n = certain();
    auto& ranked = workspace_->positions;
    ranked.clear();
    for (const std::uint64_t key : candidates_->ranked(n)) ranked.push_back(id_of(key));
    double mass = 0;
    std::size_t kept = 0;
    for (; kept < n && (kept < min_keep || mass < low); ++kept)
      mass += rounded(candidates_->probability(static_cast<TokenId>(ranked[kept])) * known);
    if (kept < min_keep || !(mass >= high)) return candidates_->fail(Status::needs_full_row, kNoToken);
    is_open_ = false;
    candidates_->keep_top(kept);
  }

  Candidates* candidates_ = nullptr;
  Workspace* workspace_ = nullptr;
  bool is_open_ = false;
  float bound_ = kMasked;
  std::size_t left_out_ = 0;
  std::optional<double> log_sum_exp_;  // of the whole row, while nothing has changed
};

}  // namespace detail
LOGITKIT_NAMESPACE_END
