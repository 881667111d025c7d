// How a server ends, and how it notices that a client has.

#include "tests/integration/running_server.h"

#include <gtest/gtest.h>

#include <csignal>

namespace tickbox::integration {
namespace {

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
