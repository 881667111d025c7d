// TOML to the defaults of options.

#include "cli/command_line.h"
#include "tests/unit/os/temporary_folder.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tickbox::cli {
namespace {

/// The options that a file may set, and the error of the file.
struct Read {
  CommonFlags flags;
  Program program{{.name = "one", .description = "Options.", .example = "none"}, flags};
  std::uint32_t rate = 0;
  double ratio = 0;
  std::string record;
  bool insecure = false;
  std::uint64_t big = 0;
  std::vector<std::string> addresses;
  std::string error;

  explicit Read(std::string_view text) {
    const auto keep = [](std::string_view word) -> std::expected<std::string, std::string> {
      return std::string{word};
    };
    program.add_option("--tick-rate", rate, "Ticks");
    program.add_option("--ratio", ratio, "Ratio");
    program.add_option("--record", record, "Directory");
    program.add_option("--insecure", insecure, "Open to all");
    program.add_option("--big", big, "A number");
    program.add_option("--address", addresses, Parse<std::string>{keep}, "Addresses");
    const auto applied = program.apply_config(text, "s.toml");
    if (!applied) error = applied.error();
  }
};

TEST(ConfigFile, GivesScalarsAndLists) {
  const Read read{
      "tick-rate = 60\n# why\nrecord = \"a b#c\"\nratio = 0.25\ninsecure = true\nbig = "
      "9007199254740993\naddress = [\"a:1\",\n  \"b:2\"]\n"};
  EXPECT_EQ(read.error, "");
  EXPECT_EQ(read.rate, 60U);
  EXPECT_EQ(read.record, "a b#c");
  EXPECT_EQ(read.ratio, 0.25);
  EXPECT_TRUE(read.insecure);
  EXPECT_EQ(read.big, 9'007'199'254'740'993U);
  EXPECT_EQ(read.addresses, (std::vector<std::string>{"a:1", "b:2"}));
}

TEST(ConfigFile, NamesFileAndLineOfWhatIsNoToml) {
  for (const char* text : {"big = 1\nbig = 2\n", "big = 1\nx = \n", "big = 1\nbig\n",
                           "big = 1\n[server]\nbig = 1\n"}) {
    const Read read{text};
    EXPECT_TRUE(read.error.starts_with("s.toml:2: ")) << read.error;
    EXPECT_EQ(read.error.find('\n'), std::string::npos) << read.error;
  }
}

// The library asserts that some of these do not occur, and marks the code for most letters beyond
// ASCII as unreachable.
TEST(ConfigFile, RefusesInOneLineWhatNoOptionTakes) {
  for (const char* text :
       {"address = [[1], 2]\n", "address = []\n", "address = [\"1,2\"]\n", "big.b = 1\n",
        "big = 2026-01-01\n", "big = tr\n", "\"a\\nb\" = []\n", "[+server]\n",
        "tick-rat\xef\xbb\x9c = 1\n", "\xc3\xa9 = 1\n", "record = \"\"\n"}) {
    const Read read{text};
    EXPECT_TRUE(read.error.starts_with("s.toml:1: ")) << text << read.error;
    EXPECT_EQ(read.error.find('\n'), std::string::npos) << read.error;
  }
  const Read quoted{"record = \"caf\xc3\xa9\" # caf\xc3\xa9\n"};
  EXPECT_EQ(quoted.error + quoted.record, "caf\xc3\xa9");
}

// The library calls itself for each part of a dotted name. Before the fix, 400 kB of dots
// overflowed the stack.
TEST(ConfigFile, OfTooManyDotsIsRefused) {
  const os::TemporaryFolder folder;
  for (const std::size_t bytes : {kConfigBytesMax, std::size_t{400'000}}) {
    std::string text = "[a";
    while (text.size() < bytes - 2) {
      text += ".a";
    }
    const std::string path = folder.write("dots.toml", text + "]\n");
    CommonFlags flags;
    Program program{{.name = "one", .description = "Options.", .example = "none"}, flags};
    program.add_config();
    const std::vector<const char*> words{"one", "--config", path.c_str()};
    testing::internal::CaptureStderr();
    EXPECT_EQ(program.parse(3, words.data()), ExitCode::WrongUsage);
    const std::string error = testing::internal::GetCapturedStderr();
    EXPECT_EQ(error.contains("larger than"), bytes > kConfigBytesMax) << error;
  }
}

}  // namespace
}  // namespace tickbox::cli
