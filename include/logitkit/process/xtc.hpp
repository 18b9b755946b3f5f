// SPDX-License-Identifier: MIT
#pragma once
#include "logitkit/numeric/scalar_math.hpp"
#include "logitkit/process/step.hpp"

LOGITKIT_NAMESPACE_BEGIN

struct XtcOptions {
  std::int64_t min_keep = 1;
  std::optional<std::int64_t> seed = {};  ///< of llama.cpp's generator; absent: the request's stream
};

/// Exclude top choices: sometimes drops all tokens above a probability but the least likely of them.
///   range     probability and threshold in [0, 1]; probability 0, or threshold above 1/2 (two tokens cannot both reach
///             it), = off
///   boundary  reaches the threshold: x >= log-sum-exp + ln(threshold), compared in double
///   ties      the last of the total order among those that reach it stays
///   edge      fewer than min_keep would be left: nothing is dropped; fewer than two candidates: nothing is drawn
///   draws     one number u, fires if u <= probability. With a seed: one word of a std::mt19937, so that the result
///             depends on how many were drawn before (llama.cpp's, word for word); else number 0x1000 + n of the
///             position for the n-th xtc of the chain
///   cost      one reading to look, if it fires one with an exp per logit and one to cut
///   as in     llama.cpp xtc
struct Xtc {
  static constexpr std::string_view kType = "xtc";
  static constexpr std::string_view kSummary = "sometimes drops the top choices";
  static constexpr StepTraits kTraits{.truncates = true, .draws = true, .remembers = true};

  double probability = 0;
  double threshold = 0.1;
  std::int64_t min_keep = 1;
  std::optional<std::int64_t> seed;

  Xtc() = default;
  explicit Xtc(double chance, double least, XtcOptions options = {})
      : probability(chance), threshold(least), min_keep(options.min_keep), seed(options.seed) {
    detail::require_valid(*this);
  }

  bool is_neutral() const { return probability == 0 || threshold > 0.5; }
  void operator()(Candidates& candidates, const StepView& view) const noexcept {
    if (is_neutral()) return;
    const std::size_t n = candidates.survivors();
    if (n < 2 || draw(view) > probability) return;
    candidates.set_order(Order::by_logit);
    const double least = candidates.log_sum_exp() + detail::math::log(threshold);
    std::size_t reaching = 0;
    std::uint64_t last = 0;
    candidates.for_each([&](TokenId id, float x) {
      if (!(static_cast<double>(x) >= least)) return;
      const std::uint64_t key = detail::rank_key(x, static_cast<std::uint32_t>(id));
      if (++reaching == 1 || key < last) last = key;
    });
    if (reaching < 2 || n - (reaching - 1) < static_cast<std::size_t>(min_keep)) return;
    candidates.keep_if([&](TokenId id, float x) {
      return !(static_cast<double>(x) >= least) || detail::rank_key(x, static_cast<std::uint32_t>(id)) == last;
    });
  }
  template <class Self, class F>
  static void visit(Self& self, F&& f) {
    f("probability", self.probability, within(0, 1));
    f("threshold", self.threshold, within(0, 1));
    f("min_keep", self.min_keep, at_least(1), std::int64_t{1});
    f("seed", self.seed, detail::kSeedRange);
  }

 private:
  double draw(const StepView& view) const {
    if (!seed) return view.uniform(draws::kXtc + view.draws_before());
    std::mt19937 generator = view.generator(static_cast<std::uint32_t>(*seed));
    view.running().words += 1;
    return static_cast<double>(detail::canonical_float(generator));
  }
};

LOGITKIT_NAMESPACE_END
