// SPDX-License-Identifier: MIT
// Beam/<width>, Draft/<rule>, Logprobs/<what>: figures are per row.
#include <benchmark/benchmark.h>

#include <memory>

#include "harness.hpp"
#include "picks.hpp"
#include "reference.hpp"

namespace bench {

namespace {

namespace lk = logitkit;

/// Rows from `first` on, around the end.
std::vector<lk::LogitsView> views_from(Rows rows, std::size_t first, std::size_t count) {
  std::vector<lk::LogitsView> views;
  for (std::size_t i = 0; i < count; ++i) views.emplace_back(rows[(first + i) % rows.size()]);
  return views;
}

/// A search that never ends; now and then it starts again, so that hypotheses stay short.
class EndlessSearch {
 public:
  EndlessSearch(Rows rows, int width) : rows_(rows), width_(width) { restart(); }

  void advance(std::size_t row) {
    if (beams_->live().front().tokens.size() == 64) restart();
    views_ = views_from(rows_, row, beams_->live().size());
    if (beams_->advance(views_) != lk::Status::ok) std::abort();
  }

  /// All width x V sums, sorted.
  std::string difference(std::size_t row) {
    const std::vector<lk::Hypothesis> before(beams_->live().begin(), beams_->live().end());
    advance(row);
    struct Sum {
      double sum;
      lk::BeamMove move;
    };
    std::vector<Sum> sums;
    for (std::size_t parent = 0; parent < before.size(); ++parent) {
      const std::vector<float>& logits = rows_[(row + parent) % rows_.size()];
      const double total = reference::log_sum_exp(logits);
      for (std::size_t id = 0; id < logits.size(); ++id) {
        const auto logprob = static_cast<float>(static_cast<double>(logits[id]) - total);
        sums.push_back(
            {before[parent].sum_logprob + static_cast<double>(logprob), {parent, static_cast<lk::TokenId>(id)}});
      }
    }
    std::stable_sort(sums.begin(), sums.end(), [](const Sum& a, const Sum& b) { return a.sum > b.sum; });
    for (std::size_t i = 0; i < beams_->live().size(); ++i)
      if (beams_->moves()[i] != sums[i].move || beams_->live()[i].sum_logprob != sums[i].sum)
        return "hypothesis " + std::to_string(i) + " continues " + std::to_string(beams_->moves()[i].parent) +
               " with " + std::to_string(beams_->moves()[i].token) + ", plain " + std::to_string(sums[i].move.parent) +
               " with " + std::to_string(sums[i].move.token);
    return "";
  }

 private:
  /// From as many different hypotheses as there is room for.
  void restart() {
    lk::BeamOptions options{.width = width_, .max_new_tokens = 1000};
    for (int i = 0; i < width_; ++i) options.initial.push_back({{i}, -0.25 * i});
    beams_ = std::make_unique<lk::BeamSearch>(lk::Chain(), fresh(), options);
  }

