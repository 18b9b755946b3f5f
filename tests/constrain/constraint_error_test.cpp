// SPDX-License-Identifier: MIT
#include "logitkit/constrain/constraint_error.hpp"

#include <gtest/gtest.h>

namespace constraint_error_test {

namespace lk = logitkit;

TEST(ConstraintError, IsAnInvalidArgumentThatSaysWhatItWasGiven) {
  try {
    lk::detail::refuse("keyword \"type\" at #/items: \"text\" is not a JSON type");
    FAIL() << "nothing was thrown";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "keyword \"type\" at #/items: \"text\" is not a JSON type");
    EXPECT_NE(dynamic_cast<const lk::ConstraintError*>(&error), nullptr);
  }
}

TEST(ConstraintError, IsNotTheErrorOfAParameter) {
  EXPECT_FALSE((std::is_base_of_v<lk::InvalidParameter, lk::ConstraintError>));
}

}  // namespace constraint_error_test
