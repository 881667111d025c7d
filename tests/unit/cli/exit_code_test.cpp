#include "cli/exit_code.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace tickbox::cli {
namespace {

std::string told(std::string_view why) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(report_failure({.name = "tickbox", .json = false}, ExitCode::Failed, why),
            ExitCode::Failed);
  return testing::internal::GetCapturedStderr();
}

TEST(TellFailure, IsOneLineWithTheProgramsName) {
  EXPECT_EQ(told("cannot read a file; check the path"),
            "tickbox: cannot read a file; check the path\n");
}

// Before the fix, the name of the rules in a server's ACCEPT could clear the screen and set the
// window's title.
TEST(TellFailure, LetsNoWordsOfOthersSpeakToTheTerminal) {
  std::string why = "unknown rules ";
  for (char byte = 1; byte < ' '; ++byte) {
    why += byte;
  }
  why += "[2J\x1b]0;title\x07 \x7f";
  std::string line = told(why);
  ASSERT_TRUE(line.ends_with('\n'));
  line.pop_back();
  EXPECT_TRUE(std::ranges::none_of(line, [](char byte) { return byte < ' ' || byte == '\x7f'; }))
      << line;
  EXPECT_TRUE(line.contains("title")) << line;
}

}  // namespace
}  // namespace tickbox::cli
