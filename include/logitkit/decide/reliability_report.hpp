// SPDX-License-Identifier: MIT
#pragma once
#include <charconv>
#include <string>

#include "logitkit/decide/reliability.hpp"

LOGITKIT_NAMESPACE_BEGIN

namespace detail {

/// `x` with so many digits after the point, in any locale; "-" for NaN.
inline std::string fixed_text(double x, int digits) {
  if (x != x) return "-";
  char text[400];
  return {text, std::to_chars(text, text + sizeof text, x, std::chars_format::fixed, digits).ptr};
}

inline std::string right_aligned(const std::string& text, std::size_t width) {
  return std::string(width > text.size() ? width - text.size() : 0, ' ') + text;
}

}  // namespace detail

/// The bins as lines of text, and the figures below them. The same text in every locale.
inline std::string reliability_table(const Reliability& r) {
  using detail::fixed_text, detail::right_aligned;
  std::string text = "     confidence    count  mean conf.  accuracy\n";
  for (const ReliabilityBin& bin : r.bins)
    text += right_aligned(fixed_text(bin.low, 3) + " - " + fixed_text(bin.high, 3), 15) +
            right_aligned(std::to_string(bin.count), 9) + right_aligned(fixed_text(bin.confidence, 3), 12) +
            right_aligned(fixed_text(bin.accuracy, 3), 10) + "\n";
  return text + "ECE " + fixed_text(r.ece, 4) + ", MCE " + fixed_text(r.mce, 4) + ", Brier " + fixed_text(r.brier, 4) +
         ", NLL " + fixed_text(r.nll, 4) + ", accuracy " + fixed_text(r.accuracy, 4) + " of " +
         std::to_string(r.count) + "\n";
}

/// A reliability diagram as an SVG document: a bar of the accuracy of each bin, a mark at its mean confidence, and the
/// diagonal on which both are equal. A bar under its mark says that the model is over-confident there.
inline std::string reliability_svg(const Reliability& r) {
  constexpr double kSide = 300, kLeft = 50, kTop = 20;
  const auto x = [](double value) { return detail::fixed_text(std::fma(value, kSide, kLeft), 1); };
  const auto y = [](double value) { return detail::fixed_text(std::fma(-value, kSide, kTop + kSide), 1); };
  const auto line = [&](double x1, double y1, double x2, double y2, const char* style) {
    return "<line x1=\"" + x(x1) + "\" y1=\"" + y(y1) + "\" x2=\"" + x(x2) + "\" y2=\"" + y(y2) + "\" " + style +
           "/>\n";
  };
  const auto label = [&](double at_x, double at_y, const char* anchor, const std::string& text) {
    return "<text x=\"" + x(at_x) + "\" y=\"" + y(at_y) + "\" text-anchor=\"" + anchor + "\">" + text + "</text>\n";
  };
  std::string svg =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 370 375\" font-family=\"sans-serif\" "
      "font-size=\"11\">\n<rect width=\"370\" height=\"375\" fill=\"white\"/>\n";
  for (const ReliabilityBin& bin : r.bins) {
    if (bin.count == 0) continue;
    svg += "<rect x=\"" + x(bin.low) + "\" y=\"" + y(bin.accuracy) + "\" width=\"" +
           detail::fixed_text((bin.high - bin.low) * kSide, 1) + "\" height=\"" +
           detail::fixed_text(bin.accuracy * kSide, 1) + "\" fill=\"#7aa6d8\" stroke=\"white\"><title>" +
           std::to_string(bin.count) + " rows</title></rect>\n";
    svg += line(bin.low, bin.confidence, bin.high, bin.confidence, "stroke=\"#c0392b\" stroke-width=\"2\"");
  }
  svg += line(0, 0, 1, 1, "stroke=\"gray\" stroke-dasharray=\"4\"");
  svg += line(0, 0, 1, 0, "stroke=\"black\"") + line(0, 0, 0, 1, "stroke=\"black\"");
  for (const double tick : {0.0, 0.25, 0.5, 0.75, 1.0})
    svg += label(tick, -0.05, "middle", detail::fixed_text(tick, 2)) +
           label(-0.02, tick - 0.012, "end", detail::fixed_text(tick, 2));
  svg += label(0.5, -0.11, "middle", "confidence (marks: mean of the bin)") + label(0.01, 1.02, "start", "accuracy");
  svg += label(0.03, 0.93, "start", "ECE " + detail::fixed_text(r.ece, 4) + ", " + std::to_string(r.count) + " rows");
  return svg + "</svg>\n";
}

LOGITKIT_NAMESPACE_END
