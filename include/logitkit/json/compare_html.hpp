// SPDX-License-Identifier: MIT
#pragma once
#include "logitkit/json/html_page.hpp"
#include "logitkit/trace/describe_compare.hpp"

LOGITKIT_NAMESPACE_BEGIN
namespace detail::html {

inline std::string spec_table(const Comparison& c) {
  std::string table = head({"spec", "survivors", "entropy", "token", "probability of the best", "best"});
  for (std::size_t i = 0; i < c.specs.size(); ++i) {
    const Explanation& e = c.specs[i].trace.draw;
    const std::string at = "/specs/" + number(i) + "/trace";
    table += "<tr>" + cell(c.specs[i].name);
    if (e && !e.top.empty())
      table += cell(at + "/draw/pick/survivors", number(e.pick.survivors)) +
               cell(at + "/steps/" + number(c.specs[i].trace.steps.size() - 1) + "/entropy",
                    digits(c.specs[i].trace.steps.back().entropy, 4)) +
               cell(at + "/draw/pick/token", std::to_string(e.pick.token)) +
               cell(at + "/draw/top/0/probability", digits(e.top.front().probability, 6)) +
               cell(token_text(e.top.front()));
    else
      table += "<td colspan=\"5\">" + escape(e.pick.message()) + "</td>";
    table += "</tr>\n";
  }
  return element("div", "class=\"wide\"", element("table", "", table));
}

inline std::string pair_section(const Comparison& c, std::size_t i) {
  const SpecDifference& d = c.pairs[i];
  const std::string at = "/pairs/" + number(i);
  std::string section = element("h2", "", escape(c.specs[d.a].name + " and " + c.specs[d.b].name)) +
                        element("p", "class=\"mark\"", escape(d.why));
  const auto kl = [](double x) { return std::isinf(x) ? std::string("infinite") : digits(x, 6); };
  std::string table = head({"total variation", "KL", "KL reversed", "only the first keeps", "only the second keeps"});
  table += "<tr>" + cell(at + "/total_variation", digits(d.total_variation, 6)) + cell(at + "/kl_ab", kl(d.kl_ab)) +
           cell(at + "/kl_ba", kl(d.kl_ba)) + cell(at + "/only_a_count", number(d.only_a_count)) +
           cell(at + "/only_b_count", number(d.only_b_count)) + "</tr>\n";
  return section + element("div", "class=\"wide\"", element("table", "", table));
}

/// One chart of a sweep: survivors (logarithmic) or entropy over the values.
inline std::string sweep_chart(const Sweep& sweep, bool entropy) {
  constexpr double kWidth = 960, kLeft = 60, kRight = 160, kTop = 15, kBottom = 235;
  double most = 1, low = 0, high = 1;
  bool first = true;
  for (const SweepCurve& curve : sweep.curves)
    for (const SweepPoint& p : curve.points) {
      most = std::max(most, entropy ? p.entropy : static_cast<double>(p.survivors));
      low = first ? p.value : std::min(low, p.value);
      high = first ? p.value : std::max(high, p.value);
      first = false;
    }
  const double width = kWidth - kLeft - kRight, span = high > low ? high - low : 1;
  const LogAxis axis = LogAxis::up_to(most, kTop, kBottom);
  const auto y = [&](const SweepPoint& p) {
    return entropy ? kBottom - p.entropy / most * (kBottom - kTop) : axis.y(static_cast<double>(p.survivors));
  };
  std::string content;
  if (entropy) {
    for (const double share : {0.0, 0.5, 1.0}) {
      const double at = kBottom - share * (kBottom - kTop);
      content += line(kLeft, at, kWidth - kRight, at, "class=\"rule\"");
      content += text(kLeft - 6, at + 4, "class=\"faint right\"", digits(share * most, 2));
    }
  } else {
    content += axis.rules(kLeft, kWidth - kRight);
  }
  for (std::size_t c = 0; c < sweep.curves.size(); ++c) {
    std::string points;
    const SweepCurve& curve = sweep.curves[c];
    const std::string color = "c" + std::to_string(c % 10);
    for (const SweepPoint& p : curve.points) {
      if (p.status != Status::ok) continue;
      const double x = kLeft + (p.value - low) / span * width;
      points.append(number(x)).append(",").append(number(y(p))).append(" ");
      std::string tip = curve.name;
      tip.append(", ").append(sweep.key).append(" ").append(number_text(p.value)).append(": ");
      tip.append(entropy ? digits(p.entropy, 4) : number(p.survivors));
      content += circle(x, y(p), 3, "class=\"" + color + "\"", tip);
    }
    content.append("<polyline class=\"curve ").append(color);
    content.append("\" style=\"fill:none\" points=\"").append(points).append("\"/>\n");
    content += rect(kWidth - kRight + 12, kTop + 18 * static_cast<double>(c), 10, 10, "class=\"" + color + "\"", "");
    content += text(kWidth - kRight + 28, kTop + 9 + 18 * static_cast<double>(c), "", curve.name);
  }
  content += text(kLeft, kBottom + 18, "class=\"faint mid\"", number_text(low));
  content += text(kLeft + width, kBottom + 18, "class=\"faint mid\"", number_text(high));
  content += text(kLeft + width / 2, kBottom + 18, "class=\"mid\"", sweep.key);
  return svg(kWidth, kBottom + 28, (entropy ? "Entropy over " : "Tokens left over ") + sweep.key, content);
}

inline std::string sweep_table(const Sweep& sweep) {
  std::string heads = "<th>" + escape(sweep.key) + "</th>";
  for (const SweepCurve& curve : sweep.curves) heads += "<th>" + escape(curve.name) + "</th><th>entropy</th>";
  std::string table = "<tr>" + heads + "</tr>\n";
  for (std::size_t i = 0; !sweep.curves.empty() && i < sweep.curves.front().points.size(); ++i) {
    table +=
        "<tr>" + cell("/curves/0/points/" + number(i) + "/value", number_text(sweep.curves.front().points[i].value));
    for (std::size_t c = 0; c < sweep.curves.size(); ++c) {
      const std::string at = "/curves/" + number(c) + "/points/" + number(i);
      const SweepPoint& p = sweep.curves[c].points[i];
      table += cell(at + "/survivors", number(p.survivors)) + cell(at + "/entropy", digits(p.entropy, 4));
    }
    table += "</tr>\n";
  }
  return element("div", "class=\"wide\"", element("table", "", table));
}

}  // namespace detail::html

/// A comparison as one HTML file: a table of the specs, and for each two how far they are apart and why.
inline std::string to_html(const Comparison& comparison) {
  std::string body = detail::html::spec_table(comparison);
  for (std::size_t i = 0; i < comparison.pairs.size(); ++i) body += detail::html::pair_section(comparison, i);
  return detail::html::page("The same row, side by side", body, to_json(comparison));
}

/// A sweep as one HTML file: survivors (logarithmic) and entropy as charts and as a table.
inline std::string to_html(const Sweep& sweep) {
  using namespace detail::html;
  const std::string body = element("h2", "", "Tokens left") + sweep_chart(sweep, false) +
                           element("h2", "", "Entropy, in nats") + sweep_chart(sweep, true) +
                           element("h2", "", "All figures") + sweep_table(sweep);
  return page("What " + sweep.key + " does", body, to_json(sweep));
}

LOGITKIT_NAMESPACE_END
