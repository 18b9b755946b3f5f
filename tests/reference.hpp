// SPDX-License-Identifier: MIT
#pragma once
// The plain program: what a chain means, written as a newcomer would. Copy the row, walk all ids at every step, sort
// everything, add one number after the other. The library must give the same bits; nothing of its planning is used
// here, only its own logarithm (libms differ in the last bit) and the parameters of the steps.
#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "logitkit/logitkit.hpp"

namespace reference {

namespace lk = logitkit;
using Row = std::vector<float>;
inline constexpr float kMasked = -std::numeric_limits<float>::infinity();

/// Why the row ended where it did; status ok: it did not.
struct Outcome {
  lk::Status status = lk::Status::ok;
  int step = -1;
  int id = -1;
};

inline bool is_bad(float x) {  // NaN or +inf
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return (bits & 0x7fffffffu) >= 0x7f800000u && bits != 0xff800000u;
}
inline float largest(const Row& x) { return *std::max_element(x.begin(), x.end()); }
inline std::size_t survivors(const Row& x) {
  return static_cast<std::size_t>(std::count_if(x.begin(), x.end(), [](float v) { return v > kMasked; }));
}

/// exp(d) for d <= 0: a polynomial of degree 6 after taking out the power of two; 0 below -87.
inline float exp_of(float d) {
  if (!(d >= -87.0f)) return 0.0f;
  const float shifted = std::fma(d, 0x1.715476p+0f, 12582912.0f);
  const float n = shifted - 12582912.0f;
  float r = std::fma(n, -0x1.62e43p-1f, d);
  r = std::fma(n, 0x1.05c61p-29f, r);
  float p = 0x1.6a884ap-10f;
  for (const float c : {0x1.124368p-7f, 0x1.555938p-5f, 0x1.555484p-3f, 0x1.fffffap-2f, 1.0f, 1.0f})
    p = std::fma(p, r, c);
  return std::ldexp(p, static_cast<int>(n));
}

/// Sums of exp(x - max) by blocks of 1,024 ids: one float per lane (id mod 16), then a tree 8-4-2-1.
inline std::vector<double> block_sums(const Row& x, float max) {
  std::vector<double> sums;
  for (std::size_t first = 0; first < x.size(); first += 1024) {
    float lane[16] = {};
    for (std::size_t id = first; id < std::min(first + 1024, x.size()); ++id) lane[id % 16] += exp_of(x[id] - max);
    for (std::size_t half = 8; half >= 1; half /= 2)
      for (std::size_t i = 0; i < half; ++i) lane[i] += lane[i + half];
    sums.push_back(static_cast<double>(lane[0]));
  }
  return sums;
}
inline double normaliser(const Row& x, float max) {
  double sum = 0;
  for (const double block : block_sums(x, max)) sum += block;
  return sum;
}
inline double log_sum_exp(const Row& x) {
  const float max = largest(x);
  return static_cast<double>(max) + lk::detail::math::log(normaliser(x, max));
}

/// Ids of the candidates: logit descending, then id ascending.
inline std::vector<std::size_t> ranked(const Row& x) {
  std::vector<std::size_t> ids;
  for (std::size_t id = 0; id < x.size(); ++id)
    if (x[id] > kMasked) ids.push_back(id);
  std::stable_sort(ids.begin(), ids.end(), [&](std::size_t a, std::size_t b) { return x[a] > x[b]; });
  return ids;
}
/// Removes all but the first `n` of an order.
inline void keep_first(Row& x, const std::vector<std::size_t>& order, std::size_t n) {
  for (std::size_t i = n; i < order.size(); ++i) x[order[i]] = kMasked;
}

/// Counts of the tokens a penalty looks at: prompt + output without its first positions, by scope, its last `window`.
inline std::map<int, unsigned> counted(const lk::Request& request, lk::Scope scope, std::int64_t window,
                                       std::int64_t ignored, const std::vector<int>& exempt) {
  std::vector<int> sequence;
  std::int64_t position = 0;
  for (const int id : request.prompt())
    if (position++ >= ignored && scope != lk::Scope::output) sequence.push_back(id);
  for (const int id : request.output())
    if (position++ >= ignored && scope != lk::Scope::prompt) sequence.push_back(id);
  if (window > 0 && sequence.size() > static_cast<std::size_t>(window))
    sequence.erase(sequence.begin(), sequence.end() - window);
  std::map<int, unsigned> counts;
  for (const int id : sequence)
    if (std::find(exempt.begin(), exempt.end(), id) == exempt.end()) ++counts[id];
  return counts;
}
template <class F>
void change_counted(Row& x, const std::map<int, unsigned>& counts, F f) {
  for (const auto& [id, count] : counts)
    if (id >= 0 && static_cast<std::size_t>(id) < x.size() && x[static_cast<std::size_t>(id)] > kMasked)
      x[static_cast<std::size_t>(id)] = f(x[static_cast<std::size_t>(id)], count);
}

inline void top_k(Row& x, const lk::TopK& s) {
  if (s.k == 0) return;
  const auto order = ranked(x);
  auto n = static_cast<std::size_t>(std::max(s.k, s.min_keep));
  if (n >= order.size()) return;
  if (s.ties == lk::Ties::keep)
    while (n < order.size() && x[order[n]] == x[order[n - 1]]) ++n;
  keep_first(x, order, n);
}
inline void top_p(Row& x, const lk::TopP& s) {
  if (s.p == 1) return;
  const auto order = ranked(x);
  const float max = x[order[0]];
  const double target = s.p * normaliser(x, max);
  double mass = 0;
  std::size_t n = 0;
  while (n < order.size() && (n < static_cast<std::size_t>(s.min_keep) || mass < target))
    mass += static_cast<double>(exp_of(x[order[n++]] - max));
  keep_first(x, order, n);
}
/// Keeps logits >= least and the first min_keep; `keep`: and all that equal the last of these. False if it had to sort,
/// because not enough reach `least`.
inline bool at_least(Row& x, double least, std::int64_t min_keep, lk::Ties ties) {
  const auto order = ranked(x);
  const auto reaches = [&](std::size_t i) { return static_cast<double>(x[order[i]]) >= least; };
  const std::size_t wanted = std::min(static_cast<std::size_t>(min_keep), order.size());
  const bool sorts = static_cast<std::size_t>(min_keep) > order.size() || !reaches(wanted - 1);
  std::size_t n = 0;
  while (n < order.size() && (n < wanted || reaches(n))) ++n;
  if (ties == lk::Ties::keep)
    while (n < order.size() && x[order[n]] == x[order[n - 1]]) ++n;
  keep_first(x, order, n);
  return !sorts;
}
inline bool min_p(Row& x, const lk::MinP& s) {
  return s.p == 0 ||
         at_least(x, static_cast<double>(largest(x)) + lk::detail::math::log(s.p), s.min_keep, lk::Ties::exact);
}
/// Adds a bias; a removed token stays removed, a bias of -inf removes.
inline void add(float& x, double bias) {
  if (x == kMasked || bias == 0) return;
  x = bias == -std::numeric_limits<double>::infinity() ? kMasked : x + static_cast<float>(bias);
}

inline int draw(const Row& x, double u) {
  const float max = largest(x);
  const auto sums = block_sums(x, max);
  const double target = u * normaliser(x, max);
  double running = 0;
  for (std::size_t block = 0; block < sums.size(); running += sums[block++]) {
    if (!(running + sums[block] > target)) continue;
    int last = -1;
    for (std::size_t id = block * 1024; id < std::min(block * 1024 + 1024, x.size()); ++id) {
      if (exp_of(x[id] - max) == 0.0f) continue;
      last = static_cast<int>(id);
      running += static_cast<double>(exp_of(x[id] - max));
      if (running > target) break;
    }
    return last;
  }
  return -1;
}

/// What steps and selectors remember from token to token, by their index: numbers, and words drawn of a generator.
struct Remembered {
  bool is_set = false;
  float a = 0, b = 0;
  std::uint64_t words = 0;
};
using Memory = std::map<int, Remembered>;

/// What a step may look at, and what it leaves behind besides the row.
struct Context {
  const lk::Request* request;
  Memory* memory;
  Row unconditional = {};
  std::vector<std::size_t> order = {};  // of the candidates, as an engine that sorts and cuts an array has it
  int step = 0;                         // index of the step that runs
  std::uint32_t xtcs = 0;               // xtc steps before it
  lk::Status failed = lk::Status::ok;   // the step's own failure
};

/// One step of the first set; candidates are the finite entries. False if it is none of them.
inline bool apply_first(const lk::Step& step, Row& x, Context& context) {
  const lk::Request& request = *context.request;
  if (const auto* s = step.as<lk::Temperature>()) {
    for (float& v : x) v = v / static_cast<float>(s->temperature);
  } else if (const auto* top_k_step = step.as<lk::TopK>()) {
    top_k(x, *top_k_step);
    if (top_k_step->k > 0) context.order = ranked(x);
  } else if (const auto* top_p_step = step.as<lk::TopP>()) {
    top_p(x, *top_p_step);
    if (top_p_step->p < 1) context.order = ranked(x);
  } else if (const auto* min_p_step = step.as<lk::MinP>()) {
    if (!min_p(x, *min_p_step)) context.order = ranked(x);
  } else if (const auto* repetition = step.as<lk::RepetitionPenalty>()) {
    const auto r = static_cast<float>(repetition->penalty);
    if (r == 1.0f) return true;
    change_counted(
        x,
        counted(request, repetition->scope, repetition->window, repetition->prompt_ignore_length, repetition->exempt),
        [r](float v, unsigned) { return v > 0 ? v / r : v * r; });
  } else if (const auto* frequency = step.as<lk::FrequencyPenalty>()) {
    change_counted(x, counted(request, frequency->scope, frequency->window, 0, frequency->exempt),
                   [f = static_cast<float>(frequency->penalty)](float v, unsigned count) {
                     volatile float product = f * static_cast<float>(count);  // rounded before it is subtracted
                     return v - product;
                   });
  } else if (const auto* presence = step.as<lk::PresencePenalty>()) {
    change_counted(x, counted(request, presence->scope, presence->window, 0, presence->exempt),
                   [q = static_cast<float>(presence->penalty)](float v, unsigned) { return v - q; });
  } else if (const auto* bias = step.as<lk::LogitBias>()) {
    for (const auto& [id, b] : bias->bias)
      if (static_cast<std::size_t>(id) < x.size()) add(x[static_cast<std::size_t>(id)], b);
  } else if (const auto* ban = step.as<lk::BanTokens>()) {
    for (const int id : ban->ids)
      if (static_cast<std::size_t>(id) < x.size()) x[static_cast<std::size_t>(id)] = kMasked;
  } else if (const auto* force = step.as<lk::ForceTokens>()) {
    const std::set<int> allowed(force->ids.begin(), force->ids.end());
    for (std::size_t id = 0; id < x.size(); ++id)
      if (!allowed.contains(static_cast<int>(id))) x[id] = kMasked;
  } else if (step.as<lk::LogSoftmax>() != nullptr) {
    const double total = log_sum_exp(x);
    for (float& v : x) v = static_cast<float>(static_cast<double>(v) - total);
  } else {
    return false;
  }
  return true;
}

}  // namespace reference

