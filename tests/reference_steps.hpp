// SPDX-License-Identifier: MIT
#pragma once
// The plain program, second half: the steps of one engine only, and the selectors. Included by reference.hpp.
#include "reference.hpp"

namespace reference {

inline std::vector<std::size_t> by_id(const Row& x) {
  std::vector<std::size_t> ids;
  for (std::size_t id = 0; id < x.size(); ++id)
    if (x[id] != kMasked) ids.push_back(id);
  return ids;
}
/// A product or quotient that no compiler may fuse with what follows.
template <class T>
T alone(T x) {
  volatile T stored = x;
  return stored;
}

/// Adds f(x, e) of the candidates to 16 sums by id mod 16, then these as a tree 8-4-2-1.
template <class F>
double lane_sum(const Row& x, F f) {
  const float max = largest(x);
  double lane[16] = {};
  for (std::size_t id = 0; id < x.size(); ++id)
    if (x[id] > kMasked) lane[id % 16] += f(static_cast<double>(x[id]), static_cast<double>(exp_of(x[id] - max)));
  for (std::size_t half = 8; half >= 1; half /= 2)
    for (std::size_t i = 0; i < half; ++i) lane[i] += lane[i + half];
  return lane[0];
}
inline double entropy(const Row& x) {
  const auto max = static_cast<double>(largest(x));
  const double weighted = lane_sum(x, [max](double v, double e) { return e > 0 ? alone(e * (v - max)) : 0.0; });
  const double total = normaliser(x, largest(x));
  return lk::detail::math::log(total) - weighted / total;
}

inline std::vector<int> history(const lk::Request& request) {
  std::vector<int> all(request.prompt().begin(), request.prompt().end());
  all.insert(all.end(), request.output().begin(), request.output().end());
  return all;
}
inline void remove(Row& x, int id) {
  if (id >= 0 && static_cast<std::size_t>(id) < x.size()) x[static_cast<std::size_t>(id)] = kMasked;
}
/// Whether the history ends with all but the last token of a sequence.
inline bool begins(const std::vector<int>& sequence, const std::vector<int>& history, lk::ShortHistory rule) {
  const std::size_t before = sequence.size() - 1;
  return history.size() >= before + (rule == lk::ShortHistory::hf ? 1 : 0) &&
         std::equal(sequence.begin(), sequence.end() - 1, history.end() - static_cast<std::ptrdiff_t>(before));
}

inline void typical_p(Row& x, const lk::TypicalP& s, Context& context) {
  if (s.p == 1) return;
  const double typical = log_sum_exp(x) - entropy(x);
  const auto distance = [&](std::size_t id) {
    return static_cast<float>(std::fabs(static_cast<double>(x[id]) - typical));
  };
  auto order = by_id(x);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return distance(a) < distance(b); });
  const float max = largest(x);
  const double target = s.p * normaliser(x, max);
  double mass = 0;
  std::size_t n = 0;
  while (n < order.size() && (n < static_cast<std::size_t>(s.min_keep) || mass < target))
    mass += static_cast<double>(exp_of(x[order[n++]] - max));
  if (s.ties == lk::Ties::keep)
    while (n < order.size() && distance(order[n]) == distance(order[n - 1])) ++n;
  keep_first(x, order, n);
  order.resize(n);
  context.order = order;
}

inline void top_h(Row& x, const lk::TopH& s, Context& context) {
  auto order = ranked(x);
  context.order = order;
  const std::size_t most = std::min<std::size_t>(order.size(), 100);
  const float max = x[order[0]];
  double mass = 0, total = 0, sum = 0;
  for (std::size_t i = 0; i < most; ++i) mass += static_cast<double>(exp_of(x[order[i]] - max));
  const double ln_mass = lk::detail::math::log(mass);
  const auto share = [&](std::size_t i) {
    const auto e = static_cast<double>(exp_of(x[order[i]] - max));
    return e > 0 ? alone(e * (ln_mass - (static_cast<double>(x[order[i]]) - static_cast<double>(max)))) : 0.0;
  };
  for (std::size_t i = 0; i < most; ++i) total += share(i);
  std::size_t n = 0;
  for (; n < most; ++n) {
    sum += share(n);
    if (n > 0 && !(sum <= s.h * total)) break;
  }
  keep_first(x, order, n);
}

