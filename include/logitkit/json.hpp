// SPDX-License-Identifier: MIT
#pragma once
// Specs, presets and results as JSON, on top of logitkit.hpp; needs nlohmann/json. Order of keys is kept
// (ordered_json).
#include "logitkit/json/decide_json.hpp"
#include "logitkit/json/decoding_json.hpp"
#include "logitkit/json/preset_json.hpp"
#include "logitkit/json/result_json.hpp"
#include "logitkit/json/search_json.hpp"
#include "logitkit/json/spec_json.hpp"
#include "logitkit/json/trace_json.hpp"
#include "logitkit/logitkit.hpp"
