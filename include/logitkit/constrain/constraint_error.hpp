// SPDX-License-Identifier: MIT
#pragma once
#include <stdexcept>
#include <string>

#include "logitkit/core/error.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// A constraint cannot be compiled: it is malformed, unsupported, unsatisfiable or past a limit. The text names where:
/// keyword and JSON pointer, rule and line, or position in a pattern.
struct ConstraintError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

namespace detail {

[[noreturn]] LOGITKIT_COLD inline void refuse(const std::string& message) { fail(ConstraintError(message)); }

}  // namespace detail

LOGITKIT_NAMESPACE_END
