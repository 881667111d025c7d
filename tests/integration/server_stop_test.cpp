// How a server ends, and how it notices that a client has.

#include "tests/integration/document.h"
#include "tests/integration/running_server.h"
#include "tests/unit/os/temporary_folder.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <thread>

namespace tickbox::integration {
namespace {

// The first line on stdout was the only one, and help promised the last.
TEST(ServerStop, TellsInItsLastLineWhatItLeaves) {
  const os::TemporaryFolder folder;
  RunningServer server{{"--record", folder.file("match"), "--ticks", "90"}};
  const Finished ended = server.ended();
  ASSERT_EQ(ended.exit_code, kDone) << ended;
  EXPECT_EQ(line_count(ended.out), 2U) << ended;
  const Document document{last_line(ended.out)};
  EXPECT_EQ(document.text("event"), "stopped");
  EXPECT_EQ(document.number("ticks"), 90);
  EXPECT_EQ(document.number("exit"), kDone);
  EXPECT_TRUE(last_line(ended.out).contains("\"recordings\":[\"" +
                                            os::files_in(folder.file("match")).at(0) + "\"]"))
      << ended;
}

void expect_clean_stop_on(int signal) {
  RunningServer server;
  Process client{tickbox({"connect", server.address(), "--seconds", "60"})};
  ASSERT_TRUE(server.wait_for_clients(1));

  server.process().signal(signal);
  const Finished stopped = finish(server.process());
  EXPECT_EQ(stopped.exit_code, kDone) << stopped;
  EXPECT_TRUE(last_line(stopped.err).ends_with(" stopped")) << stopped.err;
  EXPECT_FALSE((stopped.out + stopped.err).contains('\x1b')) << stopped;

  const Finished told = finish(client);
  EXPECT_EQ(told.exit_code, kNotConnected) << told;
  EXPECT_EQ(told.err, "tickbox connect: disconnected: server is stopping\n");
}

TEST(ServerStop, SigtermTellsTheClientsAndEndsWithZero) {
  expect_clean_stop_on(SIGTERM);
}

TEST(ServerStop, CtrlCTellsTheClientsAndEndsWithZero) {
  expect_clean_stop_on(SIGINT);
}

TEST(ServerStop, AfterSoManyTicksItStopsByItself) {
  const Finished finished =
      run(tickbox_server({"--port", "0", "--admin-port", "0", "--ticks", "10"}));
  EXPECT_EQ(finished.exit_code, kDone) << finished;
  EXPECT_TRUE(finished.err.contains("stopping clients=0 ticks=10")) << finished.err;
}

class HungDisk : public testing::Test {
 protected:
  HungDisk() {
    EXPECT_TRUE(server_.wait_for_output(
        [](const Output& output) { return output.err.contains(" ready "); }, kPatience));
  }

  /// Waits until the server says so.
  [[nodiscard]] bool says(std::string_view words) {
    return server_.wait_for_output(
        [words](const Output& output) { return output.err.contains(words); }, kPatience);
  }

  static void expect_given_up(const Finished& stopped) {
    EXPECT_EQ(stopped.exit_code, kFailed) << stopped;
    EXPECT_TRUE(stopped.err.contains("cannot be closed: the disk does not answer")) << stopped;
  }

  os::TemporaryFolder folder_;
  Process server_{planted_server({"--port", "0", "--admin-port", "0", "--max-clients", "16",
                                  "--record", folder_.file("match")},
                                 "PLANTED_SYNC_HELD=1")};
};

TEST_F(HungDisk, HoldsUpAStopForSecondsAlone) {
  std::this_thread::sleep_for(std::chrono::milliseconds{500});  // some ticks to be recorded
  server_.signal(SIGTERM);
  EXPECT_TRUE(says("recording_not_closed_yet"));
  expect_given_up(finish(server_));
  // All that waited had been written; only that it is on the medium is not known.
  const Finished verified =
      run(tickbox({"replay", "verify", os::files_in(folder_.file("match")).at(0)}));
  EXPECT_EQ(verified.exit_code, kDone) << verified;
}

TEST_F(HungDisk, IsNotWaitedForByWhoIsToldTwice) {
  server_.signal(SIGTERM);
  EXPECT_TRUE(says("stopping"));
  server_.signal(SIGTERM);
  expect_given_up(finish(server_));
  EXPECT_FALSE(server_.output().err.contains("recording_not_closed_yet"));
}

TEST(ServerStop, AClientThatLeavesIsGoneAtOnce) {
  const RunningServer server;
  const Finished left = run(tickbox({"connect", server.address(), "--seconds", "0.5"}));
  EXPECT_EQ(left.exit_code, kDone) << left;
  EXPECT_TRUE(server.wait_for_goodbyes(1));
  EXPECT_EQ(server.metric("tickbox_disconnects_total"), 1);
}

TEST(ServerStop, AClientThatIsKilledTimesOut) {
  const RunningServer server;
  Process client{tickbox({"connect", server.address(), "--seconds", "60"})};
  ASSERT_TRUE(server.wait_for_clients(1));
  client.signal(SIGKILL);
  EXPECT_EQ(finish(client).exit_code, 128 + SIGKILL);
  EXPECT_TRUE(server.wait_for_clients(0));
  EXPECT_EQ(server.metric("tickbox_disconnects_total", "timed_out"), 1);
}

}  // namespace
}  // namespace tickbox::integration
