// How --help is broken into lines.

#include "cli/help_text.h"

#include "cli/command_line.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <stdlib.h>
#include <string>
#include <vector>

namespace tickbox::cli {
namespace {

/// Returns the words of a help text in order. A backslash only joins the lines of an example.
std::vector<std::string> words_of(const std::string& help) {
  std::vector<std::string> words;
  std::istringstream in{help};
  for (std::string word; in >> word;) {
    if (word != "\\") words.push_back(word);
  }
  return words;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in{text};
  for (std::string line; std::getline(in, line);) {
    lines.push_back(line);
  }
  return lines;
}

/// The width of help where stdout is no terminal and COLUMNS has this value.
std::size_t width_with(const char* columns) {
  setenv("COLUMNS", columns, 1);
  testing::internal::CaptureStdout();
  const std::size_t width = help_width();
  testing::internal::GetCapturedStdout();
  unsetenv("COLUMNS");
  return width;
}

TEST(HelpText, ALineIsFilledToItsLastColumn) {
  EXPECT_EQ(wrapped("", "one two three", {.width = 7}), "one two\nthree\n");
  EXPECT_EQ(wrapped("", "one two three", {.width = 6}), "one\ntwo\nthree\n");
  EXPECT_EQ(wrapped("  ", "one two three", {.width = 9, .indent = 4}), "  one two\n    three\n");
}

TEST(HelpText, AWordThatIsTooLongHasALineOfItsOwn) {
  EXPECT_EQ(wrapped("", "a snapshots_per_client b", {.width = 10}), "a\nsnapshots_per_client\nb\n");
}

TEST(HelpText, ACommandThatIsCutCanBeCopied) {
  EXPECT_EQ(wrapped("", "tickbox load A --clients 8", {.width = 16, .indent = 2, .cut = " \\"}),
            "tickbox load A \\\n  --clients 8\n");
}

TEST(HelpText, BlanksAndLineEndsAreOneBreak) {
  EXPECT_EQ(wrapped("", "  one \n two ", {}), "one two\n");
  EXPECT_EQ(wrapped("", "", {}), "\n");
}

TEST(HelpText, WithoutATerminalTheVariableCounts) {
  EXPECT_EQ(width_with("60"), 60U);
  EXPECT_EQ(width_with("100"), 100U);
  EXPECT_EQ(width_with("59"), kHelpWidthMin);
  EXPECT_EQ(width_with("4000"), kHelpWidthMax);
  for (const char* absurd : {"", "0", "-5", "wide", "80x", "99999999999999999999"}) {
    EXPECT_EQ(width_with(absurd), kHelpWidthDefault) << absurd;
  }
}

/// The help of a program with options of several kinds, at a width.
std::string help_at(const char* columns) {
  setenv("COLUMNS", columns, 1);
  testing::internal::CaptureStdout();
  CommonFlags flags;
  Program program{
      {.name = "program",
       .description = "Do one thing. And another thing, which takes more words than "
                      "fit into one line of any terminal that is as narrow as most.",
       .example = "program --clients 100 --some-text \"a,b,c\" --some-file /a/path/name"},
      flags};
  testing::internal::GetCapturedStdout();
  unsetenv("COLUMNS");
  std::uint32_t clients = 32;
  std::uint16_t port = 7777;
  std::string file;
  std::vector<std::string> texts;
  program.add_option("FILE", file, "The file", {.required = true});
  program.add_option("--clients", clients, "Number of clients", {.check = between(1U, 9U)});
  program.add_option("--port", port, "Port of the server (0: a free one)",
                     {.excludes = {"--clients"}});
  program.add_option("--a-name-that-is-so-long-that-it-needs-two-lines", texts, "Texts",
                     {.value = "SOMETHING", .default_text = "nothing at all"});
  program.add_command({.name = "sub", .description = "Do a part. Not all.", .example = "none"},
                      flags);
  return program.help();
}

TEST(HelpText, NoLineIsWiderAndNoWordIsLost) {
  const std::vector<std::string> words = words_of(help_at("120"));
  for (const char* columns : {"60", "80", "120"}) {
    const std::string help = help_at(columns);
    EXPECT_EQ(words_of(help), words);
    for (const std::string& line : lines_of(help)) {
      EXPECT_LE(line.size(), std::stoul(columns)) << line;
    }
  }
}

TEST(HelpText, AnOptionSaysItsValueDefaultAndRange) {
  const std::string help = help_at("80");
  EXPECT_TRUE(help.contains("\n  FILE (required)\n    The file\n")) << help;
  EXPECT_TRUE(
      help.contains("\n  --clients N (default: 32; not with --port)\n"
                    "    Number of clients (1 to 9)\n"))
      << help;
  EXPECT_TRUE(help.contains("    Port of the server (0: a free one) (0 to 65535)\n")) << help;
  EXPECT_TRUE(help.contains("SOMETHING ... (default:\n      nothing at all)\n")) << help;
}

TEST(HelpText, ACommandHasOneLineInItsProgram) {
  EXPECT_TRUE(help_at("60").contains("\n  sub       Do a part\n"));
}

}  // namespace
}  // namespace tickbox::cli