inline void xtc(Row& x, const lk::Xtc& s, Context& context) {
  const std::uint32_t number = context.xtcs++;
  const auto order = ranked(x);
  if (s.probability == 0 || s.threshold > 0.5 || order.size() < 2) return;
  double u;
  if (s.seed) {
    std::mt19937 generator(static_cast<std::uint32_t>(*s.seed));
    std::uint64_t& words = (*context.memory)[context.step].words;
    generator.discard(words++);
    u = std::min(static_cast<double>(static_cast<float>(generator()) * 0x1p-32f), 1 - 0x1p-24);
  } else {
    u = lk::uniform(context.request->seed(), context.request->stream(),
                    static_cast<std::uint32_t>(context.request->position()), 0x1000 + number);
  }
  if (u > s.probability) return;
  context.order = order;
  const double least = log_sum_exp(x) + lk::detail::math::log(s.threshold);
  std::size_t reaching = 0;
  while (reaching < order.size() && static_cast<double>(x[order[reaching]]) >= least) ++reaching;
  if (reaching < 2 || order.size() - (reaching - 1) < static_cast<std::size_t>(s.min_keep)) return;
  for (std::size_t i = 0; i + 1 < reaching; ++i) x[order[i]] = kMasked;
}

inline void no_repeat_ngram(Row& x, const lk::NoRepeatNgram& s, const std::vector<int>& history) {
  const auto n = static_cast<std::size_t>(s.n);
  if (n == 0) return;
  for (std::size_t i = 0; i + n <= history.size(); ++i)
    if (std::equal(history.end() - static_cast<std::ptrdiff_t>(n - 1), history.end(),
                   history.begin() + static_cast<std::ptrdiff_t>(i)))
      remove(x, history[i + n - 1]);
}

inline void dry(Row& x, const lk::Dry& s, const std::vector<int>& history) {
  if (static_cast<float>(s.multiplier) == 0.0f) return;
  std::vector<int> t(history.rbegin(), history.rend());
  if (s.window > 0 && t.size() > static_cast<std::size_t>(s.window)) t.resize(static_cast<std::size_t>(s.window));
  const auto allowed = static_cast<std::size_t>(s.allowed_length);
  if (t.size() <= allowed) return;
  std::size_t limit = t.size();
  bool found = false;
  for (std::size_t i = 0; i < t.size() && !found; ++i) {
    for (const auto& breaker : s.breakers) {
      const std::size_t tail = breaker.size() - 1;
      bool matches = t[i] == breaker[0] && tail <= i;
      for (std::size_t j = 1; matches && j <= tail; ++j) matches = t[i - j] == breaker[j];
      if (matches) {
        limit = found ? std::min(limit, i - tail) : i - tail;
        found = true;
      }
    }
  }
  if (limit < allowed) return;
  std::map<int, std::size_t> longest;
  for (std::size_t k = 1; k < t.size(); ++k) {
    std::size_t length = 0;
    while (length < limit && k + length < t.size() && t[length] == t[k + length]) ++length;
    if (length >= allowed) longest[t[k - 1]] = std::max(longest[t[k - 1]], length);
  }
  const auto base = static_cast<double>(static_cast<float>(s.base));
  for (const auto& [token, length] : longest) {
    if (token < 0 || static_cast<std::size_t>(token) >= x.size()) continue;
    if (std::find(s.breakers.begin(), s.breakers.end(), std::vector<int>{token}) != s.breakers.end()) continue;
    auto exponent = static_cast<double>(length - allowed);
    if (base > 1.000001) exponent = std::min(exponent, std::floor(88.7228391 / lk::detail::math::log(base)));
    const double power = lk::detail::math::pow(base, exponent);
    float& v = x[static_cast<std::size_t>(token)];
    if (v > kMasked) v -= static_cast<float>(static_cast<double>(static_cast<float>(s.multiplier)) * power);
  }
}

