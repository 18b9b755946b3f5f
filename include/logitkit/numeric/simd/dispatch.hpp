// SPDX-License-Identifier: MIT
#pragma once
// Which table of kernels runs: the best of the host, or the one that LOGITKIT_FORCE_ISA or a ScopedIsa names.
#include <atomic>
#include <cstdlib>
#include <string>

#include "logitkit/core/error.hpp"
#include "logitkit/numeric/simd/avx2.hpp"
#include "logitkit/numeric/simd/avx512.hpp"
#include "logitkit/numeric/simd/neon.hpp"
#include "logitkit/numeric/simd/scalar.hpp"

LOGITKIT_SIMD_BEGIN

inline const Kernels& kernels_of(Isa isa) {
  switch (isa) {
#if defined(LOGITKIT_X86) && defined(__GNUC__)
    case Isa::avx2:
      return avx2::kKernels;
    case Isa::avx512:
      return avx512::kKernels;
#elif defined(LOGITKIT_NEON) && defined(__GNUC__)
    case Isa::neon:
      return neon::kKernels;
#endif
    default:
      return scalar::kKernels;
  }
}

LOGITKIT_SIMD_END

LOGITKIT_NAMESPACE_BEGIN
namespace detail {

inline Isa parse_isa(std::string_view text) {
  for (const Isa isa : {Isa::scalar, Isa::avx2, Isa::avx512, Isa::neon}) {
    if (text != name(isa)) continue;
    if (!host_has(isa))
      fail(InvalidParameter("LOGITKIT_FORCE_ISA=" + std::string(text) + ": this processor does not have it"));
    return isa;
  }
  fail(InvalidParameter("LOGITKIT_FORCE_ISA=" + std::string(text) + ": allowed are scalar, avx2, avx512, neon"));
}

inline Isa choose_isa() {
  if (const char* forced = std::getenv("LOGITKIT_FORCE_ISA"); forced != nullptr && *forced != '\0')
    return parse_isa(forced);
  for (const Isa isa : {Isa::avx512, Isa::avx2, Isa::neon})
    if (host_has(isa)) return isa;
  return Isa::scalar;
}

/// 0 = not chosen yet, else 1 + Isa. The only mutable global: a cache of a fact, and the tests' override.
inline constinit std::atomic<int> isa_choice{0};

}  // namespace detail

/// The instruction set that the kernels use: the best of the host, or LOGITKIT_FORCE_ISA=scalar|avx2|avx512|neon, read
/// once at the first call. Throws InvalidParameter if the variable names one that is unknown or that the host lacks.
inline Isa active_isa() {
  int choice = detail::isa_choice.load(std::memory_order_relaxed);
  if (choice == 0) {
    choice = 1 + static_cast<int>(detail::choose_isa());
    detail::isa_choice.store(choice, std::memory_order_relaxed);
  }
  return static_cast<Isa>(choice - 1);
}

/// For tests: all threads use `isa` until the end of the scope. Throws InvalidParameter if the host lacks it.
class ScopedIsa {
 public:
  explicit ScopedIsa(Isa isa) : before_(active_isa()) {
    if (!detail::host_has(isa))
      detail::fail(InvalidParameter("ScopedIsa(" + std::string(name(isa)) + "): this processor does not have it"));
    detail::isa_choice.store(1 + static_cast<int>(isa), std::memory_order_relaxed);
  }
  ~ScopedIsa() { detail::isa_choice.store(1 + static_cast<int>(before_), std::memory_order_relaxed); }
  ScopedIsa(const ScopedIsa&) = delete;
  ScopedIsa& operator=(const ScopedIsa&) = delete;

 private:
  Isa before_;
};

namespace detail {
/// The kernels in force.
inline const Kernels& kernels() { return simd::kernels_of(active_isa()); }
}  // namespace detail

LOGITKIT_NAMESPACE_END
