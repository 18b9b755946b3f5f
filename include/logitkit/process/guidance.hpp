// SPDX-License-Identifier: MIT
#pragma once
#include "logitkit/numeric/log_sum_exp.hpp"
#include "logitkit/numeric/rounded.hpp"
#include "logitkit/process/step.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// Classifier-free guidance: moves the log-probabilities away from those of an unconditional prompt, whose row comes
/// with PickOptions::unconditional.
///   formula  s * (c - u) + u, c and u the log-softmax of the two rows, each rounded once, the rest in float32
///   range    s finite; 1 gives the plain log-softmax, 0 the unconditional row
///   edge     a removed token stays removed; one that only the unconditional row removes: `overflow`; NaN or +inf
///            there: `invalid_logits`; no unconditional row, or one of another width: `width_mismatch`
///   cost     writes V floats
///   as in    HF guidance_scale
struct Guidance {
  static constexpr std::string_view kType = "guidance";
  static constexpr std::string_view kSummary = "moves away from an unconditional prompt";
  static constexpr StepTraits kTraits{.changes_odds = true, .ranks = true};

  double scale = 1;

  Guidance() = default;
  explicit Guidance(double s) : scale(s) { detail::require_valid(*this); }

  void operator()(Candidates& candidates, const StepView& view) const noexcept {
    if (view.unconditional().size() != candidates.width()) return candidates.fail(Status::width_mismatch, kNoToken);
    const LogitsView row = view.unconditional().first(candidates.size());
    const detail::Kernels& kernels = detail::kernels();
    if (detail::scan(kernels, row).invalid)
      return candidates.fail(Status::invalid_logits, static_cast<TokenId>(detail::first_invalid(row)));
    const double total = log_sum_exp(row);
    const auto s = static_cast<float>(scale);
    candidates.normalise();
    float* c = candidates.materialize().data();
    detail::for_blocks(row.size(), [&](std::size_t first, std::size_t n) {
      float u[detail::kBlock];
      kernels.subtract(detail::read_block(kernels, row, first, n, u), u, n, total);
      for (std::size_t i = 0; i < n; ++i)
        if (float& x = c[first + i]; x > detail::kMasked) x = detail::rounded(s * (x - u[i])) + u[i];
    });
  }
  template <class Self, class F>
  static void visit(Self& self, F&& f) {
    f("scale", self.scale, finite());
  }
};

LOGITKIT_NAMESPACE_END
