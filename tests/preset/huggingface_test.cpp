// SPDX-License-Identifier: MIT
#include "logitkit/preset/huggingface.hpp"

#include <gtest/gtest.h>

#include "preset/decoding_text.hpp"

namespace huggingface_test {

namespace lk = logitkit;
using decoding_text::json;
using decoding_text::notes;
using decoding_text::spec;
using lk::presets::GenerationConfig;
using lk::presets::huggingface;
using lk::presets::huggingface_json;

std::string error_of(const char* text) {
  return decoding_text::error([&] { huggingface_json(json(text)); });
}

TEST(HuggingFace, IsGreedyByDefault) {
  const lk::Decoding d = huggingface({});
  EXPECT_EQ(d.mode, lk::Mode::greedy);
  EXPECT_EQ(d.max_new_tokens, 20);
  EXPECT_EQ(d.beams.width, 1);
  EXPECT_EQ(d.n, 1);
  EXPECT_EQ(d.seed, std::nullopt);
  EXPECT_EQ(notes(d), "");
  EXPECT_EQ(d.spec.steps.back().type(), "greedy");
}

TEST(HuggingFace, OrdersTemperatureTopKTopPMinP) {
  GenerationConfig config;
  config.do_sample = true;
  config.min_p = 0.05;
  config.top_p = 0.9;
  config.top_k = 20;
  config.temperature = 0.7;
  config.repetition_penalty = 1.1;
  config.suppress_tokens = {6};
  config.renormalize_logits = true;
  const std::string built = spec(huggingface(config));
  std::size_t at = 0;
  for (
      const char* step :
      {R"({"type":"repetition_penalty","penalty":1.1})", R"({"type":"ban_tokens","ids":[6]})",
       R"({"type":"temperature","temperature":0.7},{"type":"top_k","k":20,"ties":"keep"},{"type":"top_p","p":0.9},{"type":"min_p","p":0.05},{"type":"log_softmax"},{"type":"multinomial"}])"}) {
    const std::size_t found = built.find(step, at);
    ASSERT_NE(found, std::string::npos) << step << " in " << built;
    at = found;
  }
  EXPECT_NO_THROW(lk::build(huggingface(config)));
}

/// A generation_config.json as models ship it.
constexpr const char* kModelFile = R"({"bos_token_id":151643,"do_sample":true,"eos_token_id":[151645,151643],
    "pad_token_id":151643,"repetition_penalty":1.05,"temperature":0.7,"top_k":20,"top_p":0.8,
    "transformers_version":"4.51.0"})";

TEST(HuggingFace, RunsAModelsDefaultsFile) {
  const lk::Decoding d = huggingface_json(json(kModelFile));
  EXPECT_EQ(
      spec(d),
      R"([{"type":"repetition_penalty","penalty":1.05},{"type":"allow_mask"},{"type":"temperature","temperature":0.7},{"type":"top_k","k":20,"ties":"keep"},{"type":"top_p","p":0.8},{"type":"multinomial"}])");
  EXPECT_EQ(d.end_ids, (lk::TokenIds{151645, 151643}));
  EXPECT_EQ(notes(d), "");
  EXPECT_EQ(lk::describe(d.spec),
            "0  repetition_penalty (penalty 1.05): divides (or multiplies) the logits of tokens seen\n"
            "1  allow_mask: keeps what a mask or the request's constraint allows\n"
            "2  temperature (temperature 0.7): divides the logits\n"
            "3  top_k (k 20, ties \"keep\"): keeps the k largest logits\n"
            "4  top_p (p 0.8): keeps the most likely tokens that hold mass p\n"
            "5  multinomial: draws one of the tokens left, by probability\n");
  EXPECT_NE(lk::describe(d).find("[top_k]"), std::string::npos) << "why each is there: " << lk::describe(d);
}

