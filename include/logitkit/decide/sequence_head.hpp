// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "logitkit/core/logits.hpp"
#include "logitkit/core/token.hpp"
#include "logitkit/decide/decision.hpp"
#include "logitkit/decide/head.hpp"
#include "logitkit/numeric/log_sum_exp.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// A label and its spellings, each a sequence of tokens.
struct SequenceOption {
  std::string label;
  std::vector<std::vector<TokenId>> spellings;
};

/// What the log-probabilities of a spelling's tokens become.
enum class SequenceScore : std::uint8_t {
  sum,   ///< ln of the probability that the model says it: long spellings pay for every token
  mean,  ///< divided by the number of tokens
};

/// The decision head for labels of several tokens: it asks for a row after every beginning that the spellings share.
///   labels   at least 2 with different names, each with at least one spelling of at least one token; a spelling that
///            another one begins with is an error that names both labels: it could never lose. End them with an end id
///   throws   InvalidParameter for anything else
class SequenceHead {
 public:
  explicit SequenceHead(std::vector<SequenceOption> labels, SequenceScore score = SequenceScore::sum)
      : labels_(std::move(labels)), score_(score) {
    detail::check_labels("SequenceHead", labels_);
    for (std::size_t i = 0; i < labels_.size(); ++i)
      for (const std::vector<TokenId>& tokens : labels_[i].spellings) {
        if (tokens.empty())
          detail::fail(InvalidParameter("SequenceHead: label " + labels_[i].label + " has a spelling without tokens"));
        for (const TokenId token : tokens)
          if (token < 0)
            detail::fail(InvalidParameter("SequenceHead: label " + labels_[i].label + " has the token " +
                                          std::to_string(token) + ", allowed is at least 0"));
        spellings_.push_back({tokens, i});
      }
    std::sort(spellings_.begin(), spellings_.end(),
              [](const Spelling& a, const Spelling& b) { return a.tokens < b.tokens; });
    for (std::size_t i = 1; i < spellings_.size(); ++i)
      if (const Spelling& a = spellings_[i - 1], &b = spellings_[i]; common(a, b) == a.tokens.size())
        detail::fail(InvalidParameter("SequenceHead: a spelling of label " + labels_[b.label].label +
                                      " begins with all of one of label " + labels_[a.label].label +
                                      "; end both with an end id"));
  }

  const std::vector<SequenceOption>& labels() const { return labels_; }

  /// Softmax over the labels' scores, spellings of a label pooled (log-sum-exp).
  ///   row_after   row_after(std::span<const TokenId> beginning): the next-token row after the prompt and `beginning`,
  ///               a LogitsView or what converts to one. Called once for each beginning, in depth-first order, so that
  ///               an engine can keep the cache of the one before
  ///   returns     as DecisionHead::score; `mass` is the probability that the model says one of the spellings
  ///   throws      InvalidParameter for options out of range
  ///   cost        two readings of every row
  template <class RowAfter>
  Decision score(RowAfter&& row_after, const DecideOptions& options = {}) const {
    const detail::FloatEnvironment plain;
    std::vector<double> sums(spellings_.size(), 0.0);
    for (std::size_t i = 0; i < spellings_.size(); ++i) {
      const std::span<const TokenId> tokens = spellings_[i].tokens;
      // The rows after what it has in common with its predecessor were seen there.
      const std::size_t first = i == 0 ? 0 : common(spellings_[i - 1], spellings_[i]) + 1;
      for (std::size_t depth = first; depth < tokens.size(); ++depth) {
        auto&& row = row_after(tokens.first(depth));
        const LogitsView logits = row;
        const double total = log_sum_exp(logits);
        if (total != total) return detail::failed_decision(Status::invalid_logits);
        for (std::size_t j = i; j < spellings_.size() && common(spellings_[i], spellings_[j]) >= depth; ++j) {
          const auto token = static_cast<std::size_t>(spellings_[j].tokens[depth]);
          if (token >= logits.size()) return detail::failed_decision(Status::id_out_of_range);
          const double logit = logits[token];
          sums[j] += logit == -detail::math::kInfinity ? logit : logit - total;
        }
      }
    }
    return decide(sums, options);
  }

 private:
  struct Spelling {
    std::vector<TokenId> tokens;
    std::size_t label;
  };

  static std::size_t common(const Spelling& a, const Spelling& b) {
    const auto end = std::mismatch(a.tokens.begin(), a.tokens.end(), b.tokens.begin(), b.tokens.end());
    return static_cast<std::size_t>(end.first - a.tokens.begin());
  }

  Decision decide(const std::vector<double>& sums, const DecideOptions& options) const {
    std::vector<std::vector<double>> spelled(labels_.size());
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const auto length = static_cast<double>(spellings_[i].tokens.size());
      spelled[spellings_[i].label].push_back(score_ == SequenceScore::mean ? sums[i] / length : sums[i]);
    }
    std::vector<double> scores;
    for (const std::vector<double>& of_label : spelled) scores.push_back(detail::log_sum_exp_of(of_label));
    return detail::decide("SequenceHead", std::move(scores), detail::mass_of(sums), options);
  }

  std::vector<SequenceOption> labels_;
  SequenceScore score_;
  std::vector<Spelling> spellings_;  // in lexicographic order: those with a common beginning are neighbours
};

LOGITKIT_NAMESPACE_END
