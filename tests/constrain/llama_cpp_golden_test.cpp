// SPDX-License-Identifier: MIT
// What llama.cpp's grammar engine accepted and masked (tests/golden/llama_cpp_grammar). Its JSON Schema converter does
// not follow the standard everywhere; where it does not is listed.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>

#include "logitkit/constrain/gbnf.hpp"
#include "logitkit/json_schema.hpp"
#include "walks.hpp"

namespace llama_cpp_golden_test {

using namespace constrain_test;
using Json = nlohmann::ordered_json;

Json load(const char* name) {
  std::ifstream in(std::string(LOGITKIT_GOLDEN_DIR) + "/llama_cpp_grammar/" + name);
  return Json::parse(in);
}

// The texts of JSON Schema cases that llama.cpp judges otherwise than the standard, or than the white space that was
// asked for here.
struct Deviation {
  const char* name;
  const char* reason;
  std::vector<std::string> texts;
};
const std::vector<Deviation> kDeviations = {
    {"schema_integer", "JSON sets no length; llama.cpp takes 16 digits", {"12345678901234567"}},
    {"schema_number", "the same", {"12345678901234567", "1.12345678901234567"}},
    {"schema_string", "DEL may stand in a JSON string as it is", {"\"\x7f\""}},
    {"schema_object_free", "JSON allows a blank before the colon", {R"({"a" :1})"}},
    {"schema_object_additional_typed", "the same", {R"({"a" :1})"}},
    {"schema_array_items", "JSON allows a blank before the comma", {"[1 ,2]"}},
    {"schema_array_min_max", "the same", {"[1 ,2]"}},
    {"schema_const_object", "a constant is a value, not a spelling: blanks may stand in it", {R"({"a": 1})"}},
    {"schema_number_minimum_ignored", "minimum holds for numbers too", {"-1"}},
    {"schema_multipleof_ignored", "multipleOf is dropped there", {"7"}},
    {"schema_pattern_unanchored_is_any_string", "a pattern is searched for, not dropped", {R"("zzz")", R"("")"}},
    {"schema_pattern_class_escape_unsupported", "\\d is a digit", {R"("a")"}},
    {"schema_format_date", "there is no 30th of February", {R"("2024-02-30")"}},
    {"schema_format_email_ignored", "a format that is dropped there", {R"("zzz")"}},
    {"schema_array_prefix_items", "prefixItems sets no length", {"[1]", R"([1,"a",2])"}},
    {"schema_allof_merge", "properties requires no key, and sets no order", {R"({"a":1})", R"({"b":2,"a":1})"}},
    {"schema_empty", "the empty schema takes any value, not only objects", {"1", "[1]", R"("a")"}},
};
// Schemas that are refused here, where llama.cpp drops the keyword and so accepts invalid texts.
const std::map<std::string, std::string> kRefused = {
    {"schema_array_unique_ignored", "uniqueItems"}, {"schema_not", "not"}, {"schema_if_then", "if"}};

TEST(LlamaCppGolden, AcceptsTheSameTextsOfGrammars) {
  int compared = 0;
  const Json file = load("strings.json");
  for (const Json& c : file["cases"]) {
    if (!c.contains("gbnf")) continue;
    ++compared;
    const auto constraint = lk::compile_gbnf(small_vocabulary(), c["gbnf"].get<std::string>());
    for (const std::string text : c["accept"]) EXPECT_TRUE(accepts(constraint, text)) << c["name"] << ": " << text;
    for (const std::string text : c["reject"]) EXPECT_TRUE(refuses(constraint, text)) << c["name"] << ": " << text;
  }
  EXPECT_EQ(compared, 11);
}

TEST(LlamaCppGolden, AcceptsTheSameTextsOfSchemasWhereItFollowsTheStandard) {
  std::size_t equal = 0, deviating = 0;
  const Json file = load("strings.json");
  const auto compare = [&](const Json& c, const char* list, const lk::Constraint& constraint) {
    const std::string name = c["name"];
    const auto known =
        std::find_if(kDeviations.begin(), kDeviations.end(), [&](const Deviation& d) { return d.name == name; });
    for (const std::string text : c[list]) {
      const bool theirs = list == std::string_view("accept"), ours = walk(constraint, text) == Fate::complete;
      const bool listed =
          known != kDeviations.end() && std::find(known->texts.begin(), known->texts.end(), text) != known->texts.end();
      EXPECT_EQ(ours != theirs, listed) << name << ": " << text;
      ++(listed ? deviating : equal);
    }
  };
  std::size_t refused = 0, listed = 0;
  for (const Json& c : file["cases"]) {
    if (!c.contains("json_schema")) continue;
    const std::string name = c["name"], schema = c["json_schema"].dump();
    // There, an object that declares properties is closed and other ones are open.
    const lk::SchemaOptions options{.whitespace = lk::Whitespace::flexible(3),
                                    .additional_properties = c["json_schema"].contains("patternProperties")};
    const auto compile = [&] { return lk::compile_json_schema(small_vocabulary(), schema, options); };
    if (const auto keyword = kRefused.find(name); keyword != kRefused.end()) {
      EXPECT_TRUE(contains(error_of(compile), '"' + keyword->second + "\" at #")) << name;
      ++refused;
    } else if (name == "schema_remote_ref") {
      EXPECT_TRUE(contains(error_of(compile), "only references into the document")) << name;
      EXPECT_TRUE(c["accept"].empty());  // there, the grammar that comes out accepts nothing
    } else {
      const auto constraint = compile();
      compare(c, "accept", constraint);
      compare(c, "reject", constraint);
    }
  }
  for (const Deviation& each : kDeviations) listed += each.texts.size();
  EXPECT_EQ(deviating, listed);
  EXPECT_EQ(refused, kRefused.size());
  EXPECT_EQ(equal, 251u);
}

TEST(LlamaCppGolden, RefusesTheSameGrammars) {
  const Json file = load("invalid.json");
  for (const Json& c : file["cases"]) {
    const std::string name = c["name"];
    if (name == "underscore_in_rule_name") continue;  // legal here
    const std::string error = error_of([&] {
      if (c.contains("gbnf"))
        lk::compile_gbnf(small_vocabulary(), c["gbnf"].get<std::string>());
      else
        lk::compile_json_schema(small_vocabulary(), c["json_schema"].dump());
    });
    EXPECT_NE(error, "") << name;
  }
}

// FNV-1a of the ids as 32-bit words, as the file has it where a mask is long.
std::string hash_of(const std::vector<lk::TokenId>& ids) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const lk::TokenId id : ids)
    for (int shift = 0; shift < 32; shift += 8) hash = (hash ^ (id >> shift & 255)) * 0x100000001b3;
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

