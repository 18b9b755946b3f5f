// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "logitkit/candidates/workspace.hpp"
#include "logitkit/core/error.hpp"
#include "logitkit/core/token_counts.hpp"
#include "logitkit/state/constraint_state.hpp"
#include "logitkit/state/history.hpp"
#include "logitkit/state/pick.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// What a request is opened with.
struct RequestOptions {
  std::optional<std::uint64_t> seed =
      {};                             ///< of all draws; absent: taken once from the system, readable by Request::seed()
  std::uint64_t stream = 0;           ///< independent samples of one prompt and seed differ in it
  std::vector<TokenId> end_ids = {};  ///< tokens that finish the sequence
  std::size_t vocabulary_size = 0;    ///< logits at and past it are never read; 0 = the row's width
  std::size_t max_new_tokens = 0;     ///< where ForcedEos without a limit of its own acts; 0 = unknown. Who stops
                                      ///< there is the caller
};

/// The state of one sequence: prompt, output, their token counts, seed and stream, running values, constraint. A value;
/// one thread at a time. Copies and forks share the prompt and its counts, so forking a long prompt costs nothing.
class Request {
 public:
  explicit Request(std::span<const TokenId> prompt, RequestOptions options = {}) : Request(std::move(options)) {
    set_prompt(prompt);
  }
  /// int64 ids; throws InvalidParameter naming the position of one that does not fit 32 bits.
  explicit Request(std::span<const std::int64_t> prompt, RequestOptions options = {}) : Request(std::move(options)) {
    std::vector<TokenId> ids;
    ids.reserve(prompt.size());
    for (const std::int64_t id : prompt) ids.push_back(narrow(id, ids.size()));
    set_prompt(ids);
  }
  Request(std::initializer_list<TokenId> prompt, RequestOptions options = {})
      : Request(std::span<const TokenId>(prompt.begin(), prompt.size()), std::move(options)) {}

  Request(const Request& other) : Request(other, other.options_.stream) {}
  Request(Request&&) noexcept = default;
  Request& operator=(const Request& other) { return *this = Request(other); }
  Request& operator=(Request&&) noexcept = default;
  ~Request() = default;

  /// Appends a token. False, and nothing changes, for kNoToken and for one that the constraint refuses. Running values
  /// (the state of generators, mirostat's mu) stay as they are: only a pick brings new ones.
  bool accept(TokenId token) {
    if (token == kNoToken || (constraint_ && !constraint_.accept(token))) return false;
    output_.push_back(token);
    output_counts_.add(token);
    return true;
  }
  /// Appends a pick's token and takes over its running values. False, and nothing changes, unless the pick is ok and
  /// the constraint allows the token.
  bool accept(const Pick& pick) {
    if (pick.status != Status::ok || !accept(pick.token)) return false;
    if (!pick.running.empty()) committed_.push_back({output_.size(), pick.running});
    return true;
  }

  /// Follows a constraint from here on: its masks apply where the chain has an AllowMask step without words, and
  /// accepted tokens advance it. The matcher is copied; another one takes its place.
  template <ConstraintMatcher M>
  void constrain(M matcher) {
    constraint_ = ConstraintState(std::move(matcher));
    constrained_from_ = output_.size();
  }

  /// Takes back the last `n` accepted tokens and everything that came with them: counts, running values, the
  /// constraint's state. Throws InvalidParameter if n is larger than the output: the prompt cannot be rolled back.
  void rollback(std::size_t n) {
    if (n > output_.size())
      detail::fail(InvalidParameter("rollback: n is " + std::to_string(n) +
                                    ", allowed is at most the output's length, " + std::to_string(output_.size())));
    const std::size_t left = output_.size() - n;
    if (constraint_ && output_.size() > constrained_from_) {
      constraint_.rollback(std::min(n, output_.size() - constrained_from_));
      constrained_from_ = std::min(constrained_from_, left);
    }
    output_links_.shrink(output_, output_counts_, left);
    for (; output_.size() > left; output_.pop_back()) output_counts_.remove(output_.back());
    while (!committed_.empty() && committed_.back().length > left) committed_.pop_back();
  }

  /// An exact copy: for beams and draft trees.
  Request fork() const { return *this; }
  /// A copy that draws from another stream: an independent sample.
  Request fork(std::uint64_t stream) const { return Request(*this, stream); }

