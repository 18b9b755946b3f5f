// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "logitkit/constrain/json_schema/object_keys.hpp"
#include "logitkit/constrain/json_schema/validator.hpp"
#include "logitkit/constrain/json_text.hpp"

LOGITKIT_NAMESPACE_BEGIN

namespace detail {

/// Schema document -> grammar. Each conjunction of schemas becomes one rule, built when something asks for it, so
/// recursive schemas become recursive rules.
class SchemaCompiler {
 public:
  using Rule = std::uint32_t;
  using NodeId = GrammarBuilder::NodeId;

  SchemaCompiler(const SchemaDocument& document, Whitespace whitespace, bool additional_properties, bool lenient)
      : document_(document),
        additional_properties_(additional_properties),
        lenient_(lenient),
        keywords_(document, lenient),
        expander_(document, keywords_, [this](const Json& schema) { check_one_of(schema); }),
        scalars_(document),
        validator_(document, scalars_),
        json_(grammar, whitespace) {}

  GrammarBuilder grammar;

  Rule compile(const Conjunction& schemas) {
    const Rule root = rule(schemas, 0);
    while (!pending_.empty()) {
      const Pending next = std::move(pending_.back());
      pending_.pop_back();
      build(next);
    }
    return root;
  }
  const std::vector<std::string>& warnings() const { return keywords_.warnings(); }

 private:
  struct Pending {
    Conjunction schemas;
    int depth;
    Rule rule;
  };

  Rule rule(Conjunction schemas, int depth) {
    std::erase_if(schemas,
                  [](const Json* s) { return (s->is_boolean() && s->get<bool>()) || (s->is_object() && s->empty()); });
    if (schemas.empty()) return json_.value(depth);
    const auto [found, fresh] = rules_.try_emplace({schemas, depth}, 0);
    if (!fresh) return found->second;
    const Rule rule = found->second = grammar.rule("schema");
    pending_.push_back({std::move(schemas), depth, rule});
    return rule;
  }

  void build(const Pending& pending) {
    for (const Conjunction& schemas : expander_.expand(pending.schemas)) {
      if (schemas.empty()) {
        json_.alternative(pending.rule, json_.value(pending.depth));
        continue;
      }
      build_alternative(schemas, pending.depth, pending.rule);
    }
  }

  void build_alternative(const Conjunction& schemas, int depth, Rule rule) {
    using namespace json_type;
    if (const Json* values = listed_values(schemas)) return add_listed(schemas, *values, depth, rule);
    unsigned types = kAll;
    for (const Json* schema : schemas) types &= SchemaScalars::types(*schema);
    if (types & kNull) json_.alternative(rule, json_.null());
    if (types & kBoolean) json_.alternative(rule, json_.boolean());
    if (types & kNumber) add_number(schemas, (types & kFraction) == 0, rule);
    if (types & kString) add_string(schemas, rule);
    if (json_.layout.too_deep(depth)) return;
    if (types & kArray) add_array(schemas, depth, rule);
    if (types & kObject) add_object(schemas, depth, rule);
  }

  // ---- enum and const ----

  // the first list of values; the validator looks after the others
  static const Json* listed_values(const Conjunction& schemas) {
    for (const char* keyword : {"const", "enum"})
      for (const Json* schema : schemas)
        if (SchemaKeywords::find(*schema, keyword) != nullptr) return schema;
    return nullptr;
  }

  void add_listed(const Conjunction& schemas, const Json& where, int depth, Rule rule) {
    const Json* constant = SchemaKeywords::find(where, "const");
    const Json list = constant != nullptr ? Json::array({*constant}) : where.at("enum");
    std::vector<std::string> texts;
    for (const Json& value : list) {
      if (!std::all_of(schemas.begin(), schemas.end(), [&](const Json* s) { return validator_.valid(value, *s); }))
        continue;
      if (value.is_structured())
        add_constant(grammar[rule].start, value, depth, constant != nullptr, grammar[rule].end);
      else
        texts.push_back(value.dump());
    }
    if (!texts.empty()) add_choices(grammar, grammar[rule].start, std::move(texts), grammar[rule].end);
  }

