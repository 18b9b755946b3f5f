// SPDX-License-Identifier: MIT
#pragma once

/// Builds that run slowly take fewer random cases: the bits are the same in all of them.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__OPTIMIZE__)
inline constexpr bool kSlowBuild = true;
#else
inline constexpr bool kSlowBuild = false;
#endif
