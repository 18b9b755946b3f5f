// SPDX-License-Identifier: MIT
// Greedy, beam search and sampling continue the same text: how much of it is repetition. Then drafts, which change
// nothing but the number of times that the model is asked.
//   generate                                                      with n-grams that are counted at start
//   generate --model stories260K.bin --tokenizer tok512.bin       with a real transformer
#include <algorithm>
#include <cstdio>
#include <exception>
#include <logitkit/logitkit.hpp>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "common/text_model.hpp"

namespace lk = logitkit;

namespace {

/// Distinct words over words.
double variety(const std::string& text) {
  std::istringstream in(text);
  std::set<std::string> distinct;
  double words = 0;
  for (std::string word; in >> word; ++words) distinct.insert(word);
  return static_cast<double>(distinct.size()) / words;
}

/// A guess at what comes next: what followed the last two tokens where they occurred before.
std::vector<lk::TokenId> look_up(const lk::Request& request) {
  std::vector<lk::TokenId> story(request.prompt().begin(), request.prompt().end());
  story.insert(story.end(), request.output().begin(), request.output().end());
  for (std::size_t end = story.size() - 1; end >= 2; --end)
    if (story[end - 2] == story[story.size() - 2] && story[end - 1] == story.back()) {
      const std::size_t guessed = std::min<std::size_t>(4, story.size() - end);
      return {story.begin() + static_cast<std::ptrdiff_t>(end),
              story.begin() + static_cast<std::ptrdiff_t>(end + guessed)};
    }
  return {};
}

examples::TextModel choose(int count, char** arguments) {
  if (count == 5 && std::string_view(arguments[1]) == "--model" && std::string_view(arguments[3]) == "--tokenizer")
    return examples::load_story_model(arguments[2], arguments[4]);
  return examples::train_ngrams();
}

}  // namespace

int main(int count, char** arguments) try {
  const examples::TextModel model = choose(count, arguments);
  const std::vector<lk::TokenId> prompt = model.encode(model.opening);
  const auto row = [&](const lk::Request& request) {
    std::vector<lk::TokenId> history(request.prompt().begin(), request.prompt().end());
    history.insert(history.end(), request.output().begin(), request.output().end());
    return model.next(history);
  };

  const auto tell = [&](const char* title, const lk::Pipeline& pipeline, const lk::GenerateLimits& limits) {
    lk::Request request(prompt, {.seed = 7});
    const lk::Generation result = lk::generate(row, pipeline, request, limits);
    std::vector<lk::TokenId> story = prompt;
    story.insert(story.end(), result.tokens.begin(), result.tokens.end());
    std::printf("%s: %.0f %% of the new words are distinct\n  %s\n\n", title,
                100 * variety(model.decode(result.tokens)), model.decode(story).c_str());
  };
  tell("greedy", lk::Greedy(), {.max_new_tokens = 100});
  tell("beam search, width 5", lk::Greedy(), {.beams = lk::BeamOptions{.width = 5, .max_new_tokens = 100}});
  tell("sampling", lk::TopP(0.95) | lk::Multinomial(), {.max_new_tokens = 100});

  int rounds = 0;
  const auto draft = [&rounds](const lk::Request& request) { return ++rounds, look_up(request); };
  lk::Request plain(prompt, {.seed = 7}), drafted = plain.fork();
  lk::generate(row, lk::Greedy(), plain, {.max_new_tokens = 100});
  lk::generate(row, lk::Greedy(), drafted, {.max_new_tokens = 100, .draft = draft});
  std::printf("greedy with drafts from the text so far: %s in %d rounds instead of 100\n",
              std::ranges::equal(plain.output(), drafted.output()) ? "the same tokens" : "other tokens", rounds);
} catch (const std::exception& error) {
  std::fprintf(stderr, "generate: %s\n", error.what());
  return 1;
}
