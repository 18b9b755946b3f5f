// SPDX-License-Identifier: MIT
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "logitkit/core/token.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// What follows one sequence through a constraint, as Matcher does: a value whose copy is a fork.
///   fill(words)    the mask of the next token, bit id % 32 of word id / 32; false: nothing is restricted
///   accept(token)  false, and nothing changed, if the mask does not have it
///   rollback(n)    undoes the last n accepted
template <class M>
concept ConstraintMatcher = requires(M& matcher, std::span<std::int32_t> words, TokenId token, std::size_t n) {
  { matcher.fill(words) } -> std::same_as<bool>;
  { matcher.accept(token) } -> std::same_as<bool>;
  matcher.rollback(n);
}
&&std::copy_constructible<M>;

/// A matcher of any type as a value: what a request holds. Empty by default.
class ConstraintState {
 public:
  ConstraintState() = default;
  template <class M>
  requires(!std::same_as<M, ConstraintState> && ConstraintMatcher<M>) explicit ConstraintState(M matcher)
      : model_(std::make_unique<Model<M>>(std::move(matcher))) {}
  ConstraintState(const ConstraintState& other) : model_(other.model_ ? other.model_->clone() : nullptr) {}
  ConstraintState(ConstraintState&&) noexcept = default;
  ConstraintState& operator=(ConstraintState other) noexcept {
    model_ = std::move(other.model_);
    return *this;
  }
  ~ConstraintState() = default;

  explicit operator bool() const { return model_ != nullptr; }
  /// Const to the caller: filling changes what a matcher remembers of its work, never what it allows.
  bool fill(std::span<std::int32_t> words) const { return model_->fill(words); }
  bool accept(TokenId token) { return model_->accept(token); }
  void rollback(std::size_t n) { model_->rollback(n); }

 private:
  struct Concept {
    virtual ~Concept() = default;
    virtual std::unique_ptr<Concept> clone() const = 0;
    virtual bool fill(std::span<std::int32_t> words) = 0;
    virtual bool accept(TokenId token) = 0;
    virtual void rollback(std::size_t n) = 0;
  };
  template <class M>
  struct Model final : Concept {
    explicit Model(M m) : matcher(std::move(m)) {}
    std::unique_ptr<Concept> clone() const override { return std::make_unique<Model>(matcher); }
    bool fill(std::span<std::int32_t> words) override { return matcher.fill(words); }
    bool accept(TokenId token) override { return matcher.accept(token); }
    void rollback(std::size_t n) override { static_cast<void>(matcher.rollback(n)); }
    M matcher;
  };

  std::unique_ptr<Concept> model_;
};

LOGITKIT_NAMESPACE_END
