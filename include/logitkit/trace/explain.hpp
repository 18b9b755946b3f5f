// SPDX-License-Identifier: MIT
#pragma once
#include "logitkit/pipeline/pipeline.hpp"
#include "logitkit/select/greedy.hpp"
#include "logitkit/select/multinomial.hpp"
#include "logitkit/trace/distribution.hpp"
#include "logitkit/trace/fingerprint_row.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// A token and the half-open interval of uniforms that draw it.
struct TokenInterval {
  TokenShare token;
  double low = 0, high = 0;
  bool operator==(const TokenInterval&) const = default;
};

/// Why a token was chosen, and how near another one was.
struct Explanation {
  Pick pick;               ///< the same as `pick` gives with PickOptions::logprob
  std::string selector;    ///< JSON type of the selector
  std::uint64_t seed = 0;  ///< what the draw depends on besides the row: seed, stream and position
  std::uint64_t stream = 0;
  std::size_t position = 0;
  std::uint64_t row = 0;  ///< fingerprint of the row

  /// The uniform in [0, 1), a multiple of 2^-53. NaN where the selector has none that decides alone: greedy, races,
  /// mirostat, adaptive-p and llama_cpp_dist, whose seed has a generator of its own.
  double uniform = std::numeric_limits<double>::quiet_NaN();
  double low = 0, high = 1;  ///< the token is drawn exactly for low <= u < high; [0, 1] where there is no uniform
  std::vector<TokenInterval> nearby;  ///< in the order of drawing: those before, the token itself, those after it
  std::vector<TokenShare> top;        ///< the likeliest at the selector
  double margin = 0;  ///< logit of the best minus that of the second at the selector; +inf for one candidate
  /// How far every logit at the selector may move, each up or down by no more than this, before another token can come
  /// out; +inf if none can, NaN where it is not known. Greedy: margin / 2. A draw: half the distance of u from the
  /// nearer end of its interval, in log-odds. Truncations are taken to keep what they kept.
  double flip_distance = std::numeric_limits<double>::quiet_NaN();

  explicit operator bool() const { return pick.status == Status::ok; }
};

struct ExplainOptions {
  std::size_t nearby = 3;         ///< tokens on either side of the interval
  std::size_t top = 10;           ///< likeliest tokens
  LogitsView unconditional = {};  ///< as in PickOptions
  TokenText text = {};            ///< texts of the tokens
};

namespace detail {

/// Finds the uniforms that draw a token by asking the draw itself; it is monotone in u.
class DrawIntervals {
 public:
  explicit DrawIntervals(const Distribution& last) { candidates_.open(workspace_, last.logits(), 0); }

  /// The token that a grid point draws.
  TokenId at(std::uint64_t point) { return candidates_.draw(static_cast<double>(point) * 0x1p-53); }
  /// The first point that draws the token of `point`.
  std::uint64_t first(std::uint64_t point) {
    const TokenId token = at(point);
    std::uint64_t low = 0, high = point;  // `high` draws it
    while (low < high) {
      const std::uint64_t middle = low + (high - low) / 2;
      if (at(middle) == token)
        high = middle;
      else
        low = middle + 1;
    }
    return high;
  }
  /// The first point past those that draw the token of `point`.
  std::uint64_t end(std::uint64_t point) {
    const TokenId token = at(point);
    std::uint64_t low = point, high = kEnd;  // `low` draws it, `high` does not
    while (high - low > 1) {
      const std::uint64_t middle = low + (high - low) / 2;
      (at(middle) == token ? low : high) = middle;
    }
    return high;
  }
  static constexpr std::uint64_t kEnd = std::uint64_t{1} << 53;

 private:
  Workspace workspace_;
  Candidates candidates_;
};

/// Half the distance of two probabilities in log-odds: moving every logit by less than this keeps them apart.
inline double half_log_odds(double a, double b) {
  if (a <= 0 || a >= 1 || b <= 0 || b >= 1) return math::kInfinity;
  const auto odds = [](double p) { return math::log(p / (1 - p)); };
  return std::abs(odds(a) - odds(b)) / 2;
}

inline void explain_draw(Explanation& e, const Distribution& last, const ExplainOptions& options) {
  DrawIntervals draw(last);
  const auto point = static_cast<std::uint64_t>(e.uniform * 0x1p53);
  const auto interval = [&](std::uint64_t in) {
    return TokenInterval{last.share(draw.at(in), options.text), static_cast<double>(draw.first(in)) * 0x1p-53,
                         static_cast<double>(draw.end(in)) * 0x1p-53};
  };
  e.nearby.push_back(interval(point));
  e.low = e.nearby.front().low;
  e.high = e.nearby.front().high;
  for (std::size_t i = 0; i < options.nearby && e.nearby.front().low > 0; ++i)
    e.nearby.insert(e.nearby.begin(), interval(static_cast<std::uint64_t>(e.nearby.front().low * 0x1p53) - 1));
  for (std::size_t i = 0; i < options.nearby && e.nearby.back().high < 1; ++i)
    e.nearby.push_back(interval(static_cast<std::uint64_t>(e.nearby.back().high * 0x1p53)));
  e.flip_distance = std::min(half_log_odds(e.uniform, e.low), half_log_odds(e.uniform, e.high));
}

/// The explanation of a pick whose candidates at the selector are known.
inline Explanation explain_pick(const Pipeline& pipeline, const Pick& pick, const Distribution& last, LogitsView row,
                                const Request& request, const ExplainOptions& options) {
  Explanation e;
  e.pick = pick;
  e.selector = pipeline.selector().type();
  e.seed = request.seed();
  e.stream = request.stream();
  e.position = request.position();
  e.row = fingerprint(row);
  if (!e) return e;
  e.top = last.top(options.top, options.text);
  const std::vector<TokenShare> best = last.top(2, {});
  e.margin =
      best.size() < 2 ? math::kInfinity : static_cast<double>(best[0].logit) - static_cast<double>(best[1].logit);
  if (last.candidates() == 1) e.flip_distance = math::kInfinity;
  if (e.selector == Greedy::kType) {
    e.flip_distance = e.margin / 2;
  } else if (const auto* multinomial = pipeline.selector().as<Multinomial>()) {
    e.uniform = multinomial->fixed_uniform().value_or(
        uniform(e.seed, e.stream, static_cast<std::uint32_t>(e.position), draws::kSelector));
    explain_draw(e, last, options);
  }
  return e;
}

}  // namespace detail

/// Replays a token from pipeline, row, and the request's seed, stream and position, and tells how it came about.
///   edge  a failing pick is returned as it is, with nothing else filled in
///   cost  a pick and some milliseconds, for V of 150,000; for people, not for every token
inline Explanation explain(const Pipeline& pipeline, LogitsView row, const Request& request,
                           const ExplainOptions& options = {}) {
  const detail::FloatEnvironment plain;
  const PickOptions how{.logprob = true, .unconditional = options.unconditional};
  detail::Distribution last;
  const int steps = static_cast<int>(pipeline.chain().steps().size());
  const Pick pick = pipeline.pick(row, request, how, request.workspace(), [&](int step, const Candidates& candidates) {
    if (step + 1 == steps) last = detail::Distribution(candidates);
  });
  return detail::explain_pick(pipeline, pick, last, row, request, options);
}

LOGITKIT_NAMESPACE_END