  Rows rows_;
  int width_;
  std::unique_ptr<lk::BeamSearch> beams_;
  std::vector<lk::LogitsView> views_;
};

Work beam_work(Rows rows, int width) {
  const auto search = std::make_shared<EndlessSearch>(rows, width);
  return {.run = [=](std::size_t row) { search->advance(row); },
          .difference = [=](std::size_t row) { return search->difference(row); },
          .rows = static_cast<double>(width)};
}

/// Four drafts that are all accepted, so that five rows are judged: those that the pipeline draws itself, with its own
/// probabilities.
Work draft_work(Rows rows, const lk::Pipeline& pipeline, lk::DraftRule rule) {
  constexpr std::size_t kDrafts = 4;
  struct State {
    lk::Request request = fresh();
    std::vector<std::vector<lk::TokenId>> drafts;   // by first row
    std::vector<std::vector<float>> probabilities;  // by row
  };
  const auto state = std::make_shared<State>();
  for (std::size_t first = 0; first < rows.size(); ++first) {
    lk::Request request = state->request.fork();
    auto& drafts = state->drafts.emplace_back();
    for (std::size_t i = 0; i < kDrafts; ++i) {
      drafts.push_back(pipeline.pick(rows[(first + i) % rows.size()], request).token);
      request.accept(drafts.back());
    }
    state->probabilities.push_back(pipeline.process(rows[first], state->request));
    lk::softmax(state->probabilities.back(), state->probabilities.back());
  }
  const auto verify = [=](std::size_t row) {
    return lk::verify_draft(pipeline, views_from(rows, row, kDrafts + 1), state->drafts[row],
                            views_from(state->probabilities, row, kDrafts), state->request, {.rule = rule});
  };
  const auto difference = [=](std::size_t row) -> std::string {
    const lk::DraftResult result = verify(row);
    if (result.accepted != kDrafts) return std::to_string(result.accepted) + " of the own tokens are accepted";
    lk::Request request = state->request.fork();
    for (const lk::TokenId token : state->drafts[row]) request.accept(token);
    return difference_from_plain(result.picks.back(), pipeline, rows[(row + kDrafts) % rows.size()], request);
  };
  return {.run = [=](std::size_t row) { benchmark::DoNotOptimize(verify(row)); },
          .difference = difference,
          .rows = kDrafts + 1};
}

/// One token, and the best ones where asked for. The token is drawn after the chain, or a fixed one from far below.
enum class Asked { drawn, rare };
template <class Ask>
Work logprobs_work(Rows rows, Asked asked, std::size_t top, const lk::Chain& chain, const Ask& ask) {
  std::vector<lk::TokenId> tokens;
  for (const auto& row : rows)
    tokens.push_back(asked == Asked::rare ? 100 : (chain | lk::Multinomial()).pick(row, fresh()).token);
  const auto find = [=](std::size_t row) {
    return ask(rows[row], lk::LogprobOptions{.top = top, .tokens = {tokens[row]}});
  };
  const auto difference = [=](std::size_t row) -> std::string {
    const auto chosen = static_cast<std::size_t>(tokens[row]);
    const lk::Logprobs found = find(row);
    const std::vector<float> left = chain.process(rows[row], fresh());
    const double total = reference::log_sum_exp(left);
    const auto order = reference::ranked(left);
    std::vector<lk::TokenLogprob> plain;
    const auto add = [&](std::size_t id, std::size_t rank) {
      plain.push_back({static_cast<lk::TokenId>(id), static_cast<float>(static_cast<double>(left[id]) - total), rank});
    };
    add(chosen, static_cast<std::size_t>(std::find(order.begin(), order.end(), chosen) - order.begin()) + 1);
    for (std::size_t i = 0; i < std::min(top, order.size()); ++i) add(order[i], i + 1);
    std::vector<lk::TokenLogprob> all = found.tokens;
    all.insert(all.end(), found.top.begin(), found.top.end());
    return all == plain ? "" : "a log-probability or rank differs from the sorted row";
  };
  return {.run = [=](std::size_t row) { benchmark::DoNotOptimize(find(row)); }, .difference = difference};
}

}  // namespace

void add_search() {
  for (const int width : {1, 4, 16})
    add("Beam/width_" + std::to_string(width), "typical", [=](Rows rows) { return beam_work(rows, width); });

  const auto add_draft = [](const char* name, const lk::Pipeline& pipeline, lk::DraftRule rule) {
    add(std::string("Draft/") + name, "typical", [=](Rows rows) { return draft_work(rows, pipeline, rule); });
  };
  add_draft("replay_chat", chat(), lk::DraftRule::replay);
  add_draft("rejection_chat", chat(), lk::DraftRule::rejection);
  add_draft("block_chat", chat(), lk::DraftRule::block);
  add_draft("rejection_plain", lk::Multinomial(), lk::DraftRule::rejection);

  const auto workspace = std::make_shared<lk::Workspace>();
  const auto raw = [workspace](lk::LogitsView row, const lk::LogprobOptions& what) {
    return lk::logprobs(row, what, *workspace);
  };
  const lk::Chain chain = chat().chain();
  const auto processed = [chain, request = fresh()](lk::LogitsView row, const lk::LogprobOptions& what) {
    return chain.logprobs(row, request, what);
  };
  const auto add_logprobs = [](const char* name, Asked asked, std::size_t top, const lk::Chain& steps, auto ask) {
    add(std::string("Logprobs/") + name, "typical",
        [=](Rows rows) { return logprobs_work(rows, asked, top, steps, ask); });
  };
  add_logprobs("raw", Asked::drawn, 0, lk::Chain(), raw);
  add_logprobs("raw_rare", Asked::rare, 0, lk::Chain(), raw);
  add_logprobs("raw_top_5", Asked::drawn, 5, lk::Chain(), raw);
  add_logprobs("chat_top_5", Asked::drawn, 5, chain, processed);
}

}  // namespace bench
