// SPDX-License-Identifier: MIT
#include "logitkit/constrain/grammar_finish.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "walks.hpp"

namespace grammar_finish_test {

using namespace constrain_test;
using lk::detail::Grammar;
using lk::detail::GrammarBuilder;

constexpr std::size_t kMost = 5;  // texts over {a, b} up to this length are looked at

// A grammar over {a, b} as a list of edges, and what can be said of it without any cleverness.
struct Plain {
  struct Edge {
    std::size_t from, to;
    enum { byte, any, empty, call } kind;
    char c;
    std::size_t rule;
  };
  std::size_t nodes = 0;
  std::vector<std::pair<std::size_t, std::size_t>> rules;  // start and end
  std::vector<Edge> edges;

  GrammarBuilder build() const {
    GrammarBuilder out;
    for (std::size_t i = 0, next = 0; i < rules.size(); ++i) {
      out.rule("rule " + std::to_string(i));
      next += 2;
      const std::size_t until = i + 1 < rules.size() ? rules[i + 1].first : nodes;
      for (; next < until; ++next) out.node();
    }
    for (const Edge& e : edges) {
      const auto from = static_cast<std::uint32_t>(e.from), to = static_cast<std::uint32_t>(e.to);
      if (e.kind == Edge::byte) out.byte(from, e.c, to);
      if (e.kind == Edge::any) out.bytes(from, 'a', 'b', to);
      if (e.kind == Edge::empty) out.empty(from, to);
      if (e.kind == Edge::call) out.call(from, static_cast<std::uint32_t>(e.rule), to);
    }
    return out;
  }

