// SPDX-License-Identifier: MIT
#pragma once
#include "logitkit/select/llama_cpp_draw.hpp"

LOGITKIT_NAMESPACE_BEGIN
namespace detail {

/// Mirostat's running value: numbers[0] is mu, the surprise in bits that is allowed.
inline RunningValue& mirostat_mu(const StepView& view, double tau) {
  RunningValue& running = view.running();
  if (!running.is_set) running.numbers[0] = 2 * static_cast<float>(tau);
  running.is_set = true;
  return running;
}

/// Draws one of the candidates left, best first, and moves mu.
inline TokenId mirostat_draw(Candidates& candidates, const StepView& view, std::optional<std::int64_t> seed,
                             RunningValue& mu, double tau, double eta) {
  candidates.set_order(Order::by_logit);
  const SequentialSoftmax probability(candidates);
  const TokenId token = draw_discrete(candidates, view, seed, probability);
  const float error = surprise(probability(candidates.logit(token))) - static_cast<float>(tau);
  mu.numbers[0] -= rounded(static_cast<float>(eta) * error);
  return token;
}

}  // namespace detail
LOGITKIT_NAMESPACE_END