inline void dynamic_temperature(Row& x, const lk::DynamicTemperature& s, Context& context) {
  float divisor = static_cast<float>(s.temperature);
  if (s.range > 0) {
    const std::size_t n = survivors(x);
    if (n <= 1) return;
    context.order = ranked(x);
    const double low = std::max(0.0, s.temperature - s.range);
    const double share = std::max(0.0, entropy(x)) / lk::detail::math::log(static_cast<double>(n));
    const double t = low + alone((s.temperature + s.range - low) * lk::detail::math::pow(share, s.exponent));
    if (t < 1e-30) return keep_first(x, context.order, 1);
    divisor = static_cast<float>(std::min(t, 3e38));
  }
  for (float& v : x) v = v / divisor;
}

inline void guidance(Row& x, const lk::Guidance& s, Context& context, std::size_t width) {
  Row u = context.unconditional;
  if (u.size() != width) {
    context.failed = lk::Status::width_mismatch;
    return;
  }
  u.resize(x.size());
  const double total = log_sum_exp(x), other = log_sum_exp(u);
  for (std::size_t id = 0; id < x.size(); ++id) {
    if (x[id] == kMasked) continue;
    const auto c = static_cast<float>(static_cast<double>(x[id]) - total);
    const auto d = static_cast<float>(static_cast<double>(u[id]) - other);
    x[id] = c == kMasked ? c : alone(static_cast<float>(s.scale) * (c - d)) + d;
  }
  context.order = by_id(x);
}

inline void force(Row& x, const std::vector<int>& ids, Context& context) {
  std::fill(x.begin(), x.end(), kMasked);
  for (const int id : ids)
    if (static_cast<std::size_t>(id) < x.size()) x[static_cast<std::size_t>(id)] = 0;
  context.order = by_id(x);
}

