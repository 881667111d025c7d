// A recording on a terminal.

#include "tests/integration/running_server.h"
#include "tests/integration/terminal/pane.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tickbox::integration {
namespace {

/// A match of a second with one player.
std::string record_a_match(const os::TemporaryFolder& folder) {
  RunningServer server{{"--record", folder.file("recordings"), "--max-clients", "16"}};
  const Finished played =
      run(tickbox({"connect", server.address(), "--seconds", "1", "--bot", "stress"}));
  EXPECT_EQ(played.exit_code, kDone) << played;
  EXPECT_TRUE(server.wait_for_goodbyes(1));
  EXPECT_EQ(server.stop().exit_code, kDone);
  return os::files_in(folder.file("recordings")).front();
}

/// A shell script that shows it, and writes how that ended.
std::string show(const std::string& recording, const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments = {"replay", "play", recording};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return "trap : INT; stty -a > before\n" + in_shell(tickbox(arguments)) +
         "\necho $? > code; stty -a > after; echo ended > ended; sleep 100";
}

TEST(ReplayOnATerminal, IsShownTickByTick) {
  const os::TemporaryFolder folder;
  const std::string recording = record_a_match(folder);
  const Pane pane{show(recording)};
  ASSERT_TRUE(pane.wait_for("@")) << pane.text();
  EXPECT_TRUE(pane.wait_for("player 0")) << pane.text();
  EXPECT_TRUE(pane.wait_for("hashes ok")) << pane.text();
  pane.press({"g", "3", "0", "Enter"});
  pane.press({"."});
  EXPECT_TRUE(pane.wait_for("paused tick ")) << pane.text();
  pane.press({"g", "3", "0", "Enter"});
  EXPECT_TRUE(pane.wait_for("paused tick 30 of ")) << pane.text();
  pane.press({".", "."});
  EXPECT_TRUE(pane.wait_for("paused tick 32 of ")) << pane.text();
  pane.press({","});
  EXPECT_TRUE(pane.wait_for("paused tick 31 of ")) << pane.text();
  pane.press({"["});
  EXPECT_TRUE(pane.wait_for("paused tick 0 of ")) << pane.text();
  pane.press({"Space"});
  EXPECT_TRUE(pane.wait_for("playing tick ")) << pane.text();
  pane.press({"q"});
  EXPECT_EQ(pane.line_of("ended"), "ended");
  EXPECT_EQ(pane.line_of("code"), "0");
  EXPECT_EQ(os::text_of(pane.file("before")), os::text_of(pane.file("after")));
  EXPECT_EQ(pane.variable("alternate_on"), "0");
}

TEST(ReplayOnATerminal, CtrlCEndsIt) {
  const os::TemporaryFolder folder;
  const Pane pane{show(record_a_match(folder), {"--from", "10", "--seat", "1"})};
  ASSERT_TRUE(pane.wait_for("hashes ok")) << pane.text();
  pane.press({"C-c"});
  EXPECT_EQ(pane.line_of("ended"), "ended");
  EXPECT_EQ(pane.line_of("code"), "0");
  EXPECT_EQ(os::text_of(pane.file("before")), os::text_of(pane.file("after")));
}

TEST(ReplayOnATerminal, NeedsATerminalAndATickThatIsThere) {
  const os::TemporaryFolder folder;
  const std::string recording = record_a_match(folder);
  expect_one_line(run(tickbox({"replay", "play", recording})), kFailed,
                  {"needs a terminal", "replay state"});
  expect_one_line(run(tickbox({"replay", "play", recording, "--from", "100000"})), kWrongUsage,
                  {"--from 100000: the ticks are 0 to "});
  expect_one_line(run(tickbox({"replay", "play", recording, "--seat", "16"})), kWrongUsage,
                  {"--seat 16: the seats are 0 to 15"});
  expect_one_line(run(tickbox({"replay", "play", folder.file("none")})), kFailed, {"none"});
}

}  // namespace
}  // namespace tickbox::integration
