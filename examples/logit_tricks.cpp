// SPDX-License-Identifier: MIT
// What can be done to one row of logits, and what it does to the probabilities: bias, ban, force, forced prefixes,
// constraints, and what happens when they meet. Every figure is compared with its formula; the program fails if one
// differs.
#include <cmath>
#include <cstdio>
#include <limits>
#include <logitkit/logitkit.hpp>
#include <string>
#include <vector>

namespace lk = logitkit;

namespace {

const std::vector<std::string> kWords = {"<end>", "The", " answer", " is", " positive", " mixed", " negative", "."};
constexpr lk::TokenId kEnd = 0, kThe = 1, kAnswer = 2, kIs = 3, kPositive = 4, kMixed = 5, kNegative = 6;
constexpr float kMasked = -std::numeric_limits<float>::infinity();

/// The model wants to say " positive" (2), " mixed" (1.5) or " negative" (1), and nothing else.
const std::vector<float> kRow = {kMasked, kMasked, kMasked, kMasked, 2, 1.5f, 1, kMasked};

bool all_right = true;

void check(double value, double formula) {
  if (std::abs(value - formula) < 1e-6) return;
  std::printf("but the formula says %.9f, not %.9f!\n", formula, value);
  all_right = false;
}

/// Probabilities of " positive", " mixed" and " negative" after the steps.
std::vector<double> show(const char* what, const lk::Chain& chain) {
  const lk::Request request(lk::TokenIds{}, {.seed = 1});
  std::vector<float> row = chain.process(kRow, request);
  lk::softmax(row, row);
  std::printf("%-42s", what);
  std::vector<double> p;
  for (const lk::TokenId id : {kPositive, kMixed, kNegative}) {
    p.push_back(static_cast<double>(row[static_cast<std::size_t>(id)]));
    std::printf("  %.3f", p.back());
  }
  std::printf("\n");
  return p;
}

/// softmax of three logits, as in a textbook
void check_softmax(const std::vector<double>& p, double a, double b, double c) {
  const double sum = std::exp(a) + std::exp(b) + std::exp(c);
  check(p[0], std::exp(a) / sum);
  check(p[1], std::exp(b) / sum);
  check(p[2], std::exp(c) / sum);
}

void bias() {
  std::printf("Bias: adds to logits, multiplies odds     positive  mixed  negative\n");
  const auto before = show("no step", lk::Chain{});
  check_softmax(before, 2, 1.5, 1);
  check_softmax(show("+5 on positive", lk::Chain{} | lk::LogitBias({{kPositive, 5.0}})), 7, 1.5, 1);
  check_softmax(show("-5 on positive", lk::Chain{} | lk::LogitBias({{kPositive, -5.0}})), -3, 1.5, 1);
  const auto equal = show("+5 on mixed and negative", lk::Chain{} | lk::LogitBias({{kMixed, 5.0}, {kNegative, 5.0}}));
  check_softmax(equal, 2, 6.5, 6);
  check(equal[1] / equal[2], before[1] / before[2]);  // equal biases keep the odds between their tokens

  // One token against all others: p becomes p e^b / (p e^b + 1 - p).
  const std::vector<float> row = {std::log(0.225f), std::log(0.775f)};
  const lk::Request request(lk::TokenIds{}, {.seed = 1});
  const lk::Chain plus_five = lk::Chain{} | lk::LogitBias({{0, 5.0}});
  const double p =
      std::exp(static_cast<double>(plus_five.logprobs(row, request, {.tokens = {0}}).tokens.front().logprob));
  std::printf("a token at 0.225 rises to %.3f under +5\n", p);
  check(p, 0.225 * std::exp(5) / (0.225 * std::exp(5) + 0.775));
}

void ban_and_force() {
  std::printf("\nBan and force: the rest is normalised again\n");
  const auto banned = show("ban positive", lk::Chain{} | lk::BanTokens({kPositive}));
  check(banned[0], 0);
  check(banned[1], 1 / (1 + std::exp(-0.5)));
  const auto forced = show("force mixed or negative", lk::Chain{} | lk::ForceTokens({kMixed, kNegative}));
  check(forced[1], banned[1]);
  check(show("force negative", lk::Chain{} | lk::ForceTokens({kNegative}))[2], 1);

  std::printf("\nForce and bias: a bias works inside what is left, never brings back what is gone\n");
  const lk::ForceTokens force({kMixed, kNegative});
  const auto inside = show("force mixed or negative, +1 on negative", force | lk::LogitBias({{kNegative, 1.0}}));
  check(inside[2], 1 / (1 + std::exp(-0.5)));  // 2 against 1.5
  const auto swapped = show("the same two, bias first", lk::LogitBias({{kNegative, 1.0}}) | force);
  check(swapped[2], inside[2]);
  check(show("force mixed or negative, +100 on positive", force | lk::LogitBias({{kPositive, 100.0}}))[1], forced[1]);
}

void read_logprobs() {
  std::printf("\nLog-probabilities: raw ones do not move, those after the steps are what is drawn from\n");
  const lk::Request request(lk::TokenIds{}, {.seed = 1});
  const lk::Chain chain = lk::BanTokens({kPositive}) | lk::LogitBias({{kNegative, 1.0}});
  const lk::LogprobOptions wanted{.tokens = {kMixed, kNegative}};
  const lk::Logprobs raw = lk::logprobs(kRow, wanted), after = chain.logprobs(kRow, request, wanted);
  for (std::size_t i = 0; i < 2; ++i)
    std::printf("%-10s raw %.3f (rank %zu), after ban and bias %.3f (rank %zu)\n",
                kWords[static_cast<std::size_t>(wanted.tokens[i])].c_str(), static_cast<double>(raw.tokens[i].logprob),
                raw.tokens[i].rank, static_cast<double>(after.tokens[i].logprob), after.tokens[i].rank);
  check(raw.tokens[1].logprob, 1 - std::log(std::exp(2) + std::exp(1.5) + std::exp(1)));
  check(after.tokens[1].logprob, 2 - std::log(std::exp(1.5) + std::exp(2)));

  // The same reading as a decision: two labels, and what they hold of the whole row.
  const lk::DecisionHead head({{"mixed", {kMixed}}, {"negative", {kNegative}}});
  const lk::Decision decision = head.score(kRow);
  std::printf("as a decision: mixed %.3f, negative %.3f, both hold %.3f of the row\n", decision.probabilities[0],
              decision.probabilities[1], decision.mass);
  check(decision.probabilities[0], 1 / (1 + std::exp(-0.5)));
  check(decision.mass, (std::exp(1.5) + std::exp(1)) / (std::exp(2) + std::exp(1.5) + std::exp(1)));
}

/// Decodes greedily from a model that says the same at every position.
void decode(const char* title, const lk::Chain& chain, lk::Request request) {
  const lk::Pipeline pipeline = chain | lk::Greedy();
  const std::vector<float> row = {0, 1, 0.5f, 0.25f, 4, 3.5f, 3, -1};
  std::string text;
  lk::Pick pick;
  do {
    pick = pipeline.pick(row, request, {.logprob = true});
    if (!pick) break;
    text += kWords[static_cast<std::size_t>(pick.token)] + "(" + std::to_string(pick.survivors) + ")";
  } while (request.accept(pick) && pick.token != kEnd && request.output().size() < 6);
  std::printf("%s\n  %s%s\n", title, text.c_str(), pick ? "" : (" -> " + pick.message()).c_str());
}

void prefixes_and_constraints() {
  std::printf("\nPrefixes and constraints: greedy tokens, each with the number of candidates that were left\n");
  const lk::Vocabulary vocabulary(kWords, {.special_ids = {kEnd}, .end_ids = {kEnd}});
  const lk::Constraint sentence =
      lk::compile_choices(vocabulary, {"The answer is positive.", "The answer is mixed.", "The answer is negative."});
  const lk::Request free(lk::TokenIds{}, {.seed = 1, .end_ids = {kEnd}});
  lk::Request constrained = free;
  constrained.constrain(sentence.matcher());

  const lk::PrefixForce prefix({kThe, kAnswer, kIs});
  decode("forced prefix, then free", lk::Chain{} | prefix, free);
  // The matcher follows forced tokens like any other, so after the prefix it knows what may come.
  decode("forced prefix, then constraint", prefix | lk::AllowMask(), constrained);
  decode("ban positive, forced prefix, constraint", lk::BanTokens({kPositive}) | prefix | lk::AllowMask(), constrained);
  decode("constraint alone", lk::Chain{} | lk::AllowMask(), constrained);
  // Steps that contradict each other are an error that names the step, never a made-up token.
  decode("forced prefix against the constraint", lk::PrefixForce({kThe, kIs}) | lk::AllowMask(), constrained);
  decode("ban what the prefix forces", lk::BanTokens({kAnswer}) | prefix, free);
}

}  // namespace

int main() {
  bias();
  ban_and_force();
  read_logprobs();
  prefixes_and_constraints();
  return all_right ? 0 : 1;
}