  // One canonical spelling, in the blanks of the layout. The members of a small `const` may come in any order.
  void add_constant(NodeId from, const Json& value, int depth, bool any_order, NodeId to) {
    if (!value.is_structured()) return grammar.empty(grammar.literal(from, value.dump()), to);
    if (json_.layout.too_deep(depth)) return;
    const int deeper = json_.layout.deeper(depth);
    std::vector<Rule> parts;
    for (const auto& [key, part] : value.items()) {
      const Rule each = grammar.rule("constant");
      const NodeId start = value.is_array()
                               ? grammar[each].start
                               : json_.layout.colon(grammar.literal(grammar[each].start, Json(key).dump()));
      add_constant(start, part, deeper, any_order, grammar[each].end);
      parts.push_back(each);
    }
    if (value.is_array()) {
      const auto count = static_cast<std::uint32_t>(parts.size());
      return json_.layout.array(from, parts, std::nullopt, {count, count}, depth, to);
    }
    const bool reorder = any_order && parts.size() <= kMaxReordered;
    std::sort(parts.begin(), parts.end());
    do {
      std::vector<JsonLayout::Member> members;
      for (Rule part : parts) members.push_back({part, true});
      json_.layout.object(from, members, {}, {}, depth, to);
    } while (reorder && std::next_permutation(parts.begin(), parts.end()));
  }

  // ---- numbers and strings ----

  void add_number(const Conjunction& schemas, bool integer, Rule rule) {
    NumberBounds bounds = SchemaScalars::number(schemas);
    if (bounds.none()) return json_.alternative(rule, integer ? json_.integer() : json_.number());
    bounds.integer = integer;
    TextAutomaton::add_text(grammar, grammar[rule].start,
                            NumberAutomaton::build(bounds, "number at " + document_.pointer(*schemas[0])),
                            grammar[rule].end);
  }

  void add_string(const Conjunction& schemas, Rule rule) {
    SchemaScalars::String string = SchemaScalars::string(schemas);
    if (string.length.least > string.length.most) return;
    if (string.patterns.empty() && string.formats.empty()) return json_.alternative(rule, json_.string(string.length));
    Dfa dfa = scalars_.with_least(scalars_.automaton(string, *schemas[0]), string.length.least, *schemas[0]);
    TextAutomaton::add_json_string(grammar, grammar[rule].start, dfa, {0, string.length.most}, grammar[rule].end);
  }

  // ---- arrays and objects ----

  void add_array(const Conjunction& schemas, int depth, Rule rule) {
    const int deeper = json_.layout.deeper(depth);
    std::size_t positions = 0;
    for (const Json* schema : schemas) positions = std::max(positions, ItemSchemas(*schema).positions());
    const auto at = [&](std::size_t i) {
      Conjunction item;
      for (const Json* schema : schemas)
        if (const Json* each = ItemSchemas(*schema).at(i)) item.push_back(each);
      return item;
    };
    std::vector<Rule> first;
    for (std::size_t i = 0; i < positions; ++i) first.push_back(this->rule(at(i), deeper));
    const Conjunction rest = at(positions);
    const bool ends =
        std::any_of(rest.begin(), rest.end(), [](const Json* s) { return s->is_boolean() && !s->get<bool>(); });
    const JsonLayout::Counts counts{SchemaScalars::count(schemas, "minItems", 0),
                                    SchemaScalars::count(schemas, "maxItems", kNoLimit)};
    json_.layout.array(grammar[rule].start, first, ends ? std::nullopt : std::optional(this->rule(rest, deeper)),
                       counts, depth, grammar[rule].end);
  }

  void add_object(const Conjunction& schemas, int depth, Rule rule) {
    const ObjectKeys keys(schemas, !additional_properties_, allowed_names(schemas), document_, scalars_);
    const int deeper = json_.layout.deeper(depth);
    std::vector<JsonLayout::Member> members;
    for (const ObjectKeys::Declared& key : keys.declared) {
      const Rule member = grammar.rule("member");
      const NodeId value = json_.layout.colon(grammar.literal(grammar[member].start, Json(key.name).dump()));
      grammar.call(value, this->rule(key.value, deeper), grammar[member].end);
      members.push_back({member, key.required});
    }
    std::vector<Rule> open;
    for (const ObjectKeys::Open& each : keys.open) {
      const Rule names = grammar.rule("key");
      TextAutomaton::add_json_string(grammar, grammar[names].start, each.names, {}, grammar[names].end);
      open.push_back(json_.member(names, this->rule(each.value, deeper)));
    }
    const JsonLayout::Counts counts{SchemaScalars::count(schemas, "minProperties", 0),
                                    SchemaScalars::count(schemas, "maxProperties", kNoLimit)};
    // each schema sets the order of its own keys; between the schemas of an allOf there is none
    std::vector<std::size_t> order(keys.groups + 1);
    std::iota(order.begin(), order.end(), std::size_t{0});
    do {
      std::vector<JsonLayout::Member> ordered;
      for (std::size_t group : order)
        for (std::size_t i = 0; i < members.size(); ++i)
          if (keys.declared[i].group == group) ordered.push_back(members[i]);
      json_.layout.object(grammar[rule].start, ordered, open, counts, depth, grammar[rule].end);
    } while (keys.groups <= kMaxReordered && std::next_permutation(order.begin(), order.end() - 1));
  }