  // What can be read from every node to the end of its rule, up to kMost bytes; `letters` are the usable ones.
  std::vector<std::set<std::string>> texts(const std::string& letters) const {
    std::vector<std::set<std::string>> out(nodes);
    for (const auto& [start, end] : rules) out[end].insert("");
    for (bool grows = true; grows;) {
      grows = false;
      for (const Edge& e : edges) {
        std::set<std::string> heads;
        if (e.kind == Edge::empty) heads = {""};
        if (e.kind == Edge::call) heads = out[rules[e.rule].first];
        for (const char c : letters)
          if (e.kind == Edge::any || (e.kind == Edge::byte && e.c == c)) heads.insert(std::string(1, c));
        const std::set<std::string> tails = out[e.to];
        for (const std::string& head : heads)
          for (const std::string& tail : tails)
            if (head.size() + tail.size() <= kMost) grows |= out[e.from].insert(head + tail).second;
      }
    }
    return out;
  }
  // Whether the end of the rule can be reached from its start at all, whatever the length.
  bool has_text(std::size_t rule, const std::string& letters) const {
    std::vector<bool> good(nodes);
    for (const auto& [start, end] : rules) good[end] = true;
    for (std::size_t round = 0; round <= nodes; ++round)
      for (const Edge& e : edges) {
        const bool readable = e.kind == Edge::empty || e.kind == Edge::any ||
                              (e.kind == Edge::byte && letters.find(e.c) != std::string::npos) ||
                              (e.kind == Edge::call && good[rules[e.rule].first]);
        if (readable && good[e.to]) good[e.from] = true;
      }
    return good[rules[rule].first];
  }
  // Whether some rule that is called, or the first, comes back to itself before anything is read.
  bool is_left_recursive() const {
    const auto all = texts("ab");
    const std::size_t n = rules.size();
    std::vector<std::vector<bool>> leads(n, std::vector<bool>(n));
    for (std::size_t r = 0; r < n; ++r) {
      std::vector<bool> here(nodes);
      here[rules[r].first] = true;
      for (std::size_t round = 0; round <= nodes; ++round)
        for (const Edge& e : edges) {
          if (!here[e.from]) continue;
          if (e.kind == Edge::call) leads[r][e.rule] = true;
          if (e.kind == Edge::empty || (e.kind == Edge::call && all[rules[e.rule].first].contains("")))
            here[e.to] = true;
        }
    }
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
          if (leads[i][k] && leads[k][j]) leads[i][j] = true;
    std::vector<bool> called(n);
    called[0] = true;
    for (const Edge& e : edges)
      if (e.kind == Edge::call) called[e.rule] = true;
    for (std::size_t r = 0; r < n; ++r)
      if (called[r] && leads[r][r]) return true;
    return false;
  }
};

Plain random_grammar(std::mt19937& random) {
  const auto pick = [&](std::size_t n) { return random() % n; };
  Plain out;
  std::vector<std::size_t> sizes(1 + pick(3));
  for (std::size_t& size : sizes) {
    out.rules.emplace_back(out.nodes, out.nodes + 1);
    out.nodes += size = 2 + pick(3);
  }
  for (std::size_t r = 0; r < sizes.size(); ++r)
    for (std::size_t i = 0; i < 1 + sizes[r]; ++i) {
      const std::size_t base = out.rules[r].first, kind = pick(6);
      Plain::Edge edge{base + pick(sizes[r]), base + pick(sizes[r]), Plain::Edge::byte, pick(2) ? 'a' : 'b', 0};
      if (kind == 3) edge.kind = Plain::Edge::any;
      if (kind == 4) edge.kind = Plain::Edge::empty;
      if (kind == 5) edge.kind = Plain::Edge::call, edge.rule = pick(sizes.size());
      out.edges.push_back(edge);
    }
  return out;
}

lk::Constraint constraint_of(Grammar grammar) {
  return lk::Constraint(std::make_shared<const lk::detail::CompiledConstraint>(
      small_vocabulary(), std::move(grammar), lk::kDefaultConstraintMemory, std::vector<std::string>{}));
}

std::array<bool, 256> usable_bytes(const std::string& letters) {
  std::array<bool, 256> usable{};
  for (const char c : letters) usable[static_cast<unsigned char>(c)] = true;
  return usable;
}

TEST(GrammarFinish, KeepsTheLanguageOfRandomGrammars) {
  std::mt19937 random(17);
  int empty = 0, recursive = 0, unusable = 0, accepted = 0, refused = 0;
  for (int round = 0; round < 3000; ++round) {
    const Plain plain = random_grammar(random);
    for (std::size_t rule = 0; rule < plain.rules.size(); ++rule)
      ASSERT_EQ(plain.build().is_empty(static_cast<std::uint32_t>(rule)), !plain.has_text(rule, "ab")) << round;
    for (const std::string letters : {"ab", "a"}) {
      Grammar grammar;
      const std::string error = error_of([&] { grammar = plain.build().finish(0, usable_bytes(letters), "here"); });
      if (plain.is_left_recursive()) {
        ++recursive;
        ASSERT_TRUE(contains(error, "here: left recursion: rule ")) << round;
        continue;
      }
      if (!plain.has_text(0, "ab")) {
        ++empty;
        ASSERT_EQ(error, "here: no text can satisfy it") << round;
        continue;
      }
      if (!plain.has_text(0, letters)) {
        ++unusable;
        ASSERT_EQ(error, "here: every text needs bytes that no token of the vocabulary contains") << round;
        continue;
      }
      ASSERT_EQ(error, "") << round;
      const lk::Constraint constraint = constraint_of(std::move(grammar));
      const std::set<std::string> expected = plain.texts(letters)[plain.rules[0].first];
      std::vector<std::string> all{""};
      for (std::size_t i = 0; i < all.size(); ++i) {
        const bool wanted = expected.contains(all[i]);
        (wanted ? accepted : refused) += 1;
        ASSERT_EQ(walk(constraint, all[i], false) == Fate::complete, wanted) << all[i] << " in round " << round;
        if (all[i].size() < kMost)
          for (const char c : {'a', 'b'}) all.push_back(all[i] + c);
      }
      if (expected.empty()) continue;                                 // all texts are longer
      EXPECT_TRUE(accepts(constraint, *expected.rbegin())) << round;  // no dead end on the way
    }
  }
  EXPECT_GT(empty, 300);
  EXPECT_GT(recursive, 300);
  EXPECT_GT(unusable, 100);
  EXPECT_GT(accepted, 10'000);
  EXPECT_GT(refused, 10'000);
}

TEST(GrammarFinish, LeavesOutWhatLeadsNowhereOrIsNeverReached) {
  GrammarBuilder builder;
  const std::uint32_t root = builder.rule("root"), unused = builder.rule("unused");
  const auto dead = builder.node(), middle = builder.node();
  builder.byte(builder[root].start, 'x', dead);
  builder.byte(builder[root].start, 'a', middle);
  builder.empty(middle, builder[root].end);
  builder.byte(builder[unused].start, 'u', builder[unused].end);
  const Grammar grammar = builder.finish(root, usable_bytes("aux"), "here");
  EXPECT_EQ(grammar.nodes.size(), 2u);  // the empty edge leads straight to the end
  ASSERT_EQ(grammar.edges.size(), 1u);
  EXPECT_EQ(grammar.edges[0].lo, 'a');
}

TEST(GrammarFinish, GathersBytesThatAreAlikeEverywhere) {
  GrammarBuilder builder;
  const std::uint32_t root = builder.rule("root");
  builder.bytes(builder[root].start, 'b', 'y', builder[root].end);
  builder.bytes(builder[root].start, 'f', 'k', builder[root].start);
  std::array<bool, 256> usable;
  usable.fill(true);
  const Grammar grammar = builder.finish(root, usable, "here");
  // below b, b to e, f to k, l to y, above
  EXPECT_EQ(grammar.class_byte, (std::vector<std::uint8_t>{0, 'b', 'f', 'l', 'z'}));
  EXPECT_EQ(grammar.byte_class['e'], 1);
  EXPECT_EQ(grammar.byte_class['k'], 2);
  EXPECT_EQ(grammar.byte_class[255], 4);
}

TEST(GrammarFinish, NamesTheRulesOfALeftRecursion) {
  GrammarBuilder builder;
  const std::uint32_t root = builder.rule("root"), expression = builder.rule("expr"), blank = builder.rule("ws");
  const auto node = builder.node();
  builder.empty(builder[blank].start, builder[blank].end);
  builder.call(builder[root].start, expression, builder[root].end);
  builder.call(builder[expression].start, blank, node);  // may be empty, so that what follows comes first
  builder.call(node, expression, builder[expression].end);
  builder.byte(builder[expression].start, 'a', builder[expression].end);
  EXPECT_EQ(error_of([&] { builder.finish(root, usable_bytes("a"), "grammar"); }),
            "grammar: left recursion: expr -> expr");
}

}  // namespace grammar_finish_test