#include "reference_steps.hpp"

namespace reference {

/// Whether a remove_invalid step comes before all that rank or sum.
inline bool is_cleaned(std::span<const lk::Step> steps) {
  const auto decides = [](const lk::Step& step) {
    return step.type() == "remove_invalid" || step.traits().truncates || step.traits().ranks;
  };
  const auto first = std::find_if(steps.begin(), steps.end(), decides);
  return first != steps.end() && first->type() == "remove_invalid";
}

/// All steps over a copy of the row; `vocabulary_size` 0 = the row's width.
inline Outcome run(std::span<const lk::Step> steps, const Row& row, std::size_t vocabulary_size, Row& x,
                   Context& context) {
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (const int id = steps[i].id_past(row.size()); id != lk::kNoToken)
      return {lk::Status::id_out_of_range, static_cast<int>(i), id};
  x.assign(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(
                                          vocabulary_size == 0 ? row.size() : std::min(row.size(), vocabulary_size)));
  const auto bad = std::find_if(x.begin(), x.end(), is_bad);
  if (bad != x.end() && !is_cleaned(steps)) return {lk::Status::invalid_logits, -1, static_cast<int>(bad - x.begin())};
  const auto is_empty = [&] { return std::all_of(x.begin(), x.end(), [](float v) { return v == kMasked; }); };
  if (is_empty()) return {lk::Status::no_candidates};
  context.order = by_id(x);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const int index = static_cast<int>(i);
    context.step = index;
    const Row before = x;
    if (!apply_first(steps[i], x, context)) apply_second(steps[i], x, context, row.size());
    if (context.failed != lk::Status::ok) return {context.failed, index};
    for (std::size_t id = 0; id < x.size(); ++id)
      if (is_bad(x[id]) && !is_bad(before[id])) return {lk::Status::overflow, index, static_cast<int>(id)};
    if (is_empty()) return {lk::Status::no_candidates, index};
  }
  context.step = static_cast<int>(steps.size());
  return {};
}