TEST(LlamaCppGolden, MasksTheSameTokens) {
  const Json file = load("token_masks.json");
  std::vector<std::string> pieces;
  for (const std::string hex : file["vocab"]["pieces_hex"]) {
    pieces.emplace_back();
    for (std::size_t i = 0; i < hex.size(); i += 2)
      pieces.back().push_back(static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  }
  const lk::Vocabulary vocabulary(pieces, {.special_ids = file["vocab"]["control"], .end_ids = file["vocab"]["eog"]});
  int equal = 0, deviating = 0;
  for (const Json& c : file["cases"]) {
    const std::string name = c["name"];
    const auto constraint = lk::compile_gbnf(vocabulary, c["gbnf"].get<std::string>());
    lk::Matcher m = constraint.matcher();
    for (const lk::TokenId id : c["accepted"]) ASSERT_TRUE(m.accept(id)) << name;
    const Mask mask = mask_of(m);
    const bool negated = name == "negated_class" || name == "newline", other_than = name == "token_id_not";
    const bool deviates = negated || other_than || name == "any_char";
    std::vector<lk::TokenId> kept;
    for (lk::TokenId id = 0; id < static_cast<lk::TokenId>(pieces.size()); ++id) {
      bool theirs = allowed(mask, id);
      if (deviates) {
        const std::string& text = pieces[static_cast<std::size_t>(id)];
        const int first = text.empty() ? -1 : static_cast<unsigned char>(text[0]);
        // NUL begins no token there. F5 to FF begin no character here; after !<[id]> no part of one is let in there.
        if (first == 0) theirs = false;
        if (text.size() == 1 && first >= 0x80) theirs = !other_than && (theirs || first >= 0xF5);
        // The names of control tokens, <unk> and <s>, are text there.
        if (id < 2) theirs = negated || other_than;
      }
      if (theirs) kept.push_back(id);
    }
    ++(deviates ? deviating : equal);
    EXPECT_EQ(c["expect"].contains("kept_hash"), deviates) << name;
    if (deviates)
      EXPECT_EQ(hash_of(kept), c["expect"]["kept_hash"].get<std::string>()) << name;
    else
      EXPECT_EQ(kept, c["expect"]["kept"].get<std::vector<lk::TokenId>>()) << name;
  }
  EXPECT_EQ(equal, 37);
  EXPECT_EQ(deviating, 4);
}

}  // namespace llama_cpp_golden_test
