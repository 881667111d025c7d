// A failed assertion leaves a recording, and the recording fails by the same assertion.

#include "server/host/recordings/crash_file.h"

#include "core/assert.h"
#include "games/arena/arena.h"
#include "tests/crash/kept_match.h"
#include "tests/faulty/failing_game.h"
#include "tests/unit/os/temporary_folder.h"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <span>
#include <thread>

namespace tickbox::tests {
namespace {

constexpr Tick kFails{777};
constexpr const char* kPlanted = "assertion failed: !the_planted_failure";

/// The arena that fails in one tick.
struct FailingMatch {
  ChangedGame game{games::arena(), failing_at(kFails)};
  RecordedMatch played{{.tick_rate = 60, .seats = 8, .all_stay = true, .game = &game}};
};

std::vector<std::byte> bytes_of(const std::string& path) {
  const std::string text = os::text_of(path);
  const auto bytes = std::as_bytes(std::span{text});
  return {bytes.begin(), bytes.end()};
}

/// Plays until an assertion fails, with a crash file at `path`.
void play_until_it_fails(const std::string& path) {
  FailingMatch failing;
  RecordedMatch& played = failing.played;
  server::Recorder recorder{played.match(), played.header()};
  const server::CrashFile crash_file{path, recorder};
  while (true) {
    play_tick(played, recorder);
  }
}

TEST(CrashFile, AFailedAssertionLeavesARecordingThatReplaysToTheFailure) {
  const os::TemporaryFolder folder;
  const std::string path = folder.file("a-crash.tickbox");
  EXPECT_EXIT(play_until_it_fails(path), testing::KilledBySignal(SIGABRT),
              std::string{kPlanted} + "(.|\n)*the last seconds are in " + path);
  const auto file = bytes_of(path);
  ASSERT_FALSE(file.empty());

  // Stepped by rules that do not fail, all ticks before the failure have the recorded hashes.
  const auto result = verify(file, {.step_unfinished = true});
  EXPECT_TRUE(result.held());
  EXPECT_EQ(result.gaps, 0U);
  EXPECT_EQ(result.unfinished, kFails);
  EXPECT_EQ(result.last_tick + 1, kFails);
  EXPECT_GE(result.ticks, 60U * record::kKeyframeSeconds);
  EXPECT_LE(result.ticks, 2 * 60U * record::kKeyframeSeconds);
  // Stepped by the rules that failed, the recording fails again, in the same way.
  const FailingMatch failing;
  const auto reader = record::Reader::open(file).value();
  EXPECT_DEATH(
      (void)record::verify(reader, failing.game, failing.played.map(), {.step_unfinished = true}),
      kPlanted);
}

TEST(CrashFile, WithoutADirectoryNothingIsWrittenAndTheMessageSaysHow) {
  EXPECT_EXIT(play_until_it_fails(""), testing::KilledBySignal(SIGABRT),
              std::string{kPlanted} + "(.|\n)*--crash-dir DIR");
}

TEST(CrashFile, WhatIsThereAlreadyIsNotOverwritten) {
  const os::TemporaryFolder folder;
  const std::string path = folder.write("c-crash.tickbox", "precious");
  EXPECT_EXIT(play_until_it_fails(path), testing::KilledBySignal(SIGABRT),
              "cannot create .*file exists");
  EXPECT_EQ(os::text_of(path), "precious");
}

// The room goes on while another thread fails: nobody may read what it is writing.
TEST(CrashFile, AnAssertionOfAnotherThreadLeavesTheRoomAlone) {
  const os::TemporaryFolder folder;
  const std::string path = folder.file("d-crash.tickbox");
  EXPECT_EXIT(
      {
        RecordedMatch played({.tick_rate = 60, .seats = 8, .all_stay = true});
        server::Recorder recorder(played.match(), played.header());
        const server::CrashFile crash_file(path, recorder);
        std::thread([] {
          const bool elsewhere = false;
          TICKBOX_ASSERT(elsewhere);
        }).join();
      },
      testing::KilledBySignal(SIGABRT), "assertion failed: elsewhere");
  EXPECT_FALSE(std::filesystem::exists(path));
}

void other_handler(const char*, const char*, int) {}

TEST(CrashFile, TheHandlerIsTheOneBeforeAgainWhenItIsGone) {
  const AssertHandler before = set_assert_handler(&other_handler);
  {
    RecordedMatch played{{.tick_rate = 60, .seats = 8, .all_stay = true}};
    server::Recorder recorder{played.match(), played.header()};
    const server::CrashFile crash_file{"", recorder};
  }
  EXPECT_EQ(set_assert_handler(before), &other_handler);
}

TEST(CrashFile, AnAssertionWhileItIsWrittenAbortsAtOnce) {
  const os::TemporaryFolder folder;
  const std::string path = folder.file("e-crash.tickbox");
  EXPECT_EXIT(
      {
        RecordedMatch played({.tick_rate = 60, .seats = 8, .all_stay = true});
        server::Recorder recorder(played.match(), played.header());
        const server::CrashFile crash_file(path, recorder);
        const engine::Join join{};
        recorder.stepping({.request = {.joins = {&join, 1}}, .origins = {}});  // to no seat
        const bool first = false;
        TICKBOX_ASSERT(first);
      },
      testing::KilledBySignal(SIGABRT),
      "assertion failed: first(.|\n)*assertion failed: player.seat");
}

}  // namespace
}  // namespace tickbox::tests
