// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

#include "logitkit/core/platform.hpp"

#if defined(LOGITKIT_X86)
#include <immintrin.h>
#endif

LOGITKIT_NAMESPACE_BEGIN
namespace detail {

/// Round to nearest and denormals on for the length of a scope; the caller's state comes back at its end. Engines set
/// flush-to-zero, which would make results depend on the thread that computes them. Costs a few nanoseconds.
class FloatEnvironment {
 public:
  FloatEnvironment() : before_(get()) { set(kPlain); }
  ~FloatEnvironment() { set(before_); }
  FloatEnvironment(const FloatEnvironment&) = delete;
  FloatEnvironment& operator=(const FloatEnvironment&) = delete;

 private:
#if defined(LOGITKIT_X86)
  using State = unsigned;
  static constexpr State kPlain = 0x1f80;  // all exceptions masked, to nearest, no FTZ, no DAZ
  static State get() { return _mm_getcsr(); }
  void set(State state) {
    if (get() != state) _mm_setcsr(state);
    fence();
  }
#elif defined(LOGITKIT_NEON) && defined(__GNUC__)
  using State = std::uint64_t;
  static constexpr State kPlain = 0;
  static State get() {
    State state;
    asm volatile("mrs %0, fpcr" : "=r"(state));
    return state;
  }
  void set(State state) {
    if (get() != state) asm volatile("msr fpcr, %0" : : "r"(state));
    fence();
  }
#else
  using State = int;
  static constexpr State kPlain = 0;
  static State get() { return 0; }
  void set(State) {}
#endif
  /// Keeps the compiler from moving loads and stores of results across the switch.
  static void fence() {
#if defined(__GNUC__)
    asm volatile("" : : : "memory");
#endif
  }

  State before_;
};

}  // namespace detail
LOGITKIT_NAMESPACE_END
