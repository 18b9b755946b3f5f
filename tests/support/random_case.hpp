// SPDX-License-Identifier: MIT
#pragma once
// Random rows, histories and chains from a stream of numbers: a seed in the property tests, bytes in the fuzzer.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "logitkit/logitkit.hpp"

namespace random_case {

namespace lk = logitkit;

/// Where the numbers come from.
class Source {
 public:
  explicit Source(std::uint64_t seed) : state_(seed) {}
  explicit Source(std::span<const std::uint8_t> bytes) : bytes_(bytes), uses_bytes_(true) {}

  std::uint32_t word() {
    if (uses_bytes_) {
      std::uint32_t w = 0;
      for (int i = 0; i < 4; ++i, ++next_) w = w << 8 | (next_ < bytes_.size() ? bytes_[next_] : 0u);
      return w;
    }
    state_ += 0x9E3779B97F4A7C15;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return static_cast<std::uint32_t>((z ^ (z >> 31)) >> 32);
  }
  /// 0 … n - 1
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(word()) * n >> 32; }
  double unit() { return word() * 0x1p-32; }
  double between(double low, double high) { return low + (high - low) * unit(); }
  bool chance(double p) { return unit() < p; }
  template <class T, std::size_t n>
  T one_of(const T (&list)[n]) {
    return list[below(n)];
  }

 private:
  std::uint64_t state_ = 0;
  std::span<const std::uint8_t> bytes_;
  std::size_t next_ = 0;
  bool uses_bytes_ = false;
};

struct Case {
  std::vector<float> row;  ///< what the library reads, as float32
  std::vector<lk::float16> half;
  std::vector<lk::bfloat16> brain;
  lk::Dtype dtype = lk::Dtype::float32;
  std::vector<lk::Step> steps;
  lk::Step selector = lk::Multinomial();
  bool logprob = false;
  std::vector<float> unconditional;  ///< for guidance
  int tokens = 1;                    ///< how many are picked, each accepted before the next
  lk::Request request{{}, {.seed = 1}};

  lk::LogitsView view() const {
    if (dtype == lk::Dtype::float16) return half;
    if (dtype == lk::Dtype::bfloat16) return brain;
    return row;
  }
  bool is_greedy() const { return selector.type() == "greedy"; }
  lk::Pipeline pipeline() const { return {lk::Chain(steps), selector}; }
  std::string text() const {
    std::string text = "V " + std::to_string(row.size()) + ", dtype " + std::to_string(static_cast<int>(dtype)) + ":";
    for (const lk::Step& step : steps) {
      text += " " + std::string(step.type()) + "(";
      for (const lk::Field& f : step.fields())
        if (const auto* x = std::get_if<double>(&f.value))
          text += std::to_string(*x) + " ";
        else if (const auto* n = std::get_if<std::int64_t>(&f.value))
          text += std::to_string(*n) + " ";
      text += ")";
    }
    return text + " " + std::string(selector.type());
  }
};

/// Peaked to flat, with ties, masks and edges.
inline void random_row(Source& s, std::size_t vocabulary, Case& c) {
  constexpr double kScales[] = {1e-38, 0.01, 0.3, 1, 1, 3, 3, 8, 30, 1e4, 1e37};
  const double scale = s.one_of(kScales), shift = s.chance(0.3) ? s.between(-50, 50) : 0;
  const double step = s.chance(0.4) ? s.one_of({0.5, 0.125, 1.0, 3.0}) : 0;  // values on a grid: ties
  const double masked = s.chance(0.3) ? s.one_of({0.05, 0.5, 0.95, 0.999, 1.0}) : 0;
  const bool heavy_tail = s.chance(0.5);
  c.row.resize(vocabulary);
  for (float& x : c.row) {
    double v = s.unit() + s.unit() + s.unit() - 1.5;
    if (heavy_tail && s.chance(0.05)) v *= 4;
    v = v * scale + shift;
    if (step > 0) v = std::round(v / (step * scale)) * step * scale;
    x = masked > 0 && s.chance(masked) ? -std::numeric_limits<float>::infinity() : static_cast<float>(v);
  }
  if (s.chance(0.02)) c.row[s.below(vocabulary)] = s.one_of({NAN, -NAN, INFINITY, 3e38f, -3e38f});
  if (s.chance(0.1))
    for (float& x : c.row) x = c.row[0];  // all equal
  c.dtype = s.chance(0.7) ? lk::Dtype::float32 : s.chance(0.5) ? lk::Dtype::float16 : lk::Dtype::bfloat16;
  for (float& x : c.row) {
    if (c.dtype == lk::Dtype::float16) x = static_cast<float>(c.half.emplace_back(x));
    if (c.dtype == lk::Dtype::bfloat16) x = static_cast<float>(c.brain.emplace_back(x));
  }
}