/// One step of the second set.
inline void apply_second(const lk::Step& step, Row& x, Context& context, std::size_t width) {
  const lk::Request& request = *context.request;
  const std::size_t position = request.position(), generated = request.output().size();
  const std::vector<int> all = history(request);
  const auto end_ids = [&](const std::optional<lk::TokenIds>& own) {
    return own ? *own : lk::TokenIds(request.end_ids().begin(), request.end_ids().end());
  };
  const auto remove_all = [&](const lk::TokenIds& ids) {
    for (const int id : ids) remove(x, id);
  };
  if (const auto* dynamic = step.as<lk::DynamicTemperature>()) {
    dynamic_temperature(x, *dynamic, context);
  } else if (const auto* typical = step.as<lk::TypicalP>()) {
    typical_p(x, *typical, context);
  } else if (const auto* sigma = step.as<lk::TopNSigma>()) {
    if (sigma->n <= 0) return;
    const auto max = static_cast<double>(largest(x)), n = static_cast<double>(survivors(x));
    const double mean = lane_sum(x, [max](double v, double) { return v - max; }) / n;
    const double variance =
        lane_sum(x, [&](double v, double) { return alone((v - max - mean) * (v - max - mean)); }) / n;
    at_least(x, max - alone(sigma->n * std::sqrt(variance)), 1, lk::Ties::exact);
  } else if (const auto* epsilon = step.as<lk::EpsilonCutoff>()) {
    if (epsilon->epsilon == 0) return;
    const double least = log_sum_exp(x) + lk::detail::math::log(epsilon->epsilon);
    if (!at_least(x, least, epsilon->min_keep, lk::Ties::keep)) context.order = ranked(x);
  } else if (const auto* eta = step.as<lk::EtaCutoff>()) {
    if (eta->epsilon == 0) return;
    const double ln = lk::detail::math::log(eta->epsilon);
    const double least = log_sum_exp(x) + std::min(ln, ln / 2 - entropy(x));
    if (!at_least(x, least, eta->min_keep, lk::Ties::keep)) context.order = ranked(x);
  } else if (const auto* h = step.as<lk::TopH>()) {
    top_h(x, *h, context);
  } else if (const auto* top_choices = step.as<lk::Xtc>()) {
    xtc(x, *top_choices, context);
  } else if (const auto* repetition = step.as<lk::Dry>()) {
    dry(x, *repetition, all);
  } else if (const auto* ngram = step.as<lk::NoRepeatNgram>()) {
    no_repeat_ngram(x, *ngram, all);
  } else if (const auto* bias = step.as<lk::SequenceBias>()) {
    for (const bool single : {true, false})
      for (const auto& [ids, b] : bias->biases)
        if ((ids.size() == 1) == single && begins(ids, all, bias->short_history) &&
            static_cast<std::size_t>(ids.back()) < x.size())
          add(x[static_cast<std::size_t>(ids.back())], b);
  } else if (const auto* banned = step.as<lk::BanSequences>()) {
    const std::vector<int> prompt(request.prompt().begin(), request.prompt().end());
    const std::vector<int> output(request.output().begin(), request.output().end());
    const auto& scope = banned->scope == lk::Scope::output ? output : banned->scope == lk::Scope::prompt ? prompt : all;
    for (const auto& ids : banned->sequences)
      if (begins(ids, scope, banned->short_history)) remove(x, ids.back());
  } else if (const auto* new_tokens = step.as<lk::MinNewTokens>()) {
    if (generated < static_cast<std::size_t>(new_tokens->min_new_tokens)) remove_all(end_ids(new_tokens->end_ids));
  } else if (const auto* length = step.as<lk::MinLength>()) {
    if (position < static_cast<std::size_t>(length->min_length)) remove_all(end_ids(length->end_ids));
  } else if (const auto* bos = step.as<lk::ForcedBos>()) {
    if (position == 1) force(x, {bos->token}, context);
  } else if (const auto* eos = step.as<lk::ForcedEos>()) {
    const auto limit = eos->max_length       ? static_cast<std::size_t>(*eos->max_length)
                       : eos->max_new_tokens ? static_cast<std::size_t>(*eos->max_new_tokens)
                                             : request.max_new_tokens();
    if (limit == 0) context.failed = lk::Status::unsupported;
    const bool is_last = (eos->max_length ? position : generated) + 1 == limit;
    if (is_last) force(x, end_ids(eos->end_ids), context);
  } else if (const auto* suppress = step.as<lk::SuppressAtBegin>()) {
    const auto begin = suppress->begin_index.value_or(static_cast<std::int64_t>(request.prompt().size()));
    if (position == static_cast<std::size_t>(begin)) remove_all(suppress->ids);
  } else if (const auto* decay = step.as<lk::ExponentialDecayLengthPenalty>()) {
    const std::int64_t over = static_cast<std::int64_t>(generated) - decay->start;
    if (over <= 0 || decay->factor == 1) return;
    const auto growth = static_cast<float>(lk::detail::math::pow(decay->factor, static_cast<double>(over)) - 1);
    for (const int id : end_ids(decay->end_ids))
      if (static_cast<std::size_t>(id) < x.size() && x[static_cast<std::size_t>(id)] > kMasked) {
        float& v = x[static_cast<std::size_t>(id)];
        v = v + alone(std::fabs(v) * growth);
      }
  } else if (const auto* prefix = step.as<lk::PrefixForce>()) {
    if (generated >= prefix->ids.size()) return;
    for (std::size_t id = 0; id < x.size(); ++id)
      if (static_cast<int>(id) != prefix->ids[generated]) x[id] = kMasked;
  } else if (const auto* mask = step.as<lk::AllowMask>()) {
    std::vector<std::int32_t> words((x.size() + 31) / 32, -1);
    if (mask->words)
      words = mask->words->words;
    else if (request.constraint() != nullptr)
      static_cast<void>(request.constraint()->fill(words));
    for (std::size_t id = 0; id < x.size(); ++id)
      if (id / 32 >= words.size() || (static_cast<std::uint32_t>(words[id / 32]) >> (id % 32) & 1) == 0)
        x[id] = kMasked;
  } else if (const auto* invalid = step.as<lk::RemoveInvalid>()) {
    const float most = std::numeric_limits<float>::max();
    if (invalid->mode == lk::InvalidMode::hf && survivors(x) < x.size()) context.order.clear();
    for (float& v : x) {
      if (invalid->mode == lk::InvalidMode::mask)
        v = is_bad(v) ? kMasked : v;
      else
        v = std::isnan(v) ? 0 : std::clamp(v, -most, most);
    }
    if (context.order.empty()) context.order = by_id(x);
  } else if (const auto* guide = step.as<lk::Guidance>()) {
    guidance(x, *guide, context, width);
  }
}

