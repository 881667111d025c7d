// A program that crashes while it draws leaves a terminal that one can type on, and the reason.

#include "tests/integration/terminal/pane.h"
#include "tests/support/paths.h"

#include <gtest/gtest.h>

#include <csignal>
#include <string>

namespace tickbox::integration {
namespace {

/// A shell script that runs the program, and writes how it ended.
std::string crash(const std::string& way) {
  return "ulimit -c 0; stty -a > before\n" +
         in_shell({.program = tests::built_program("tickbox-crash"), .arguments = {way}}) +
         "\necho $? > code; stty -a > after; echo ended; echo ended > ended; sleep 100";
}

void expect_restored(const Pane& pane) {
  EXPECT_EQ(pane.line_of("ended"), "ended") << pane.text();
  EXPECT_EQ(os::text_of(pane.file("before")), os::text_of(pane.file("after")));
  EXPECT_EQ(pane.variable("alternate_on"), "0");
  EXPECT_EQ(pane.variable("cursor_flag"), "1");
}

TEST(Restore, AnEndRestoresTheTerminal) {
  const Pane pane{crash("")};
  expect_restored(pane);
  EXPECT_EQ(pane.line_of("code"), "0");
}

// Before the fix, the line was on the alternate screen, and disappeared with it.
TEST(Restore, AFailedAssertionIsReadable) {
  const Pane pane{crash("assert")};
  expect_restored(pane);
  EXPECT_EQ(pane.line_of("code"), std::to_string(128 + SIGABRT));
  EXPECT_TRUE(pane.wait_for("assertion failed: way.empty()")) << pane.text();
}

TEST(Restore, AnExceptionIsReadable) {
  const Pane pane{crash("throw")};
  expect_restored(pane);
  EXPECT_EQ(pane.line_of("code"), std::to_string(128 + SIGABRT));
  EXPECT_TRUE(pane.wait_for("thrown while drawing")) << pane.text();
}

TEST(Restore, AnAbortRestoresTheTerminal) {
  const Pane pane{crash("abort")};
  expect_restored(pane);
  EXPECT_EQ(pane.line_of("code"), std::to_string(128 + SIGABRT));
}

TEST(Restore, AStackOverflowRestoresTheTerminal) {
  const Pane pane{crash("overflow")};
  expect_restored(pane);
  EXPECT_EQ(pane.line_of("code"), std::to_string(128 + SIGSEGV));
}

}  // namespace
}  // namespace tickbox::integration