/// What a greedy pick without log-probability reports as survivors is not told here.
inline lk::Pick pick(const lk::Pipeline& pipeline, const Row& row, const lk::Request& request,
                     std::size_t vocabulary_size, bool logprob, Memory& memory, const Row& unconditional = {}) {
  Row x;
  Context context{&request, &memory, unconditional};
  const Outcome end = run(pipeline.chain().steps(), row, vocabulary_size, x, context);
  lk::Pick pick;
  pick.status = end.status;
  pick.step = end.step;
  pick.id = end.id;
  if (end.status != lk::Status::ok) return pick;
  const auto order = ranked(x);
  pick.survivors = order.size();
  pick.token = select(pipeline.selector(), x, context, row.size());
  if (logprob) {
    const auto token = static_cast<std::size_t>(pick.token);
    pick.logprob = static_cast<float>(static_cast<double>(x[token]) - log_sum_exp(x));
    pick.rank = static_cast<std::size_t>(std::find(order.begin(), order.end(), token) - order.begin()) + 1;
  }
  return pick;
}

/// The first pick of a request.
inline lk::Pick pick(const lk::Pipeline& pipeline, const Row& row, const lk::Request& request,
                     std::size_t vocabulary_size, bool logprob) {
  Memory memory;
  return pick(pipeline, row, request, vocabulary_size, logprob, memory);
}

}  // namespace reference