TEST(HuggingFace, ForcesTheEndAtTheFinalLength) {
  const std::vector<float> row = {1, 2, 3, 4, 5};
  // 3 new tokens, after a prompt of any length
  const lk::Decoding d = huggingface_json(json(R"({"forced_eos_token_id":2,"max_new_tokens":3})"));
  EXPECT_EQ(notes(d), "adjusted forced_eos_token_id\n");
  lk::Request request({1, 1}, d.request_options());
  for (const int token : {4, 4, 2}) {
    EXPECT_EQ(lk::build(d).pick(row, request).token, token);
    request.accept(token);
  }
  // prompt and output
  const lk::Decoding total = huggingface_json(json(R"({"forced_eos_token_id":2,"max_length":3})"));
  EXPECT_EQ(notes(total), "");
  EXPECT_EQ(lk::build(total).pick(row, lk::Request({1, 1}, total.request_options())).token, 2);
}

TEST(HuggingFace, SamplesWithTopK50UnlessToldOtherwise) {
  GenerationConfig config;
  config.do_sample = true;
  EXPECT_NE(spec(huggingface(config)).find(R"({"type":"top_k","k":50,"ties":"keep"},{"type":"multinomial"}])"),
            std::string::npos);
  config.top_k = 0;
  EXPECT_EQ(spec(huggingface(config)).find("top_k"), std::string::npos);
}

TEST(HuggingFace, RunsNoSamplingStepWithoutDoSample) {
  const lk::Decoding d = huggingface_json(json(R"({"temperature":0,"top_k":20,"top_p":0.9,"min_p":0.1,"top_h":0.5,
                                                   "typical_p":0.5,"epsilon_cutoff":0.1,"eta_cutoff":0.1,
                                                   "repetition_penalty":1.5})"));
  EXPECT_EQ(notes(d),
            "ignored temperature\nignored top_h\nignored top_k\nignored top_p\nignored min_p\nignored typical_p\n"
            "ignored epsilon_cutoff\nignored eta_cutoff\n");
  EXPECT_EQ(spec(d).find("temperature"), std::string::npos);
  EXPECT_NE(spec(d).find(R"({"type":"repetition_penalty","penalty":1.5})"), std::string::npos);
}

TEST(HuggingFace, KeepsMoreTokensWithBeams) {
  GenerationConfig config;
  config.do_sample = true;
  config.num_beams = 3;
  EXPECT_NE(spec(huggingface(config)).find(R"({"type":"top_k","k":50,"ties":"keep","min_keep":2})"), std::string::npos);
  config.eos_token_id = {2, 3, 4};
  config.top_p = 0.9;
  EXPECT_NE(spec(huggingface(config))
                .find(R"({"type":"top_k","k":50,"ties":"keep","min_keep":4},{"type":"top_p","p":0.9,"min_keep":4})"),
            std::string::npos);
}

TEST(HuggingFace, SetsUpBeamSearch) {
  GenerationConfig config;
  config.num_beams = 3;
  config.num_return_sequences = 2;
  config.length_penalty = 0.8;
  config.max_new_tokens = 7;
  config.early_stopping = "never";
  config.eos_token_id = {2};
  const lk::Decoding d = huggingface(config);
  EXPECT_EQ(d.mode, lk::Mode::beam);
  EXPECT_EQ(lk::name(d.mode), "beam_search");
  EXPECT_EQ(static_cast<int>(d.beams), 3);
  EXPECT_EQ(d.beams.max_new_tokens, 7);
  EXPECT_EQ(d.beams.length, lk::LengthRule::power(0.8));
  EXPECT_EQ(d.beams.stop, lk::StopRule::exhaustive);
  EXPECT_EQ(d.beams.scores, lk::BeamScores::log_softmax);
  EXPECT_EQ(d.n, 2);
  EXPECT_EQ(d.end_ids, lk::TokenIds{2});
  EXPECT_NO_THROW(lk::build_chain(d));  // no selector: BeamSearch chooses
  config.early_stopping = true;
  EXPECT_EQ(huggingface(config).beams.stop, lk::StopRule::as_soon_as_full);
  config.early_stopping = false;
  EXPECT_EQ(huggingface(config).beams.stop, lk::StopRule::estimated);
  config.do_sample = true;
  EXPECT_EQ(lk::name(huggingface(config).mode), "beam_sample");
  EXPECT_NO_THROW(lk::build(huggingface(config)));
}

