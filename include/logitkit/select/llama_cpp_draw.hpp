// SPDX-License-Identifier: MIT
#pragma once
#include "logitkit/numeric/float_exp.hpp"
#include "logitkit/numeric/rounded.hpp"
#include "logitkit/process/step.hpp"

// The arithmetic of llama.cpp's selectors: float32 sums one after the other, in the order that the steps leave behind.
LOGITKIT_NAMESPACE_BEGIN
namespace detail {

/// The next uniform of a selector: two words of its generator if it has a seed, else the request's stream.
inline double next_uniform(const StepView& view, std::optional<std::int64_t> seed) {
  if (!seed) return view.uniform(draws::kSelector);
  std::mt19937 generator = view.generator(static_cast<std::uint32_t>(*seed));
  view.running().words += 2;
  return canonical(generator);
}

/// exp(x - max) / sum with a float32 sum.
class SequentialSoftmax {
 public:
  explicit SequentialSoftmax(Candidates& candidates) : max_(candidates.max()) {
    candidates.walk([this](TokenId, float x) {
      sum_ += math::exp_float(x - max_);
      return true;
    });
  }
  float operator()(float x) const { return math::exp_float(x - max_) / sum_; }

 private:
  float max_, sum_ = 0;
};

/// Draws as std::discrete_distribution of libstdc++ does: running sums of the normalised weights in double, the first
/// that reaches u; a remainder goes to the last with a weight above 0. One candidate: nothing is drawn.
template <class WeightOf>
TokenId draw_discrete(Candidates& candidates, const StepView& view, std::optional<std::int64_t> seed,
                      WeightOf weight_of) {
  double sum = 0;
  std::size_t count = 0;
  TokenId chosen = kNoToken;
  candidates.walk([&](TokenId id, float x) {
    sum += static_cast<double>(weight_of(x));
    chosen = id;
    ++count;
    return true;
  });
  if (count == 1) return chosen;
  const double u = next_uniform(view, seed);
  double running = 0;
  candidates.walk([&](TokenId id, float x) {
    const auto weight = static_cast<double>(weight_of(x));
    if (weight == 0) return true;
    chosen = id;
    running += weight / sum;
    return running < u;
  });
  return chosen;
}

inline float log_float(float x) { return static_cast<float>(math::log(static_cast<double>(x))); }
/// - log2 of a probability.
inline float surprise(float p) { return static_cast<float>(-math::log(static_cast<double>(p)) * 0x1.71547652b82fep0); }

}  // namespace detail
LOGITKIT_NAMESPACE_END