// Selectors.

inline float float_exp(float x) { return static_cast<float>(lk::detail::math::exp(static_cast<double>(x))); }
inline float float_log(float x) { return static_cast<float>(lk::detail::math::log(static_cast<double>(x))); }
inline float float_pow(float x, float y) {
  return static_cast<float>(lk::detail::math::pow(static_cast<double>(x), static_cast<double>(y)));
}

inline double next_uniform(const std::optional<std::int64_t>& seed, Context& context) {
  if (!seed)
    return lk::uniform(context.request->seed(), context.request->stream(),
                       static_cast<std::uint32_t>(context.request->position()), 0);
  std::mt19937 generator(static_cast<std::uint32_t>(*seed));
  std::uint64_t& words = (*context.memory)[context.step].words;
  generator.discard(words);
  words += 2;
  const std::uint64_t low = generator(), high = generator();
  return std::min((static_cast<double>(low) + static_cast<double>(high) * 0x1p32) * 0x1p-64, 1 - 0x1p-53);
}

/// Probabilities of an array, as llama.cpp's softmax makes them.
inline std::vector<float> float_softmax(const std::vector<float>& logits) {
  const float max = *std::max_element(logits.begin(), logits.end());
  std::vector<float> p;
  float sum = 0;
  for (const float v : logits) {
    p.push_back(float_exp(v - max));
    sum += p.back();
  }
  for (float& v : p) v /= sum;
  return p;
}
/// Index of the weight drawn; one alone is not drawn.
inline std::size_t draw_discrete(const std::vector<float>& p, const std::optional<std::int64_t>& seed,
                                 Context& context) {
  if (p.size() == 1) return 0;
  double sum = 0, running = 0;
  for (const float v : p) sum += static_cast<double>(v);
  const double u = next_uniform(seed, context);
  std::size_t last = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (p[i] == 0) continue;
    last = i;
    running += static_cast<double>(p[i]) / sum;
    if (running >= u) break;
  }
  return last;
}

inline std::size_t mirostat_draw(const Row& x, const std::vector<std::size_t>& order, float tau, float eta,
                                 const std::optional<std::int64_t>& seed, Context& context) {
  std::vector<float> logits;
  for (const std::size_t id : order) logits.push_back(x[id]);
  const auto p = float_softmax(logits);
  const std::size_t at = draw_discrete(p, seed, context);
  const auto surprise = static_cast<float>(-lk::detail::math::log(static_cast<double>(p[at])) * 0x1.71547652b82fep0);
  (*context.memory)[context.step].a -= alone(eta * (surprise - tau));
  return order[at];
}

inline std::size_t mirostat_length(const Row& x, const std::vector<std::size_t>& order, const lk::Mirostat& s, float mu,
                                   std::size_t width) {
  const auto total = static_cast<float>(normaliser(x, x[order[0]]));
  const auto p = [&](std::size_t i) { return float_exp(x[order[i]] - x[order[0]]) / total; };
  float products = 0, squares = 0;
  for (std::size_t i = 0; i + 1 < std::min(static_cast<std::size_t>(s.m), order.size()); ++i) {
    const float t = float_log(static_cast<float>(i + 2) / static_cast<float>(i + 1));
    products += alone(t * float_log(p(i) / p(i + 1)));
    squares += alone(t * t);
  }
  const float slope = products / squares, e = slope - 1;
  const auto n = static_cast<float>(s.n_vocab.value_or(static_cast<std::int64_t>(width)));
  const float k = float_pow(e * float_pow(2, mu) / (1 - float_pow(n, -e)), 1 / slope);
  return std::isnan(k) || k < 1 ? 1 : static_cast<std::size_t>(std::min(k, static_cast<float>(order.size())));
}

