// SPDX-License-Identifier: MIT
#pragma once
#include "logitkit/constrain/matcher.hpp"
#include "logitkit/constrain/vocabulary.hpp"
#include "logitkit/pipeline/spec.hpp"
#include "logitkit/trace/fingerprint_row.hpp"
#include "logitkit/trace/text_table.hpp"

// Stable 64-bit values for cache keys and logs: the same on every platform, for one kFingerprintVersion.
LOGITKIT_NAMESPACE_BEGIN
namespace detail {

/// Parameters that a step rounds to float32 before it uses them.
inline bool is_rounded(std::string_view type, std::string_view key) {
  constexpr std::pair<std::string_view, std::string_view> kRounded[] = {{"temperature", "temperature"},
                                                                        {"repetition_penalty", "penalty"},
                                                                        {"frequency_penalty", "penalty"},
                                                                        {"presence_penalty", "penalty"},
                                                                        {"logit_bias", "bias"},
                                                                        {"sequence_bias", "biases"},
                                                                        {"dry", "multiplier"},
                                                                        {"dry", "base"},
                                                                        {"guidance", "scale"}};
  return std::find(std::begin(kRounded), std::end(kRounded), std::pair(type, key)) != std::end(kRounded);
}

/// A value in full: numbers as the shortest text that reads back, lists in brackets without blanks.
struct NormalText {
  bool rounded;

  std::string operator()(std::monostate) const { return "null"; }
  std::string operator()(std::int64_t x) const { return std::to_string(x); }
  std::string operator()(double x) const {
    const double used = rounded ? static_cast<double>(static_cast<float>(x)) : x;
    return number_text(used == 0 ? 0.0 : used);  // one zero
  }
  std::string operator()(TokenId id) const { return std::to_string(id); }
  std::string operator()(const std::string& text) const { return in_quotes(text); }
  std::string operator()(const OtherValue& other) const { return in_quotes(other.text); }
  template <class T>
  std::string operator()(const std::vector<T>& list) const {
    std::string text = "[";
    for (std::size_t i = 0; i < list.size(); ++i) text += (i == 0 ? "" : ",") + (*this)(list[i]);
    return text + "]";
  }
  template <class First>
  std::string operator()(const std::pair<First, double>& pair) const {
    return (*this)(pair.first) + ":" + (*this)(pair.second);
  }
};

}  // namespace detail

/// A spec with nothing left to chance: defaults written out, parameters rounded as the steps round them, neutral steps
/// dropped; one line a step, for example "top_k k=20 ties=\"exact\" min_keep=1". Specs of one normal form give the same
/// tokens. Lists keep their order.
///   throws  SpecError for a custom step without a name
inline std::string normal_form(const Spec& spec) {
  std::string text;
  for (std::size_t i = 0; i < spec.size(); ++i) {
    const Step& step = spec[i];
    if (step.is_neutral()) continue;
    const Fields fields = step.fields();
    if (step.type() == "custom" && fields.empty())
      detail::fail(SpecError("step " + std::to_string(i) +
                             ": a custom step needs a name to be told from others, give it one with step(name, f)"));
    text += step.type();
    for (const Field& field : fields)
      text += " " + std::string(field.key) + "=" +
              std::visit(detail::NormalText{detail::is_rounded(step.type(), field.key)}, field.value);
    text += "\n";
  }
  return text;
}

/// FNV-1a over normal_form(spec).
inline std::uint64_t fingerprint(const Spec& spec) {
  detail::Fnv1a hash;
  hash.text(normal_form(spec));
  return hash.value();
}

/// Of a compiled constraint and the vocabulary that it was compiled for: equal for the same source and vocabulary.
/// Different sources may be equal too, where they compile to the same automaton.
///   cost  about a nanosecond per byte of the vocabulary
inline std::uint64_t fingerprint(const Constraint& constraint) {
  detail::Fnv1a hash;
  const detail::VocabularyData& tokens = constraint.compiled()->tokens();
  const auto list = [&hash](const auto& numbers) {
    hash.word(static_cast<std::uint32_t>(numbers.size()));
    for (const auto number : numbers) hash.word(static_cast<std::uint32_t>(number));
  };
  list(tokens.offsets);
  hash.text(tokens.bytes);
  list(tokens.special_ids);
  list(tokens.end_ids);
  const detail::Grammar& grammar = constraint.compiled()->grammar();
  hash.word(grammar.start);
  hash.word(static_cast<std::uint32_t>(grammar.nodes.size()));
  for (const detail::Node& n : grammar.nodes)
    for (const std::uint32_t word : {n.first_edge, n.last_edge, n.min_count, n.max_count, std::uint32_t{n.end},
                                     static_cast<std::uint32_t>(n.absorbs), n.absorb_limit})
      hash.word(word);
  for (const detail::Edge& e : grammar.edges) {
    hash.word(e.to);
    hash.word(e.arg);
    for (const auto byte : {static_cast<std::uint8_t>(e.kind), e.lo, e.hi, static_cast<std::uint8_t>(e.op)})
      hash.byte(byte);
  }
  return hash.value();
}

LOGITKIT_NAMESPACE_END