  std::uint64_t seed() const { return *options_.seed; }
  std::uint64_t stream() const { return options_.stream; }
  std::span<const TokenId> prompt() const { return prompt_->ids; }
  std::span<const TokenId> output() const { return output_; }
  std::span<const TokenId> end_ids() const { return options_.end_ids; }
  std::size_t vocabulary_size() const { return options_.vocabulary_size; }
  std::size_t max_new_tokens() const { return options_.max_new_tokens; }
  /// Prompt length + output length: what draws depend on, so that replayed or moved output draws the same.
  std::size_t position() const { return prompt_->ids.size() + output_.size(); }
  /// Whether the last accepted token is an end id.
  bool is_finished() const {
    return !output_.empty() &&
           std::find(options_.end_ids.begin(), options_.end_ids.end(), output_.back()) != options_.end_ids.end();
  }

  const TokenCounts& prompt_counts() const { return prompt_->counts; }
  const TokenCounts& output_counts() const { return output_counts_; }
  /// The history with the positions of equal tokens linked. The links of the prompt are made at the first call of any
  /// request that shares it, those of the output follow it. Cost: O(what was accepted since the last call).
  History history() const {
    const detail::PositionLinks& prompt_links = prompt_->links();
    output_links_.extend(output_, output_counts_, &prompt_links, &prompt_->counts, prompt_->ids.size());
    return {prompt_->ids, prompt_->counts, prompt_links, output_, output_counts_, output_links_};
  }
  /// What the steps remember from the picks accepted so far.
  RunningValues running() const { return committed_.empty() ? RunningValues{} : committed_.back().values; }
  /// Null if there is none.
  const ConstraintState* constraint() const { return constraint_ ? &constraint_ : nullptr; }

  /// The scratch used by calls that are given none; made at the first of them, never copied.
  Workspace& workspace() const {
    if (!workspace_) workspace_ = std::make_unique<Workspace>();
    return *workspace_;
  }

 private:
  struct Prompt {
    Prompt() = default;
    Prompt(const Prompt&) = delete;
    Prompt& operator=(const Prompt&) = delete;
    ~Prompt() { delete shared_links.load(); }
    /// Made when first asked for; of two threads that make them at once the first one's stay.
    const detail::PositionLinks& links() const {
      if (const auto* made = shared_links.load(std::memory_order_acquire)) return *made;
      auto mine = std::make_unique<detail::PositionLinks>();
      mine->extend(ids, counts, nullptr, nullptr, 0);
      const detail::PositionLinks* none = nullptr;
      if (shared_links.compare_exchange_strong(none, mine.get(), std::memory_order_acq_rel)) return *mine.release();
      return *none;
    }
    std::vector<TokenId> ids;
    TokenCounts counts;
    mutable std::atomic<const detail::PositionLinks*> shared_links = nullptr;
  };
  struct Committed {
    std::size_t length;  // of the output when the pick was accepted
    RunningValues values;
  };

  explicit Request(RequestOptions options) : options_(std::move(options)) {
    if (options_.seed) return;
    std::random_device entropy;
    options_.seed = static_cast<std::uint64_t>(entropy()) << 32 | entropy();
  }
  Request(const Request& other, std::uint64_t stream)
      : options_(other.options_),
        prompt_(other.prompt_),
        output_(other.output_),
        output_counts_(other.output_counts_),
        output_links_(other.output_links_),
        committed_(other.committed_),
        constraint_(other.constraint_),
        constrained_from_(other.constrained_from_) {
    options_.stream = stream;
  }

  static TokenId narrow(std::int64_t id, std::size_t position) {
    if (id < std::numeric_limits<TokenId>::min() || id > std::numeric_limits<TokenId>::max())
      detail::fail(InvalidParameter("prompt: id at position " + std::to_string(position) + " is " + std::to_string(id) +
                                    ", allowed are 32-bit ids"));
    return static_cast<TokenId>(id);
  }
  void set_prompt(std::span<const TokenId> ids) {
    auto prompt = std::make_shared<Prompt>();
    prompt->ids.assign(ids.begin(), ids.end());
    for (const TokenId id : ids) prompt->counts.add(id);
    prompt_ = std::move(prompt);
  }

  RequestOptions options_;
  std::shared_ptr<const Prompt> prompt_;
  std::vector<TokenId> output_;
  TokenCounts output_counts_;
  mutable detail::PositionLinks output_links_;
  std::vector<Committed> committed_;
  ConstraintState constraint_;
  std::size_t constrained_from_ = 0;  // length of the output when it was given
  mutable std::unique_ptr<Workspace> workspace_;
};

LOGITKIT_NAMESPACE_END
