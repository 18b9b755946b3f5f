// SPDX-License-Identifier: MIT
#pragma once
#include "logitkit/pipeline/build.hpp"
#include "logitkit/trace/spec_edit.hpp"
#include "logitkit/trace/text_table.hpp"
#include "logitkit/trace/trace.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// A spec and what to call it in a report.
struct NamedSpec {
  std::string name;
  Spec spec;
};

/// What mainly makes two specs give different distributions from one row.
enum class Cause : std::uint8_t {
  none,      ///< the distributions are the same
  selector,  ///< they are the same, but are drawn from in another way
  order,     ///< the same steps in another order
  scope,     ///< a step looks at another part of the history
  tie,       ///< equal logits are treated in another way
  setting,   ///< a parameter has another value, perhaps an engine's default
  missing,   ///< a step that one of them only has, perhaps an engine's default
  failure,   ///< one of them has no token
};

/// The cause as it is spelled here; setting and missing are both "default".
constexpr std::string_view name(Cause cause) {
  constexpr std::string_view kNames[] = {"none", "selector", "order", "scope", "tie", "default", "default", "failure"};
  return kNames[static_cast<std::size_t>(cause)];
}

/// One of the specs that are compared.
struct ComparedSpec {
  std::string name;
  Trace trace;
};

/// How two of them differ, before their selectors.
struct SpecDifference {
  std::size_t a = 0, b = 0;    ///< indices in Comparison::specs
  double total_variation = 0;  ///< half the sum of |p - q|, 0 to 1
  double kl_ab = 0;            ///< sum of p ln(p / q) in nats; +inf where b lacks a token of a
  double kl_ba = 0;
  std::size_t only_a_count = 0, only_b_count = 0;  ///< tokens that only one keeps
  std::vector<TokenShare> only_a, only_b;          ///< the likeliest of them
  int step_a = -1, step_b = -1;  ///< the first steps after which they are apart; -1: it changes nothing more, or never
  Cause cause = Cause::none;
  std::string why;  ///< one sentence
};

/// Specs side by side on one row.
struct Comparison {
  std::vector<ComparedSpec> specs;
  std::vector<SpecDifference> pairs;  ///< (0, 1), (0, 2), ..., (1, 2), ...
};

namespace detail {

/// Below this total variation two distributions count as the same: a shift of all logits is no difference.
inline constexpr double kSameDistribution = 1e-6;

inline double total_variation(const Distribution& p, const Distribution& q) {
  double sum = 0;
  for (std::size_t id = 0; id < std::max(p.size(), q.size()); ++id)
    sum += std::abs(p.probability(id) - q.probability(id));
  return sum / 2;
}

inline double kl_divergence(const Distribution& p, const Distribution& q) {
  double sum = 0;
  for (std::size_t id = 0; id < p.size(); ++id) {
    if (!p.holds(id)) continue;
    if (!q.holds(id)) return math::kInfinity;
    sum = std::fma(p.probability(id), p.log_probability(id) - q.log_probability(id), sum);
  }
  return std::max(0.0, sum);
}

/// A spec on the row: its trace, what reached the selector, and the steps that changed something with a hash of what
/// they left.
struct ComparedRun {
  Trace trace;
  Distribution last;
  std::vector<std::pair<int, std::uint64_t>> states;
  Steps steps;  // without those that cannot do anything
};

inline ComparedRun run_compared(const Spec& spec, LogitsView row, const Request& request, const TraceOptions& options) {
  const Pipeline pipeline = build(spec);
  ComparedRun run;
  run.trace = trace_with(pipeline, row, request, options, [&run](int step, const Distribution& now) {
    const std::uint64_t hash = fingerprint(now.logits());
    if (run.states.empty() || run.states.back().second != hash) run.states.emplace_back(step, hash);
    run.last = now;
  });
  for (const Step& step : pipeline.chain().steps()) {
    const auto* mask = step.as<AllowMask>();
    const bool idle = mask != nullptr && !mask->words && request.constraint() == nullptr;
    if (!step.is_neutral() && !idle) run.steps.push_back(step);
  }
  return run;
}

inline bool is_scope(std::string_view key) {
  return key == "scope" || key == "window" || key == "prompt_ignore_length" || key == "exempt" ||
         key == "short_history";
}
inline bool is_tie(std::string_view key) { return key == "ties"; }

/// Finds the one kind of difference that, taken away, brings two specs nearest to each other.
class CauseFinder {
 public:
  CauseFinder(const NamedSpec& a, const NamedSpec& b, const ComparedRun& run_a, const ComparedRun& run_b,
              LogitsView row, const Request& request, const PickOptions& options)
      : a_(&a), b_(&b), run_a_(&run_a), run_b_(&run_b), row_(row), request_(&request), options_(options) {}

