// SPDX-License-Identifier: MIT
#pragma once

/// The one place that spells the version; CMake reads it from here.
#define LOGITKIT_VERSION_MAJOR 0
#define LOGITKIT_VERSION_MINOR 1
#define LOGITKIT_VERSION_PATCH 0

#define LOGITKIT_JOIN_VERSION(a, b, c) v##a##_##b##_##c
#define LOGITKIT_EXPAND_VERSION(a, b, c) LOGITKIT_JOIN_VERSION(a, b, c)

/// Every name lives in this inline namespace, so that two versions in one program cannot be mixed up by the linker.
#define LOGITKIT_VERSION_NAMESPACE \
  LOGITKIT_EXPAND_VERSION(LOGITKIT_VERSION_MAJOR, LOGITKIT_VERSION_MINOR, LOGITKIT_VERSION_PATCH)

#define LOGITKIT_NAMESPACE_BEGIN \
  namespace logitkit {           \
  inline namespace LOGITKIT_VERSION_NAMESPACE {
#define LOGITKIT_NAMESPACE_END \
  }                            \
  }
