// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "logitkit/constrain/json_schema/members.hpp"
#include "logitkit/constrain/json_schema/scalars.hpp"

LOGITKIT_NAMESPACE_BEGIN

namespace detail {

/// Which keys the objects of a conjunction may have, and what holds for their values.
class ObjectKeys {
 public:
  struct Declared {
    std::string name;
    bool required;
    std::size_t group;  // which of the schemas declares it
    Conjunction value;
  };
  struct Open {
    Dfa names;  // not those of the declared ones
    Conjunction value;
  };

  std::vector<Declared> declared;  // in the order they are written
  std::vector<Open> open;
  std::size_t groups = 0;  // declared[].group < groups, but for keys that are only required, which come last

  /// `closed`: undeclared keys are not allowed where a schema is silent about them. `allowed_names`: of
  /// `propertyNames`.
  ObjectKeys(const Conjunction& schemas, bool closed, const std::optional<Dfa>& allowed_names,
             const SchemaDocument& document, SchemaScalars& scalars)
      : schemas_(schemas), allowed_names_(allowed_names), document_(document), scalars_(scalars) {
    bool declares = false;
    for (const Json* schema : schemas) {
      if (const Json* properties = SchemaKeywords::find(*schema, "properties")) {
        declares = true;
        const std::size_t before = declared.size();
        for (const auto& member : properties->items()) declare(member.key(), false);
        groups += declared.size() > before;
      }
      if (const Json* patterns = SchemaKeywords::find(*schema, "patternProperties")) {
        declares = true;
        for (const auto& member : patterns->items())
          if (std::find(patterns_.begin(), patterns_.end(), member.key()) == patterns_.end())
            patterns_.push_back(member.key());
      }
    }
    for (const Json* schema : schemas)
      if (const Json* required = SchemaKeywords::find(*schema, "required"))
        for (const Json& name : *required) declare(name.get<std::string>(), true);
    for (Declared& key : declared) {
      const auto matches = [&](const std::string& pattern) {
        return scalars_.pattern(pattern, *schemas_[0]).matches(key.name);
      };
      key.value = value(&key.name, matches);
      if (allowed_names_ && !allowed_names_->matches(key.name)) key.value = {&no_value()};
    }
    add_open(closed && declares);
  }

 private:
  static constexpr std::size_t kMaxPatterns = 6;

  static const Json& no_value() {
    static const Json* const kNo = new Json(false);  // never destroyed: no destructors at exit
    return *kNo;
  }

  void declare(const std::string& name, bool required) {
    const auto [found, fresh] = index_.try_emplace(name, declared.size());
    if (fresh) declared.push_back({name, required, groups, {}});
    declared[found->second].required |= required;
  }

  template <class Matches>
  Conjunction value(const std::string* name, const Matches& matches) const {
    Conjunction out;
    for (const Json* schema : schemas_)
      for (const Json* each : member_schemas(*schema, name, matches))
        if (std::find(out.begin(), out.end(), each) == out.end()) out.push_back(each);
    return out;
  }

  // keys that match the same patterns have the same values
  void add_open(bool closed) {
    if (patterns_.size() > kMaxPatterns)
      document_.error(*schemas_[0], "patternProperties",
                      "more than " + std::to_string(kMaxPatterns) + " patterns at once");
    for (std::size_t in = 0; in < std::size_t{1} << patterns_.size(); ++in) {
      const auto chosen = [&](std::size_t i) { return (in >> i & 1) != 0; };
      const auto matches = [&](const std::string& pattern) {
        return chosen(
            static_cast<std::size_t>(std::find(patterns_.begin(), patterns_.end(), pattern) - patterns_.begin()));
      };
      Conjunction each = value(nullptr, matches);
      if (in == 0 && closed && each.empty()) continue;
      if (std::any_of(each.begin(), each.end(), [](const Json* s) { return s->is_boolean() && !s->get<bool>(); }))
        continue;
      std::optional<Dfa> names = allowed_names_;
      const auto restrict = [&](const Dfa& dfa) {
        names = names ? intersect(*names, dfa, scalars_.error_place(*schemas_[0])) : dfa;
      };
      if (!declared.empty()) restrict(declared_names().complement());
      for (std::size_t i = 0; i < patterns_.size(); ++i) {
        const Dfa& pattern = scalars_.pattern(patterns_[i], *schemas_[0]);
        restrict(chosen(i) ? pattern : pattern.complement());
      }
      Dfa all = names ? std::move(*names) : any_text();
      if (!all.empty()) open.push_back({std::move(all), std::move(each)});
    }
  }
  Dfa declared_names() const {
    std::vector<std::string> names;
    for (const Declared& key : declared) names.push_back(key.name);
    return exactly(names);
  }

  const Conjunction& schemas_;
  const std::optional<Dfa>& allowed_names_;
  const SchemaDocument& document_;
  SchemaScalars& scalars_;
  std::map<std::string, std::size_t> index_;
  std::vector<std::string> patterns_;
};

}  // namespace detail

LOGITKIT_NAMESPACE_END
