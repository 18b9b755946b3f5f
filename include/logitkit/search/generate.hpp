// SPDX-License-Identifier: MIT
#pragma once
#include <functional>
#include <optional>
#include <string>

#include "logitkit/search/beam_search.hpp"
#include "logitkit/search/stop_sequence.hpp"
#include "logitkit/search/stop_text.hpp"
#include "logitkit/search/verify_draft.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// Why a generation ended.
enum class FinishReason : std::uint8_t {
  end_id,         ///< an end id of the request
  stop_sequence,  ///< GenerateLimits::stop_sequences
  stop_text,      ///< GenerateLimits::stop_texts
  length,         ///< GenerateLimits::max_new_tokens
  callback,       ///< on_token said so
  error,          ///< a row failed; Generation::status
};

/// As it is spelled: "end_id", "stop_sequence", …
constexpr std::string_view name(FinishReason reason) {
  constexpr std::string_view kNames[] = {"end_id", "stop_sequence", "stop_text", "length", "callback", "error"};
  return kNames[static_cast<std::size_t>(reason)];
}

/// When a generation ends, how it goes, and what it reports.
struct GenerateLimits {
  std::size_t max_new_tokens = 64;                        ///< not for beams, which have their own
  std::vector<std::vector<TokenId>> stop_sequences = {};  ///< they stay in the output
  std::vector<std::string> stop_texts = {};               ///< cut off the text; they need `bytes`
  std::function<std::string(TokenId)> bytes = {};         ///< what a token adds to the text
  std::function<bool(const Pick&)> on_token = {};         ///< after each token; false ends the generation
  std::optional<LogprobOptions> logprobs = {};            ///< processed ones of every step, the chosen token first
  /// Tokens that may follow, for DraftRule `draft_rule`.
  std::function<std::vector<TokenId>(const Request&)> draft = {};
  DraftRule draft_rule = DraftRule::replay;  ///< rejection and block take the drafts for certain guesses
  /// Beam search instead (with its own max_new_tokens); the stops and callbacks above do not apply to it.
  std::optional<BeamOptions> beams = {};
};

/// What came of it.
struct Generation {
  std::vector<TokenId> tokens;                 ///< the new ones
  FinishReason reason = FinishReason::length;  ///< why it ended; of a beam search, that of the best hypothesis
  Status status = Status::ok;                  ///< of the row that failed
  std::string text;                            ///< where `bytes` is given: that of the tokens, without a stop text
  std::vector<Logprobs> logprobs;              ///< one for each token, where asked for
  std::vector<Hypothesis> hypotheses;          ///< of a beam search
};

namespace detail {

/// One call of generate(), for a model.
template <class Model>
class Generator {
 public:
  Generator(Model& model, const Pipeline& pipeline, Request& request, const GenerateLimits& limits)
      : model_(model), pipeline_(pipeline), request_(request), limits_(limits), stop_text_(limits.stop_texts) {}

  Generation sample() {
    while (is_open_ && result_.tokens.size() < limits_.max_new_tokens) {
      const auto row = model_(request_);
      take(row, pipeline_.pick(row, request_));
    }
    return finished();
  }

  Generation draft() {
    while (is_open_ && result_.tokens.size() < limits_.max_new_tokens) {
      const std::vector<TokenId> drafts = limits_.draft(request_);
      Request fork = request_.fork();
      std::vector<decltype(model_(fork))> rows{model_(fork)};
      for (const TokenId token : drafts) {
        if (!fork.accept(token)) break;
        rows.push_back(model_(fork));
      }
      const DraftResult judged =
          verify_draft(pipeline_, std::vector<LogitsView>(rows.begin(), rows.end()),
                       std::span(drafts).first(rows.size() - 1), {}, request_, {.rule = limits_.draft_rule});
      for (std::size_t i = 0; i < judged.picks.size() && is_open_; ++i)
        if (result_.tokens.size() < limits_.max_new_tokens) take(rows[i], judged.picks[i]);
      if (!judged && is_open_) fail(judged.status);
    }
    return finished();
  }

  Generation search() {
    BeamSearch beams(pipeline_, request_, *limits_.beams);
    while (!beams.done()) {
      std::vector<decltype(model_(request_))> rows;
      for (std::size_t i = 0; i < beams.live().size(); ++i) rows.push_back(model_(beams.request(i)));
      const Status status = beams.advance(std::vector<LogitsView>(rows.begin(), rows.end()));
      if (status != Status::ok) {
        fail(status);
        return finished();
      }
    }
    result_.hypotheses = beams.hypotheses();
    const Hypothesis& best = result_.hypotheses.front();
    result_.reason = best.finished ? FinishReason::end_id : FinishReason::length;
    result_.tokens = best.tokens;
    for (const TokenId token : best.tokens) {
      request_.accept(token);
      if (limits_.bytes) result_.text += limits_.bytes(token);
    }
    return finished();
  }

 private:
  /// Takes a token that was picked from `row`.
  void take(LogitsView row, const Pick& pick) {
    if (pick.status != Status::ok) return fail(pick.status);
    if (limits_.logprobs) {
      LogprobOptions what = *limits_.logprobs;
      what.tokens.insert(what.tokens.begin(), pick.token);
      result_.logprobs.push_back(pipeline_.logprobs(row, request_, what));
    }
    if (!request_.accept(pick)) return fail(Status::constraint_refused);
    result_.tokens.push_back(pick.token);
    bool stopped = false;
    if (limits_.bytes) {
      const std::string bytes = limits_.bytes(pick.token);
      result_.text += bytes;
      stopped = stop_text_.append(bytes);
    }
    const bool goes_on = !limits_.on_token || limits_.on_token(pick);
    if (request_.is_finished())
      end(FinishReason::end_id);
    else if (stop_sequence_at_end(result_.tokens, limits_.stop_sequences) > 0)
      end(FinishReason::stop_sequence);
    else if (stopped)
      end(FinishReason::stop_text);
    else if (!goes_on)
      end(FinishReason::callback);
  }
  void end(FinishReason reason) {
    result_.reason = reason;
    is_open_ = false;
  }
  void fail(Status status) {
    result_.status = status;
    end(FinishReason::error);
  }
  Generation finished() {
    if (stop_text_.stopped()) result_.text.resize(stop_text_.safe());
    return std::move(result_);
  }

  Model& model_;
  const Pipeline& pipeline_;
  Request& request_;
  const GenerateLimits& limits_;
  StopText stop_text_;
  Generation result_;
  bool is_open_ = true;
};

}  // namespace detail

/// The loop around a model, for prototypes and examples: an engine that batches has its own.
///   model    callable as model(const Request&), returns the row after prompt and output: by value where beams or
///            drafts are asked for, else it must stay valid until the next call
///   request  holds the new tokens afterwards (of the best hypothesis, for beams)
///   order    a token ends it by end id, stop sequence, stop text, callback, in this order of precedence
///   throws   InvalidParameter for stop texts without `bytes`, or an empty one, and as BeamSearch
template <class Model>
Generation generate(Model&& model, const Pipeline& pipeline, Request& request, const GenerateLimits& limits = {}) {
  if (!limits.stop_texts.empty() && !limits.bytes)
    detail::fail(InvalidParameter("generate: stop_texts are given without bytes, which tells the text of a token"));
  detail::Generator generator(model, pipeline, request, limits);
  if (limits.beams) return generator.search();
  return limits.draft ? generator.draft() : generator.sample();
}

LOGITKIT_NAMESPACE_END
