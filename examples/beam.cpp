// SPDX-License-Identifier: MIT
// Beam search: what it finds that greedy does not, and what it finds that nobody wants.
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <logitkit/logitkit.hpp>
#include <string>
#include <vector>

namespace lk = logitkit;

namespace {

using Row = std::vector<float>;

/// Logits of given probabilities; 0 is impossible.
Row logits_of(const std::vector<double>& probabilities) {
  Row row;
  for (const double p : probabilities)
    row.push_back(p > 0 ? static_cast<float>(std::log(p)) : -std::numeric_limits<float>::infinity());
  return row;
}

/// Runs a search to its end; `model` tells the row of a hypothesis.
std::vector<lk::Hypothesis> search(const lk::Request& request, const lk::BeamOptions& options,
                                   const std::function<Row(const std::vector<lk::TokenId>&)>& model) {
  lk::BeamSearch beams(lk::Chain(), request, options);
  while (!beams.done()) {
    std::vector<Row> rows;
    for (const lk::Hypothesis& h : beams.live()) rows.push_back(model(h.tokens));
    const std::vector<lk::LogitsView> views(rows.begin(), rows.end());
    if (const lk::Status status = beams.advance(views); status != lk::Status::ok)
      std::printf("%s\n", std::string(lk::name(status)).c_str());
  }
  return beams.hypotheses();
}

/// The first choice that looks best leads nowhere.
void garden_path() {
  constexpr std::array kWords = {".", "nice", "dog", "woman", "house", "has", "guy"};
  const auto model = [](const std::vector<lk::TokenId>& tokens) {
    if (tokens.empty()) return logits_of({0, 0.5, 0.4, 0, 0, 0, 0.1});
    if (tokens.back() == 1) return logits_of({0, 0, 0.1, 0.3, 0.3, 0.3, 0});  // nice: anything may follow
    if (tokens.back() == 2) return logits_of({0.05, 0.05, 0, 0, 0, 0.9, 0});  // dog: has
    return logits_of({0.4, 0, 0, 0.3, 0.3, 0, 0});
  };
  std::puts("The ... : two words, each by what the model holds likely");
  const lk::Request request({4}, {.seed = 1});
  for (const int width : {1, 2}) {
    const lk::Hypothesis best = search(request, {.width = width, .max_new_tokens = 2}, model).front();
    std::printf("  width %d  %s %s, probability %.2f\n", width, kWords[static_cast<std::size_t>(best.tokens[0])],
                kWords[static_cast<std::size_t>(best.tokens[1])], std::exp(best.sum_logprob));
  }
}

/// Many ways to say it share the probability, so no single one of them has as much as saying nothing. The wider the
/// search, the surer it finds that (Stahlberg and Byrne, "On NMT search errors and model errors", 2019).
void empty_is_best() {
  constexpr lk::TokenId kEnd = 3;
  const auto model = [](const std::vector<lk::TokenId>& tokens) {
    const double end = tokens.size() < 4 ? 0.02 : 0.6, favoured = 0.25;
    std::vector<double> p(12, (1 - end - favoured) / 10);
    p[kEnd] = end;
    const std::size_t favourite = tokens.empty() ? 5 : (static_cast<std::size_t>(tokens.back()) * 5 + 1) % 12;
    p[favourite == kEnd ? 4 : favourite] = favoured;
    return logits_of(p);
  };
  const auto tell = [](const lk::Hypothesis& h) {
    std::string text = h.tokens.size() == 1 && h.finished ? "(empty)" : "";
    for (const lk::TokenId token : h.tokens)
      text += token == kEnd ? "" : std::string(1, static_cast<char>('a' + token));
    std::printf("%-8s log-probability %6.2f, score %6.2f\n", text.c_str(), h.sum_logprob, h.score);
  };
  const lk::Request request({1}, {.seed = 1, .end_ids = {kEnd}});
  const auto options = [](int width, lk::LengthRule rule) {
    return lk::BeamOptions{.width = width, .max_new_tokens = 8, .length = rule, .stop = lk::StopRule::exhaustive};
  };
  std::puts("\nThe most probable sequence, without a length rule");
  for (const int width : {1, 4, 16, 400}) {
    std::printf("  width %-4d ", width);
    tell(search(request, options(width, lk::LengthRule::power(0)), model).front());
  }
  std::puts("\nThe same with a length rule, width 400");
  const std::pair<const char*, lk::LengthRule> rules[] = {
      {"power(0.5)", lk::LengthRule::power(0.5)}, {"power(1)", lk::LengthRule::power(1)},
      {"power(2)", lk::LengthRule::power(2)},     {"gnmt(0.6)", lk::LengthRule::gnmt(0.6)},
      {"gnmt(1)", lk::LengthRule::gnmt(1)},       {"gnmt(2)", lk::LengthRule::gnmt(2)}};
  for (const auto& [name, rule] : rules) {
    std::printf("  %-11s", name);
    tell(search(request, options(400, rule), model).front());
  }
}

}  // namespace

int main() {
  garden_path();
  empty_is_best();
}
