// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "logitkit/constrain/grammar_finish.hpp"
#include "logitkit/constrain/state_table.hpp"
#include "logitkit/constrain/token_mask.hpp"
#include "logitkit/constrain/vocabulary.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// Memory that the lazily filled tables of one compiled constraint may take before they are started afresh, in bytes.
/// What running matchers need themselves (a deep document's stack) comes on top.
inline constexpr std::size_t kDefaultConstraintMemory = std::size_t{4} << 20;

namespace detail {

/// What all matchers of one constraint share: the grammar, and the tables, which are only a memory of work done.
/// Results do not depend on them, so when they grow past the limit a new table begins and matchers move over one by
/// one.
class CompiledConstraint {
 public:
  CompiledConstraint(Vocabulary vocabulary, Grammar grammar, std::size_t memory_limit,
                     std::vector<std::string> warnings)
      : vocabulary_(std::move(vocabulary)),
        grammar_(std::move(grammar)),
        memory_limit_(memory_limit),
        warnings_(std::move(warnings)),
        table_(std::make_shared<StateTable>(grammar_)),
        current_(table_.get()) {}

  const Vocabulary& vocabulary() const { return vocabulary_; }
  const VocabularyData& tokens() const { return *vocabulary_.data(); }
  const Grammar& grammar() const { return grammar_; }
  const std::vector<std::string>& warnings() const { return warnings_; }

  std::shared_ptr<StateTable> table() const {
    std::lock_guard lock(mutex_);
    return table_;
  }
  bool is_current(const StateTable* table) const { return current_.load(std::memory_order_acquire) == table; }
  void retire_if_full(const StateTable* table) const {
    if (!table->is_full(memory_limit_) || !is_current(table)) return;
    std::lock_guard lock(mutex_);
    if (table_.get() != table) return;
    table_ = std::make_shared<StateTable>(grammar_);
    current_.store(table_.get(), std::memory_order_release);
  }
  std::size_t bytes() const { return grammar_.bytes() + table()->bytes(); }

 private:
  Vocabulary vocabulary_;
  Grammar grammar_;
  std::size_t memory_limit_;
  std::vector<std::string> warnings_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<StateTable> table_;
  mutable std::atomic<const StateTable*> current_;
};

}  // namespace detail

/// Follows one sequence through a constraint. A value: a copy is a fork; one thread at a time. Nothing throws, and
/// nothing depends on anything but the tokens that this matcher accepted. A matcher made by the default constructor
/// restricts nothing.
///
/// Two things always hold. Bit `id` of the mask is set if and only if `accept(id)` would succeed. And while the
/// vocabulary has each byte that its tokens contain as a token of its own, some token is allowed and some continuation
/// completes the text.
class Matcher {
 public:
  Matcher() = default;
  explicit Matcher(std::shared_ptr<const detail::CompiledConstraint> compiled)
      : compiled_(std::move(compiled)), table_(compiled_->table()), place_(table_->start()) {}

  /// Width of the vocabulary, V; 0 for a matcher that restricts nothing.
  std::size_t width() const noexcept { return compiled_ ? compiled_->tokens().size() : 0; }

  /// Writes the mask of the next token: bit id % 32 of word id / 32, 1 = allowed. Words past ceil(V / 32) become 0; a
  /// shorter span gets the ids that fit. Returns false, and all ones, if nothing is restricted. A mask seen before
  /// costs one copy (0.2 us for V = 152,000), another one a walk through part of the vocabulary (2 to 50 us, rarely
  /// more).
  bool fill(std::span<std::int32_t> words) noexcept {
    if (!compiled_) {
      std::fill(words.begin(), words.end(), -1);
      return false;
    }
    if (terminated_) {
      detail::MaskEntry{.ids = compiled_->tokens().end_ids}.write(words, width());
      return true;
    }
    move_to_current_table();
    detail::TokenMasks::get(*table_, compiled_->tokens(), place_).write(words, width());
    compiled_->retire_if_full(table_.get());
    return true;
  }

  /// Takes one token. False, and nothing changed, if the mask does not have it. After an end id only a rollback helps.
  bool accept(TokenId id) noexcept {
    if (!compiled_) return true;
    if (terminated_ || id < 0 || static_cast<std::size_t>(id) >= width()) return false;
    const detail::VocabularyData& tokens = compiled_->tokens();
    if (std::binary_search(tokens.end_ids.begin(), tokens.end_ids.end(), id)) {
      if (is_complete()) {
        history_.push_back({place_, id});
        return terminated_ = true;
      }
      if (!place_.state->has_tokens) return false;
    }
    move_to_current_table();
    const detail::Place next = after(place_, id);
    if (table_->is_dead(next)) return false;
    history_.push_back({place_, id});
    place_ = next;
    compiled_->retire_if_full(table_.get());
    return true;
  }

