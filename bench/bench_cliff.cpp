// SPDX-License-Identifier: MIT
// Cliff/<case>/<chain>: what is known to be slow elsewhere. The counter `times_typical` is the case's time over that of
// the bare chain on a typical float32 row.
#include <memory>

#include "harness.hpp"
#include "picks.hpp"

namespace bench {

namespace {

namespace lk = logitkit;

struct NamedPipeline {
  std::string name;
  lk::Pipeline pipeline;
};

/// What differs from the bare chain on a typical row.
struct Difference {
  std::string shape = "typical";
  lk::Chain before = {};  ///< steps ahead of the chain's own
  lk::Request request = fresh();
  lk::Dtype dtype = lk::Dtype::float32;
};

void add_cliff(const std::string& name, const NamedPipeline& chain, const Difference& what) {
  const lk::Pipeline pipeline((what.before | chain.pipeline.chain()), chain.pipeline.selector());
  add_both("Cliff/" + name + "/" + chain.name, what.shape, [=](Rows over) {
    Work work = pick_work(pipeline, what.request, over, what.dtype);
    work.rival = pick_work(chain.pipeline, fresh(), rows("typical").first(over.size())).run;
    work.rival_counter = "times_typical";
    return work;
  });
}

lk::TokenBiases spread_biases(std::size_t count) {
  lk::TokenBiases biases;
  for (const lk::TokenId id : spread_ids(count)) biases.emplace_back(id, id % 2 == 0 ? 2.5 : -2.5);
  return biases;
}

}  // namespace

void add_cliff() {
  using namespace lk;
  const PenaltyOptions everywhere{.scope = Scope::prompt_and_output};
  const Chain penalties = RepetitionPenalty(1.1) | FrequencyPenalty(0.1, everywhere) | PresencePenalty(0.1, everywhere);

  const NamedPipeline chat_chain{"chat", chat()}, min_p{"min_p", MinP(0.05) | Multinomial()},
      top_p{"top_p", TopP(0.9) | Multinomial()};
  for (const NamedPipeline& chain : {chat_chain, min_p, top_p}) {
    for (const char* shape : {"ascending", "descending", "all_equal", "all_but_one_masked"})
      add_cliff(shape, chain, {.shape = shape});
    add_cliff("bans_2500", chain, {.before = Chain{} | BanTokens(spread_ids(2500))});
    add_cliff("biased_300", chain, {.before = Chain{} | LogitBias(spread_biases(300))});
    add_cliff("history_4096", chain, {.before = penalties, .request = long_history()});
    add_cliff("float16", chain, {.dtype = Dtype::float16});
    add_cliff("bfloat16", chain, {.dtype = Dtype::bfloat16});
  }
  add_cliff("everything_survives", min_p, {.shape = "narrow"});
  add_cliff("everything_survives", {"top_p_0.9999", TopP(0.9999) | Multinomial()}, {.shape = "narrow"});
}

}  // namespace bench
