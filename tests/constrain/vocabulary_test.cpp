// SPDX-License-Identifier: MIT
#include "logitkit/constrain/vocabulary.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "logitkit/constrain/token_bytes.hpp"
#include "walks.hpp"

namespace vocabulary_test {

using namespace constrain_test;

TEST(Vocabulary, IsAsWideAsTheRowAndKeepsSpecialNames) {
  const lk::Vocabulary& v = small_vocabulary();
  EXPECT_EQ(v.size(), 500u);
  EXPECT_EQ(v.mask_words(), 16u);
  EXPECT_EQ(v.bytes('a'), "a");
  EXPECT_EQ(v.bytes(495), "");
  EXPECT_EQ(v.bytes(-3), "");
  EXPECT_EQ(v.bytes(500), "");
  EXPECT_EQ(v.find_special("true"), kSpecial);
  EXPECT_NE(v.find("true"), kSpecial);
  EXPECT_TRUE(v.is_special(kEnd));
  EXPECT_EQ(v.missing_bytes(), "");
}

TEST(Vocabulary, RefusesIdsOutsideItsWidth) {
  const std::vector<std::string> tokens{"a", "b", "c"};
  EXPECT_THROW(lk::Vocabulary(tokens, {.special_ids = {3}}), lk::InvalidParameter);
  EXPECT_THROW(lk::Vocabulary(tokens, {.end_ids = {-1}}), lk::InvalidParameter);
  EXPECT_THROW(lk::Vocabulary(tokens, {.size = 2}), lk::InvalidParameter);
  EXPECT_THROW(lk::Vocabulary(std::vector<std::string>{}), lk::InvalidParameter);
  EXPECT_EQ(lk::Vocabulary(tokens, {.size = 40}).mask_words(), 2u);
}

TEST(Vocabulary, TheTrieHoldsEveryDistinctTextOnce) {
  const auto& data = *small_vocabulary().data();
  std::map<std::string, lk::TokenId> expected;
  for (lk::TokenId id = 0; id < static_cast<lk::TokenId>(kWidth); ++id)
    if (data.matches_text(id)) expected.emplace(data.text(id), id);
  std::map<std::string, lk::TokenId> found;
  std::string path;
  for (const auto& node : data.trie.nodes()) {
    path.resize(node.depth() - 1);
    path.push_back(static_cast<char>(node.byte()));
    if (node.token() >= 0) found.emplace(path, node.token());
  }
  EXPECT_EQ(found, expected);
}

TEST(Vocabulary, SlicesAndRestTogetherAreTheVocabulary) {
  const auto& data = *small_vocabulary().data();
  for (std::uint32_t most : {1u, 2u, 3u, 8u, lk::detail::TextSlices::kAll}) {
    std::set<lk::TokenId> longer;
    const std::uint32_t* mask = data.slices.up_to(most, [&](lk::TokenId id) { longer.insert(id); });
    for (lk::TokenId id = 0; id < static_cast<lk::TokenId>(kWidth); ++id) {
      const std::uint32_t length = data.matches_text(id) ? lk::detail::TextSlices::plain_length(data.text(id)) : 0;
      const bool in = (mask[id / 32] >> (id % 32) & 1) != 0 || longer.count(id) != 0;
      EXPECT_EQ(in, length > 0 && length <= most) << id;
    }
  }
}

TEST(Vocabulary, SlicesOfAsciiClassesAndWhatIsWalkedBesideThemAreTheVocabulary) {
  using lk::detail::TextClass;
  const auto& data = *small_vocabulary().data();
  for (TextClass each : {TextClass::lower, TextClass::alphanumeric, TextClass::uri}) {
    const auto& slice = data.slices.ascii(each);
    const lk::detail::CodePointSet set = lk::detail::characters(each);
    std::set<lk::TokenId> mixed;
    for (const auto& node : slice.mixed.nodes())
      if (node.token() >= 0) mixed.insert(node.token());
    for (const auto& [first, other] : data.same)
      if (mixed.count(first) != 0) mixed.insert(other);  // a trie holds each text once
    int inside = 0;
    for (lk::TokenId id = 0; id < static_cast<lk::TokenId>(kWidth); ++id) {
      if (!data.matches_text(id)) continue;
      const auto in_set = [&](char c) { return set.contains(static_cast<unsigned char>(c)); };
      const std::string_view text = data.text(id);
      const bool all = std::all_of(text.begin(), text.end(), in_set);
      inside += all;
      EXPECT_EQ((slice.mask[static_cast<std::size_t>(id) / 32] >> (id % 32) & 1) != 0, all) << id;
      EXPECT_EQ(mixed.count(id) != 0, !all && in_set(text[0])) << id;
      if (all) {
        EXPECT_LE(text.size(), slice.longest);
      }
    }
    EXPECT_GT(inside, 30);
  }
}

TEST(Vocabulary, PlainTextIsWholeCharactersThatNeedNoEscape) {
  using lk::detail::TextSlices;
  EXPECT_EQ(TextSlices::plain_length("ab \x7f"), 4u);
  EXPECT_EQ(TextSlices::plain_length("\xe6\x97\xa5\xf0\x9f\x8d\x9c"), 2u);
  for (const char* text : {"a\"", "\\", "\n", "\xe6\x97", "\x80", "\xed\xa0\x80", "\xc0\xaf", "\xf4\x90\x80\x80"})
    EXPECT_EQ(TextSlices::plain_length(text), 0u) << text;
}

TEST(Vocabulary, TokensOver255BytesNeverMatch) {
  const lk::Vocabulary v(std::vector<std::string>{"a", std::string(255, 'b'), std::string(256, 'b'), "b", "c"});
  EXPECT_TRUE(v.data()->matches_text(1));
  EXPECT_FALSE(v.data()->matches_text(2));
}

TEST(ByteLevelSpelling, IsUndone) {
  EXPECT_EQ(lk::undo_byte_level_spelling("\xC4\xA0the"), " the");       // U+0120
  EXPECT_EQ(lk::undo_byte_level_spelling("\xC4\x8A\xC4\x89"), "\n\t");  // U+010A U+0109
  EXPECT_EQ(lk::undo_byte_level_spelling("\xC3\xA6\xC4\xB9\xC2\xA5"),
            "\xE6\x97\xA5");                                                // ae, U+0139, yen sign: E6 97 A5
  EXPECT_EQ(lk::undo_byte_level_spelling("\xC5\x83"), "\xAD");              // U+0143 is the last of the alphabet
  EXPECT_EQ(lk::undo_byte_level_spelling("\xE2\x96\x81"), "\xE2\x96\x81");  // not of the alphabet
}

TEST(Base64Lines, HoldOneTokenEach) {
  EXPECT_EQ(lk::tokens_from_base64_lines("YWI=\n\n/w==\r\nYWJj"), (std::vector<std::string>{"ab", "", "\xff", "abc"}));
}

}  // namespace vocabulary_test
