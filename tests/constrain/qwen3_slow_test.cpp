// SPDX-License-Identifier: MIT
// The real vocabulary of 151,936 ids: every token stream that belongs to a schema is allowed step by step, and at 200
// places on the way mask and accept agree for every single id.
#include <fstream>
#include <iterator>
#include <map>
#include <random>

#include "logitkit/constrain/token_bytes.hpp"
#include "logitkit/json_schema.hpp"
#include "support/data_folder.hpp"
#include "walks.hpp"

namespace {

using namespace constrain_test;
using Json = nlohmann::ordered_json;

std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(Qwen3, StreamsAreAllowedAndMasksAreWhatAcceptSays) {
  const auto folder = data_folder();
  if (!folder) GTEST_SKIP() << "LOGITKIT_DATA is not set: 54 token streams and 200 masks are not checked";
  const Json special = Json::parse(read(*folder + "/qwen3_special_tokens.json"));
  const auto ends = special["eos_token_ids"].get<std::vector<lk::TokenId>>();
  const lk::Vocabulary vocabulary(lk::tokens_from_base64_lines(read(*folder + "/qwen3_vocab.b64.txt")),
                                  {.size = 151'936, .end_ids = ends});
  const Json schemas = Json::parse(read(*folder + "/realworld_schemas.json"));
  const Json streams = Json::parse(read(*folder + "/qwen3_token_streams.json"));
  std::map<std::string, Json> by_name;
  for (const Json& each : schemas["schemas"]) by_name[each["id"]] = each["schema"];

  std::mt19937 random(3);
  int checked = 0, compared = 0;
  for (const Json& stream : streams["streams"]) {
    const std::string name = stream["name"];
    if (name.rfind("realworld:", 0) != 0) continue;
    ++checked;
    const auto ids = stream["ids"].get<std::vector<lk::TokenId>>();
    const auto constraint =
        lk::compile_json_schema(vocabulary, by_name.at(name.substr(10, name.find(':', 10) - 10)).dump(),
                                {.whitespace = lk::Whitespace::flexible(20)});
    lk::Matcher m = constraint.matcher();
    for (std::size_t i = 0; i <= ids.size(); ++i) {
      const Mask mask = mask_of(m);
      for (lk::TokenId end : ends) ASSERT_EQ(allowed(mask, end), m.is_complete()) << name;
      if (compared < 200 && random() % 10 == 0) {
        ++compared;
        for (lk::TokenId id = 0; id < 151'936; ++id) {
          const bool accepted = m.accept(id);
          if (accepted) {
            ASSERT_TRUE(m.rollback(1));
          }
          ASSERT_EQ(accepted, allowed(mask, id)) << name << " at token " << i << ", id " << id;
        }
      }
      if (i == ids.size()) break;
      ASSERT_TRUE(allowed(mask, ids[i])) << name << " at token " << i;
      ASSERT_TRUE(m.accept(ids[i])) << name << " at token " << i;
    }
    EXPECT_TRUE(m.is_complete()) << name;
  }
  EXPECT_EQ(checked, 54);
  EXPECT_EQ(compared, 200);
}

}  // namespace
