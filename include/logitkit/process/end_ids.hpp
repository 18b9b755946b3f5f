// SPDX-License-Identifier: MIT
#pragma once
#include "logitkit/process/step.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// Options of steps that act on the tokens which end a sequence.
struct EndOptions {
  std::optional<TokenIds> end_ids = {};  ///< absent: the request's
};

namespace detail {

/// The step's own end ids, else the request's.
inline std::span<const TokenId> end_ids_of(const std::optional<TokenIds>& own, const StepView& view) {
  return own ? std::span<const TokenId>(*own) : view.end_ids();
}

}  // namespace detail
LOGITKIT_NAMESPACE_END
