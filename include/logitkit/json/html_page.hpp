// SPDX-License-Identifier: MIT
#pragma once
// What the HTML reports share: one file, styles inside, no scripts, readable in light, dark and print. Figures carry
// `data-path`, the JSON pointer of their value in the data at the end of the page, so that a test can hold them to it.
#include "logitkit/json/trace_json.hpp"
#include "logitkit/trace/text_table.hpp"

LOGITKIT_NAMESPACE_BEGIN
namespace detail::html {

inline std::string escape(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

inline std::string number(double x) { return digits(x, 2); }
inline std::string number(std::size_t x) { return std::to_string(x); }

/// An element with attributes as they are written, and content that is already HTML.
inline std::string element(const std::string& name, const std::string& attributes, const std::string& content) {
  return "<" + name + (attributes.empty() ? "" : " " + attributes) + ">" + content + "</" + name + ">\n";
}
inline std::string path(const std::string& pointer) { return "data-path=\"" + pointer + "\""; }

/// A figure in a table.
inline std::string cell(const std::string& pointer, const std::string& shown) {
  return "<td class=\"n\" " + path(pointer) + ">" + shown + "</td>";
}
inline std::string cell(const std::string& shown) { return "<td>" + escape(shown) + "</td>"; }
inline std::string head(std::initializer_list<std::string_view> heads) {
  std::string cells;
  for (const std::string_view one : heads) cells += "<th>" + escape(one) + "</th>";
  return "<tr>" + cells + "</tr>\n";
}

// SVG, in user units.
inline std::string svg(double width, double height, const std::string& label, const std::string& content) {
  return "<svg viewBox=\"0 0 " + number(width) + " " + number(height) + "\" role=\"img\" aria-label=\"" +
         escape(label) + "\">\n" + content + "</svg>\n";
}
inline std::string text(double x, double y, const std::string& attributes, std::string_view content) {
  return "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" " + attributes + ">" + escape(content) + "</text>\n";
}
inline std::string line(double x1, double y1, double x2, double y2, const std::string& attributes) {
  return "<line x1=\"" + number(x1) + "\" y1=\"" + number(y1) + "\" x2=\"" + number(x2) + "\" y2=\"" + number(y2) +
         "\" " + attributes + "/>\n";
}
inline std::string rect(double x, double y, double width, double height, const std::string& attributes,
                        std::string_view tip) {
  return "<rect x=\"" + number(x) + "\" y=\"" + number(y) + "\" width=\"" + digits(width, 4) + "\" height=\"" +
         digits(height, 4) + "\" " + attributes + "><title>" + escape(tip) + "</title></rect>\n";
}
inline std::string circle(double x, double y, double r, const std::string& attributes, std::string_view tip) {
  return "<circle cx=\"" + number(x) + "\" cy=\"" + number(y) + "\" r=\"" + number(r) + "\" " + attributes +
         "><title>" + escape(tip) + "</title></circle>\n";
}

inline constexpr std::string_view kStyle = R"(
:root { color-scheme: light dark; --ink: #1c1e21; --paper: #ffffff; --faint: #667079; --rule: #d5d9dd; --mark: #c2185b; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e7e9ec; --paper: #16181b; --faint: #9aa4ad; --rule: #3a4047; --mark: #ff79b0; }
}
@media print {
  :root { color-scheme: light; --ink: #000000; --paper: #ffffff; --faint: #444444; --rule: #bbbbbb; --mark: #c2185b; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  svg, table { break-inside: avoid; }
}
body { margin: 2rem auto; max-width: 64rem; padding: 0 1rem; background: var(--paper); color: var(--ink);
  font: 15px/1.45 system-ui, sans-serif; }
h1 { font-size: 1.35rem; } h2 { font-size: 1.05rem; margin-top: 2rem; } p { max-width: 48rem; }
table { border-collapse: collapse; font-size: 13px; }
th { text-align: left; color: var(--faint); font-weight: 600; }
th, td { padding: .15rem .7rem .15rem 0; border-bottom: 1px solid var(--rule); vertical-align: top; }
td.n { text-align: right; font-variant-numeric: tabular-nums; }
pre { font-size: 13px; overflow-x: auto; } .wide { overflow-x: auto; } .mark { color: var(--mark); font-weight: 600; } .faint { color: var(--faint); }
svg { width: 100%; height: auto; display: block; } svg text { fill: var(--ink); font: 11px system-ui, sans-serif; }
svg .faint { fill: var(--faint); } svg .mid { text-anchor: middle; } svg .right { text-anchor: end; }
.rule { stroke: var(--rule); } .ink { stroke: var(--ink); fill: none; stroke-width: 1.5; }
.dot { fill: var(--ink); } .chosen { fill: var(--mark); stroke: var(--mark); } .rest { fill: var(--rule); }
.ribbon { opacity: .28; } svg .inside { fill: #ffffff; }
.c0 { fill: #3b6fb6; stroke: #3b6fb6; } .c1 { fill: #c8641b; stroke: #c8641b; } .c2 { fill: #2f8f5b; stroke: #2f8f5b; }
.c3 { fill: #8a56b3; stroke: #8a56b3; } .c4 { fill: #a8862a; stroke: #a8862a; } .c5 { fill: #2a8d9c; stroke: #2a8d9c; }
.c6 { fill: #b84a62; stroke: #b84a62; } .c7 { fill: #6b7b2e; stroke: #6b7b2e; } .c8 { fill: #5a66c4; stroke: #5a66c4; }
.c9 { fill: #8f6a55; stroke: #8f6a55; } .curve { fill: none; stroke-width: 2; } rect { stroke: none; }
)";

/// The whole page, its data at the end.
inline std::string page(const std::string& title, const std::string& body, const Json& data) {
  std::string json = data.dump();
  for (std::size_t at = 0; (at = json.find("</", at)) != json.npos; at += 3) json.replace(at, 2, "<\\/");
  return "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
         "content=\"width=device-width, initial-scale=1\">\n<link rel=\"icon\" href=\"data:,\">\n<title>" +
         escape(title) + "</title>\n<style>" + std::string(kStyle) + "</style>\n</head>\n<body>\n" +
         element("h1", "", escape(title)) + body + "<script type=\"application/json\" id=\"data\">" + json +
         "</script>\n</body>\n</html>\n";
}

/// What charts with powers of ten up the side have in common.
struct LogAxis {
  double top, bottom;  ///< y of `most` and of 1
  int decades;         ///< most is ten to this

  static LogAxis up_to(double most, double top, double bottom) {
    int decades = 1;
    while (most > 10) {
      most /= 10;
      ++decades;
    }
    return {top, bottom, decades};
  }
  /// 0 is drawn like 1.
  double y(double value) const {
    constexpr double kLog10E = 0.43429448190325182;
    return bottom - (value < 1 ? 0 : math::log(value)) * kLog10E * (bottom - top) / decades;
  }
  std::string rules(double left, double right) const {
    std::string lines;
    double power = 1;
    for (int i = 0; i <= decades; ++i, power *= 10) {
      lines += line(left, y(power), right, y(power), "class=\"rule\"");
      lines += text(left - 6, y(power) + 4, "class=\"faint right\"", digits(power, 0));
    }
    return lines;
  }
};

}  // namespace detail::html
LOGITKIT_NAMESPACE_END
