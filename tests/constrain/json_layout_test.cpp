// SPDX-License-Identifier: MIT
#include "logitkit/constrain/json_layout.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "walks.hpp"

namespace json_layout_test {

using namespace constrain_test;
using lk::Whitespace;
using lk::detail::GrammarBuilder;
using lk::detail::JsonLayout;
using Rule = JsonLayout::Rule;

Rule letter(GrammarBuilder& grammar, char c) {
  const Rule rule = grammar.rule(std::string(1, c));
  grammar.byte(grammar[rule].start, c, grammar[rule].end);
  return rule;
}

// What `write` puts between the ends of the root.
lk::Constraint layout(Whitespace blanks,
                      const std::function<void(JsonLayout&, GrammarBuilder&, const GrammarBuilder::Rule&)>& write) {
  GrammarBuilder grammar;
  const Rule root = grammar.rule("root");
  JsonLayout json(grammar, blanks);
  write(json, grammar, GrammarBuilder::Rule(grammar[root]));
  return lk::detail::make_constraint(small_vocabulary(), grammar, root, "test");
}

std::string joined(const std::string& elements, char open, char close) {
  std::string text(1, open);
  for (std::size_t i = 0; i < elements.size(); ++i) text += (i > 0 ? "," : "") + std::string(1, elements[i]);
  return text + close;
}

// All sequences of up to `most` of the letters.
std::vector<std::string> sequences(const std::string& letters, std::size_t most) {
  std::vector<std::string> all{""};
  for (std::size_t i = 0; i < all.size() && all[i].size() < most; ++i)
    for (const char c : letters) all.push_back(all[i] + c);
  return all;
}

// a, b and c in this order, each if it is there or required; then any number of x and y
bool is_object(const std::string& text, const std::vector<bool>& required, const std::string& open,
               JsonLayout::Counts counts) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < required.size(); ++i) {
    const bool here = at < text.size() && text[at] == static_cast<char>('a' + i);
    if (required[i] && !here) return false;
    at += here;
  }
  for (; at < text.size(); ++at)
    if (open.find(text[at]) == std::string::npos) return false;
  return text.size() >= counts.least && text.size() <= counts.most;
}

TEST(JsonLayout, ObjectsHaveTheirMembersInOrderThenTheOpenOnes) {
  std::mt19937 random(5);
  const auto pick = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  const auto texts = sequences("abcxy", 5);
  int accepted = 0, compiled = 0;
  for (int round = 0; round < 200; ++round) {
    std::vector<bool> required(pick(4));
    for (std::size_t i = 0; i < required.size(); ++i) required[i] = pick(2) != 0;
    const std::string open = std::string("xy").substr(0, pick(3));
    JsonLayout::Counts counts;
    if (pick(2)) counts.least = pick(4);
    if (pick(2)) counts.most = counts.least + pick(3);
    std::vector<std::string> expected;
    for (const std::string& text : texts)
      if (is_object(text, required, open, counts)) expected.push_back(text);
    const auto compile = [&] {
      return layout(Whitespace::compact(), [&](JsonLayout& json, GrammarBuilder& grammar, const auto& root) {
        std::vector<JsonLayout::Member> members;
        for (std::size_t i = 0; i < required.size(); ++i)
          members.push_back({letter(grammar, static_cast<char>('a' + i)), required[i]});
        std::vector<Rule> others;
        for (const char c : open) others.push_back(letter(grammar, c));
        json.object(root.start, members, others, counts, 0, root.end);
      });
    };
    if (expected.empty()) {  // with these counts all that is possible has at most five members
      EXPECT_TRUE(contains(error_of(compile), "no text can satisfy it"));
      continue;
    }
    const lk::Constraint constraint = compile();
    ++compiled;
    accepted += static_cast<int>(expected.size());
    for (const std::string& text : texts)
      ASSERT_EQ(walk(constraint, joined(text, '{', '}'), false) == Fate::complete,
                is_object(text, required, open, counts))
          << text << " in round " << round;
    EXPECT_TRUE(accepts(constraint, joined(expected.back(), '{', '}')));  // masks and dead ends on the way
  }
  EXPECT_GT(compiled, 100);
  EXPECT_GT(accepted, 1000);
}

TEST(JsonLayout, ArraysHaveTheirFirstItemsByPositionThenTheRest) {
  std::mt19937 random(6);
  const auto pick = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  const auto texts = sequences("abx", 5);
  int accepted = 0;
  for (int round = 0; round < 200; ++round) {
    const std::string first = std::string("ab").substr(0, pick(3));
    const bool rest = pick(2) != 0;
    JsonLayout::Counts counts;
    if (pick(2)) counts.least = pick(3);
    if (pick(2)) counts.most = counts.least + pick(3);
    const auto is_array = [&](const std::string& text) {
      for (std::size_t i = 0; i < text.size(); ++i)
        if (i < first.size() ? text[i] != first[i] : !rest || text[i] != 'x') return false;
      return text.size() >= counts.least && text.size() <= counts.most;
    };
    const auto compile = [&] {
      return layout(Whitespace::compact(), [&](JsonLayout& json, GrammarBuilder& grammar, const auto& root) {
        std::vector<Rule> positions;
        for (const char c : first) positions.push_back(letter(grammar, c));
        json.array(root.start, positions, rest ? std::optional(letter(grammar, 'x')) : std::nullopt, counts, 0,
                   root.end);
      });
    };
    if (std::none_of(texts.begin(), texts.end(), is_array)) {
      EXPECT_TRUE(contains(error_of(compile), "no text can satisfy it"));
      continue;
    }
    const lk::Constraint constraint = compile();
    for (const std::string& text : texts) {
      accepted += is_array(text);
      ASSERT_EQ(walk(constraint, joined(text, '[', ']'), false) == Fate::complete, is_array(text))
          << text << " in round " << round;
    }
  }
  EXPECT_GT(accepted, 300);
}

