// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
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
#include "logitkit/state/pick.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// What a request is opened with.
struct RequestOptions {
  std::optional<std::uint64_t> seed =
      {};                             ///< of all draws; absent: taken once from the system, readable by Request::seed()
  std::uint64_t stream = 0;           ///< independent samples of one prompt and seed differ in it
  std::vector<TokenId> end_ids = {};  ///< tokens that finish the sequence
  std::size_t vocabulary_size = 0;    ///< logits at and past it are never read; 0 = the row's width
};

/// The state of one sequence: prompt, output, their token counts, seed and stream. A value; one thread at a time.
/// Copies and forks share the prompt and its counts, so forking a long prompt costs nothing.
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

  /// Appends a token. False, and nothing changes, for kNoToken.
  bool accept(TokenId token) {
    if (token == kNoToken) return false;
    output_.push_back(token);
    output_counts_.add(token);
    return true;
  }
  /// Appends a pick's token. False, and nothing changes, unless the pick is ok.
  bool accept(const Pick& pick) { return pick.status == Status::ok && accept(pick.token); }

  /// Takes back the last `n` accepted tokens and everything that came with them. Throws InvalidParameter if n is larger
  /// than the output: the prompt cannot be rolled back.
  void rollback(std::size_t n) {
    if (n > output_.size())
      detail::fail(InvalidParameter("rollback: n is " + std::to_string(n) +
                                    ", allowed is at most the output's length, " + std::to_string(output_.size())));
    for (; n > 0; --n) {
      output_counts_.remove(output_.back());
      output_.pop_back();
    }
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
  /// Prompt length + output length: what draws depend on, so that replayed or moved output draws the same.
  std::size_t position() const { return prompt_->ids.size() + output_.size(); }
  /// Whether the last accepted token is an end id.
  bool is_finished() const {
    return !output_.empty() &&
           std::find(options_.end_ids.begin(), options_.end_ids.end(), output_.back()) != options_.end_ids.end();
  }

  const TokenCounts& prompt_counts() const { return prompt_->counts; }
  const TokenCounts& output_counts() const { return output_counts_; }

  /// The scratch used by calls that are given none; made at the first of them, never copied.
  Workspace& workspace() const {
    if (!workspace_) workspace_ = std::make_unique<Workspace>();
    return *workspace_;
  }

 private:
  struct Prompt {
    std::vector<TokenId> ids;
    TokenCounts counts;
  };

  explicit Request(RequestOptions options) : options_(std::move(options)) {
    if (options_.seed) return;
    std::random_device entropy;
    options_.seed = static_cast<std::uint64_t>(entropy()) << 32 | entropy();
  }
  Request(const Request& other, std::uint64_t stream)
      : options_(other.options_), prompt_(other.prompt_), output_(other.output_), output_counts_(other.output_counts_) {
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
  mutable std::unique_ptr<Workspace> workspace_;
};

LOGITKIT_NAMESPACE_END
