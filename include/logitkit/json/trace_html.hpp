// SPDX-License-Identifier: MIT
#pragma once
#include "logitkit/json/html_page.hpp"
#include "logitkit/trace/describe_trace.hpp"

LOGITKIT_NAMESPACE_BEGIN
namespace detail::html {

inline std::string step_label(const StepTrace& step) {
  return (step.step < 0 ? "" : std::to_string(step.step) + " ") + step.type;
}

/// The parts of a trace's page.
class TracePage {
 public:
  explicit TracePage(const Trace& trace) : trace_(&trace) {
    for (const StepTrace& step : trace.steps)
      for (const TokenShare& share : step.top)
        if (std::find(tokens_.begin(), tokens_.end(), share.token) == tokens_.end()) tokens_.push_back(share.token);
  }

  std::string body() const {
    std::string body = element("pre", "", escape(draw_text(trace_->draw, {})));
    if (!trace_->steps.empty()) {
      body += element("h2", "", "The likeliest tokens through the steps") + flow();
      body += element("h2", "", "Tokens left after each step") + survivors();
    }
    if (!trace_->draw.nearby.empty()) body += element("h2", "", "Where the uniform fell") + draw();
    body += element("h2", "", "The steps") + steps();
    for (std::size_t i = 0; i < trace_->steps.size(); ++i) body += tokens(i);
    return body;
  }

 private:
  static constexpr double kWidth = 960, kLeft = 60, kRight = 120;

  const std::vector<StepTrace>& all() const { return trace_->steps; }
  std::string color(TokenId token) const {
    const auto at = std::find(tokens_.begin(), tokens_.end(), token) - tokens_.begin();
    return "c" + std::to_string(at % 10);
  }
  double column() const { return (kWidth - kLeft - kRight) / static_cast<double>(all().size()); }
  double x(std::size_t i) const { return kLeft + column() * static_cast<double>(i); }
  double bar() const { return std::min(column() * 0.55, 90.0); }

  /// Stacked bars, one column a step; ribbons join a token's bars.
  std::string flow() const {
    constexpr double kTop = 10, kHeight = 300;
    std::string ribbons, bars;
    std::vector<std::pair<TokenId, std::pair<double, double>>> before, now;  // token, (y, height)
    for (std::size_t i = 0; i < all().size(); ++i) {
      double y = kTop, shown = 0;
      now.clear();
      for (std::size_t k = 0; k < all()[i].top.size(); ++k) {
        const TokenShare& s = all()[i].top[k];
        const double height = s.probability * kHeight;
        const std::string tip = token_text(s) + ": " + digits(s.probability, 6) + ", logit " +
                                digits(static_cast<double>(s.logit), 4) + ", rank " + std::to_string(s.rank);
        bars += rect(x(i), y, bar(), height,
                     "class=\"" + color(s.token) + "\" data-scale=\"" + number(kHeight) + "\" " +
                         path("/steps/" + number(i) + "/top/" + number(k) + "/probability"),
                     tip);
        if (height > 13) bars += text(x(i) + bar() / 2, y + height / 2 + 4, "class=\"inside mid\"", short_text(s));
        for (const auto& [token, place] : before)
          if (token == s.token) ribbons += ribbon(i, place, {y, height}, color(token));
        now.emplace_back(s.token, std::pair(y, height));
        y += height;
        shown += s.probability;
      }
      if (all()[i].candidates_after > all()[i].top.size())
        bars += rect(x(i), y, bar(), std::max(0.0, 1 - shown) * kHeight, "class=\"rest\"",
                     std::to_string(all()[i].candidates_after - all()[i].top.size()) +
                         " other tokens: " + digits(std::max(0.0, 1 - shown), 6));
      bars += text(x(i) + bar() / 2, kTop + kHeight + 16, "class=\"mid\"", step_label(all()[i]));
      before = now;
    }
    return svg(kWidth, kTop + kHeight + 26, "Stacked bars of the likeliest tokens after each step", ribbons + bars);
  }
  static std::string short_text(const TokenShare& s) {
    return s.text.empty() || s.text.size() > 14 ? std::to_string(s.token) : s.text;
  }
  std::string ribbon(std::size_t i, std::pair<double, double> from, std::pair<double, double> to,
                     const std::string& color) const {
    const double left = x(i - 1) + bar(), right = x(i), middle = (left + right) / 2;
    const auto curve = [](double cx, double y1, double y2, double to_x) {
      return "C" + number(cx) + " " + number(y1) + " " + number(cx) + " " + number(y2) + " " + number(to_x) + " " +
             number(y2);
    };
    return "<path class=\"ribbon " + color + "\" d=\"M" + number(left) + " " + number(from.first) +
           curve(middle, from.first, to.first, right) + "V" + number(to.first + to.second) +
           curve(middle, to.first + to.second, from.first + from.second, left) + "Z\"/>\n";
  }

  std::string survivors() const {
    const LogAxis axis = LogAxis::up_to(static_cast<double>(all().front().candidates_before), 20, 170);
    std::string content = axis.rules(kLeft, kWidth - kRight), points;
    for (std::size_t i = 0; i < all().size(); ++i) {
      const auto left = static_cast<double>(all()[i].candidates_after);
      const double cx = x(i) + bar() / 2, cy = axis.y(left);
      points += number(cx) + "," + number(cy) + " ";
      content += circle(cx, cy, 3.5, "class=\"dot\"", step_label(all()[i]));
      content += text(cx, cy - 8, "class=\"mid\" " + path("/steps/" + number(i) + "/candidates_after"),
                      number(all()[i].candidates_after));
      content += text(cx, 190, "class=\"faint mid\"", step_label(all()[i]));
    }
    return svg(kWidth, 200, "Tokens left after each step, logarithmic",
               content + "<polyline class=\"ink\" points=\"" + points + "\"/>\n");
  }

