// SPDX-License-Identifier: MIT
// Any bytes as a schema (the first one chooses options): a ConstraintError, or a constraint whose invariants hold and
// whose complete texts are JSON that an independent validator finds valid.
#include "logitkit/json_schema.hpp"

#include <set>

#include "fuzz/constraint_walk.hpp"

namespace {

using logitkit::detail::Json;

// Repeated keys are counted by the grammar, but not seen by a parser.
bool has_repeated_key(const std::string& text) {
  std::vector<std::set<std::string>> keys;
  bool repeated = false;
  const auto watch = [&](int, Json::parse_event_t event, const Json& parsed) {
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key) repeated = repeated || !keys.back().insert(parsed.get<std::string>()).second;
    return true;
  };
  const Json ignored = Json::parse(text, watch);
  return repeated;
}

// A parser rounds numbers with more digits than a double holds; the grammar does not.
bool has_long_number(const std::string& text) {
  int digits = 0;
  for (char c : text) {
    digits = c >= '0' && c <= '9' ? digits + 1 : c == '.' ? digits : 0;
    if (digits > 15) return true;
  }
  return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0 || size > 2000) return 0;
  const std::string schema(reinterpret_cast<const char*>(data + 1), size - 1);
  logitkit::SchemaOptions options;
  if (data[0] % 3 == 1) options.whitespace = logitkit::Whitespace::compact();
  if (data[0] % 3 == 2) options.whitespace = logitkit::Whitespace::pretty(1);
  options.additional_properties = (data[0] & 8) == 0;
  options.lenient = (data[0] & 16) != 0;
  try {
    const auto constraint = logitkit::compile_json_schema(constraint_fuzz::vocabulary(), schema, options);
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      bool complete = false;
      const std::string text = constraint_fuzz::walk(constraint, seed, 60, complete);
      if (!complete) continue;
      try {
        const Json value = Json::parse(text);  // throws a parse_error, which nobody catches, for what is not JSON
        if (options.lenient || has_repeated_key(text) || has_long_number(text)) continue;
        const logitkit::detail::SchemaDocument document(schema);
        logitkit::detail::SchemaScalars scalars(document);
        logitkit::detail::SchemaValidator validator(document, scalars);
        constraint_fuzz::require(validator.valid(value, document.root()), "a complete text is valid");
      } catch (const Json::out_of_range&) {
        // 1e999 is JSON, but no double
      }
    }
  } catch (const logitkit::ConstraintError&) {
  }
  return 0;
}
