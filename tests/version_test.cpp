// SPDX-License-Identifier: MIT
#include "logitkit/version.hpp"

#include <gtest/gtest.h>

#include <string>
#include <type_traits>

#include "logitkit/core/error.hpp"

// Names the inline namespace: a new version must be written here too, so that it never changes by accident.
TEST(Version, IsPartOfEveryName) {
  EXPECT_TRUE((std::is_same_v<logitkit::InvalidParameter, logitkit::v0_1_0::InvalidParameter>));
}

TEST(Version, IsTheOneThatCMakeKnows) {
  EXPECT_EQ(LOGITKIT_PROJECT_VERSION, std::to_string(LOGITKIT_VERSION_MAJOR) + "." +
                                          std::to_string(LOGITKIT_VERSION_MINOR) + "." +
                                          std::to_string(LOGITKIT_VERSION_PATCH));
}
