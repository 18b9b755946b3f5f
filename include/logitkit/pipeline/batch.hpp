// SPDX-License-Identifier: MIT
#pragma once
#include <span>
#include <string>

#include "logitkit/pipeline/pipeline.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// Calls f(0) … f(n - 1) one after the other: what pick_batch does without a parallel_for of the caller's.
struct Serial {
  template <class F>
  void operator()(std::size_t n, F&& f) const {
    for (std::size_t i = 0; i < n; ++i) f(i);
  }
};

/// Rows of a batch: one matrix, or one view per row (any widths and element types).
class BatchRows {
 public:
  BatchRows() = default;  ///< none
  BatchRows(const LogitsMatrix& matrix) : matrix_(matrix), size_(matrix.rows) {}
  BatchRows(std::span<const LogitsView> views) : views_(views), size_(views.size()) {}
  template <std::ranges::contiguous_range Range>
  requires std::same_as<std::ranges::range_value_t<Range>, LogitsView> BatchRows(const Range& views)
      : BatchRows(std::span<const LogitsView>(views)) {}

  std::size_t size() const { return size_; }
  LogitsView operator[](std::size_t i) const { return views_.empty() ? matrix_[i] : views_[i]; }

 private:
  LogitsMatrix matrix_;
  std::span<const LogitsView> views_;
  std::size_t size_ = 0;
};

/// One value for all rows, or one per row.
template <class T>
class OneOrEach {
 public:
  OneOrEach(const T& one) : one_(&one) {}
  OneOrEach(std::span<const T> each) : each_(each), is_each_(true) {}
  template <std::ranges::contiguous_range Range>
  requires std::same_as<std::ranges::range_value_t<Range>, T> OneOrEach(const Range& each)
      : OneOrEach(std::span<const T>(each)) {}

  const T& operator[](std::size_t i) const { return is_each_ ? each_[i] : *one_; }
  /// Whether there are `n` of them (one is enough for any n).
  bool covers(std::size_t n) const { return !is_each_ || each_.size() == n; }
  std::size_t count() const { return is_each_ ? each_.size() : 1; }

 private:
  const T* one_ = nullptr;
  std::span<const T> each_;
  bool is_each_ = false;
};

/// Picks the next token of many requests: row i with pipeline i (or the one for all) and request i, into picks[i]. The
/// same bits as single calls, in any order and on any thread. A row that fails sets its own pick's status; no request
/// is changed. The requests must be distinct: each brings the scratch of its row.
///   parallel_for  called as parallel_for(n, f), must call f(i) once for every i < n; absent: one after the other
///   throws        InvalidParameter if the numbers of rows, pipelines, requests, picks and options differ
template <class ParallelFor = Serial>
void pick_batch(const OneOrEach<const Pipeline*>& pipelines, const BatchRows& rows, std::span<Request* const> requests,
                std::span<Pick> picks, ParallelFor&& parallel_for = {},
                const OneOrEach<PickOptions>& options = PickOptions{}) {
  const std::size_t n = rows.size();
  const auto require = [n](const char* what, bool fits, std::size_t count) {
    if (!fits)
      detail::fail(InvalidParameter("pick_batch: " + std::string(what) + " are " + std::to_string(count) +
                                    ", allowed are as many as rows, " + std::to_string(n)));
  };
  require("pipelines", pipelines.covers(n), pipelines.count());
  require("requests", requests.size() == n, requests.size());
  require("picks", picks.size() == n, picks.size());
  require("options", options.covers(n), options.count());
  parallel_for(n, [&](std::size_t i) { picks[i] = pipelines[i]->pick(rows[i], *requests[i], options[i]); });
}

/// The same with one pipeline for all rows.
template <class ParallelFor = Serial>
void pick_batch(const Pipeline& pipeline, const BatchRows& rows, std::span<Request* const> requests,
                std::span<Pick> picks, ParallelFor&& parallel_for = {},
                const OneOrEach<PickOptions>& options = PickOptions{}) {
  const Pipeline* const one = &pipeline;
  pick_batch(OneOrEach<const Pipeline*>(one), rows, requests, picks, std::forward<ParallelFor>(parallel_for), options);
}

LOGITKIT_NAMESPACE_END
