// The server itself, main() to abort(), whose rules fail an assertion while clients play: it leaves
// the last seconds where its options say, and they step to the same failure.

#include "games/arena/arena.h"
#include "record/room_log.h"
#include "record/segments.h"
#include "record/verify.h"
#include "tests/faulty/failing_game.h"
#include "tests/integration/document.h"
#include "tests/integration/running_server.h"
#include "tests/support/sanitizers.h"
#include "tests/unit/os/temporary_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tickbox::crash::server_assert_test {
namespace {

using namespace integration;
using os::files_in;

constexpr std::uint32_t kRate = 60;
constexpr std::uint32_t kSeats = 16;
constexpr int kClients = 8;
/// Later than the most that is kept, so that the first ticks are left out.
constexpr Tick kFails{2 * kRate * record::kKeyframeSeconds + 100};
constexpr const char* kPlanted = "assertion failed: !the_planted_failure";

/// A server that fails an assertion at kFails, whatever its clients do.
RunningServer failing_server(std::vector<std::string> arguments) {
  arguments.insert(arguments.end(),
                   {"--tick-rate", std::to_string(kRate), "--max-clients", std::to_string(kSeats)});
  return RunningServer{
      faulty_server(std::move(arguments), "FAULT_FAILURE_AT=" + std::to_string(kFails.value))};
}

record::VerifyResult step_all(const std::string& path, const GameTable& game) {
  const std::string text = os::text_of(path);
  return record::verify(record::Reader::open(std::as_bytes(std::span{text})).value(), game,
                        engine::make_map(game, {.seats = kSeats}, kRate),
                        {.step_unfinished = true});
}

/// Checks the last seconds: with healthy rules each tick steps to its hash, with the failing rules
/// the assertion fails again.
// NOLINTNEXTLINE(readability-function-size): EXPECT_DEATH is five levels deep
void expect_replays_to_the_failure(const std::string& path) {
  const auto result = step_all(path, games::arena());
  EXPECT_TRUE(result.held());
  EXPECT_EQ(result.gaps, 0U);
  EXPECT_EQ(result.unfinished, kFails);
  EXPECT_EQ(result.last_tick + 1, kFails);
  EXPECT_GE(result.ticks, kRate * record::kKeyframeSeconds);
  EXPECT_LE(result.ticks, 2 * kRate * record::kKeyframeSeconds);
  const Finished command = run(tickbox({"replay", "verify", path, "--json"}));
  EXPECT_EQ(command.exit_code, kDone) << command;
  EXPECT_EQ(Document{command.out}.number("unfinished"), kFails.value);
  const tests::ChangedGame failing{games::arena(), tests::failing_at(kFails)};
  EXPECT_DEATH((void)step_all(path, failing), kPlanted);
}

/// Where the four servers write.
struct Folders {
  std::string recorded;
  std::string crashed;
  std::string both_recorded;
  std::string both_crashed;
};

struct Ends {
  Finished with_record;
  Finished with_crash_dir;
  Finished with_both;
  Finished with_neither;
};

/// Runs the four servers at the same time: each takes as long as the ticks before its failure. An
/// empty room is not stepped, so clients play at all of them: many at two, and one at the others.
Ends fail_servers(const Folders& folders) {
  RunningServer by_record = failing_server({"--record", folders.recorded});
  RunningServer by_crash_dir = failing_server({"--crash-dir", folders.crashed});
  RunningServer by_both =
      failing_server({"--record", folders.both_recorded, "--crash-dir", folders.both_crashed});
  RunningServer by_neither = failing_server({});
  std::vector<std::unique_ptr<Process>> loads;
  const auto play = [&loads](const RunningServer& server, int clients) {
    loads.push_back(std::make_unique<Process>(
        tickbox({"load", server.address(), "--clients", std::to_string(clients), "--seconds", "60",
                 "--ramp", "0", "--bot", "stress"})));
  };
  play(by_record, kClients);
  play(by_crash_dir, kClients);
  play(by_both, 1);
  play(by_neither, 1);
  Ends ends{.with_record = by_record.ended(),
            .with_crash_dir = by_crash_dir.ended(),
            .with_both = by_both.ended(),
            .with_neither = by_neither.ended()};
  for (const auto& load : loads)
    load->signal(SIGKILL);
  return ends;
}

/// The only crash file of a folder, which the server named; empty: there is none.
std::string crash_file_in(const std::string& folder, const Finished& finished) {
  for (const std::string& file : files_in(folder)) {
    if (!file.ends_with("-room1-crash.tickbox")) continue;
    EXPECT_TRUE(finished.err.contains("the last seconds are in " + file)) << finished;
    return file;
  }
  return {};
}

std::uint64_t inputs_in(const std::string& path) {
  const std::string text = os::text_of(path);
  const engine::GameOnMap played{.game = &games::arena(),
                                 .map = engine::make_map(games::arena(), {.seats = kSeats}, kRate),
                                 .tick_rate = kRate};
  const auto reader = record::Reader::open(std::as_bytes(std::span{text})).value();
  return record::summarize(reader, &played).players->inputs;
}

TEST(ServerAssert, AFailureLeavesTheLastSecondsWhereTheOptionsSayAndTheyReplayToIt) {
  const os::TemporaryFolder folder;
  const Folders folders{.recorded = folder.file("recorded"),
                        .crashed = folder.file("crashed"),
                        .both_recorded = folder.file("both-recorded"),
                        .both_crashed = folder.file("both-crashed")};
  const Ends ends = fail_servers(folders);
  for (const Finished* end :
       {&ends.with_record, &ends.with_crash_dir, &ends.with_both, &ends.with_neither}) {
    EXPECT_EQ(end->exit_code, 128 + SIGABRT) << *end;
    EXPECT_TRUE(end->err.contains(kPlanted)) << *end;
  }

  const std::string beside_recording = crash_file_in(folders.recorded, ends.with_record);
  const std::string alone = crash_file_in(folders.crashed, ends.with_crash_dir);
  for (const std::string& file : {beside_recording, alone}) {
    ASSERT_FALSE(file.empty());
    SCOPED_TRACE(file);
    expect_replays_to_the_failure(file);
    EXPECT_GT(inputs_in(file), kRate * record::kKeyframeSeconds) << "nobody played";
  }
  // The recording beside it ends early, and is whole up to there.
  ASSERT_EQ(files_in(folders.recorded).size(), 2U);
  const auto recording = step_all(files_in(folders.recorded).back(), games::arena());
  EXPECT_TRUE(recording.held());
  EXPECT_TRUE(recording.ends_early);
  EXPECT_GT(recording.ticks, kRate * record::kKeyframeSeconds);
  EXPECT_EQ(files_in(folders.crashed).size(), 1U);

  EXPECT_FALSE(crash_file_in(folders.both_crashed, ends.with_both).empty());
  EXPECT_TRUE(crash_file_in(folders.both_recorded, ends.with_both).empty());
  EXPECT_EQ(files_in(folders.both_recorded).size(), 1U);

  EXPECT_TRUE(ends.with_neither.err.contains("--crash-dir DIR")) << ends.with_neither;
  EXPECT_FALSE(ends.with_neither.err.contains("the last seconds are in")) << ends.with_neither;
}

// Before the change, an exception that nobody catches ended the server: without a line that says
// more than its name, and without the recording.
TEST(ServerAssert, RunningOutOfMemoryLeavesTheLastSecondsToo) {
  if (tests::kHasSanitizer) GTEST_SKIP() << "a sanitizer needs more address space";
  const os::TemporaryFolder folder;
  const std::string crashed = folder.file("crashed");
  RunningServer server{faulty_server({"--crash-dir", crashed, "--max-clients",
                                      std::to_string(kSeats), "--tick-rate", std::to_string(kRate)},
                                     "FAULT_MEMORY_AT=200")};
  // An empty room is not stepped.
  const Process player{tickbox({"connect", server.address(), "--seconds", "60", "--quiet"})};
  const Finished end = server.ended();
  EXPECT_EQ(end.exit_code, 128 + SIGABRT) << end;
  EXPECT_TRUE(
      end.err.contains("assertion failed: there is memory (none is left; raise the memory "
                       "limit of this process)"))
      << end;
  const std::string file = crash_file_in(crashed, end);
  ASSERT_FALSE(file.empty());
  const Finished command = run(tickbox({"replay", "verify", file, "--json"}));
  EXPECT_EQ(command.exit_code, kDone) << command;
  EXPECT_GE(Document{command.out}.number("unfinished"), 200);
}

}  // namespace
}  // namespace tickbox::crash::server_assert_test
