// SPDX-License-Identifier: MIT
#pragma once
#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <string>

/// The folder of recorded data that cannot be part of the project, from the environment variable LOGITKIT_DATA. Where
/// it is unset, the caller skips and says what is left out; with LOGITKIT_REQUIRE_DATA set, that is a failure.
///   const auto folder = data_folder();
///   if (!folder) GTEST_SKIP() << "LOGITKIT_DATA is not set: 24 rows are not checked";
inline std::optional<std::string> data_folder() {
  if (const char* folder = std::getenv("LOGITKIT_DATA")) return folder;
  if (std::getenv("LOGITKIT_REQUIRE_DATA") != nullptr) ADD_FAILURE() << "LOGITKIT_DATA is required but not set";
  return std::nullopt;
}