inline int select(const lk::Step& selector, const Row& x, Context& context, std::size_t width) {
  const lk::Request& request = *context.request;
  const auto uniform = [&](std::uint32_t draw) {
    return lk::uniform(request.seed(), request.stream(), static_cast<std::uint32_t>(request.position()), draw);
  };
  auto order = ranked(x);
  Remembered& memory = (*context.memory)[context.step];
  if (selector.type() == "greedy") return static_cast<int>(order[0]);
  if (selector.type() == "multinomial") return draw(x, uniform(0));
  if (selector.type() == "exponential_race") {
    double best = 0;
    int winner = -1;
    for (std::size_t id = 0; id < x.size(); ++id) {
      if (x[id] == kMasked) continue;
      const double u =
          lk::race_uniforms(request.seed(), request.stream(), static_cast<std::uint32_t>(request.position()),
                            static_cast<std::uint32_t>(id / 2))[id % 2];
      const double score = static_cast<double>(x[id]) - lk::detail::math::log(-lk::detail::math::log(1 - u));
      if (winner == -1 || score > best) {
        best = score;
        winner = static_cast<int>(id);
      }
    }
    return winner;
  }
  std::erase_if(context.order, [&](std::size_t id) { return x[id] == kMasked; });
  if (const auto* dist = selector.as<lk::LlamaCppDist>()) {
    const float max = largest(x);
    double sum = 0, running = 0;
    for (const std::size_t id : context.order) sum += static_cast<double>(float_exp(x[id] - max));
    const double target = next_uniform(dist->seed, context) * sum;
    std::size_t last = 0;
    for (const std::size_t id : context.order) {
      const float e = float_exp(x[id] - max);
      if (e == 0) continue;
      last = id;
      running += static_cast<double>(e);
      if (running >= target) break;
    }
    return static_cast<int>(last);
  }
  if (const auto* v1 = selector.as<lk::Mirostat>()) {
    if (!memory.is_set) memory = {true, 2 * static_cast<float>(v1->tau), 0, 0};
    order.resize(std::min(order.size(), mirostat_length(x, order, *v1, memory.a, width)));
    return static_cast<int>(
        mirostat_draw(x, order, static_cast<float>(v1->tau), static_cast<float>(v1->eta), v1->seed, context));
  }
  if (const auto* v2 = selector.as<lk::MirostatV2>()) {
    if (!memory.is_set) memory = {true, 2 * static_cast<float>(v2->tau), 0, 0};
    const double least = log_sum_exp(x) - alone(static_cast<double>(memory.a) * 0x1.62e42fefa39efp-1);
    std::size_t n = 1;
    while (n < order.size() && static_cast<double>(x[order[n]]) >= least) ++n;
    order.resize(n);
    return static_cast<int>(
        mirostat_draw(x, order, static_cast<float>(v2->tau), static_cast<float>(v2->eta), v2->seed, context));
  }
  const auto& adaptive = *selector.as<lk::AdaptiveP>();
  const auto target = static_cast<float>(adaptive.target), decay = static_cast<float>(adaptive.decay);
  if (!memory.is_set) memory = {true, target / (1 - decay), 1 / (1 - decay), 0};
  const float aim = std::clamp(2 * target - memory.a / memory.b, 0.0f, 1.0f);
  std::vector<float> logits;
  for (const std::size_t id : context.order) logits.push_back(x[id]);
  const auto p = float_softmax(logits);
  for (std::size_t i = 0; i < p.size(); ++i) {
    const float d = std::fabs((p[i] - aim) * (1 / 0.3f));
    logits[i] = 5 - 10 * d * d / (1 + d);
  }
  const std::size_t at = draw_discrete(float_softmax(logits), adaptive.seed, context);
  memory.a = p[at] + alone(decay * memory.a);
  memory.b = 1 + alone(decay * memory.b);
  return static_cast<int>(context.order[at]);
}

}  // namespace reference
