// What a failed assertion leaves alone: files, the rooms of other threads, the handler before. The
// recording that it leaves is tested with a whole server.

#include "server/host/recordings/crash_file.h"

#include "core/assert.h"
#include "games/arena/arena.h"
#include "tests/crash/kept_match.h"
#include "tests/faulty/failing_game.h"
#include "tests/unit/os/temporary_folder.h"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <iterator>
#include <latch>
#include <new>
#include <string>
#include <thread>
#include <vector>

namespace tickbox::tests {
namespace {

constexpr Tick kFails{77};

/// Plays until an assertion fails, with a crash file at `path`.
void play_until_it_fails(const std::string& path) {
  const ChangedGame game{games::arena(), failing_at(kFails)};
  RecordedMatch played{{.tick_rate = 60, .seats = 8, .all_stay = true, .game = &game}};
  server::Recorder recorder{played.match(), played.header()};
  const server::CrashFile crash_file{path, recorder};
  while (true) {
    play_tick(played, recorder);
  }
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

// Before the fix, a server whose admin side ran out of memory left nothing; then the first of
// several shards ended the process while the others wrote.
TEST(CrashFile, MemoryThatRunsOutInAnotherThreadEndsAllRoomsBetweenTheirTicks) {
  const os::TemporaryFolder folder;
  const std::string paths[] = {folder.file("f-crash.tickbox"), folder.file("g-crash.tickbox")};
  std::latch playing{std::ssize(paths)};
  const auto play_shard = [&playing](const std::string& path) {
    RecordedMatch played({.tick_rate = 60, .seats = 8, .all_stay = true});
    server::Recorder recorder(played.match(), played.header());
    const server::CrashFile crash_file(path, recorder);
    play_tick(played, recorder);
    playing.count_down();
    for (;;) {
      play_tick(played, recorder);
      server::CrashFile::end_if_out_of_memory();
    }
  };
  EXPECT_EXIT(
      {
        std::vector<std::jthread> shards;
        for (const std::string& path : paths)
          shards.emplace_back(play_shard, path);
        playing.wait();
        // What `new` calls when it gets no memory.
        shards.emplace_back([] { std::get_new_handler()(); });
        for (;;)
          server::CrashFile::end_if_out_of_memory();  // a shard that has no room
      },
      testing::KilledBySignal(SIGABRT), "there is memory \\(none is left");
  for (const std::string& path : paths) {
    const std::string text = os::text_of(path);
    const auto result = verify(as_bytes_of(text));
    EXPECT_TRUE(result.held()) << path;
    EXPECT_TRUE(result.complete) << path << " is between two ticks";
  }
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
        recorder.stepping({.joins = {&join, 1}}, {});  // to no seat
        const bool first = false;
        TICKBOX_ASSERT(first);
      },
      testing::KilledBySignal(SIGABRT),
      "assertion failed: first(.|\n)*assertion failed: player.seat");
}

}  // namespace
}  // namespace tickbox::tests