  /// Undoes the last `n` accepted tokens, end ids included. False, and nothing changed, if there are not as many.
  bool rollback(std::size_t n) noexcept {
    if (!compiled_ || n == 0) return true;
    if (n > history_.size()) return false;
    const detail::Place place = history_[history_.size() - n].before;
    history_.resize(history_.size() - n);
    terminated_ = false;
    if (place.state != nullptr) {
      place_ = place;
      return true;
    }
    place_ = table_->start();  // accepted under an older table: replay
    for (Step& step : history_) {
      step.before = place_;
      place_ = after(place_, step.token);
    }
    return true;
  }

  /// The text so far is a whole one: end ids are allowed (other tokens too, where the text could go on). Stays true
  /// after an end id.
  bool is_complete() const noexcept { return !compiled_ || place_.state->accepting; }
  /// An end id was accepted.
  bool is_terminated() const noexcept { return terminated_; }
  /// Number of accepted tokens.
  std::size_t size() const noexcept { return history_.size(); }

  /// The bytes that must come next whatever the model says, as far as there is only one way and the text cannot end; at
  /// most `limit`. To force tokens from them, see `forced_tokens` (forced_tokens.hpp).
  std::string forced_bytes(std::size_t limit = 4096) noexcept {
    std::string forced;
    if (!compiled_ || terminated_) return forced;
    move_to_current_table();
    const detail::Grammar& grammar = compiled_->grammar();
    detail::Place place = place_;
    while (forced.size() < limit && !place.state->accepting && !place.state->has_tokens) {
      int only = -1;
      for (unsigned b = 0; b < 256 && only != -2; ++b) {
        if (grammar.byte_class[b] - place.state->first_class >= place.state->num_classes) continue;
        if (!table_->is_dead(table_->step(place, static_cast<std::uint8_t>(b))))
          only = only == -1 ? static_cast<int>(b) : -2;
      }
      if (only < 0) break;
      forced.push_back(static_cast<char>(static_cast<unsigned char>(only)));
      place = table_->step(place, static_cast<std::uint8_t>(only));
    }
    return forced;
  }

  /// Why no token is allowed, if that is so because the grammar has too many readings of the text (more than 4,096
  /// alive at once); else empty.
  std::string_view error() const noexcept {
    if (!compiled_ || !table_->too_ambiguous()) return {};
    return "the grammar is too ambiguous: more than 4096 readings at once";
  }

 private:
  struct Step {
    detail::Place before;  // state == nullptr: known to an older table only
    TokenId token;
  };

  detail::Place after(detail::Place place, TokenId id) const {
    const detail::VocabularyData& tokens = compiled_->tokens();
    const bool ordinary = tokens.matches_text(id);
    detail::Place next = place;
    if (ordinary)
      for (char c : tokens.text(id)) next = table_->step(next, static_cast<std::uint8_t>(c));
    else
      next = table_->dead();
    return place.state->has_tokens ? table_->step_token(place, id, ordinary, next) : next;
  }

  void move_to_current_table() {
    if (compiled_->is_current(table_.get())) return;
    std::shared_ptr<detail::StateTable> table = compiled_->table();
    place_ = table->import(*table_, place_);
    for (std::size_t i = history_.size(); i-- > 0 && history_[i].before.state != nullptr;) history_[i].before = {};
    table_ = std::move(table);
  }

  std::shared_ptr<const detail::CompiledConstraint> compiled_;
  std::shared_ptr<detail::StateTable> table_;
  detail::Place place_;
  std::vector<Step> history_;
  bool terminated_ = false;
};

/// A compiled constraint: immutable, cheap to copy, shared by threads without locks once its tables are warm. One
/// matcher per sequence.
class Constraint {
 public:
  explicit Constraint(std::shared_ptr<const detail::CompiledConstraint> compiled) : compiled_(std::move(compiled)) {}

  Matcher matcher() const { return Matcher(compiled_); }
  const Vocabulary& vocabulary() const { return compiled_->vocabulary(); }
  /// What was ignored on the way (lenient schemas, unknown keywords); empty if nothing.
  const std::vector<std::string>& warnings() const { return compiled_->warnings(); }
  /// Bytes held by the grammar and its tables at this moment.
  std::size_t memory() const { return compiled_->bytes(); }

  const std::shared_ptr<const detail::CompiledConstraint>& compiled() const { return compiled_; }

 private:
  std::shared_ptr<const detail::CompiledConstraint> compiled_;
};

namespace detail {

/// The last step of every compile function.
inline Constraint make_constraint(const Vocabulary& vocabulary, GrammarBuilder& builder, std::uint32_t root,
                                  const std::string& where, std::size_t memory_limit = kDefaultConstraintMemory,
                                  std::vector<std::string> warnings = {}) {
  Grammar grammar = builder.finish(root, vocabulary.data()->has_byte, where);
  auto compiled =
      std::make_shared<const CompiledConstraint>(vocabulary, std::move(grammar), memory_limit, std::move(warnings));
  if (compiled->table()->too_ambiguous()) refuse(where + ": more than 4096 alternatives at the beginning");
  return Constraint(std::move(compiled));
}

}  // namespace detail

LOGITKIT_NAMESPACE_END