  std::optional<Dfa> allowed_names(const Conjunction& schemas) {
    std::optional<Dfa> names;
    for (const Json* schema : schemas) {
      const Json* each = SchemaKeywords::find(*schema, "propertyNames");
      if (each == nullptr) continue;
      const std::vector<Conjunction> alternatives = expander_.expand({each});
      if (alternatives.size() > 1) document_.error(*schema, "propertyNames", "with alternatives is not supported");
      Dfa dfa;
      if (!alternatives.empty()) dfa = names_of(alternatives[0]);
      names = names ? intersect(*names, dfa, scalars_.error_place(*schema)) : std::move(dfa);
    }
    return names;
  }
  Dfa names_of(const Conjunction& schemas) {
    if (schemas.empty()) return any_text();
    for (const Json* schema : schemas)
      if ((SchemaScalars::types(*schema) & json_type::kString) == 0) return {};
    if (const Json* listed = listed_values(schemas)) {
      std::vector<std::string> names;
      const Json* constant = SchemaKeywords::find(*listed, "const");
      for (const Json& value : constant != nullptr ? Json::array({*constant}) : listed->at("enum"))
        if (value.is_string() &&
            std::all_of(schemas.begin(), schemas.end(), [&](const Json* s) { return validator_.valid(value, *s); }))
          names.push_back(value.get<std::string>());
      return exactly(names);
    }
    const SchemaScalars::String string = SchemaScalars::string(schemas);
    Dfa dfa = scalars_.with_least(scalars_.automaton(string, *schemas[0]), string.length.least, *schemas[0]);
    if (string.length.most == kNoLimit) return dfa;
    if (string.length.most > kMaxNameLength)
      document_.error(*schemas[0], "maxLength", "above " + std::to_string(kMaxNameLength) + " in propertyNames");
    return intersect(dfa, at_most(string.length.most), scalars_.error_place(*schemas[0]));
  }
  static Dfa at_most(std::uint32_t most) {
    Dfa out = any_text(most);
    out.accepting.assign(out.accepting.size(), true);
    out.set(static_cast<std::int32_t>(most), 0, Dfa::kDead);
    return out;
  }

  // ---- oneOf ----

  // One of several is any of several where no two hold at once. Two schemas exclude each other if the grammar of both
  // together is empty. In that grammar oneOf counts as anyOf, which can only make it larger.
  void check_one_of(const Json& schema) {
    if (exclusive_.count(&schema) != 0) return;
    exclusive_.insert(&schema);
    if (proving_) return;
    const Json& branches = schema.at("oneOf");
    for (std::size_t i = 0; i < branches.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) {
        SchemaCompiler both(document_, Whitespace::compact(), true, lenient_);
        both.proving_ = true;
        const Rule root = both.compile({&branches[j], &branches[i]});
        if (!both.grammar.is_empty(root))
          document_.error(schema, "oneOf",
                          "branches " + std::to_string(j) + " and " + std::to_string(i) +
                              " may hold at once; only branches that exclude each other are supported");
      }
  }

  static constexpr std::uint32_t kMaxNameLength = 1000;
  static constexpr std::size_t kMaxReordered = 3;

  const SchemaDocument& document_;
  bool additional_properties_, lenient_;
  bool proving_ = false;
  SchemaKeywords keywords_;
  ConjunctionExpander expander_;
  SchemaScalars scalars_;
  SchemaValidator validator_;
  JsonText json_;
  std::map<std::pair<Conjunction, int>, Rule> rules_;
  std::vector<Pending> pending_;
  std::set<const Json*> exclusive_;
};

}  // namespace detail

LOGITKIT_NAMESPACE_END
