// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

#include "logitkit/core/platform.hpp"

/// Called instead of throwing where exceptions are switched off; must not return. Define it before the first include,
/// the same in every translation unit, to log or to unwind in your own way. `message` is a zero-terminated text.
#if !defined(LOGITKIT_EXCEPTIONS) && !defined(LOGITKIT_ON_ERROR)
#define LOGITKIT_ON_ERROR(message) (std::fprintf(stderr, "logitkit: %s\n", message), std::abort())
#endif

LOGITKIT_NAMESPACE_BEGIN

/// What became of one decode step. Everything but `ok` leaves `Pick::token` at kNoToken.
enum class Status : std::uint8_t {
  ok,                      ///< a token was chosen
  invalid_logits,          ///< NaN or +inf in the row; `id` is the lowest such id
  no_candidates,           ///< every token is masked; `step` is the one that removed the last, -1 for the row itself
  overflow,                ///< a finite logit became +inf or NaN in `step`, at `id`
  id_out_of_range,         ///< a parameter of `step` names an id at or past the row's width
  width_mismatch,          ///< the row is not as wide as `build` was told
  constraint_not_applied,  ///< the request has a constraint, but the chain has no AllowMask step
  constraint_refused,      ///< the constraint allows no token at this position, or refused the one accepted
  unsupported,             ///< this combination is not offered, or the request lacks what a step needs
  needs_full_row,          ///< a sparse row does not determine the result
  step_threw,              ///< a custom step let an exception escape
};

/// The status as it is spelled here, for example "no_candidates".
constexpr std::string_view name(Status status) {
  constexpr std::string_view kNames[] = {"ok",
                                         "invalid_logits",
                                         "no_candidates",
                                         "overflow",
                                         "id_out_of_range",
                                         "width_mismatch",
                                         "constraint_not_applied",
                                         "constraint_refused",
                                         "unsupported",
                                         "needs_full_row",
                                         "step_threw"};
  return kNames[static_cast<std::size_t>(status)];
}

/// A constructor got a value outside its range; the text names parameter, value and range.
struct InvalidParameter : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

/// A spec cannot be read or built; the text names the step's index, the key, the value and what is allowed.
struct SpecError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

/// `process` met a row that cannot be processed; `status`, `step` and `id` as in Pick.
struct RowError : std::runtime_error {
  RowError(const std::string& text, Status why, int in_step, std::int32_t at_id)
      : std::runtime_error(text), status(why), step(in_step), id(at_id) {}
  Status status;
  int step;
  std::int32_t id;
};

namespace detail {

/// The one cold way out: throws `error`, or hands its text to LOGITKIT_ON_ERROR where exceptions are off.
template <class Error>
[[noreturn]] LOGITKIT_COLD void fail(const Error& error) {
#if defined(LOGITKIT_EXCEPTIONS)
  throw error;
#else
  LOGITKIT_ON_ERROR(error.what());
  std::abort();
#endif
}

}  // namespace detail

LOGITKIT_NAMESPACE_END
