// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <ranges>
#include <span>
#include <type_traits>

#include "logitkit/core/half.hpp"
#include "logitkit/core/token.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// Element type of a row.
enum class Dtype : std::uint8_t { float32, float16, bfloat16 };

namespace detail {

template <class T>
inline constexpr bool kIsLogit = std::is_same_v<T, float> || std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>;

template <class T>
constexpr Dtype dtype_of() {
  if constexpr (std::is_same_v<T, float>)
    return Dtype::float32;
  else if constexpr (std::is_same_v<T, float16>)
    return Dtype::float16;
  else
    return Dtype::bfloat16;
}

}  // namespace detail

/// One row of logits, borrowed and never written: pointer, width, element type. Converts from spans and vectors of
/// float, lk::float16 and lk::bfloat16; any alignment of the element type. -inf means masked.
class LogitsView {
 public:
  LogitsView() = default;
  template <class T>
  requires detail::kIsLogit<T> LogitsView(const T* data, std::size_t size)
      : data_(data), size_(size), dtype_(detail::dtype_of<T>()) {}
  LogitsView(const void* data, std::size_t size, Dtype dtype) : data_(data), size_(size), dtype_(dtype) {}
  template <std::ranges::contiguous_range Range>
  requires detail::kIsLogit<std::ranges::range_value_t<Range>> && std::ranges::sized_range<Range> LogitsView(
      const Range& range)
      : LogitsView(std::ranges::data(range), std::ranges::size(range)) {}

  std::size_t size() const { return size_; }
  Dtype dtype() const { return dtype_; }
  const void* data() const { return data_; }
  /// The elements as T, which must be the row's type.
  template <class T>
  const T* as() const {
    return static_cast<const T*>(data_);
  }
  /// The value at `id` < size() as float32 (exact for all types).
  float operator[](std::size_t id) const {
    switch (dtype_) {
      case Dtype::float16:
        return static_cast<float>(as<float16>()[id]);
      case Dtype::bfloat16:
        return static_cast<float>(as<bfloat16>()[id]);
      default:
        return as<float>()[id];
    }
  }
  /// The first n logits.
  LogitsView first(std::size_t n) const { return {data_, n < size_ ? n : size_, dtype_}; }

 private:
  const void* data_ = nullptr;
  std::size_t size_ = 0;
  Dtype dtype_ = Dtype::float32;
};

/// `rows` rows of `cols` logits of one type; row i starts `stride` elements after row i - 1. Borrowed.
struct LogitsMatrix {
  const void* data = nullptr;
  std::size_t rows = 0, cols = 0, stride = 0;
  Dtype dtype = Dtype::float32;

  LogitsView operator[](std::size_t row) const {
    const std::size_t bytes = dtype == Dtype::float32 ? 4 : 2;
    return {static_cast<const std::byte*>(data) + row * stride * bytes, cols, dtype};
  }
};

LOGITKIT_NAMESPACE_END