TEST(HuggingFace, LimitsTheLength) {
  lk::Decoding d = huggingface_json(json(R"({"max_length":30})"));
  EXPECT_EQ(d.max_new_tokens, std::nullopt);
  EXPECT_EQ(d.max_length, 30);
  d = huggingface_json(json(R"({"max_length":30,"max_new_tokens":5})"));
  EXPECT_EQ(d.max_new_tokens, 5);
  EXPECT_EQ(d.max_length, std::nullopt);
  EXPECT_EQ(notes(d), "ignored max_length\n");
  EXPECT_EQ(notes(huggingface_json(json(R"({"max_length":30,"num_beams":2})"))), "deviates max_length\n");
}

TEST(HuggingFace, NotesWhatItIgnores) {
  const auto notes_of = [](const char* text) { return notes(huggingface_json(json(text))); };
  EXPECT_EQ(notes_of(R"({"early_stopping":true,"length_penalty":2})"),
            "ignored early_stopping\nignored length_penalty\n");
  EXPECT_EQ(notes_of(R"({"min_length":3,"min_new_tokens":4})"), "ignored min_length\nignored min_new_tokens\n");
  EXPECT_EQ(notes_of(R"({"do_sample":true,"top_p":2,"typical_p":1.5,"epsilon_cutoff":1,"eta_cutoff":-1})"),
            "ignored top_p\nignored typical_p\nignored epsilon_cutoff\nignored eta_cutoff\n");
  EXPECT_EQ(notes_of(R"({"bad_words_ids":[[2]],"eos_token_id":2})"), "ignored bad_words_ids\n");
}

