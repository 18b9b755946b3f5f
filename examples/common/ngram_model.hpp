// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <vector>

#include "logitkit/core/token.hpp"
#include "logitkit/numeric/scalar_math.hpp"

namespace examples {

/// A language model that counts: what followed the last two tokens, the last one, any token. Longer contexts are
/// trusted by how often they were seen and how varied what followed was (Witten and Bell 1991, interpolated).
/// Counts, + * / on doubles and logitkit's own log: the same rows on every platform.
class NgramModel {
 public:
  NgramModel(std::span<const logitkit::TokenId> text, std::size_t vocabulary_size) : vocabulary_(vocabulary_size) {
    for (std::size_t at = 0; at < text.size(); ++at)
      for (std::size_t length = 0; length <= std::min(at, kLongestContext); ++length)
        ++followers_[context(text.first(at), length)][text[at]];
  }

  /// The log-probability of every token after `history`.
  std::vector<float> row(std::span<const logitkit::TokenId> history) const {
    std::vector<double> p(vocabulary_, 1.0 / static_cast<double>(vocabulary_));
    for (std::size_t length = 0; length <= std::min(history.size(), kLongestContext); ++length) {
      const auto seen = followers_.find(context(history, length));
      if (seen == followers_.end()) break;
      const double shorter = kBackOff * static_cast<double>(seen->second.size());
      double total = shorter;
      for (const auto& [token, count] : seen->second) total += count;
      for (double& each : p) each *= shorter;
      for (const auto& [token, count] : seen->second) p[static_cast<std::size_t>(token)] += count;
      for (double& each : p) each /= total;
    }
    std::vector<float> logits(vocabulary_);
    std::ranges::transform(p, logits.begin(),
                           [](double x) { return static_cast<float>(logitkit::detail::math::log(x)); });
    return logits;
  }

 private:
  static constexpr std::size_t kLongestContext = 2;
  static constexpr double kBackOff = 0.25;  // weight of the shorter context, in observations per distinct follower

  static std::vector<logitkit::TokenId> context(std::span<const logitkit::TokenId> before, std::size_t length) {
    const auto last = before.last(length);
    return {last.begin(), last.end()};
  }

  std::size_t vocabulary_;
  std::map<std::vector<logitkit::TokenId>, std::map<logitkit::TokenId, int>> followers_;
};

}  // namespace examples
