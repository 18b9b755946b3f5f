// SPDX-License-Identifier: MIT
// One of three labels and nothing else. The labels are spelled by whatever tokens the vocabulary has.
#include <cstdio>
#include <logitkit/logitkit.hpp>
#include <map>
#include <string>

#include "common/byte_word_model.hpp"

namespace lk = logitkit;

int main() {
  const examples::ByteWordModel model;
  const lk::Vocabulary vocabulary = model.vocabulary();
  const lk::Constraint labels = lk::compile_choices(vocabulary, {"positive", "negative", "mixed"});
  const lk::Pipeline pipeline = lk::AllowMask() | lk::Multinomial();

  std::map<std::string, int> counts;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const lk::RequestOptions options{.seed = seed, .end_ids = {model.end_id()}};
    lk::Request request({}, options);
    lk::Matcher matcher = labels.matcher();
    request.constrain(matcher);
    std::string text;
    while (!request.is_finished()) {
      const lk::Pick pick = pipeline.pick(model.row(request.output()), request);
      if (!pick || !request.accept(pick)) return 1;
      matcher.accept(pick.token);
      if (pick.token == model.end_id()) break;
      text += vocabulary.bytes(pick.token);
      // what must follow needs no model: after the first letter the label is known
      if (seed == 0 && text.size() == 1)
        std::printf("after \"%s\" must come \"%s\"\n", text.c_str(), matcher.forced_bytes().c_str());
    }
    ++counts[text];
  }
  for (const auto& [label, count] : counts) std::printf("%-8s %d\n", label.c_str(), count);
  return counts.size() == 3 ? 0 : 1;
}
