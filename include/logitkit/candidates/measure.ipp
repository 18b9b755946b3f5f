// SPDX-License-Identifier: MIT
#pragma once
// Candidates: what is summed over the set, and what replaces it.
#include "logitkit/candidates/candidates.hpp"
#include "logitkit/numeric/rounded.hpp"

LOGITKIT_NAMESPACE_BEGIN

template <class F>
double Candidates::sum(F f) {
  const float most = max();
  double lane[detail::kLanes] = {};
  if (is_compact_) {
    const std::span<const float> e = list_.exps_of(list_.values(), most);
    for (std::size_t i = 0; i < list_.size(); ++i) lane[list_.ids()[i] % detail::kLanes] += f(list_.values()[i], e[i]);
  } else {
    float buffer[detail::kBlock], e[detail::kBlock];
    detail::for_blocks(size(), [&](std::size_t first, std::size_t n) {
      const float* x = row_.block(first, n, buffer);
      kernels_->exp(x, e, n, most);
      for (std::size_t i = 0; i < n; ++i)
        if (x[i] > detail::kMasked) lane[i % detail::kLanes] += f(x[i], e[i]);
    });
  }
  for (std::size_t half = detail::kLanes / 2; half >= 1; half /= 2)
    for (std::size_t i = 0; i < half; ++i) lane[i] += lane[i + half];
  return lane[0];
}

inline double Candidates::entropy() {
  // - sum p ln p = ln S - (sum e (x - max)) / S
  const double total = normaliser();
  const auto most = static_cast<double>(max_of_sum_);
  const double weighted = sum([most](float x, float e) {
    return e > 0 ? detail::rounded(static_cast<double>(e) * (static_cast<double>(x) - most)) : 0.0;
  });
  return detail::math::log(total) - weighted / total;
}

inline void Candidates::assign(std::span<const TokenId> ids, float logit) {
  for (const TokenId id : ids)
    if (!in_width(id)) return fail(Status::id_out_of_range, id);
  forget_invalid();
  become_these(ids, logit);
}

inline void Candidates::keep_only(TokenId id) {
  if (!in_width(id)) return fail(Status::id_out_of_range, id);
  become_these({&id, 1}, logit(id));
}

inline void Candidates::become_these(std::span<const TokenId> ids, float logit) {
  auto& list = workspace_->ids;
  list.clear();
  if (logit > detail::kMasked)
    for (const TokenId id : ids)
      if (in_range(id)) list.push_back(static_cast<std::uint32_t>(id));
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
  workspace_->values.assign(list.size(), logit);
  order_ = Order::by_id;
  become_list();
}

inline bool Candidates::set_invalid_aside() {
  auto& array = workspace_->array;
  array.resize(size());
  for (std::uint32_t id = 0; id < size(); ++id) {
    const float x = row_.row_value(id);
    const bool is_invalid = detail::is_invalid(x);
    if (is_invalid) workspace_->invalid.emplace_back(static_cast<TokenId>(id), x);
    array[id] = is_invalid ? 0.0f : x;
  }
  status_ = Status::ok;
  id_ = kNoToken;
  return look_at({array.data(), array.size()}, Status::invalid_logits) == Status::ok;
}

LOGITKIT_NAMESPACE_END
