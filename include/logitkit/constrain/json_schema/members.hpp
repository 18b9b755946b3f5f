// SPDX-License-Identifier: MIT
#pragma once
#include <string>

#include "logitkit/constrain/json_schema/conjunction.hpp"

LOGITKIT_NAMESPACE_BEGIN

namespace detail {

/// The schemas of the items of an array: by position, then one for all others (nullptr: any value). Reads 2020-12
/// (`prefixItems`, `items`) and the older form (a list in `items`, then `additionalItems`).
struct ItemSchemas {
  const Json* first = nullptr;
  const Json* rest = nullptr;

  explicit ItemSchemas(const Json& schema) {
    const Json* items = SchemaKeywords::find(schema, "items");
    const bool list = items != nullptr && items->is_array();
    first = list ? items : SchemaKeywords::find(schema, "prefixItems");
    rest = list ? SchemaKeywords::find(schema, "additionalItems") : items;
  }
  const Json* at(std::size_t i) const { return i < positions() ? &(*first)[i] : rest; }
  std::size_t positions() const { return first == nullptr ? 0 : first->size(); }
};

/// The schemas that one schema sets for the member `name` of an object; `matches(pattern)` tells which of
/// `patternProperties` concern it. No schema at all: the member is not mentioned, any value goes.
template <class Matches>
Conjunction member_schemas(const Json& schema, const std::string* name, const Matches& matches) {
  Conjunction out;
  if (const Json* properties = SchemaKeywords::find(schema, "properties"); properties != nullptr && name != nullptr)
    if (const auto found = properties->find(*name); found != properties->end()) out.push_back(&*found);
  if (const Json* patterns = SchemaKeywords::find(schema, "patternProperties"))
    for (const auto& [pattern, value] : patterns->items())
      if (matches(pattern)) out.push_back(&value);
  if (const Json* others = SchemaKeywords::find(schema, "additionalProperties"); others != nullptr && out.empty())
    out.push_back(others);
  return out;
}

}  // namespace detail

LOGITKIT_NAMESPACE_END
