// SPDX-License-Identifier: MIT
#pragma once
#include "logitkit/pipeline/spec.hpp"
#include "logitkit/pipeline/step_types.hpp"

// Making one spec more like another, one kind of difference at a time.
LOGITKIT_NAMESPACE_BEGIN
namespace detail {

using Steps = std::vector<Step>;

/// Index pairs of the steps that both have: the n-th of a type in one and in the other, in the order of `a`.
inline std::vector<std::pair<std::size_t, std::size_t>> matches(const Steps& a, const Steps& b) {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  std::vector<bool> used(b.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b.size(); ++j) {
      if (used[j] || a[i].type() != b[j].type()) continue;
      if (a[i].type() == "custom" && !(a[i] == b[j])) continue;
      used[j] = true;
      pairs.emplace_back(i, j);
      break;
    }
  return pairs;
}

/// `a` with the steps that both have in the order of `b`.
inline Steps in_order_of(const Steps& a, const Steps& b) {
  auto pairs = matches(a, b);
  std::vector<std::size_t> slots;
  for (const auto& pair : pairs) slots.push_back(pair.first);
  std::sort(pairs.begin(), pairs.end(), [](const auto& x, const auto& y) { return x.second < y.second; });
  Steps result = a;
  for (std::size_t k = 0; k < slots.size(); ++k) result[slots[k]] = a[pairs[k].first];
  return result;
}

/// `a` with those parameters of `b` for which wanted(key) holds, in the steps that both have.
template <class Wanted>
Steps with_fields_of(const Steps& a, const Steps& b, Wanted wanted) {
  Steps result = a;
  for (const auto& [i, j] : matches(a, b)) {
    Fields fields = b[j].fields();
    std::erase_if(fields, [&](const Field& field) { return !wanted(field.key); });
    StepProblem problem;
    if (a[i].type() != "custom" && !fields.empty()) result[i] = with_fields(a[i], fields, problem).value_or(a[i]);
  }
  return result;
}

/// `a` without the steps that only it has, and with those that only `b` has, each after the step it follows in `b`.
inline Steps with_steps_of(const Steps& a, const Steps& b) {
  const auto pairs = matches(a, b);
  std::vector<std::size_t> order;  // indices in b
  for (const auto& pair : pairs) order.push_back(pair.second);
  for (std::size_t j = 0; j < b.size(); ++j) {
    if (std::find(order.begin(), order.end(), j) != order.end()) continue;
    const auto before = j == 0 ? order.end() : std::find(order.begin(), order.end(), j - 1);
    order.insert(before == order.end() ? order.begin() : before + 1, j);
  }
  Steps result;
  for (const std::size_t j : order) {
    const auto pair = std::find_if(pairs.begin(), pairs.end(), [j](const auto& p) { return p.second == j; });
    result.push_back(pair == pairs.end() ? b[j] : a[pair->first]);
  }
  return result;
}

}  // namespace detail
LOGITKIT_NAMESPACE_END
