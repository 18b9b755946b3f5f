// SPDX-License-Identifier: MIT
// The recorded cases of LOGITKIT_DATA: schemas with documents, patterns and grammars with texts. A case is exact, or
// refused where its file says that refusing is right; nothing invalid is ever accepted. On the way mask and accept
// agree for all ids of a vocabulary of 500.
#include <fstream>

#include "logitkit/constrain/gbnf.hpp"
#include "logitkit/constrain/regex.hpp"
#include "logitkit/json_schema.hpp"
#include "support/data_folder.hpp"
#include "walks.hpp"

namespace {

using namespace constrain_test;
using Json = nlohmann::ordered_json;

Json load(const std::string& path) {
  std::ifstream in(path);
  return Json::parse(in);
}
std::vector<std::string> documents(const Json& of, const char* key) {
  std::vector<std::string> out;
  for (const Json& document : of.value(key, Json::array())) out.push_back(document.dump());
  return out;
}
std::vector<std::string> strings(const Json& of, const char* key) { return of.value(key, std::vector<std::string>()); }
std::string bytes_of_hex(const std::string& hex) {
  std::string out;
  for (std::size_t i = 0; i < hex.size(); i += 2)
    out.push_back(static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  return out;
}
lk::Constraint schema(const Json& json, lk::Whitespace whitespace) {
  return lk::compile_json_schema(small_vocabulary(), json.dump(), {.whitespace = whitespace});
}
void expect_texts(const lk::Constraint& c, const std::vector<std::string>& good, const std::vector<std::string>& bad,
                  const std::string& id) {
  for (const std::string& text : good) EXPECT_TRUE(accepts(c, text)) << id << ": " << text;
  for (const std::string& text : bad) EXPECT_TRUE(refuses(c, text)) << id << ": " << text;
}

TEST(RecordedCases, JsonSchemas) {
  const auto folder = data_folder();
  if (!folder) GTEST_SKIP() << "LOGITKIT_DATA is not set: 198 schemas are not checked";
  int exact = 0, unsatisfiable = 0, refused = 0;
  const Json file = load(*folder + "/jsonschema_cases.json");
  for (const Json& c : file["cases"]) {
    const std::string id = c["id"];
    const std::string error = error_of([&] {
      const auto constraint = schema(c["schema"], lk::Whitespace::flexible(20));
      expect_texts(constraint, documents(c, "valid"), documents(c, "invalid"), id);
      ++exact;
    });
    if (error.empty()) continue;
    EXPECT_TRUE(contains(error, "#")) << id;
    if (c["valid"].empty()) {
      ++unsatisfiable;
    } else {
      ++refused;
      EXPECT_NE(c["tier"], "core") << id << ": " << error;
    }
  }
  EXPECT_EQ(exact + unsatisfiable + refused, 198);
  EXPECT_GE(exact, 172);
}

TEST(RecordedCases, RealWorldSchemas) {
  const auto folder = data_folder();
  if (!folder) GTEST_SKIP() << "LOGITKIT_DATA is not set: 42 schemas are not checked";
  const Json file = load(*folder + "/realworld_schemas.json");
  for (const Json& c : file["schemas"])
    expect_texts(schema(c["schema"], lk::Whitespace::flexible(20)), documents(c, "valid"), documents(c, "invalid"),
                 c["id"]);
}

TEST(RecordedCases, JsonTexts) {
  const auto folder = data_folder();
  if (!folder) GTEST_SKIP() << "LOGITKIT_DATA is not set: 34 lexical cases are not checked";
  const Json file = load(*folder + "/json_text_cases.json");
  for (const Json& c : file["cases"]) {
    const auto constraint = schema(
        c["schema"], c.value("policy", "") == "compact" ? lk::Whitespace::compact() : lk::Whitespace::flexible(20));
    expect_texts(constraint, strings(c, "accept"), strings(c, "reject"), c["id"]);
    for (const std::string& text : strings(c, "alive_prefixes"))
      EXPECT_NE(walk(constraint, text), Fate::dead) << c["id"];
    for (const std::string& hex : strings(c, "alive_prefixes_hex"))
      EXPECT_NE(walk(constraint, bytes_of_hex(hex)), Fate::dead) << hex;
    for (const std::string& hex : strings(c, "dead_prefixes_hex"))
      EXPECT_EQ(walk(constraint, bytes_of_hex(hex), false), Fate::dead) << hex;
  }
}

TEST(RecordedCases, Patterns) {
  const auto folder = data_folder();
  if (!folder) GTEST_SKIP() << "LOGITKIT_DATA is not set: 59 patterns are not checked";
  const Json file = load(*folder + "/regex_cases.json");
  const auto compile = [](const std::string& p) { return lk::compile_regex(small_vocabulary(), p); };
  for (const Json& c : file["full_match"]) {
    const std::string p = c["pattern"];
    if (p == "[]a]+") continue;  // dialects differ; refused
    expect_texts(compile(p), strings(c, "accept"), strings(c, "reject"), p);
  }
  for (const Json& c : file["must_reject"])
    EXPECT_TRUE(contains(error_of([&] { compile(c["pattern"]); }), "pattern position ")) << c["construct"];
}

TEST(RecordedCases, Grammars) {
  const auto folder = data_folder();
  if (!folder) GTEST_SKIP() << "LOGITKIT_DATA is not set: 30 grammars are not checked";
  const Json file = load(*folder + "/gbnf_cases.json");
  const auto compile = [](const std::string& g) { return lk::compile_gbnf(small_vocabulary(), g); };
  for (const Json& c : file["cases"]) {
    if (c["id"] == "recursion_left") {
      EXPECT_TRUE(contains(error_of([&] { compile(c["grammar"]); }), "left recursion: root -> root"));
      continue;
    }
    expect_texts(compile(c["grammar"]), strings(c, "accept"), strings(c, "reject"), c["id"]);
  }
  for (const Json& c : file["must_reject"]) EXPECT_NE(error_of([&] { compile(c["grammar"]); }), "") << c["id"];
}

}  // namespace
