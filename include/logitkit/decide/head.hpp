// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "logitkit/core/logits.hpp"
#include "logitkit/core/token.hpp"
#include "logitkit/decide/decision.hpp"
#include "logitkit/numeric/log_sum_exp.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// A label and the first tokens of its spellings ("yes", " Yes", "YES"); each spelling counts.
struct DecisionOption {
  std::string label;
  std::vector<TokenId> spellings;
};

namespace detail {

/// What heads of single tokens and of sequences both ask of their labels.
template <class Option>
void check_labels(std::string_view head, const std::vector<Option>& options) {
  if (options.size() < 2)
    fail(InvalidParameter(std::string(head) + ": there are " + std::to_string(options.size()) +
                          " labels, allowed is at least 2"));
  for (std::size_t i = 0; i < options.size(); ++i) {
    if (options[i].spellings.empty())
      fail(InvalidParameter(std::string(head) + ": label " + options[i].label + " has no spelling"));
    for (std::size_t j = 0; j < i; ++j)
      if (options[i].label == options[j].label)
        fail(InvalidParameter(std::string(head) + ": label " + options[i].label + " is there twice"));
  }
}

}  // namespace detail

/// Reads one next-token row as the answer to a multiple-choice question: a classifier without training.
///   labels   at least 2 with different names, each with at least one spelling; labels of several tokens go by their
///            first one, and a token that stands for two of them is an error that names both (then: SequenceHead)
///   throws   InvalidParameter for anything else
class DecisionHead {
 public:
  explicit DecisionHead(std::vector<DecisionOption> labels) : labels_(std::move(labels)) {
    detail::check_labels("DecisionHead", labels_);
    std::map<TokenId, const std::string*> owner;
    for (const auto& [label, spellings] : labels_)
      for (const TokenId token : spellings) {
        if (token < 0)
          detail::fail(InvalidParameter("DecisionHead: label " + label + " has the token " + std::to_string(token) +
                                        ", allowed is at least 0"));
        const auto [there, is_new] = owner.emplace(token, &label);
        if (!is_new)
          detail::fail(InvalidParameter("DecisionHead: labels " + *there->second + " and " + label +
                                        " both begin with token " + std::to_string(token) +
                                        ", which one row cannot tell apart"));
        largest_ = std::max(largest_, token);
      }
  }

  const std::vector<DecisionOption>& labels() const { return labels_; }

  /// Softmax over the labels' tokens, spellings of a label pooled (log-sum-exp).
  ///   logits   the whole row, borrowed; where its end is padding pass logits.first(vocabulary_size)
  ///   returns  status `invalid_logits` (NaN or +inf in the row), `id_out_of_range` (a spelling past its end),
  ///            `no_candidates` (all spellings masked) or `ok`
  ///   throws   InvalidParameter for options out of range
  ///   cost     two readings of the row, for `mass`
  Decision score(LogitsView logits, const DecideOptions& options = {}) const {
    const detail::FloatEnvironment plain;
    if (static_cast<std::size_t>(largest_) >= logits.size()) return detail::failed_decision(Status::id_out_of_range);
    const double total = log_sum_exp(logits);
    if (total != total) return detail::failed_decision(Status::invalid_logits);
    std::vector<double> scores, spelled;
    for (const auto& [label, spellings] : labels_) {
      spelled.clear();
      for (const TokenId token : spellings) spelled.push_back(logits[static_cast<std::size_t>(token)]);
      const double pooled = detail::log_sum_exp_of(spelled);
      scores.push_back(pooled == -detail::math::kInfinity ? pooled : pooled - total);
    }
    const double mass = detail::mass_of(scores);
    return detail::decide("DecisionHead", std::move(scores), mass, options);
  }

 private:
  std::vector<DecisionOption> labels_;
  TokenId largest_ = 0;
};

LOGITKIT_NAMESPACE_END
