// SPDX-License-Identifier: MIT
// What llama.cpp's grammar engine accepted and masked (tests/golden/llama_cpp_grammar). Its JSON Schema converter does
// not follow the standard everywhere, so of those cases the ones where it does are compared.
#include <fstream>
#include <set>

#include "logitkit/constrain/gbnf.hpp"
#include "logitkit/json_schema.hpp"
#include "walks.hpp"

namespace {

using namespace constrain_test;
using Json = nlohmann::ordered_json;

Json load(const char* name) {
  std::ifstream in(std::string(LOGITKIT_GOLDEN_DIR) + "/llama_cpp_grammar/" + name);
  return Json::parse(in);
}

TEST(LlamaCppGolden, AcceptsTheSameTexts) {
  // Keyword dropped or read otherwise by the converter; blanks only where it puts them; -0, DEL and long numbers;
  // formats by shape.
  const std::set<std::string> not_the_standard = {"schema_integer",
                                                  "schema_number",
                                                  "schema_number_minimum_ignored",
                                                  "schema_multipleof_ignored",
                                                  "schema_string",
                                                  "schema_string_length_2_4",
                                                  "schema_pattern_unanchored_is_any_string",
                                                  "schema_pattern_class_escape_unsupported",
                                                  "schema_format_date",
                                                  "schema_format_email_ignored",
                                                  "schema_array_unique_ignored",
                                                  "schema_array_prefix_items",
                                                  "schema_allof_merge",
                                                  "schema_empty",
                                                  "schema_not",
                                                  "schema_if_then",
                                                  "schema_pattern_properties",
                                                  "schema_remote_ref",
                                                  "schema_object_free",
                                                  "schema_array_items",
                                                  "schema_array_min_max",
                                                  "schema_object_additional_typed",
                                                  "schema_object_additional_true"};
  int compared = 0;
  const Json file = load("strings.json");
  for (const Json& c : file["cases"]) {
    const std::string name = c["name"];
    if (not_the_standard.count(name) != 0) continue;
    ++compared;
    const bool gbnf = c.contains("gbnf");
    const auto constraint =
        gbnf ? lk::compile_gbnf(small_vocabulary(), c["gbnf"].get<std::string>())
             : lk::compile_json_schema(small_vocabulary(), c["json_schema"].dump(),
                                       {.whitespace = lk::Whitespace::flexible(3), .additional_properties = false});
    for (const std::string text : c["accept"]) EXPECT_TRUE(accepts(constraint, text)) << name << ": " << text;
    for (const std::string text : c["reject"]) {
      if (!gbnf && name == "schema_const_object") continue;  // no blanks in constants there
      EXPECT_TRUE(refuses(constraint, text)) << name << ": " << text;
    }
  }
  EXPECT_EQ(compared, 33);
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

TEST(LlamaCppGolden, MasksTheSameTokens) {
  const Json file = load("token_masks.json");
  std::vector<std::string> pieces;
  for (const std::string hex : file["vocab"]["pieces_hex"]) {
    pieces.emplace_back();
    for (std::size_t i = 0; i < hex.size(); i += 2)
      pieces.back().push_back(static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  }
  const lk::Vocabulary vocabulary(pieces, {.special_ids = file["vocab"]["control"], .end_ids = file["vocab"]["eog"]});
  int compared = 0;
  for (const Json& c : file["cases"]) {
    const std::string name = c["name"];
    // Recorded as hashes of masks that hold bytes which begin no character, and no token that begins with NUL; after
    // !<[id]> control tokens too.
    if (c["expect"].contains("kept_hash")) continue;
    const auto constraint = lk::compile_gbnf(vocabulary, c["gbnf"].get<std::string>());
    lk::Matcher m = constraint.matcher();
    for (const lk::TokenId id : c["accepted"]) ASSERT_TRUE(m.accept(id)) << name;
    const Mask mask = mask_of(m);
    std::vector<lk::TokenId> kept;
    for (lk::TokenId id = 0; id < static_cast<lk::TokenId>(pieces.size()); ++id)
      if (allowed(mask, id)) kept.push_back(id);
    ++compared;
    EXPECT_EQ(kept, c["expect"]["kept"].get<std::vector<lk::TokenId>>()) << name;
  }
  EXPECT_EQ(compared, 37);
}

}  // namespace
