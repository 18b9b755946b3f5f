// SPDX-License-Identifier: MIT
#include "common/row_file.hpp"

#include <gtest/gtest.h>

#include "common/token_texts.hpp"

namespace row_file_test {

/// A .npy file as numpy.save writes it: magic, version, length of the header, header padded to 64 bytes, data.
std::vector<char> npy(const std::string& type, const std::string& shape, std::size_t data_bytes, char version = 1,
                      const std::string& order = "False") {
  std::string header = "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }";
  header.resize((header.size() + 10) / 64 * 64 + 64 - (version == 1 ? 10 : 12), ' ');
  std::string file = "\x93NUMPY";
  file += version;
  file += '\0';
  file += static_cast<char>(header.size());
  file += '\0';
  if (version != 1) file += std::string(2, '\0');
  file += header;
  for (std::size_t i = 0; i < data_bytes; ++i) file += static_cast<char>(i % 2 == 0 ? 0 : 0x3c + i / 2 % 4);
  return {file.begin(), file.end()};
}
std::string refusal(std::vector<char> bytes, std::size_t width = 0) {
  try {
    examples::parse_rows(std::move(bytes), width);
    return "";
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

TEST(RowFile, ReadsOneAndTwoDimensionsOfBothTypes) {
  const auto half = examples::parse_rows(npy("<f2", "(2, 3)", 12), 0);
  EXPECT_EQ(half.rows, 2u);
  EXPECT_EQ(half.width, 3u);
  EXPECT_EQ(half[0][0], 1.0f);  // 0x3c00, then 0x3d00 = 1.25, 0x3e00 = 1.5, 0x3f00 = 1.75
  EXPECT_EQ(half[1][0], 1.75f);
  EXPECT_EQ(half[1][2], 1.25f);
  const auto single = examples::parse_rows(npy("<f4", "(3,)", 12, 2), 0);
  EXPECT_EQ(single.rows, 1u);
  EXPECT_EQ(single.width, 3u);
  EXPECT_EQ(single[0][0], 0x1.0078p-5f);  // 0x3d003c00: 2^-5 (1 + 0x3c00 / 2^23)
}

TEST(RowFile, ReadsRawFloats) {
  const std::vector<float> values = {1, 2.5f, -3, 4, 5, 6};
  std::vector<char> bytes(24);
  std::memcpy(bytes.data(), values.data(), 24);
  const auto rows = examples::parse_rows(bytes, 3);
  EXPECT_EQ(rows.rows, 2u);
  EXPECT_EQ(rows[1][0], 4.0f);
  EXPECT_EQ(rows[0][2], -3.0f);
  EXPECT_NE(refusal(bytes).find("--width"), std::string::npos);
  EXPECT_NE(refusal(bytes, 4).find("no multiple"), std::string::npos);
}

TEST(RowFile, SaysWhatToChange) {
  EXPECT_EQ(refusal(npy("<f8", "(3,)", 24)),
            "its type is '<f8', needed is '<f4' or '<f2'; save it with .astype('<f4')");
  EXPECT_NE(refusal(npy(">f4", "(3,)", 12)).find("'>f4'"), std::string::npos);
  EXPECT_NE(refusal(npy("<f4", "(3, 1)", 12, 1, "True")).find("ascontiguousarray"), std::string::npos);
  EXPECT_NE(refusal(npy("<f4", "(1, 1, 3)", 12)).find("its shape is (1, 1, 3)"), std::string::npos);
  EXPECT_NE(refusal(npy("<f4", "(2, 3)", 20)).find("cut off: 2 rows of 3 need 24 bytes, it has 20"), std::string::npos);
  EXPECT_NE(refusal(npy("<f4", "(0, 3)", 0)).find("no rows"), std::string::npos);
}

TEST(TokenTexts, AreLinesAsTheyAreOrInBase64) {
  EXPECT_EQ(examples::parse_token_texts("a\r\n b\n", false), (std::vector<std::string>{"a", " b"}));
  // RFC 4648: "f" Zg==, "fo" Zm8=, "foo" Zm9v
  EXPECT_EQ(examples::parse_token_texts("Zg==\nZm8=\nZm9v", true), (std::vector<std::string>{"f", "fo", "foo"}));
  EXPECT_THROW(examples::parse_token_texts("a b\n", true), std::runtime_error);
}

TEST(TokenTexts, ShowBytesThatAreNoUtf8) {
  EXPECT_EQ(examples::printable("\xC3\xA4"), "\xC3\xA4");
  EXPECT_EQ(examples::printable("a\xC3"), "a\\xc3");
  EXPECT_EQ(examples::printable("\xE0\x80\x80"), "\\xe0\\x80\\x80");  // overlong
  EXPECT_EQ(examples::printable("\xED\xA0\x80"), "\\xed\\xa0\\x80");  // a surrogate
}

}  // namespace row_file_test
