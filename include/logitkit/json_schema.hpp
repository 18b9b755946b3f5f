// SPDX-License-Identifier: MIT
#pragma once
// JSON Schema constraints. Needs nlohmann/json; the other constraints come with logitkit.hpp.
#include "logitkit/constrain/json_schema.hpp"
