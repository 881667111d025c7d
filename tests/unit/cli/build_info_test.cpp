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
}

// The hash of nothing would also be 16 digits: SHA-256 of the empty text starts so.
TEST(BuildInfo, TheSimulationHashIsOverSomething) {
  EXPECT_NE(build_info().simulation_hash, "e3b0c44298fc1c14");
}

TEST(BuildInfo, VersionTextHasAllOfIt) {
  const BuildInfo& info = build_info();
  EXPECT_EQ(version_text(), "tickbox " + std::string{info.version} + " (commit " +
                                std::string{info.commit} + ", " + std::string{info.compiler} +
                                ", simulation " + std::string{info.simulation_hash} + ")");
}

}  // namespace
}  // namespace tickbox::cli
