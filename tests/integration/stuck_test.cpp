// What the server writes to stops taking it: nothing outside holds a tick or a stop.

#include "tests/integration/document.h"
#include "tests/integration/running_server.h"
#include "tests/support/sanitizers.h"
#include "tests/unit/os/temporary_folder.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace tickbox::integration {
namespace {

/// A FIFO of one page, full from the beginning, that nobody reads.
class FullFifo {
 public:
  explicit FullFifo(std::string path) : path_(std::move(path)) {
    EXPECT_EQ(mkfifo(path_.c_str(), S_IRUSR | S_IWUSR), 0);
    file_ = open(path_.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
    EXPECT_GE(file_, 0);
    fcntl(file_, F_SETPIPE_SZ, 4096);
    const std::array<char, 4096> page{};
    while (write(file_, page.data(), page.size()) > 0) {
    }
  }

  ~FullFifo() { close(file_); }

  FullFifo(const FullFifo&) = delete;
  FullFifo& operator=(const FullFifo&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
  int file_ = -1;
};

/// The server with one of its streams (">" or "2>") to this file.
Command server_to(std::string_view stream, const std::string& path,
                  const std::vector<std::string>& arguments) {
  Command server = tickbox_server(arguments);
  std::vector<std::string> shell{"-c", R"(exec "$0" "$@" )" + std::string{stream} + path,
                                 server.program};
  shell.insert(shell.end(), server.arguments.begin(), server.arguments.end());
  server.program = "/bin/sh";
  server.arguments = std::move(shell);
  return server;
}

/// Waits for a hundred more ticks. A busy machine makes them late; a tick that waits makes none.
bool goes_on(const RunningServer& server) {
  const double ticks = server.metric("tickbox_ticks_total");
  return eventually([&] { return server.metric("tickbox_ticks_total") >= ticks + 100; });
}

// Before the fix, the tick thread waited in write() for the reader, and SIGTERM had no effect.
TEST(StuckOutside, ALogThatNobodyReadsHoldsNoTickAndNoStop) {
  const os::TemporaryFolder folder;
  const FullFifo log{folder.file("log")};
  RunningServer server{server_to("2>", log.path(), {"--max-clients", "32"})};
  const Finished load =
      run(tickbox({"load", server.address(), "--clients", "16", "--seconds", "2", "--json"}));
  EXPECT_EQ(Document{load.out}.number("clients.dropped"), 0) << load;
  EXPECT_TRUE(goes_on(server));
  server.process().signal(SIGTERM);
  EXPECT_EQ(server.process().wait(std::chrono::seconds{20}), kDone);
}

// Before the fix, the server waited for the reader before its first tick.
TEST(StuckOutside, StdoutThatNobodyReadsHoldsNoTickAndNoStop) {
  const os::TemporaryFolder folder;
  const FullFifo out{folder.file("out")};
  Process server{server_to(">", out.path(), {"--port", "0", "--admin-port", "0", "--json"})};
  EXPECT_TRUE(server.wait_for_output(
      [](const Output& output) { return output.err.contains("stdout_stuck"); }, kPatience));
  server.signal(SIGTERM);
  EXPECT_EQ(server.wait(std::chrono::seconds{20}), kDone);
  EXPECT_TRUE(server.output().err.contains(" stopped")) << server.output().err;
}

// Before the fix, the start waited for the reader, and ignored SIGTERM.
TEST(StuckOutside, AFifoThatNobodyReadsIsNoFileForResults) {
  const os::TemporaryFolder folder;
  const std::string path = folder.file("results");
  ASSERT_EQ(mkfifo(path.c_str(), S_IRUSR | S_IWUSR), 0);
  expect_ended(run(tickbox_server({"--port", "0", "--admin-port", "0", "--match-results", path})),
               kFailed, {"--match-results: ", "FIFO that no program reads"});
}

class StuckFiles : public testing::Test {
 protected:
  /// As many as a generator that a sanitizer slows down, beside other tests, can play.
  static constexpr int kPlayers = tests::kHasSanitizer ? 4 : 16;

  /// Has clients play until the server has said that there is something to write, and then on.
  static void expect_that_nothing_waits(RunningServer& server, std::string_view writes) {
    Process load{tickbox(
        {"load", server.address(), "--clients", std::to_string(kPlayers), "--seconds", "120"})};
    EXPECT_TRUE(server.process().wait_for_output(
        [&](const Output& output) { return output.err.contains(writes); }, kPatience));
    EXPECT_TRUE(goes_on(server));
    EXPECT_TRUE(server.wait_for_clients(kPlayers));
    server.process().signal(SIGTERM);
    EXPECT_TRUE(server.process().wait_for_output(
        [](const Output& output) { return output.err.contains(" stopping "); }, kPatience));
    server.process().signal(SIGTERM);
    EXPECT_EQ(server.process().wait(std::chrono::seconds{10}), kFailed);
    load.signal(SIGTERM);
    EXPECT_NE(finish(load).exit_code, kDone);
  }

  const os::TemporaryFolder folder_;
};

TEST_F(StuckFiles, ResultsThatNobodyReadsHoldNoTickAndNoStop) {
  const FullFifo results{folder_.file("results")};
  RunningServer server{
      {"--game", "bomber", "--max-clients", "16", "--match-results", results.path()}};
  // Where all but one have left, a round is over.
  const Command two = tickbox({"load", server.address(), "--clients", "2", "--seconds", "1"});
  EXPECT_NE(run(two).exit_code, kNotConnected);
  expect_that_nothing_waits(server, " match_result ");
}

TEST_F(StuckFiles, DesyncFilesOnAHungDiskHoldNoTickAndNoStop) {
  Command command = faulty_server({"--max-clients", "16", "--desync-dir", folder_.file("desyncs")},
                                  "FAULT_FLIP_AT=60");
  command.environment.emplace_back("FAULT_SYNC_HELD=1");
  RunningServer server{command};
  expect_that_nothing_waits(server, " desync ");
}

// Before the fix, hints and the last error were text between the lines of JSON.
TEST(StuckOutside, AJsonLogHasNothingButJson) {
  const Finished finished = run(tickbox_server({"--port", "0", "--admin-port", "0", "--log-format",
                                                "json", "--match-results", "/nowhere/results"}));
  EXPECT_EQ(finished.exit_code, kFailed);
  EXPECT_TRUE(finished.out.empty()) << finished;
  EXPECT_TRUE(last_line(finished.err).contains(R"("event":"failed")")) << finished;
}

}  // namespace
}  // namespace tickbox::integration
