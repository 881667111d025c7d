// `replay verify --follow` against a real server: how it steps the match that is played, what it
// finds, and how it ends.

#include "tests/integration/document.h"
#include "tests/integration/running_server.h"
#include "tests/unit/os/temporary_folder.h"

#include <gtest/gtest.h>

#include <array>
#include <csignal>
#include <memory>
#include <string>
#include <vector>

namespace tickbox::integration::follow_test {
namespace {

using Strings = std::vector<std::string>;

Command follow(const RunningServer& server, const Strings& more = {},
               const std::string& path = "") {
  Strings arguments = {"replay", "verify", "--follow", "http://" + server.admin() + path, "--json"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return tickbox(arguments);
}

Command play(const RunningServer& server) {
  return tickbox({"connect", server.address(), "--bot", "stress", "--seconds", "60"});
}

TEST(Follow, StepsTheMatchWhileItIsPlayed) {
  const RunningServer server{{"--max-clients", "16"}};
  const Process player{play(server)};
  ASSERT_TRUE(server.wait_for_clients(1));
  const Finished followed = run(follow(server, {"--limit", "3s"}));
  ASSERT_EQ(followed.exit_code, kDone) << followed;
  const Document document{followed.out};
  EXPECT_GE(document.number("ticks"), 120);
  EXPECT_EQ(document.number("mismatched"), 0);
  EXPECT_EQ(document.number("damages"), 0);
  EXPECT_TRUE(document.truth("recorded_by.this_build"));
  EXPECT_TRUE(eventually([&] { return server.metric("tickbox_log_followers") == 0; }));
}

TEST(Follow, EndsWellWithTheServerAndSaysWhenItWasCut) {
  for (const int signal : {SIGTERM, SIGKILL}) {
    RunningServer server{{"--max-clients", "16"}};
    Process follower{follow(server)};
    ASSERT_TRUE(eventually([&] { return server.metric("tickbox_log_followers") == 1; }));
    server.process().signal(signal);
    const Finished followed = finish(follower);
    const bool is_cut = signal == SIGKILL;
    EXPECT_EQ(followed.exit_code, is_cut ? kInconclusive : kDone) << followed;
    EXPECT_EQ(followed.err.contains("the log was cut after tick"), is_cut) << followed;
    EXPECT_EQ(Document{followed.out}.truth("complete"), !is_cut);
  }
}

TEST(Follow, FindsAFlippedBitAndNamesItsField) {
  const RunningServer server{faulty_server({"--max-clients", "16"}, "FAULT_FLIP_AT=120")};
  const Process player{play(server)};
  const Finished followed = run(follow(server, {"--limit", "9s"}));
  EXPECT_EQ(followed.exit_code, kCheckFailed) << followed;
  const Document document{followed.out};
  EXPECT_EQ(document.number("first_mismatch.tick"), 120);
  EXPECT_EQ(document.text("first_mismatch.field"), "x");
}

TEST(Follow, ShowsTheTokenThatTheAdminSideAsksFor) {
  const os::TemporaryFolder folder;
  const std::string token = folder.write("token", "correct-horse-battery\n");
  const std::string wrong = folder.write("wrong", "incorrect-horse-battery\n");
  const RunningServer server{
      {"--max-clients", "16", "--admin-token-file", token, "--allow-exposed-keys"}};
  EXPECT_EQ(run(follow(server, {"--limit", "3s", "--admin-token-file", token})).exit_code, kDone);
  expect_ended(run(follow(server, {"--limit", "1s"})), kFailed, {"add --admin-token-file F"});
  expect_ended(run(follow(server, {"--limit", "1s", "--admin-token-file", wrong})), kFailed,
               {"refuses the token"});
}

TEST(Follow, SaysWhatIsWrongWithAnAddress) {
  const RunningServer server{{"--max-clients", "16"}};
  expect_ended(run(follow(server, {}, "/rooms/7/log")), kFailed, {"404", "there is no room 7"});
  expect_ended(run(follow(server, {}, "/rooms/1/log?delay=1h")), kFailed, {"400", "delay"});
  expect_ended(run(follow(server, {}, "/livez")), kFailed, {"it is not a recording"});
  const auto verify = [](const Strings& more) {
    Strings arguments = {"replay", "verify"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return tickbox(arguments);
  };
  expect_wrong_usage(verify({}), {"--follow"});
  expect_wrong_usage(verify({"--follow", "https://127.0.0.1:9180"}), {"http://"});
  expect_wrong_usage(verify({"--follow", "http://127.0.0.1:9180", "--twice"}), {"--twice"});
}

TEST(Follow, ASeventeenthReaderIsTurnedAway) {
  const RunningServer server{{"--max-clients", "16"}};
  std::array<std::unique_ptr<Process>, 16> followers;
  for (auto& follower : followers)
    follower = std::make_unique<Process>(follow(server));
  ASSERT_TRUE(eventually([&] { return server.metric("tickbox_log_followers") == 16; }));
  expect_ended(run(follow(server)), kFailed, {"503", "16"});
}

}  // namespace
}  // namespace tickbox::integration::follow_test