  /// The cumulative line from 0 to 1, and below it the part around u.
  std::string draw() const {
    const Explanation& e = trace_->draw;
    const double low = e.nearby.front().low, high = e.nearby.back().high;
    std::string content = cumulative(0, 1, 30, false) + cumulative(low, high, 100, true);
    const double scale = kWidth - kLeft - kRight;
    content += line(kLeft + low * scale, 50, kLeft, 100, "class=\"rule\"");
    content += line(kLeft + high * scale, 50, kLeft + scale, 100, "class=\"rule\"");
    std::string table = head({"token", "from", "to", "u"});
    for (std::size_t i = 0; i < e.nearby.size(); ++i) {
      const TokenInterval& n = e.nearby[i];
      const std::string at = "/draw/nearby/" + number(i);
      const bool chosen = n.token.token == e.pick.token;
      table += "<tr>" + cell(token_text(n.token)) + cell(at + "/low", digits(n.low, 9)) +
               cell(at + "/high", digits(n.high, 9)) +
               (chosen ? "<td class=\"n mark\" " + path("/draw/uniform") + ">" + digits(e.uniform, 9) + "</td>"
                       : "<td></td>") +
               "</tr>\n";
    }
    return svg(kWidth, 150, "The uniform on the cumulative line", content) + element("table", "", table);
  }
  std::string cumulative(double from, double to, double y, bool labels) const {
    const Explanation& e = trace_->draw;
    const double scale = (kWidth - kLeft - kRight) / (to - from);
    std::string content = rect(kLeft, y, (to - from) * scale, 20, "class=\"rest\"", "all tokens, in order of id");
    for (std::size_t i = 0; i < e.nearby.size(); ++i) {
      const TokenInterval& n = e.nearby[i];
      const bool chosen = n.token.token == e.pick.token;
      content += rect(kLeft + (n.low - from) * scale, y, (n.high - n.low) * scale, 20,
                      "class=\"" + (chosen ? std::string("chosen") : "c" + std::to_string(i % 2 * 9)) + "\"",
                      token_text(n.token));
      if (labels && (n.high - n.low) * scale > 30)
        content += text(kLeft + ((n.low + n.high) / 2 - from) * scale, y + 36, "class=\"mid\"", short_text(n.token));
    }
    content += text(kLeft - 6, y + 14, "class=\"faint right\"", digits(from, labels ? 4 : 0));
    content += text(kWidth - kRight + 6, y + 14, "class=\"faint\"", digits(to, labels ? 4 : 0));
    return content + circle(kLeft + (e.uniform - from) * scale, y + 10, 5, "class=\"dot\" stroke=\"#ffffff\"",
                            "u = " + digits(e.uniform, 9));
  }

  std::string steps() const {
    std::string table = head({"step", "before", "after", "mass removed", "entropy", "logits changed", "argmax"});
    for (std::size_t i = 0; i < all().size(); ++i) {
      const StepTrace& t = all()[i];
      const std::string at = "/steps/" + number(i);
      table += "<tr>" + cell((t.step < 0 ? "" : std::to_string(t.step) + " ") + t.description) +
               cell(at + "/candidates_before", number(t.candidates_before)) +
               cell(at + "/candidates_after", number(t.candidates_after)) +
               cell(at + "/mass_removed", digits(t.mass_removed, 6)) + cell(at + "/entropy", digits(t.entropy, 4)) +
               cell(at + "/changed", number(t.changed)) + cell(t.argmax_changed ? "changed" : "") + "</tr>\n";
    }
    return element("div", "class=\"wide\"", element("table", "", table));
  }

  std::string tokens(std::size_t i) const {
    const StepTrace& t = all()[i];
    if (t.step >= 0 && t.changed == 0 && t.candidates_before == t.candidates_after) return "";
    std::string table = head({"rank", "token", "logit", "probability"});
    for (std::size_t k = 0; k < t.top.size(); ++k) {
      const TokenShare& s = t.top[k];
      const std::string at = "/steps/" + number(i) + "/top/" + number(k);
      table += "<tr>" + cell(at + "/rank", number(s.rank)) + cell(token_text(s)) +
               cell(at + "/logit", digits(static_cast<double>(s.logit), 4)) +
               cell(at + "/probability", digits(s.probability, 6)) + "</tr>\n";
    }
    std::string removed;
    for (const TokenShare& s : t.removed) removed += (removed.empty() ? "" : ", ") + token_text(s);
    return element("h2", "", escape(t.step < 0 ? "The row" : "After " + step_label(t))) + element("table", "", table) +
           (removed.empty() ? "" : element("p", "", escape("Gone (" + t.rule + "): " + removed)));
  }

  const Trace* trace_;
  std::vector<TokenId> tokens_;  // in order of appearance
};

}  // namespace detail::html

/// A trace as one HTML file with drawings: the likeliest tokens through the steps, the tokens left on a log scale, the
/// draw on the cumulative line, and all figures as tables. The data at its end is to_json(trace).
inline std::string to_html(const Trace& trace) {
  const Pick& pick = trace.pick();
  return detail::html::page(pick ? "Why token " + std::to_string(pick.token) : "Why there is no token",
                            detail::html::TracePage(trace).body(), to_json(trace));
}

LOGITKIT_NAMESPACE_END
