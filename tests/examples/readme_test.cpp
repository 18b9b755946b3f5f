// SPDX-License-Identifier: MIT
// README.md shows examples/readme.cpp and what it prints; ctest compares the two with each other.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

namespace readme_test {

std::string content(const std::string& name) {
  std::ifstream file(std::string(LOGITKIT_SOURCE_DIR "/") + name);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Readme, ShowsTheExampleThatIsCompiled) {
  const std::string program = content("examples/readme.cpp");
  const std::size_t start = program.find("#include");
  ASSERT_NE(start, std::string::npos);
  EXPECT_NE(content("README.md").find("```cpp\n" + program.substr(start) + "```\n"), std::string::npos)
      << "README.md must hold:\n"
      << program.substr(start);
}

TEST(Readme, ShowsWhatItPrints) {
  const std::string output = content("examples/readme.expected");
  ASSERT_FALSE(output.empty());
  EXPECT_NE(content("README.md").find("```\n" + output + "```\n"), std::string::npos) << "README.md must hold:\n"
                                                                                      << output;
}

}  // namespace readme_test
