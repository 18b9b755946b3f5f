// SPDX-License-Identifier: MIT
#pragma once
#include <bit>
#include <span>

#include "logitkit/numeric/rounded.hpp"
#include "logitkit/numeric/scalar_math.hpp"
#include "logitkit/process/step.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// Draws a token with its probability by a race: every candidate gets an exponential noise e of its own, and the
/// largest p / e wins. Seen as logits it is Gumbel-max: the largest x - ln e.
///   noise   e = -ln(1 - u), u the uniform of (seed, stream, position, id): two rows that differ in few logits mostly
///           draw the same token, and no sum over the row is needed, so vocabularies may be split over devices
///   ties    lower id first, in double
///   edge    a removed token never wins
///   cost    one random word pair per candidate; logarithms only for those that could win
///   as in   vLLM (V1 race, V2 Gumbel-max), PyTorch multinomial: the same distribution, our own noise
struct ExponentialRace {
  static constexpr std::string_view kType = "exponential_race";
  static constexpr std::string_view kSummary = "draws by a race of exponential noise";
  static constexpr StepTraits kTraits{.draws = true};

  TokenId select(Candidates& candidates, const StepView& view) const noexcept {
    if (!noise_.empty() && noise_.size() < candidates.size()) {
      candidates.fail(Status::width_mismatch, kNoToken);
      return kNoToken;
    }
    double best = -std::numeric_limits<double>::infinity();
    TokenId winner = kNoToken;
    const auto race = [&](TokenId id, double score) {
      if (winner != kNoToken && !(score > best)) return;
      best = score;
      winner = id;
    };
    std::uint32_t pair = ~std::uint32_t{0};
    std::array<double, 2> uniforms{};
    candidates.for_each([&](TokenId id, float logit) {
      const auto x = static_cast<double>(logit);
      const auto i = static_cast<std::size_t>(id);
      if (!noise_.empty()) return race(id, x - detail::math::log(static_cast<double>(noise_[i])));
      if (pair != i / 2) {
        pair = static_cast<std::uint32_t>(i / 2);
        uniforms = view.race_uniforms(pair);
      }
      const double u = uniforms[i % 2];
      if (x + most_gain(u) > best) race(id, x - detail::math::log(-detail::math::log(1 - u)));
    });
    return winner;
  }

  /// For tests: e of every id, above 0, in place of the request's noise; as many as the row is wide, else
  /// `width_mismatch`.
  static ExponentialRace with_noise(std::span<const float> noise) {
    for (const float e : noise)
      if (!(e > 0))
        detail::fail(
            InvalidParameter("exponential_race: " + detail::out_of_range("noise", static_cast<double>(e), above(0))));
    ExponentialRace result;
    result.noise_.assign(noise.begin(), noise.end());
    return result;
  }

 private:
  /// At least -ln(-ln(1 - u)): -ln(1 - u) >= u >= its power of two.
  static double most_gain(double u) {
    constexpr double kLn2 = 0.69314718056;  // a little more
    const auto exponent = static_cast<std::int64_t>(std::bit_cast<std::uint64_t>(u) >> 52) - 1023;
    return static_cast<double>(-exponent) * kLn2;
  }

  std::vector<float> noise_;
};

LOGITKIT_NAMESPACE_END
