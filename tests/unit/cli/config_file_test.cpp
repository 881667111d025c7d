// TOML to entries.

#include "cli/config_file.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace tickbox::cli {
namespace {

TEST(ConfigFile, GivesScalarsInTheOrderOfTheirLines) {
  const auto entries = parse_config(
      "tick-rate = 60\n# why\nmap = \"a b.tmj\"\nratio = 0.25\ninsecure = true\nbig = "
      "9007199254740993\n",
      "s.toml");
  ASSERT_TRUE(entries) << entries.error();
  std::string seen;
  for (const ConfigEntry& entry : *entries) {
    seen += std::to_string(entry.line) + ' ' + entry.key + '=' + entry.value + '\n';
  }
  EXPECT_EQ(
      seen,
      "1 tick-rate=60\n3 map=a b.tmj\n4 ratio=0.25\n5 insecure=true\n6 big=9007199254740993\n");
}

TEST(ConfigFile, AListIsWhatCommasJoin) {
  const auto entries = parse_config("public-address = [\"a:1\", \"b:2\"]\n", "s.toml");
  ASSERT_TRUE(entries) << entries.error();
  EXPECT_EQ(entries->front().value, "a:1,b:2");
  EXPECT_EQ(entries->front().kind, ConfigKind::List);
}

TEST(ConfigFile, NamesFileAndLineOfWhatIsNoToml) {
  for (const char* text : {"port = 1\nport = 2\n", "port = 1\nx = \n", "port = 1\nport\n"}) {
    const auto entries = parse_config(text, "s.toml");
    ASSERT_FALSE(entries) << text;
    EXPECT_TRUE(entries.error().starts_with("s.toml:2: ")) << entries.error();
    EXPECT_EQ(entries.error().find('\n'), std::string::npos) << entries.error();
  }
}

TEST(ConfigFile, RefusesTablesListsOfListsAndDates) {
  EXPECT_TRUE(parse_config("a = 1\n[server]\nport = 1\n", "s.toml")
                  .error()
                  .starts_with("s.toml:2: server "));
  EXPECT_FALSE(parse_config("a = [[1], 2]\n", "s.toml"));
  EXPECT_FALSE(parse_config("a = []\n", "s.toml"));
  EXPECT_FALSE(parse_config("a = [\"1,2\"]\n", "s.toml"));
  EXPECT_FALSE(parse_config("a.b = 1\n", "s.toml"));
  EXPECT_FALSE(parse_config("a = 2026-01-01\n", "s.toml"));
}

// The library asserts that such texts do not occur, and marks the code for most letters beyond
// ASCII as unreachable.
TEST(ConfigFile, RefusesWhatTheLibraryDoesNotExpect) {
  EXPECT_FALSE(parse_config("[+server]\n", "s.toml"));
  EXPECT_FALSE(parse_config("tick-rat\xef\xbb\x9c = 1\n", "s.toml"));
  EXPECT_FALSE(parse_config("\xc3\xa9 = 1\n", "s.toml"));
  const auto quoted = parse_config("record = \"caf\xc3\xa9\" # caf\xc3\xa9\n", "s.toml");
  ASSERT_TRUE(quoted) << quoted.error();
  EXPECT_EQ(quoted->front().value, "caf\xc3\xa9");
}

TEST(ConfigFile, SaysInOneLineWhatIsWrong) {
  EXPECT_EQ(parse_config("a = tr\n", "s.toml").error().find('\n'), std::string::npos);
  EXPECT_EQ(parse_config("\"a\\nb\" = []\n", "s.toml").error().find('\n'), std::string::npos);
}

// The library calls itself for each part of a dotted name. Before the fix, 400 kB of dots
// overflowed the stack.
TEST(ConfigFile, OfTooManyDotsIsRefused) {
  const auto read = [](std::size_t bytes) {
    const std::string path = testing::TempDir() + "dots.toml";
    std::string text = "[a";
    while (text.size() < bytes - 2) {
      text += ".a";
    }
    std::ofstream{path} << text << "]\n";
    return read_config(path);
  };
  EXPECT_FALSE(read(kConfigBytesMax));
  const auto refused = read(400'000);
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().contains("larger than")) << refused.error();
}

}  // namespace
}  // namespace tickbox::cli
