// SPDX-License-Identifier: MIT
// A model that only knows stories writes JSON that fits a schema, every time: the constraint masks what the schema does
// not allow, the model chooses among the rest.
#include <cstdio>
#include <logitkit/json_schema.hpp>
#include <logitkit/logitkit.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "common/byte_word_model.hpp"

namespace lk = logitkit;

namespace {

constexpr const char* kSchema = R"({
  "type": "object",
  "properties": {
    "dish": {"type": "string", "maxLength": 40},
    "sentiment": {"enum": ["positive", "negative", "mixed"]},
    "score": {"type": "integer", "minimum": 1, "maximum": 5}
  },
  "required": ["dish", "sentiment", "score"],
  "additionalProperties": false
})";

/// What the schema says, once more and by hand, so that the check does not rest on what is checked.
bool is_review(const std::string& text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object() || json.size() != 3 || !json.contains("dish") || !json.contains("sentiment") ||
      !json.contains("score"))
    return false;
  if (!json["dish"].is_string() || !json["sentiment"].is_string() || !json["score"].is_number_integer()) return false;
  std::size_t characters = 0;
  for (char c : json["dish"].get<std::string>()) characters += (c & 0xC0) != 0x80;
  const std::string sentiment = json["sentiment"];
  const int score = json["score"];
  return characters <= 40 && (sentiment == "positive" || sentiment == "negative" || sentiment == "mixed") &&
         score >= 1 && score <= 5;
}

std::string write(const examples::ByteWordModel& model, const lk::Vocabulary& vocabulary, const lk::Pipeline& pipeline,
                  lk::Request request) {
  std::string text;
  while (!request.is_finished() && request.output().size() < 300) {
    const lk::Pick pick = pipeline.pick(model.row(request.output()), request);
    if (!pick) return "error: " + pick.message();
    request.accept(pick);
    if (pick.token != model.end_id()) text += vocabulary.bytes(pick.token);
  }
  return text;
}

}  // namespace

int main() {
  const examples::ByteWordModel model;
  const lk::Vocabulary vocabulary = model.vocabulary();
  const lk::Constraint review = lk::compile_json_schema(vocabulary, kSchema, {.whitespace = lk::Whitespace::compact()});
  const lk::Pipeline pipeline = lk::AllowMask() | lk::Temperature(0.9) | lk::TopP(0.95) | lk::Multinomial();
  constexpr int kRuns = 1000;

  int valid_alone = 0, valid_constrained = 0;
  for (int run = 0; run < kRuns; ++run) {
    const lk::RequestOptions options{.seed = static_cast<std::uint64_t>(run), .end_ids = {model.end_id()}};
    lk::Request request({}, options);
    if (run < 20) valid_alone += is_review(write(model, vocabulary, pipeline, request));
    request.constrain(review.matcher());
    const std::string text = write(model, vocabulary, pipeline, std::move(request));
    valid_constrained += is_review(text);
    if (run < 3) std::printf("%s\n", text.c_str());
  }
  std::printf("without the constraint: %d of 20 texts are valid\n", valid_alone);
  std::printf("with the constraint: %d of %d\n", valid_constrained, kRuns);
  return valid_constrained == kRuns && valid_alone == 0 ? 0 : 1;
}