  void find(SpecDifference& d) {
    const Steps& a = run_a_->steps;
    const Steps& b = run_b_->steps;
    attempt(Cause::order, in_order_of(a, b));
    attempt(Cause::scope, with_fields_of(a, b, is_scope));
    attempt(Cause::tie, with_fields_of(a, b, is_tie));
    attempt(Cause::setting, with_fields_of(a, b, [](std::string_view key) { return !is_scope(key) && !is_tie(key); }));
    attempt(Cause::missing, with_steps_of(a, b));
    d.cause = best_;
    d.why = std::string(name(best_)) + ": " + sentence();
    if (least_ < kSameDistribution)
      d.why += "; nothing else parts them on this row";
    else if (best_ != Cause::none)
      d.why += "; alike in this, their total variation would be " + digits(least_, 4) + " instead of " +
               digits(d.total_variation, 4);
  }

 private:
  void attempt(Cause cause, const Steps& changed) {
    if (changed == run_a_->steps) return;
    std::vector<float> out(row_.size());
    if (Chain(changed).process(row_, *request_, out, options_) != Status::ok) return;
    const double left = total_variation(Distribution(std::move(out)), run_b_->last);
    if (best_ != Cause::none && !(left < least_)) return;
    best_ = cause;
    least_ = left;
    changed_ = changed;
  }

  std::string sentence() const {
    switch (best_) {
      case Cause::order:
        return other_order();
      case Cause::missing:
        return missing(run_a_->steps, run_b_->steps, *a_, *b_, missing(run_b_->steps, run_a_->steps, *b_, *a_, ""));
      case Cause::scope:
      case Cause::tie:
      case Cause::setting:
        return other_field();
      default:
        return "no single kind of difference explains it";
    }
  }
  /// The first step that the other one runs later, and what it runs before it.
  std::string other_order() const {
    std::size_t i = 0;
    while (run_a_->steps[i] == changed_[i]) ++i;
    const Step& moved = run_a_->steps[i];
    std::string passed;
    for (std::size_t j = i; j < changed_.size() && !(changed_[j] == moved); ++j)
      passed += (passed.empty() ? "" : ", ") + std::string(changed_[j].type());
    return a_->name + " runs " + std::string(moved.type()) + " before " + passed + ", " + b_->name + " after";
  }
  /// The first step that `has` has and `lacks` has not.
  static std::string missing(const Steps& has, const Steps& lacks, const NamedSpec& having, const NamedSpec& lacking,
                             const std::string& otherwise) {
    std::vector<bool> shared(has.size());
    for (const auto& pair : matches(has, lacks)) shared[pair.first] = true;
    const auto only = std::find(shared.begin(), shared.end(), false);
    if (only == shared.end()) return otherwise;
    const Step& step = has[static_cast<std::size_t>(only - shared.begin())];
    return having.name + " runs " + short_step(step.type(), step.fields()) + ", " + lacking.name + " does not";
  }
  /// The first parameter that was changed.
  std::string other_field() const {
    for (std::size_t i = 0; i < changed_.size(); ++i) {
      const Fields before = run_a_->steps[i].fields(), after = changed_[i].fields();
      for (std::size_t f = 0; f < before.size() && f < after.size(); ++f)
        if (before[f].value != after[f].value)
          return std::string(run_a_->steps[i].type()) + " has " + std::string(before[f].key) + " " +
                 value_text(before[f].value) + " in " + a_->name + ", " + value_text(after[f].value) + " in " +
                 b_->name;
    }
    return "";
  }

