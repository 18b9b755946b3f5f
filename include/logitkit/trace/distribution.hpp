// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "logitkit/candidates/candidates.hpp"
#include "logitkit/numeric/order.hpp"
#include "logitkit/numeric/scalar_math.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// The text of a token, for reports; empty where there are only ids. Must give UTF-8.
using TokenText = std::function<std::string(TokenId)>;

/// One candidate as part of its distribution.
struct TokenShare {
  TokenId token = kNoToken;
  float logit = detail::kMasked;
  double probability = 0;  ///< among the candidates, 0 to 1
  std::size_t rank = 0;    ///< 1 + number of candidates before it in the total order
  std::string text = {};   ///< as TokenText tells it

  bool operator==(const TokenShare&) const = default;
};

namespace detail {

/// Candidates as probabilities, for reports: a copy of their logits, sums in double in id order.
class Distribution {
 public:
  Distribution() = default;
  explicit Distribution(const Candidates& candidates) : logits_(candidates.size()) {
    candidates.write_to(logits_);
    measure();
  }
  explicit Distribution(std::vector<float> logits) : logits_(std::move(logits)) { measure(); }

  const std::vector<float>& logits() const { return logits_; }
  std::size_t size() const { return logits_.size(); }
  bool holds(std::size_t id) const { return id < size() && logits_[id] > kMasked; }
  std::size_t candidates() const { return candidates_; }
  /// 0 for an id that is no candidate.
  double probability(std::size_t id) const { return id < size() ? probabilities_[id] : 0; }
  /// ln of the probability, which does not underflow; -inf for an id that is no candidate.
  double log_probability(std::size_t id) const {
    return holds(id) ? static_cast<double>(logits_[id]) - log_sum_exp_ : -math::kInfinity;
  }
  /// - sum of p ln p, in nats.
  double entropy() const { return entropy_; }
  TokenId best() const { return best_; }

  /// The n first of the total order among the candidates for which wanted(id) holds.
  template <class Wanted>
  std::vector<TokenShare> top(std::size_t n, const TokenText& text, Wanted wanted) const {
    std::vector<std::uint64_t> keys;
    for (std::size_t id = 0; id < size(); ++id)
      if (holds(id) && wanted(id)) keys.push_back(rank_key(logits_[id], static_cast<std::uint32_t>(id)));
    const auto last = keys.begin() + static_cast<std::ptrdiff_t>(std::min(n, keys.size()));
    std::partial_sort(keys.begin(), last, keys.end(), std::greater<>());
    std::vector<TokenShare> shares;
    for (auto key = keys.begin(); key != last; ++key) shares.push_back(share(static_cast<TokenId>(id_of(*key)), text));
    return shares;
  }
  std::vector<TokenShare> top(std::size_t n, const TokenText& text) const {
    return top(n, text, [](std::size_t) { return true; });
  }
  /// One id, candidate or not.
  TokenShare share(TokenId token, const TokenText& text) const {
    const auto id = static_cast<std::size_t>(token);
    TokenShare share{token, id < size() ? logits_[id] : kMasked, probability(id)};
    const std::uint64_t key = rank_key(share.logit, static_cast<std::uint32_t>(token));
    share.rank = 1 + candidates_;
    if (holds(id)) {
      share.rank = 1;
      for (std::size_t i = 0; i < size(); ++i)
        share.rank += holds(i) && rank_key(logits_[i], static_cast<std::uint32_t>(i)) > key ? 1 : 0;
    }
    if (text) share.text = text(token);
    return share;
  }

 private:
  void measure() {
    float max = kMasked;
    for (std::size_t id = 0; id < size(); ++id) {
      if (!(logits_[id] > kMasked)) continue;
      ++candidates_;
      if (best_ != kNoToken && !(logits_[id] > max)) continue;
      max = logits_[id];
      best_ = static_cast<TokenId>(id);
    }
    probabilities_.assign(size(), 0.0);
    if (candidates_ == 0) return;
    double sum = 0, surprise = 0;
    for (std::size_t id = 0; id < size(); ++id) {
      if (!holds(id)) continue;
      probabilities_[id] = math::exp(static_cast<double>(logits_[id]) - static_cast<double>(max));
      sum += probabilities_[id];
    }
    for (std::size_t id = 0; id < size(); ++id) {
      if (!holds(id)) continue;
      probabilities_[id] /= sum;
      surprise = std::fma(probabilities_[id], static_cast<double>(logits_[id]) - static_cast<double>(max), surprise);
    }
    log_sum_exp_ = static_cast<double>(max) + math::log(sum);
    entropy_ = std::max(0.0, math::log(sum) - surprise);
  }

  std::vector<float> logits_;
  std::vector<double> probabilities_;
  std::size_t candidates_ = 0;
  TokenId best_ = kNoToken;
  double entropy_ = 0, log_sum_exp_ = -math::kInfinity;
};

}  // namespace detail
LOGITKIT_NAMESPACE_END
