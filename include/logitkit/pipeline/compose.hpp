// SPDX-License-Identifier: MIT
#pragma once
#include "logitkit/pipeline/pipeline.hpp"

LOGITKIT_NAMESPACE_BEGIN

namespace detail {

template <class T>
inline constexpr bool kIsNamed = false;
template <class F>
inline constexpr bool kIsNamed<NamedStep<F>> = true;

/// Types that bring operator| with them; a user's lambda pipes with any of these.
template <class T>
concept Ours = std::same_as<T, Chain> || std::same_as<T, Step> || DescribedStep<T> || kIsNamed<T>;

template <class T>
concept Pipeable = std::same_as<T, Chain> || std::same_as<T, Step> || LogitsProcessor<T>;

template <class T>
void append(std::vector<Step>& steps, T&& part) {
  if constexpr (std::same_as<std::remove_cvref_t<T>, Chain>)
    steps.insert(steps.end(), part.steps().begin(), part.steps().end());
  else
    steps.emplace_back(std::forward<T>(part));
}

}  // namespace detail

/// Step | Step: a chain in the order that is written. Either side may be a chain, a step, or a callable of the user's
/// own as long as one side is ours: lk::Chain{} | f | g.
template <class A, class B>
requires detail::Pipeable<std::remove_cvref_t<A>> && detail::Pipeable<std::remove_cvref_t<B>> &&
    (detail::Ours<std::remove_cvref_t<A>> || detail::Ours<std::remove_cvref_t<B>>)Chain
    operator|(A&& first, B&& second) {
  std::vector<Step> steps;
  detail::append(steps, std::forward<A>(first));
  detail::append(steps, std::forward<B>(second));
  return Chain(std::move(steps));
}

/// Chain | Selector: a pipeline. (A Step appends to the chain, whatever it holds; Pipeline(chain, step) takes one that
/// is a selector.)
template <class A, Selector S>
requires(!std::same_as<S, Step>) && detail::Pipeable<std::remove_cvref_t<A>> &&
    (detail::Ours<std::remove_cvref_t<A>> || detail::Ours<std::remove_cvref_t<S>>)Pipeline operator|(
        A&& first, const S& selector) {
  std::vector<Step> steps;
  detail::append(steps, std::forward<A>(first));
  return Pipeline(Chain(std::move(steps)), Step(selector));
}

LOGITKIT_NAMESPACE_END
