// SPDX-License-Identifier: MIT
// The examples' transformer and tokenizer against logits, greedy ids and encodings that were recorded for the same
// files with float64 arithmetic (stories260k_expected.json in the folder LOGITKIT_DATA).
#include "../../examples/common/story_model.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "../../examples/common/story_tokenizer.hpp"
#include "../../examples/common/text_model.hpp"
#include "../support/data_folder.hpp"

namespace story_model_test {

using Ids = std::vector<logitkit::TokenId>;

class Stories : public testing::Test {
 protected:
  void SetUp() override {
    const auto folder = data_folder();
    if (!folder) GTEST_SKIP() << "LOGITKIT_DATA is not set: 4 prompts and 5 encodings are not checked";
    folder_ = *folder;
    std::ifstream(file("stories260k_expected.json")) >> expected_;
  }

  std::string file(const std::string& name) const { return folder_ + "/" + name; }

  std::string folder_;
  nlohmann::json expected_;
};

using StoryModelTest = Stories;
using StoryTokenizerTest = Stories;

TEST_F(StoryModelTest, ReproducesGreedyIdsAndLogits) {
  examples::StoryModel model(file("stories260K.bin"));
  ASSERT_EQ(model.vocabulary_size(), 512u);
  ASSERT_EQ(expected_["prompts"].size(), 4u);
  for (const auto& prompt : expected_["prompts"]) {
    std::map<std::size_t, std::vector<float>> recorded;
    for (const auto& entry : prompt["logits"])
      recorded[entry["generated_index"]] = entry["logits"].get<std::vector<float>>();
    ASSERT_EQ(recorded.size(), 5u);

    model.reset();
    std::span<const float> logits;
    for (logitkit::TokenId id : prompt["prompt_ids"].get<Ids>()) logits = model.forward(id);
    Ids greedy;
    for (std::size_t i = 0; i < prompt["greedy_ids"].size(); ++i) {
      if (const auto row = recorded.find(i); row != recorded.end()) {
        ASSERT_EQ(row->second.size(), logits.size());
        for (std::size_t id = 0; id < logits.size(); ++id) EXPECT_NEAR(logits[id], row->second[id], 1e-4) << id;
      }
      greedy.push_back(static_cast<logitkit::TokenId>(std::ranges::max_element(logits) - logits.begin()));
      logits = model.forward(greedy.back());
    }
    EXPECT_EQ(greedy, prompt["greedy_ids"].get<Ids>()) << prompt["text"];
  }
}

TEST_F(StoryModelTest, RefusesWhatItCannotFeed) {
  examples::StoryModel model(file("stories260K.bin"));
  EXPECT_THROW(model.forward(512), std::out_of_range);
  EXPECT_THROW(model.forward(-1), std::out_of_range);
  for (std::size_t i = 0; i < model.context_length(); ++i) model.forward(1);
  EXPECT_THROW(model.forward(1), std::out_of_range);
  EXPECT_THROW(examples::StoryModel(file("tok512.bin")), std::runtime_error);
  EXPECT_THROW(examples::StoryModel(file("no such file")), std::runtime_error);
}

TEST_F(StoryModelTest, AsATextModelItNoticesThatTheTextIsAnother) {
  examples::TextModel model = examples::load_story_model(file("stories260K.bin"), file("tok512.bin"));
  const Ids first = model.encode("Once upon a time"), second = model.encode("One day");
  Ids longer = first;
  longer.push_back(432);
  const std::vector<float> after_first = model.next(first), after_longer = model.next(longer);
  EXPECT_NE(model.next(second), after_first);
  EXPECT_EQ(model.next(longer), after_longer);  // all tokens anew
  EXPECT_EQ(model.next(first), after_first);    // shorter than what was fed
}

TEST_F(StoryTokenizerTest, EncodesAndDecodesAsRecorded) {
  const examples::StoryTokenizer tokenizer(file("tok512.bin"));
  ASSERT_EQ(tokenizer.size(), 512u);
  ASSERT_EQ(expected_["tokenizer_examples"].size(), 5u);
  for (const auto& example : expected_["tokenizer_examples"]) {
    const Ids ids = example["ids"];
    EXPECT_EQ(tokenizer.encode(example["text"].get<std::string>()), ids) << example["text"];
    EXPECT_EQ(tokenizer.decode(ids), example["decoded"].get<std::string>());
  }
  for (const auto& prompt : expected_["prompts"]) {
    EXPECT_EQ(tokenizer.encode(prompt["text"].get<std::string>()), prompt["prompt_ids"].get<Ids>());
    auto ids = prompt["prompt_ids"].get<Ids>();
    const auto greedy = prompt["greedy_ids"].get<Ids>();
    ids.insert(ids.end(), greedy.begin(), greedy.end());
    EXPECT_EQ(tokenizer.decode(ids), prompt["greedy_text"].get<std::string>());
  }
}

}  // namespace story_model_test
