// A server whose start, files, ticks and end a service manager follows.

#include "tests/integration/running_server.h"
#include "tests/unit/os/notify_socket.h"
#include "tests/unit/os/temporary_folder.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <string>

namespace tickbox::integration {
namespace {

using std::chrono::seconds;

class ManagedService : public testing::Test {
 protected:
  /// The variables of a server that it watches.
  [[nodiscard]] std::vector<std::string> watched_for(const std::string& microseconds) const {
    return {"NOTIFY_SOCKET=" + socket_.name(), "WATCHDOG_USEC=" + microseconds};
  }

  /// Returns the next message that has this text; an empty one if patience ends.
  [[nodiscard]] std::string next_with(std::string_view text) const {
    std::string message;
    const bool has_come = eventually([&] {
      message = socket_.receive(seconds{1});
      return message.contains(text);
    });
    return has_come ? message : std::string{};
  }

  const os::TemporaryFolder folder_;
  const os::NotifySocket socket_{folder_.file("notify")};
};

TEST_F(ManagedService, SaysHowItIsFromItsStartToItsEnd) {
  RunningServer server{{"--drain-time", "1m", "--key-file", folder_.file("ring"), "--create-key"},
                       watched_for("200000")};
  EXPECT_EQ(socket_.receive(kPatience), "READY=1\nSTATUS=ok, 0 clients\nWATCHDOG=1\n");
  EXPECT_EQ(socket_.receive(kPatience), "STATUS=ok, 0 clients\nWATCHDOG=1\n");

  server.process().signal(SIGHUP);
  EXPECT_TRUE(next_with("RELOADING=1\nMONOTONIC_USEC=").ends_with("WATCHDOG=1\n"));
  EXPECT_FALSE(next_with("READY=1").empty());

  const Process player{tickbox({"connect", server.address(), "--key-file", folder_.file("ring")})};
  EXPECT_FALSE(next_with("STATUS=ok, 1 client\n").empty());
  server.process().signal(SIGTERM);
  EXPECT_TRUE(next_with("STOPPING=1").starts_with("STOPPING=1\nEXTEND_TIMEOUT_USEC=85000000\n"))
      << "a minute, 20 s for the files, and 5 s";
  server.process().signal(SIGTERM);
  EXPECT_FALSE(next_with("STOPPING=1\nEXTEND_TIMEOUT_USEC=25000000").empty());
  EXPECT_EQ(server.ended().exit_code, kDone);
}

TEST_F(ManagedService, IsNotAliveWhileOneOfItsShardsIsStuck) {
  Command command = faulty_server({"--rooms", "2", "--shards", "2"}, "FAULT_SLOW_MS=60000");
  for (const std::string& variable : watched_for("200000")) {
    command.environment.push_back(variable);
  }
  RunningServer server{command};
  EXPECT_FALSE(next_with("WATCHDOG=1").empty());
  const Process load{tickbox({"load", server.address(), "--clients", "2", "--seconds", "120"})};
  const std::string stalled = next_with("STATUS=stalled: no tick for ");
  EXPECT_FALSE(stalled.empty());
  EXPECT_FALSE(stalled.contains("WATCHDOG"));
  EXPECT_EQ(server.get("/livez").status, 500);
  for (int i = 0; i < 5; ++i) {
    EXPECT_FALSE(socket_.receive(kPatience).contains("WATCHDOG")) << "the other shard ticks";
  }
}

TEST_F(ManagedService, GoesOnWithoutItsManager) {
  RunningServer server{{}, {"NOTIFY_SOCKET=" + folder_.file("missing")}};
  EXPECT_TRUE(server.process().wait_for_output(
      [](const Output& output) { return output.err.contains("service_manager_unreachable"); },
      kPatience));
  EXPECT_EQ(server.stop().exit_code, kDone);
}

}  // namespace
}  // namespace tickbox::integration
