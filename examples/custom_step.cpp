// SPDX-License-Identifier: MIT
// Steps of your own: anything callable with (Candidates&, const StepView&) stands in a chain like a built-in one.
#include <algorithm>
#include <cstdio>
#include <logitkit/logitkit.hpp>
#include <vector>

#include "common/corpus.hpp"
#include "common/ngram_model.hpp"
#include "common/word_tokenizer.hpp"

namespace lk = logitkit;

int main() {
  const examples::WordTokenizer tokenizer(examples::kCorpus);
  const examples::NgramModel model(tokenizer.encode(examples::kCorpus), tokenizer.size());

  // A lambda that removes candidates: no word of the last twenty comes again (commas and full stops may).
  const auto no_echo = [&](lk::Candidates& candidates, const lk::StepView& view) {
    const auto output = view.output();
    for (lk::TokenId id : output.last(std::min<std::size_t>(20, output.size())))
      if (tokenizer.word(id).size() > 1) candidates.remove(id);
  };

  // A step with a parameter that changes logits: long words are more likely, by `bonus` a letter. It needs all
  // candidates, so it asks for them as a plain array.
  const auto long_words = [&](float bonus) {
    return lk::step("long_words", [&, bonus](lk::Candidates& candidates, const lk::StepView&) {
      lk::TokenId id = 0;
      for (float& logit : candidates.materialize()) logit += bonus * static_cast<float>(tokenizer.word(id++).size());
    });
  };

  const auto tell = [&](const char* title, const lk::Pipeline& pipeline) {
    std::vector<lk::TokenId> history = tokenizer.encode("The");
    lk::Request request(history, {.seed = 3, .end_ids = {tokenizer.separator()}});
    while (request.output().size() < 40 && !request.is_finished()) {
      const lk::Pick pick = pipeline.pick(model.row(history), request);
      if (!pick) return std::puts(pick.message().c_str());
      request.accept(pick);
      history.push_back(pick.token);
    }
    return std::printf("%s:\n  %s\n", title, tokenizer.decode(history).c_str());
  };
  tell("without", lk::Temperature(0.8) | lk::TopP(0.9) | lk::Multinomial());
  tell("no_echo", lk::step("no_echo", no_echo) | lk::Temperature(0.8) | lk::TopP(0.9) | lk::Multinomial());
  tell("long_words", long_words(0.4f) | lk::Temperature(0.8) | lk::TopP(0.9) | lk::Multinomial());
}
