// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>

#include "logitkit/numeric/order.hpp"
#include "logitkit/numeric/simd/kernels.hpp"

LOGITKIT_NAMESPACE_BEGIN
namespace detail {

/// What a whole row still has to go through, in order: divisions by a temperature and subtractions of a log-sum-exp.
/// Each maps floats to floats monotonically and rounds once, so order questions can be asked of the row as it is; only
/// ties are new, which `lowest` answers exactly.
class Pointwise {
 public:
  static constexpr std::size_t kMost = 4;

  bool empty() const { return size_ == 0; }
  bool full() const { return size_ == kMost; }
  void divide(float divisor) { ops_[size_++] = {true, static_cast<double>(divisor)}; }
  void subtract(double c) { ops_[size_++] = {false, c}; }

  float operator()(float x) const {
    for (std::size_t i = 0; i < size_; ++i)
      x = ops_[i].is_division ? x / static_cast<float>(ops_[i].operand)
                              : static_cast<float>(static_cast<double>(x) - ops_[i].operand);
    return x;
  }

  /// The smallest float x whose image is at least y; `known` is one whose image is.
  float lowest(float y, float known) const {
    if (empty()) return y;
    double guess = static_cast<double>(y);
    for (std::size_t i = size_; i-- > 0;)
      guess = ops_[i].is_division ? guess * ops_[i].operand : guess + ops_[i].operand;
    return lowest_float(known, static_cast<float>(guess), [&](float x) { return (*this)(x) >= y; });
  }

  /// The operations are none, or one division: then kernels divide on the way.
  bool is_one_division() const { return empty() || (size_ == 1 && ops_[0].is_division); }
  float divisor() const { return empty() ? 1.0f : static_cast<float>(ops_[0].operand); }

  /// y = image of x for n values; in place allowed.
  void apply(const Kernels& k, const float* x, float* y, std::size_t n) const {
    for (std::size_t i = 0; i < size_; ++i, x = y) {
      if (ops_[i].is_division)
        k.divide(x, y, n, static_cast<float>(ops_[i].operand));
      else
        k.subtract(x, y, n, ops_[i].operand);
    }
  }

 private:
  struct Op {
    bool is_division;
    double operand;
  };
  Op ops_[kMost] = {};
  std::size_t size_ = 0;
};

}  // namespace detail
LOGITKIT_NAMESPACE_END