inline lk::TokenIds random_ids(Source& s, std::size_t vocabulary, std::size_t most) {
  lk::TokenIds ids;
  for (std::size_t n = s.below(most + 1); n > 0; --n) ids.push_back(static_cast<lk::TokenId>(s.below(vocabulary)));
  return ids;
}

/// Short sequences of few ids, so that they are found in the history.
inline lk::TokenSequences random_sequences(Source& s, std::size_t vocabulary, std::size_t most) {
  lk::TokenSequences sequences(s.below(most + 1));
  for (auto& ids : sequences) {
    ids = random_ids(s, std::min<std::size_t>(vocabulary, 6), 3);
    ids.push_back(static_cast<lk::TokenId>(s.below(s.chance(0.5) ? vocabulary : std::min<std::size_t>(vocabulary, 6))));
  }
  return sequences;
}
inline std::optional<std::int64_t> random_seed(Source& s) {
  return s.chance(0.5) ? std::optional<std::int64_t>(s.word()) : std::nullopt;
}

/// A step that one engine only has.
inline lk::Step random_second_step(Source& s, std::size_t vocabulary, double p, std::int64_t keep) {
  const auto small = static_cast<std::int64_t>(s.below(40));
  const auto end_ids = s.chance(0.5) ? std::optional<lk::TokenIds>(random_ids(s, vocabulary, 3)) : std::nullopt;
  const auto short_history = s.chance(0.5) ? lk::ShortHistory::hf : lk::ShortHistory::match;
  const double below_1 = p == 1 ? 0.99 : p, above_0 = p == 0 ? 1e-4 : p;
  switch (s.below(21)) {
    case 0:
      return lk::DynamicTemperature(s.one_of({1.0, 0.7, 1.5, 0.1}), s.one_of({0.0, 0.3, 1.0, 5.0}),
                                    s.one_of({1.0, 0.5, 2.0}));
    case 1:
      return lk::TypicalP(above_0, {.min_keep = keep, .ties = s.chance(0.5) ? lk::Ties::keep : lk::Ties::exact});
    case 2:
      return lk::TopNSigma(s.one_of({-1.0, 0.0, 0.5, 1.0, 2.0, 3.7}));
    case 3:
      return lk::EpsilonCutoff(below_1, {.min_keep = keep});
    case 4:
      return lk::EtaCutoff(below_1, {.min_keep = keep});
    case 5:
      return lk::TopH(above_0);
    case 6:
      return lk::Xtc(s.one_of({0.0, 0.5, 1.0}), s.one_of({0.0, 0.01, 0.1, 0.3, 0.6}),
                     {.min_keep = keep, .seed = random_seed(s)});
    case 7:
    case 8:
      return lk::Dry(s.one_of({0.0, 0.8, 2.0}), {.base = s.one_of({1.0, 1.75, 4.0}),
                                                 .allowed_length = static_cast<std::int64_t>(s.below(4)),
                                                 .window = s.chance(0.5) ? small : 0,
                                                 .breakers = random_sequences(s, vocabulary, s.chance(0.5) ? 3 : 0)});
    case 9:
      return lk::NoRepeatNgram(static_cast<std::int64_t>(s.below(5)));
    case 10: {
      lk::SequenceBiases biases;
      for (auto& ids : random_sequences(s, vocabulary, 8))
        biases.emplace_back(ids, s.one_of({0.0, 5.0, -5.0, 0.25, -static_cast<double>(INFINITY)}));
      return lk::SequenceBias(biases, {.short_history = short_history});
    }
    case 11:
      return lk::BanSequences(random_sequences(s, vocabulary, 8),
                              {.scope = s.one_of({lk::Scope::prompt_and_output, lk::Scope::output, lk::Scope::prompt}),
                               .short_history = short_history});
    case 12:
      return lk::MinNewTokens(small, {.end_ids = end_ids});
    case 13:
      return lk::MinLength(small, {.end_ids = end_ids});
    case 14:
      return s.chance(0.5) ? lk::Step(lk::ForcedBos(static_cast<lk::TokenId>(s.below(vocabulary))))
                           : lk::Step(lk::SuppressAtBegin(random_ids(s, vocabulary, 5), {.begin_index = small}));
    case 15:
      return s.chance(0.5) ? lk::ForcedEos({.end_ids = end_ids})
                           : lk::ForcedEos({.max_new_tokens = 1 + small, .end_ids = end_ids});
    case 16:
      return lk::ExponentialDecayLengthPenalty(small, s.one_of({1.0, 1.02, 1.5, 0.9}), {.end_ids = end_ids});
    case 17:
      return lk::PrefixForce(random_ids(s, vocabulary, s.chance(0.5) ? 60 : 2));
    case 18: {
      std::vector<std::int32_t> words((vocabulary + 31) / 32 + s.below(3) - s.below(2));
      for (auto& word : words) word = static_cast<std::int32_t>(s.word() & s.word());
      return lk::AllowMask(words);
    }
    case 19:
      return lk::RemoveInvalid(s.chance(0.5) ? lk::InvalidMode::hf : lk::InvalidMode::mask);
    default:
      return lk::Guidance(s.one_of({1.0, 1.5, 3.0, 0.5, 0.0}));
  }
}

