// SPDX-License-Identifier: MIT
#include "logitkit/trace/fingerprint_row.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "support/synthetic_rows.hpp"

namespace fingerprint_row_test {

namespace lk = logitkit;

// python3: FNV-1a by its definition over struct.pack("<2f", 1.0, -2.5)
TEST(FingerprintRow, IsFnv1aOverLittleEndianFloats) {
  EXPECT_EQ(lk::fingerprint(lk::LogitsView()), 0xcbf29ce484222325u);  // its offset basis
  EXPECT_EQ(lk::fingerprint(synthetic::row(synthetic::kPeaked, 7, 1000)), 0xb4f70b78c05f89adu);
  EXPECT_EQ(lk::fingerprint(std::vector<float>{1.0f, -2.5f}), 0x09e629ee2dfdb3f8u);
}
TEST(FingerprintRow, OfSixteenBitFloatsIsThatOfTheirValues) {
  std::vector<float> row{1.0f, -2.5f, 0.125f};
  std::vector<lk::float16> half(row.begin(), row.end());
  std::vector<lk::bfloat16> brain(row.begin(), row.end());
  EXPECT_EQ(lk::fingerprint(half), lk::fingerprint(row));
  EXPECT_EQ(lk::fingerprint(brain), lk::fingerprint(row));
  row[2] = 0.126f;
  EXPECT_NE(lk::fingerprint(half), lk::fingerprint(row));
}

}  // namespace fingerprint_row_test