  const NamedSpec *a_, *b_;
  const ComparedRun *run_a_, *run_b_;
  LogitsView row_;
  const Request* request_;
  PickOptions options_;
  Cause best_ = Cause::none;
  double least_ = math::kInfinity;
  Steps changed_;
};

inline SpecDifference difference(const ComparedRun& a, const ComparedRun& b, const TraceOptions& options) {
  SpecDifference d;
  d.total_variation = total_variation(a.last, b.last);
  d.kl_ab = kl_divergence(a.last, b.last);
  d.kl_ba = kl_divergence(b.last, a.last);
  const auto only = [&](const Distribution& has, const Distribution& lacks, std::size_t& count) {
    const auto lost = [&](std::size_t id) { return !lacks.holds(id); };
    for (std::size_t id = 0; id < has.size(); ++id) count += has.holds(id) && lost(id) ? 1 : 0;
    return has.top(options.top, options.text, lost);
  };
  d.only_a = only(a.last, b.last, d.only_a_count);
  d.only_b = only(b.last, a.last, d.only_b_count);
  return d;
}

}  // namespace detail

/// Runs specs on one row and tells, for each two of them, how far the distributions before the selectors are apart, and
/// why: each kind of difference is taken away alone, and the one that brings them nearest is named.
///   throws  SpecError as `build` does
///   cost    some ten milliseconds a step and a pair, for V of 150,000
inline Comparison compare(const std::vector<NamedSpec>& specs, LogitsView row, const Request& request,
                          const TraceOptions& options = {}) {
  const detail::FloatEnvironment plain;
  Comparison result;
  std::vector<detail::ComparedRun> runs;
  for (const NamedSpec& spec : specs) {
    runs.push_back(detail::run_compared(spec.spec, row, request, options));
    result.specs.push_back({spec.name, runs.back().trace});
  }
  for (std::size_t i = 0; i < specs.size(); ++i)
    for (std::size_t j = i + 1; j < specs.size(); ++j) {
      const detail::ComparedRun &a = runs[i], &b = runs[j];
      const std::size_t failing = a.trace.pick() ? j : i;
      if (const Pick& failed = runs[failing].trace.pick(); !failed) {
        SpecDifference d;
        d.a = i;
        d.b = j;
        d.total_variation = 1;
        d.cause = Cause::failure;
        d.why = "failure: " + specs[failing].name + " has no token: " + failed.message();
        result.pairs.push_back(d);
        continue;
      }
      SpecDifference d = detail::difference(a, b, options);
      d.a = i;
      d.b = j;
      if (d.total_variation < detail::kSameDistribution) {
        const Step &one = specs[i].spec.steps.back(), &other = specs[j].spec.steps.back();
        d.cause = one == other ? Cause::none : Cause::selector;
        d.why = one == other ? "none: the distributions are the same"
                             : "selector: the distributions are the same; " + specs[i].name + " takes from it by " +
                                   std::string(one.type()) + ", " + specs[j].name + " by " + std::string(other.type());
      } else {
        std::size_t k = 0;
        while (k < a.states.size() && k < b.states.size() && a.states[k].second == b.states[k].second) ++k;
        if (k < a.states.size()) d.step_a = a.states[k].first;
        if (k < b.states.size()) d.step_b = b.states[k].first;
        detail::CauseFinder(specs[i], specs[j], a, b, row, request, {.unconditional = options.unconditional}).find(d);
      }
      result.pairs.push_back(std::move(d));
    }
  return result;
}

/// The same; specs are called by their index.
inline Comparison compare(const std::vector<Spec>& specs, LogitsView row, const Request& request,
                          const TraceOptions& options = {}) {
  std::vector<NamedSpec> named;
  for (const Spec& spec : specs) named.push_back({"spec " + std::to_string(named.size()), spec});
  return compare(named, row, request, options);
}

LOGITKIT_NAMESPACE_END
