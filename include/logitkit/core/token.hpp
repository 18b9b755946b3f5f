// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

#include "logitkit/core/platform.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// A token's index in the row of logits. Histories may hold ids outside the row (image placeholders).
using TokenId = std::int32_t;

/// "No token": what a Pick holds when its status is not `ok`. Never a made-up id.
inline constexpr TokenId kNoToken = -1;

LOGITKIT_NAMESPACE_END