inline lk::Step random_selector(Source& s) {
  switch (s.below(12)) {
    case 0:
      return lk::ExponentialRace();
    case 1:
      return lk::LlamaCppDist(s.word());
    case 2:
      return lk::Mirostat(s.one_of({0.5, 3.0, 5.0}), s.one_of({0.1, 0.5}),
                          {.m = 2 + static_cast<std::int64_t>(s.below(120)), .seed = random_seed(s)});
    case 3:
      return lk::MirostatV2(s.one_of({0.5, 3.0, 5.0}), s.one_of({0.1, 0.5}), {.seed = random_seed(s)});
    case 4:
      return lk::AdaptiveP(s.unit(), s.one_of({0.0, 0.5, 0.99}), {.seed = random_seed(s)});
    case 5:
    case 6:
    case 7:
      return lk::Greedy();
    default:
      return lk::Multinomial();
  }
}

/// A step of any type with parameters from neutral to extreme.
inline lk::Step random_step(Source& s, std::size_t vocabulary) {
  const auto scope = s.one_of({lk::Scope::prompt_and_output, lk::Scope::output, lk::Scope::prompt});
  const std::int64_t window = s.chance(0.3) ? static_cast<std::int64_t>(s.below(40)) : 0;
  const auto exempt = random_ids(s, vocabulary, s.chance(0.2) ? 3 : 0);
  const std::int64_t keep = s.chance(0.2) ? 1 + static_cast<std::int64_t>(s.below(20)) : 1;
  const double p =
      s.one_of({0.0, 1e-9, 0.01, 0.1, 0.3, 0.5, 0.8, 0.9, 0.95, 0.999, 0.9998, 0.99999, 1.0, s.unit(), s.unit()});
  if (s.chance(0.5)) return random_second_step(s, vocabulary, p, keep);
  switch (s.below(11)) {
    case 0:
      return lk::Temperature(s.one_of({1.0, 0.7, 1.5, 0.1, 2.0, 1e-3, 30.0, s.between(0.2, 3)}));
    case 1: {
      const std::size_t k = s.chance(0.3) ? s.below(vocabulary + 2) : s.below(30);
      return lk::TopK(static_cast<std::int64_t>(k),
                      {.ties = s.chance(0.3) ? lk::Ties::keep : lk::Ties::exact, .min_keep = keep});
    }
    case 2:
      return lk::TopP(p, {.min_keep = keep});
    case 3:
      return lk::MinP(p, {.min_keep = keep});
    case 4:
      return lk::RepetitionPenalty(s.one_of({1.0, 1.1, 1.3, 0.8, 5.0}),
                                   {.scope = scope,
                                    .window = window,
                                    .prompt_ignore_length = s.chance(0.2) ? static_cast<std::int64_t>(s.below(30)) : 0,
                                    .exempt = exempt});
    case 5:
      return lk::FrequencyPenalty(s.one_of({0.0, 0.3, 0.1, -0.7, 2.0}),
                                  {.scope = scope, .window = window, .exempt = exempt});
    case 6:
      return lk::PresencePenalty(s.one_of({0.0, 0.3, 0.1, -0.7, 2.0}),
                                 {.scope = scope, .window = window, .exempt = exempt});
    case 7: {
      lk::TokenBiases bias;
      for (const lk::TokenId id : random_ids(s, vocabulary, 30))
        if (std::none_of(bias.begin(), bias.end(), [id](const auto& b) { return b.first == id; }))
          bias.emplace_back(id, s.one_of({0.0, 5.0, -5.0, 0.25, -100.0, -static_cast<double>(INFINITY)}));
      return lk::LogitBias(bias);
    }
    case 8:
      return lk::BanTokens(random_ids(s, vocabulary, s.chance(0.2) ? vocabulary : 10));
    case 9: {
      lk::TokenIds ids = random_ids(s, vocabulary, s.chance(0.5) ? vocabulary : 20);
      ids.push_back(static_cast<lk::TokenId>(s.below(vocabulary)));
      return lk::ForceTokens(ids);
    }
    default:
      return lk::LogSoftmax();
  }
}