TEST(HuggingFaceJson, PassesOverWhatIsNotAboutDecoding) {
  EXPECT_EQ(notes(huggingface_json(json(R"({"transformers_version":"5.0","_from_model_config":true,"pad_token_id":0,
                                            "use_cache":true,"top_k":null,"watermarking_config":null,
                                            "encoder_repetition_penalty":1.0,"num_beam_groups":1})"))),
            "");
}

TEST(HuggingFaceJson, NotesWhatIsNotOffered) {
  const lk::Decoding d = huggingface_json(json(R"({"encoder_repetition_penalty":1.5,"encoder_no_repeat_ngram_size":3,
                                                   "watermarking_config":{"bias":2},"stop_strings":["."],
                                                   "tempreature":0.5})"));
  EXPECT_EQ(notes(d),
            "not_offered encoder_repetition_penalty\nnot_offered encoder_no_repeat_ngram_size\n"
            "not_offered watermarking_config\nnot_offered stop_strings\nunknown_field tempreature\n");
  for (const lk::Diagnostic& note : d.notes) EXPECT_EQ(note.severity, lk::Severity::warning);
}

TEST(HuggingFaceJson, ReadsOneEndTokenOrSeveral) {
  EXPECT_EQ(huggingface_json(json(R"({"eos_token_id":2})")).end_ids, lk::TokenIds{2});
  EXPECT_EQ(huggingface_json(json(R"({"eos_token_id":[2,5]})")).end_ids, (lk::TokenIds{2, 5}));
}

TEST(HuggingFaceJson, EqualsTheStruct) {
  GenerationConfig config;
  config.do_sample = true;
  config.temperature = 0.6;
  config.top_k = 20;
  config.top_p = 0.95;
  const lk::Decoding from_json =
      huggingface_json(json(R"({"do_sample":true,"temperature":0.6,"top_k":20,"top_p":0.95})"));
  EXPECT_EQ(lk::to_json(from_json), lk::to_json(huggingface(config)));
}

TEST(HuggingFaceJson, NamesTheFieldItRefuses) {
  EXPECT_EQ(error_of(R"({"do_sample":true,"temperature":0})"),
            "huggingface: temperature: temperature is 0, allowed is 1e-30 to 3e+38");
  EXPECT_EQ(error_of(R"({"do_sample":true,"top_k":-1})"),
            "huggingface: top_k: k is -1, allowed is at least 0 and finite");
  EXPECT_EQ(error_of(R"({"do_sample":true,"top_p":-0.5})"), "huggingface: top_p: p is -0.5, allowed is 0 to 1");
  EXPECT_EQ(error_of(R"({"do_sample":1})"), "huggingface: do_sample is 1, allowed is true or false");
  EXPECT_EQ(error_of(R"({"top_k":"many"})"), "huggingface: top_k is \"many\", allowed is a whole number");
  EXPECT_EQ(error_of(R"({"eos_token_id":"no"})"),
            "huggingface: eos_token_id is \"no\", allowed is a token id or a list of token ids");
  EXPECT_EQ(error_of(R"({"exponential_decay_length_penalty":[1]})"),
            "huggingface: exponential_decay_length_penalty is [1], allowed is a list of a whole number and a number");
  EXPECT_EQ(error_of(R"({"exponential_decay_length_penalty":[1,1.1]})"),
            "huggingface: exponential_decay_length_penalty: needs eos_token_id, which is not set");
  EXPECT_EQ(error_of(R"({"early_stopping":"sometimes"})"),
            "huggingface: early_stopping: is \"sometimes\", allowed is true, false or \"never\"");
  EXPECT_EQ(error_of(R"({"num_return_sequences":2})"), "huggingface: num_return_sequences is 2, allowed is 1 to 1");
  EXPECT_EQ(error_of(R"({"num_beams":2,"num_return_sequences":3})"),
            "huggingface: num_return_sequences is 3, allowed is 1 to 2");
  EXPECT_EQ(error_of(R"({"max_new_tokens":0})"), "huggingface: max_new_tokens is 0, allowed is at least 1 and finite");
  EXPECT_EQ(error_of(R"({"logits_processor":[]})"),
            "huggingface: logits_processor: is an argument of the call; custom steps go into `customs`");
  EXPECT_EQ(error_of(R"({"penalty_alpha":0.6})"), "huggingface: penalty_alpha: contrastive search is not offered");
  EXPECT_EQ(error_of("[1]"), "huggingface: the parameters are array, allowed is an object");
}

/// The types of the steps but the request's constraint, which is always there.
std::vector<std::string> types(const lk::Decoding& d) {
  std::vector<std::string> list;
  for (const lk::Step& step : d.spec)
    if (step.type() != "allow_mask") list.emplace_back(step.type());
  return list;
}
using List = std::vector<std::string>;

TEST(HuggingFace, MergesCustomStepsBeforeTemperature) {
  GenerationConfig config;
  config.do_sample = true;
  config.repetition_penalty = 1.2;
  config.temperature = 0.7;
  config.top_k = 0;
  const lk::Chain customs = lk::Chain{} | lk::step("a", [](lk::Candidates&, const lk::StepView&) {}) |
                            lk::Temperature(0.5) | lk::RepetitionPenalty(2) | lk::RepetitionPenalty(3);
  const lk::Decoding d = huggingface(config, customs);
  EXPECT_EQ(types(d),
            (List{"repetition_penalty", "custom", "temperature", "repetition_penalty", "temperature", "multinomial"}));
  EXPECT_EQ(d.spec[0], lk::Step(lk::RepetitionPenalty(2)));  // the first of a type replaces, the second is appended
  EXPECT_EQ(notes(d), "replaced repetition_penalty\n");
}

TEST(HuggingFace, DescribesWhyEachStepIsThere) {
  GenerationConfig config;
  config.do_sample = true;
  config.temperature = 0.6;
  const std::string text = lk::describe(huggingface(config));
  EXPECT_EQ(text.substr(0, 7), "sample\n");
  EXPECT_NE(text.find("temperature (temperature 0.6): divides the logits [temperature]\n"), std::string::npos) << text;
  EXPECT_NE(text.find("top_k (k 50, ties \"keep\"): keeps the k largest logits [top_k, on by default]\n"),
            std::string::npos)
      << text;
}

}  // namespace huggingface_test
