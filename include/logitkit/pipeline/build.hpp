// SPDX-License-Identifier: MIT
#pragma once
#include "logitkit/pipeline/check.hpp"
#include "logitkit/pipeline/pipeline.hpp"

LOGITKIT_NAMESPACE_BEGIN
namespace detail {

/// Throws SpecError with all errors of `check`.
inline void require_no_errors(const Spec& spec, BuildOptions options) {
  std::string errors;
  for (const Diagnostic& found : check(spec, options))
    if (found.severity == Severity::error) errors += (errors.empty() ? "" : "; ") + found.text();
  if (!errors.empty()) fail(SpecError(errors));
}

}  // namespace detail

/// Makes the pipeline of a spec that ends in a selector. Throws SpecError if there is none or `check` has an error.
inline Pipeline build(const Spec& spec, BuildOptions options = {}) {
  detail::require_no_errors(spec, options);
  if (spec.size() == 0)
    detail::fail(SpecError("the spec is empty, a pipeline ends with a selector such as greedy or multinomial"));
  std::vector<Step> steps(spec.begin(), spec.end() - 1);
  return Pipeline(Chain(std::move(steps), options.row_width, options.vocabulary_size), spec.steps.back());
}

/// Makes the chain of a spec without selector. Throws SpecError if it has one or `check` has an error.
inline Chain build_chain(const Spec& spec, BuildOptions options = {}) {
  detail::require_no_errors(spec, options);
  return Chain(spec.steps, options.row_width, options.vocabulary_size);
}

LOGITKIT_NAMESPACE_END
