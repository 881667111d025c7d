// What --version says is true of these sources.

#include "cli/build_info.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>

namespace tickbox::cli {
namespace {

TEST(BuildInfo, IsFilledIn) {
  const BuildInfo& info = build_info();
  EXPECT_EQ(info.version, "0.2.0");
  EXPECT_FALSE(info.commit.empty());
  EXPECT_NE(info.compiler.find(' '), std::string_view::npos) << info.compiler;
  ASSERT_EQ(info.simulation_hash.size(), 16U);
  EXPECT_TRUE(std::ranges::all_of(info.simulation_hash,
                                  [](unsigned char c) { return std::isxdigit(c) != 0; }));
  EXPECT_NE(info.simulation_hash, "e3b0c44298fc1c14") << "SHA-256 of nothing";
  for (const std::string_view part : {info.version, info.commit, info.compiler}) {
    EXPECT_TRUE(version_text().contains(part)) << part;
  }
}

}  // namespace
}  // namespace tickbox::cli
