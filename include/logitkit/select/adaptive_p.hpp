// SPDX-License-Identifier: MIT
#pragma once
#include "logitkit/select/llama_cpp_draw.hpp"

LOGITKIT_NAMESPACE_BEGIN

struct AdaptivePOptions {
  std::optional<std::int64_t> seed = {};  ///< of llama.cpp's generator; absent: the request's stream
};

/// Draws tokens whose probability is near a target, and makes up for what was drawn before: a weighted mean of the
/// probabilities drawn so far moves the target to the other side.
///   formula  a = clamp(2 target - W / N, 0, 1); d = |p - a| / 0.3; new logit 5 - 10 d^2 / (1 + d), softmax, draw;
///            then W = p + decay W, N = 1 + decay N, from target / (1 - decay) and 1 / (1 - decay); float32 as
///            llama.cpp
///   range    target in [0, 1], decay in [0, 0.99]
///   draws    one uniform; with a seed two words of a std::mt19937 (none for a single candidate)
///   state    W, N and the words drawn travel in the Pick
///   cost     six walks over the candidates with scalar exps: put min-p before it
///   as in    llama.cpp adaptive_p for a target >= 0
struct AdaptiveP {
  static constexpr std::string_view kType = "adaptive_p";
  static constexpr std::string_view kSummary = "draws tokens whose probability is near a target";
  static constexpr StepTraits kTraits{.draws = true, .remembers = true, .walks = true};

  double target = 0.5;
  double decay = 0.9;
  std::optional<std::int64_t> seed;

  AdaptiveP() = default;
  explicit AdaptiveP(double probability, double forget, AdaptivePOptions options = {})
      : target(probability), decay(forget), seed(options.seed) {
    detail::require_valid(*this);
  }

  TokenId select(Candidates& candidates, const StepView& view) const noexcept {
    const auto wanted = static_cast<float>(target), kept = static_cast<float>(decay);
    RunningValue& running = view.running();
    float &sum = running.numbers[0], &weight = running.numbers[1];
    if (!running.is_set) {
      sum = wanted / (1 - kept);
      weight = 1 / (1 - kept);
      running.is_set = true;
    }
    const float aim = std::clamp(2 * wanted - sum / weight, 0.0f, 1.0f);
    const detail::SequentialSoftmax probability(candidates);
    const auto shaped = [&](float x) {
      const float d = std::fabs((probability(x) - aim) * kInverseWidth);
      return kPeak - kSharpness * d * d / (1 + d);
    };
    float max = detail::kMasked, total = 0;
    candidates.walk([&](TokenId, float x) {
      max = std::max(max, shaped(x));
      return true;
    });
    candidates.walk([&](TokenId, float x) {
      total += detail::math::exp_float(shaped(x) - max);
      return true;
    });
    const TokenId token = detail::draw_discrete(
        candidates, view, seed, [&](float x) { return detail::math::exp_float(shaped(x) - max) / total; });
    sum = probability(candidates.logit(token)) + detail::rounded(kept * sum);
    weight = 1 + detail::rounded(kept * weight);
    return token;
  }
  template <class Self, class F>
  static void visit(Self& self, F&& f) {
    f("target", self.target, within(0, 1));
    f("decay", self.decay, within(0, 0.99));
    f("seed", self.seed, detail::kSeedRange);
  }

 private:
  static constexpr float kPeak = 5, kSharpness = 10, kInverseWidth = 1 / 0.3f;
};

LOGITKIT_NAMESPACE_END