inline Case random_case(Source& s, std::size_t vocabulary) {
  Case c;
  random_row(s, vocabulary, c);
  for (std::size_t n = s.below(7), remembering = 0; n > 0; --n) {
    c.steps.push_back(random_step(s, vocabulary));
    if (c.steps.back().traits().remembers && ++remembering + 1 == lk::RunningValues::kMost)
      break;  // with the selector's
  }
  c.selector = random_selector(s);
  c.logprob = s.chance(0.3);
  c.tokens = vocabulary > 8192 ? 1 : 1 + static_cast<int>(s.below(3));
  if (std::any_of(c.steps.begin(), c.steps.end(), [](const lk::Step& step) { return step.type() == "guidance"; })) {
    c.unconditional.resize(s.chance(0.95) ? vocabulary : 1);
    for (float& x : c.unconditional) x = static_cast<float>(s.between(-4, 4));
  }
  lk::RequestOptions options{.seed = s.word(), .stream = s.below(3)};
  options.end_ids = random_ids(s, vocabulary, 2);
  options.max_new_tokens = s.below(60);
  if (s.chance(0.1)) options.vocabulary_size = 1 + s.below(vocabulary);
  const auto history = [&] {
    lk::TokenIds ids = random_ids(s, std::min(vocabulary, s.one_of({vocabulary, std::size_t{30}, std::size_t{5}})), 60);
    if (s.chance(0.1)) ids.push_back(s.one_of({-200, 1000000}));  // image placeholders
    return ids;
  };
  c.request = lk::Request(std::span<const lk::TokenId>(history()), options);
  for (const lk::TokenId id : history()) c.request.accept(id);
  return c;
}

/// V from 1 to `most`, its logarithm uniform.
inline std::size_t random_size(Source& s, std::size_t most) {
  return std::min(most, static_cast<std::size_t>(std::exp(s.unit() * std::log(static_cast<double>(most) + 1))));
}

}  // namespace random_case
