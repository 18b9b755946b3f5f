// SPDX-License-Identifier: MIT
// A multiple-choice question is one row of logits: keep the tokens of the options, softmax over them, and there is a
// classifier without training. Its probabilities are another matter. The model here is synthetic, so that the truth is
// known: its logits are T times too large. One half of the questions is fitted, the other half reported.
//   classify [diagram.svg]   writes the reliability diagram before the fit there, too
#include <cmath>
#include <cstdio>
#include <fstream>
#include <logitkit/logitkit.hpp>
#include <span>
#include <vector>

namespace lk = logitkit;

namespace {

constexpr std::size_t kQuestions = 40000, kOptions = 4;

/// The answers A to D, each with and without a blank before it.
const lk::DecisionHead kHead({{"A", {32, 317}}, {"B", {33, 363}}, {"C", {34, 356}}, {"D", {35, 422}}});

struct Setting {
  const char* name;
  double temperature;  ///< how many times the model's logits are too large
  double spread;       ///< how different the options of a question are: 0 is guessing
};

constexpr Setting kSettings[] = {{"as in the article", 3.8, 1.4},
                                 {"slightly too sure", 1.4, 2.0},
                                 {"calibrated", 1.0, 1.5},
                                 {"too modest", 0.5, 1.5}};

struct Answers {
  std::vector<double> scores;  ///< kQuestions x kOptions
  std::vector<int> labels;     ///< what was right
};

/// Asks the synthetic model all questions.
Answers ask(const Setting& setting) {
  Answers answers;
  for (std::uint32_t question = 0; question < kQuestions; ++question) {
    std::uint32_t draw = 0;
    const auto uniform = [&] { return lk::uniform(2024, 0, question, draw++); };
    // The honest logits, nearly normal; what is right is drawn from their probabilities.
    std::vector<double> honest(kOptions);
    for (double& logit : honest) {
      double normal = -6;
      for (int i = 0; i < 12; ++i) normal += uniform();
      logit = setting.spread * normal;
    }
    const std::vector<double> chances = lk::label_probabilities(honest, kOptions);
    int right = 0;
    const double u = uniform();
    for (double sum = chances[0]; sum <= u && right < 3; sum += chances[static_cast<std::size_t>(right)]) ++right;
    answers.labels.push_back(right);
    // What the model says: exaggerated, shared by two spellings, among tokens that nobody asked for.
    std::vector<float> row(500, -4.0f);
    for (std::size_t option = 0; option < kOptions; ++option) {
      constexpr float kHalf = -0.6931472f;  // ln(1/2)
      for (const lk::TokenId token : kHead.labels()[option].spellings)
        row[static_cast<std::size_t>(token)] = static_cast<float>(setting.temperature * honest[option]) + kHalf;
    }
    const lk::Decision decision = kHead.score(row);
    answers.scores.insert(answers.scores.end(), decision.scores.begin(), decision.scores.end());
  }
  return answers;
}

}  // namespace

int main(int argc, char** argv) {
  bool kept = true;  // what calibration promises
  std::vector<lk::Calibration> results;
  for (const Setting& setting : kSettings) {
    const Answers answers = ask(setting);
    const std::span<const double> scores = answers.scores;
    const std::span<const int> labels = answers.labels;
    const std::size_t half = kQuestions / 2;
    const lk::Labelled fit{scores.first(half * kOptions), labels.first(half)};
    const lk::Labelled held_out{scores.last(half * kOptions), labels.last(half)};
    const lk::Calibration result = lk::calibrate(fit, held_out);
    results.push_back(result);
    kept = kept && result.after.ece < 0.02 && result.after.accuracy == result.before.accuracy &&
           std::abs(result.temperature / setting.temperature - 1) < 0.02;
    if (&setting != kSettings) continue;

    std::printf("The logits are %.1f times too large. Held-out half before:\n%s\n", setting.temperature,
                lk::reliability_table(result.before).c_str());
    std::printf("Divided by the fitted T = %.2f:\n%s\n", result.temperature,
                lk::reliability_table(result.after).c_str());
    if (argc > 1) std::ofstream(argv[1]) << lk::reliability_svg(result.before);

    // Calibrated probabilities say when to say nothing.
    const auto fit_p = lk::label_probabilities(fit.values, kOptions, result.temperature);
    const auto held_out_p = lk::label_probabilities(held_out.values, kOptions, result.temperature);
    std::printf("\"I don't know\" by the probability   answers  right\n");
    for (const double wanted : {0.7, 0.8, 0.9}) {
      const lk::AbstainFit found = lk::fit_abstain_rule({fit_p, fit.labels}, {held_out_p, held_out.labels}, wanted);
      std::printf("  %.0f %% right: from %.3f on       %5.1f %%  %4.1f %%\n", 100 * wanted, found.rule.threshold(),
                  100 * found.held_out.coverage, 100 * found.held_out.accuracy);
    }
  }

  std::printf("\n                         T  fitted  says  is right  ECE before  after  accuracy\n");
  for (std::size_t i = 0; i < results.size(); ++i) {
    const auto& [temperature, before, after] = results[i];
    const lk::ReliabilityBin& surest = before.bins.back();
    std::printf("%-20s  %4.2f  %6.2f  %.2f      %.2f      %.4f  %.3f     %.4f\n", kSettings[i].name,
                kSettings[i].temperature, temperature, surest.confidence, surest.accuracy, before.ece, after.ece,
                after.accuracy);
  }
  std::printf("(says, is right: the answers with 0.9 to 1 before)\n");
  return kept ? 0 : 1;
}