// {a, b: [x, ...]}
lk::Constraint nested(Whitespace blanks) {
  return layout(blanks, [](JsonLayout& json, GrammarBuilder& grammar, const auto& root) {
    const Rule list = grammar.rule("list"), member = grammar.rule("member");
    const int depth = json.deeper(0);
    json.array(grammar[list].start, {}, letter(grammar, 'x'), {}, depth, grammar[list].end);
    grammar.call(json.colon(grammar.literal(grammar[member].start, "b")), list, grammar[member].end);
    json.object(root.start, {{letter(grammar, 'a'), true}, {member, true}}, {}, {}, 0, root.end);
  });
}

TEST(JsonLayout, CompactHasNoBlanks) {
  const lk::Constraint constraint = nested(Whitespace::compact());
  EXPECT_TRUE(accepts(constraint, "{a,b:[x,x]}"));
  EXPECT_TRUE(refuses(constraint, "{a, b:[x,x]}"));
  EXPECT_TRUE(refuses(constraint, "{a,b: [x,x]}"));
}

// As json.dumps(indent=2) writes it.
TEST(JsonLayout, PrettyHasOneLinePerElement) {
  const lk::Constraint constraint = nested(Whitespace::pretty(2));
  EXPECT_TRUE(accepts(constraint, "{\n  a,\n  b: [\n    x,\n    x\n  ]\n}"));
  EXPECT_TRUE(accepts(constraint, "{\n  a,\n  b: []\n}"));
  EXPECT_TRUE(refuses(constraint, "{\n  a,\n  b:[]\n}"));
  EXPECT_TRUE(refuses(constraint, "{\n  a,\n  b: [\n  ]\n}"));
  EXPECT_TRUE(refuses(constraint, "{\n  a,\n    b: []\n}"));
}

TEST(JsonLayout, FlexibleHasBlanksBetweenTokensOnly) {
  const lk::Constraint constraint = nested(Whitespace::flexible(2));
  EXPECT_TRUE(accepts(constraint, "{a,b:[x,x]}"));
  EXPECT_TRUE(accepts(constraint, "{ \na\t,\r\nb : [  x , x  ] }"));
  EXPECT_TRUE(accepts(constraint, "{a,b:[\n\n]}"));
  EXPECT_TRUE(refuses(constraint, "{   a,b:[]}"));  // three
  EXPECT_TRUE(refuses(constraint, " {a,b:[]}"));
  EXPECT_TRUE(refuses(constraint, "{a,b:[]} "));
}

TEST(JsonLayout, OnlyPrettyDistinguishesDepths) {
  GrammarBuilder grammar;
  EXPECT_EQ(JsonLayout(grammar, Whitespace::compact()).deeper(0), 0);
  EXPECT_EQ(JsonLayout(grammar, Whitespace::flexible(3)).deeper(0), 0);
  const JsonLayout pretty(grammar, Whitespace::pretty(4));
  EXPECT_EQ(pretty.deeper(3), 4);
  EXPECT_FALSE(pretty.too_deep(64));
  EXPECT_TRUE(pretty.too_deep(65));
}

TEST(JsonLayout, ErrorsNameTheParameterOrTheLimit) {
  const auto text_of = [](const auto& make) -> std::string {
    try {
      make();
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_EQ(text_of([] { Whitespace::pretty(17); }), "Whitespace: indent = 17: must be in [0, 16]");
  EXPECT_EQ(text_of([] { Whitespace::flexible(-1); }), "Whitespace: max = -1: must be in [0, 1000]");
  const auto object = [](std::uint32_t most) {
    return layout(Whitespace::compact(), [=](JsonLayout& json, GrammarBuilder& grammar, const auto& root) {
      json.object(root.start, {{letter(grammar, 'a'), false}}, {}, {0, most}, 0, root.end);
    });
  };
  EXPECT_EQ(error_of([&] { object(60'000); }), "too many combinations of members and counts of members");
  EXPECT_EQ(error_of([&] {
              layout(Whitespace::compact(), [](JsonLayout& json, GrammarBuilder& grammar, const auto& root) {
                json.array(root.start, {}, letter(grammar, 'x'), {100'001}, 0, root.end);
              });
            }),
            "more than 100000 items to count");
}

}  // namespace json_layout_test
