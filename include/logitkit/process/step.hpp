// SPDX-License-Identifier: MIT
#pragma once
#include <concepts>
#include <memory>
#include <string>
#include <type_traits>

#include "logitkit/candidates/candidates.hpp"
#include "logitkit/process/field_access.hpp"
#include "logitkit/state/step_view.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// What a step does to the set, for planning and for `check`.
struct StepTraits {
  bool truncates = false;     ///< removes candidates by rank or probability
  bool masks = false;         ///< removes candidates by id
  bool only_allows = false;   ///< asks nothing but Candidates::size() and calls nothing but allow() and fail()
  bool keeps_best = false;    ///< never removes the first of the order nor changes who it is (unless division ties it)
  bool changes_odds = false;  ///< changes logits, so what a later truncation keeps
  bool ranks = false;         ///< looks at the order or the mass of the set without cutting it
  bool cleans = false;        ///< takes out NaN and +inf
  bool draws = false;         ///< takes a random number of its own
  bool remembers = false;     ///< has a running value
  bool walks = false;         ///< goes through the candidates in the order that steps leave behind
};

/// Anything that changes candidates: a callable of (Candidates&, const StepView&) returning void or Status. Built-in
/// steps and the user's own have this one interface.
template <class T>
concept LogitsProcessor = requires(const T& step, Candidates& candidates, const StepView& view) {
  requires std::same_as<decltype(step(candidates, view)), void> ||
      std::same_as<decltype(step(candidates, view)), Status>;
}
&&std::copy_constructible<T>;

/// Ends a pipeline: candidates -> one token.
template <class T>
concept Selector = requires(const T& selector, Candidates& candidates, const StepView& view) {
  { selector.select(candidates, view) } -> std::same_as<TokenId>;
}
&&std::copy_constructible<T>;

/// A step or selector of ours: it has a JSON type and describes its parameters.
template <class T>
concept DescribedStep = requires {
  std::string_view(T::kType);
};

/// A step or a selector of any kind as a value: immutable, cheap to copy. What chains and specs hold.
class Step {
 public:
  template <class T>
  requires(!std::same_as<std::remove_cvref_t<T>, Step> &&
           (LogitsProcessor<std::remove_cvref_t<T>> || Selector<std::remove_cvref_t<T>>))
      Step(T&& step)  // NOLINT(google-explicit-constructor): steps are meant to convert
      : model_(std::make_shared<const Model<std::remove_cvref_t<T>>>(std::forward<T>(step))) {}

  /// JSON type, "custom" for the user's own.
  std::string_view type() const { return model_->type(); }
  bool is_selector() const { return model_->is_selector(); }
  StepTraits traits() const { return model_->traits(); }
  /// Whether its parameters make it do nothing.
  bool is_neutral() const { return model_->is_neutral(); }
  /// One line: what it does.
  std::string_view summary() const { return model_->summary(); }
  /// All parameters with their values.
  Fields fields() const { return model_->fields(); }
  /// The first parameter that is out of its range, as a sentence; empty if all is well.
  std::string problem() const { return model_->problem(); }
  /// The lowest id in its parameters that is >= width, kNoToken if there is none.
  TokenId id_past(std::size_t width) const { return model_->id_past(width); }

  /// Runs it. A selector does nothing here.
  void apply(Candidates& candidates, const StepView& view) const { model_->apply(candidates, view); }
  /// The selector's choice, kNoToken from a step.
  TokenId select(Candidates& candidates, const StepView& view) const { return model_->select(candidates, view); }

  /// The step as T, null if it is of another type.
  template <class T>
  const T* as() const {
    return model_->tag() == &kTag<T> ? static_cast<const T*>(model_->object()) : nullptr;
  }

  /// Same type and same parameters. Custom steps are equal only to copies of themselves.
  bool operator==(const Step& other) const {
    return model_ == other.model_ || (type() != "custom" && type() == other.type() && fields() == other.fields());
  }

 private:
  template <class T>
  static constexpr char kTag = 0;  // its address tells the type, without RTTI

  struct Concept {
    virtual ~Concept() = default;
    virtual std::string_view type() const = 0;
    virtual bool is_selector() const = 0;
    virtual StepTraits traits() const = 0;
    virtual bool is_neutral() const = 0;
    virtual std::string_view summary() const = 0;
    virtual Fields fields() const = 0;
    virtual std::string problem() const = 0;
    virtual TokenId id_past(std::size_t width) const = 0;
    virtual void apply(Candidates& candidates, const StepView& view) const = 0;
    virtual TokenId select(Candidates& candidates, const StepView& view) const = 0;
    virtual const char* tag() const = 0;
    virtual const void* object() const = 0;
  };

  template <class T>
  struct Model final : Concept {
    template <class U>
    explicit Model(U&& value) : step(std::forward<U>(value)) {}
    std::string_view type() const override {
      if constexpr (DescribedStep<T>)
        return T::kType;
      else
        return "custom";
    }
    bool is_selector() const override { return Selector<T>; }
    StepTraits traits() const override {
      if constexpr (requires { T::kTraits; })
        return T::kTraits;
      else
        return {.masks = true, .changes_odds = true, .ranks = true};
    }
    bool is_neutral() const override {
      if constexpr (requires { step.is_neutral(); })
        return step.is_neutral();
      else
        return false;
    }
    std::string_view summary() const override {
      if constexpr (requires { T::kSummary; })
        return T::kSummary;
      else
        return "a step of the user's own";
    }
    Fields fields() const override { return detail::fields_of(step); }
    std::string problem() const override { return detail::problem_of(step); }
    TokenId id_past(std::size_t width) const override { return detail::id_past(step, width); }
    void apply(Candidates& candidates, const StepView& view) const override {
      if constexpr (!LogitsProcessor<T>) {
        static_cast<void>(candidates), static_cast<void>(view);
      } else if constexpr (std::same_as<decltype(step(candidates, view)), Status>) {
        const Status status = step(candidates, view);
        if (status != Status::ok) candidates.fail(status, kNoToken);
      } else {
        step(candidates, view);
      }
    }
    TokenId select(Candidates& candidates, const StepView& view) const override {
      if constexpr (Selector<T>) {
        return step.select(candidates, view);
      } else {
        static_cast<void>(candidates), static_cast<void>(view);
        return kNoToken;
      }
    }
    const char* tag() const override { return &kTag<T>; }
    const void* object() const override { return &step; }
    T step;
  };

  std::shared_ptr<const Concept> model_;
};

/// A custom step with a name, for traces and JSON; see step().
template <class F>
struct NamedStep {
  std::string name;
  F function;
  auto operator()(Candidates& candidates, const StepView& view) const { return function(candidates, view); }
  template <class Self, class F2>
  static void visit(Self& self, F2&& f) {
    f("name", self.name);
  }
};

/// Names a custom step: lk::step("no_digits", f). It pipes like a built-in one.
template <LogitsProcessor F>
NamedStep<F> step(std::string name, F function) {
  return {std::move(name), std::move(function)};
}

LOGITKIT_NAMESPACE_END
