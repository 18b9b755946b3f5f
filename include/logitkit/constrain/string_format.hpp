// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <string_view>

#include "logitkit/constrain/text_automaton.hpp"

LOGITKIT_NAMESPACE_BEGIN

namespace detail {

/// A `format` of JSON Schema as a pattern over the whole string, and the length that its standard allows. Each is a
/// subset of the format, so what is generated is always valid:
///   date, date-time, time  RFC 3339 with the real calendar (29 February in leap years only); no leap seconds
///   duration               RFC 3339 appendix A
///   email                  RFC 5321 without quoted local parts and address literals, at most 64 characters in all
///   hostname               RFC 1123 without two hyphens in a row; at most 32 letters and digits a label
///   ipv4, ipv6             dotted quad; RFC 4291 without an embedded ipv4 address
///   uri                    RFC 3986 with a scheme and a non-empty rest, without IP literals
///   uuid                   RFC 4122, both cases
struct StringFormat {
  std::string pattern;
  LengthBounds length;

  /// An empty pattern: not a format that is offered.
  static StringFormat find(std::string_view name) {
    const std::string date =
        "([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-"
        "8]))"
        "|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)";
    const std::string hour = "([01][0-9]|2[0-3])";
    const std::string time = hour + ":[0-5][0-9]:[0-5][0-9](\\.[0-9]+)?([Zz]|[+-]" + hour + ":[0-5][0-9])";
    if (name == "date") return {date, {}};
    if (name == "time") return {time, {}};
    if (name == "date-time") return {date + "[Tt]" + time, {}};
    if (name == "duration") {
      const std::string clock = "T([0-9]+H([0-9]+M([0-9]+S)?)?|[0-9]+M([0-9]+S)?|[0-9]+S)";
      return {"P(([0-9]+Y([0-9]+M([0-9]+D)?)?|[0-9]+M([0-9]+D)?|[0-9]+D)(" + clock + ")?|" + clock + "|[0-9]+W)", {}};
    }
    const std::string label = "[A-Za-z0-9](-?[A-Za-z0-9]){0,31}";
    const std::string host = label + "(\\." + label + ")*";
    if (name == "hostname") return {host, {1, 253}};
    if (name == "email") {
      const std::string atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]";
      // 64 characters in all keep every part below its own limit
      const std::string word = "[A-Za-z0-9]+(-[A-Za-z0-9]+)*";
      return {atom + "+(\\." + atom + "+)*@" + word + "(\\." + word + ")*", {1, 64}};
    }
    if (name == "ipv4") {
      const std::string byte = "(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
      return {byte + "(\\." + byte + "){3}", {}};
    }
    if (name == "ipv6") {
      const std::string group = "[0-9A-Fa-f]{1,4}";
      std::string pattern = "(" + group + ":){7}" + group + "|(" + group + ":){1,7}:|:(:" + group + "){1,7}|::";
      for (int before = 1; before <= 6; ++before)
        pattern.append("|(")
            .append(group)
            .append(":){1,")
            .append(std::to_string(before))
            .append("}(:")
            .append(group)
            .append("){1,")
            .append(std::to_string(7 - before))
            .append("}");
      return {pattern, {}};
    }
    if (name == "uri") {
      const std::string character = "([A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})";
      const std::string segments = "(/" + character + "*)*";
      const std::string authority =
          "//(([A-Za-z0-9._~!$&'()*+,;=:-]|%[0-9A-Fa-f]{2})*@)?([A-Za-z0-9._~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+(:[0-9]*)?";
      const std::string tail = "(" + character + "|[/?])*";
      return {"[A-Za-z][A-Za-z0-9+.-]*:(" + authority + segments + "|/" + character + "+" + segments + "|" + character +
                  "+" + segments + ")(\\?" + tail + ")?(#" + tail + ")?",
              {}};
    }
    if (name == "uuid") return {"[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}", {}};
    return {};
  }
};

}  // namespace detail

LOGITKIT_NAMESPACE_END
