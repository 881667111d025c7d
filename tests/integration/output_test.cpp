// An answer that cannot be written is not taken for given: a program says so, and fails.

#include "tests/integration/document.h"
#include "tests/integration/running_server.h"
#include "tests/support/paths.h"
#include "tests/unit/os/temporary_folder.h"

#include <gtest/gtest.h>

namespace tickbox::integration {
namespace {

/// Returns the command with streams that a shell sets up, as by ">/dev/full".
Command redirected(const Command& command, const std::string& streams) {
  std::vector<std::string> arguments{"-c", R"(exec "$0" "$@" )" + streams, command.program};
  arguments.insert(arguments.end(), command.arguments.begin(), command.arguments.end());
  return {.program = "/bin/sh", .arguments = arguments, .environment = command.environment};
}

Command on_full_disk(const Command& command) {
  return redirected(command, ">/dev/full");
}

void expect_told(const Command& command, int or_ends_with = kFailed) {
  const Finished finished = run(on_full_disk(command));
  EXPECT_TRUE(finished.exit_code == kFailed || finished.exit_code == or_ends_with) << finished;
  EXPECT_TRUE(finished.err.contains("cannot write to stdout: no space left on device")) << finished;
}

TEST(FullOutput, IsToldByWhatNeedsNoServer) {
  const std::string scenario = tests::source_file("tests/data/scenarios/goomba.json");
  expect_told(tickbox({"--help"}));
  expect_told(tickbox({"--version"}));
  expect_told(tickbox({"sim", scenario}));
  expect_told(tickbox({"sim", scenario, "--json"}));
  expect_told(tickbox_server({"--help"}));
}

TEST(FullOutput, IsToldByWhoPlaysAndByWhoAsks) {
  const RunningServer server;
  for (const char* form : {"--json", "--quiet"}) {
    expect_told(tickbox({"connect", server.address(), "--seconds", "0.2", form}));
    // What a busy machine does to a load outranks a failed write.
    expect_told(tickbox({"load", server.address(), "--clients", "2", "--seconds", "0.2", form}),
                kInconclusive);
  }
  expect_told(tickbox_server({"health", "--admin", server.admin()}));
}

TEST(FullOutput, AWorseEndIsNotHidden) {
  const Finished finished =
      run(on_full_disk(tickbox({"connect", "127.0.0.1:9", "--seconds", "0.2", "--json"})));
  EXPECT_EQ(finished.exit_code, kNotConnected) << finished;
  EXPECT_EQ(line_count(finished.err), 2U) << finished;
}

// The caller that asked for the ready line waits for it; nobody waits for lines for people.
TEST(FullOutput, EndsAServerWhoseReadyLineIsWaitedFor) {
  const std::vector<std::string> free_ports{"--port", "0", "--admin-port", "0", "--ticks", "5"};
  std::vector<std::string> with_json = free_ports;
  with_json.emplace_back("--json");
  expect_told(tickbox_server(with_json));
  EXPECT_EQ(run(on_full_disk(tickbox_server(free_ports))).exit_code, kDone);
}

// On such a stream fmt::print throws. Before the fix, nobody caught this: a program made its key
// file and aborted, or did not print the document that its caller waited for.
TEST(StderrThatIsFullOrClosed, EndsNoProgram) {
  const os::TemporaryFolder folder;
  const RunningServer server;
  int tried = 0;
  for (const char* streams : {"2>/dev/full", "2>&-"}) {
    const std::string keys = folder.file("keys" + std::to_string(tried++));
    EXPECT_EQ(run(redirected(tickbox({"token", "keygen", "--out", keys}), streams)).exit_code,
              kDone);
    EXPECT_EQ(
        run(redirected(tickbox({"token", "issue", "--key-file", keys, "--client", "7", "--server",
                                server.address(), "--expires", "30s", "--out", keys + ".token"}),
                       streams))
            .exit_code,
        kDone);
    const Finished refused = run(redirected(
        tickbox({"connect", server.address(), "--token", keys + ".token", "--json"}), streams));
    EXPECT_EQ(refused.exit_code, kNotConnected) << refused;
    EXPECT_FALSE(Document{refused.out}.truth("connected"));
    EXPECT_EQ(run(redirected(tickbox({}), streams)).exit_code, kWrongUsage);
  }
}

// With a closed stdout, a file that a command makes could get stdout's number, and the answer would
// be written into the file.
TEST(ClosedOutput, IsNoFileThatACommandMakes) {
  const os::TemporaryFolder folder;
  const std::string match = folder.file("match");
  ASSERT_EQ(run(redirected(tickbox_server({"--port", "0", "--admin-port", "0", "--ticks", "30",
                                           "--max-clients", "16", "--record", match}),
                           "<&- >&- 2>&-"))
                .exit_code,
            kDone);
  const std::string recording = os::files_in(match).at(0);
  const std::string part = folder.file("part.tickbox");
  expect_ended(run(redirected(tickbox({"replay", "cut", recording, "--from", "10", "--to", "20",
                                       "--out", part, "--json"}),
                              ">&-")),
               kFailed, {"cannot write to stdout: bad file descriptor"});
  for (const std::string& file : {recording, part}) {
    const Finished verified = run(tickbox({"replay", "verify", file}));
    EXPECT_EQ(verified.exit_code, kDone) << verified;
  }
}

}  // namespace
}  // namespace tickbox::integration
