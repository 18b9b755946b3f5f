// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "logitkit/constrain/json_schema/keywords.hpp"

LOGITKIT_NAMESPACE_BEGIN

namespace detail {

/// Schemas that hold at once. All combining keywords come down to this: `allOf`, `$ref` and siblings add schemas to a
/// conjunction, `anyOf` and `oneOf` make several of one.
using Conjunction = std::vector<const Json*>;

class ConjunctionExpander {
 public:
  /// `check_one_of(schema)` must refuse a `oneOf` whose branches are not provably disjoint.
  ConjunctionExpander(const SchemaDocument& document, SchemaKeywords& keywords,
                      std::function<void(const Json&)> check_one_of)
      : document_(document), keywords_(keywords), check_one_of_(std::move(check_one_of)) {}

  /// The alternatives: in each, only the keywords that are no `$ref`, `allOf`, `anyOf`, `oneOf` are left to look at.
  std::vector<Conjunction> expand(const Conjunction& schemas) {
    std::vector<Conjunction> out{{}};
    for (const Json* schema : schemas) out = product(out, expand(*schema), *schema);
    return out;
  }

 private:
  static constexpr std::size_t kMaxAlternatives = 1000, kMaxPath = 500;

  std::vector<Conjunction> expand(const Json& schema) {
    keywords_.check(schema);
    if (schema.is_boolean()) return schema.get<bool>() ? std::vector<Conjunction>{{}} : std::vector<Conjunction>{};
    if (std::find(path_.begin(), path_.end(), &schema) != path_.end())
      document_.error(schema, SchemaKeywords::find(schema, "$ref") != nullptr ? "$ref" : "",
                      "refers to itself without an end");
    if (path_.size() == kMaxPath) document_.error(schema, "$ref", "references too deep");
    path_.push_back(&schema);
    std::vector<Conjunction> out{{&schema}};
    if (SchemaKeywords::find(schema, "$ref") != nullptr) out = product(out, expand(document_.resolve(schema)), schema);
    if (const Json* all = SchemaKeywords::find(schema, "allOf"))
      for (const Json& each : *all) out = product(out, expand(each), schema);
    for (const char* keyword : {"anyOf", "oneOf"}) {
      const Json* branches = SchemaKeywords::find(schema, keyword);
      if (branches == nullptr) continue;
      if (*keyword == 'o') check_one_of_(schema);
      std::vector<Conjunction> any;
      for (const Json& branch : *branches)
        for (Conjunction& each : expand(branch)) any.push_back(std::move(each));
      out = product(out, any, schema);
    }
    path_.pop_back();
    return out;
  }

  std::vector<Conjunction> product(const std::vector<Conjunction>& a, const std::vector<Conjunction>& b,
                                   const Json& schema) const {
    if (a.size() * b.size() > kMaxAlternatives)
      document_.error(schema, "anyOf",
                      "more than " + std::to_string(kMaxAlternatives) + " combinations of alternatives");
    std::vector<Conjunction> out;
    for (const Conjunction& left : a)
      for (const Conjunction& right : b) {
        out.push_back(left);
        for (const Json* schema_of_right : right)
          if (std::find(left.begin(), left.end(), schema_of_right) == left.end()) out.back().push_back(schema_of_right);
      }
    return out;
  }

  const SchemaDocument& document_;
  SchemaKeywords& keywords_;
  std::function<void(const Json&)> check_one_of_;
  std::vector<const Json*> path_;
};

}  // namespace detail

LOGITKIT_NAMESPACE_END
