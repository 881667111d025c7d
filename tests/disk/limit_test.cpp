// The limit on a folder of recordings: the oldest closed recordings of this server are removed, and
// nothing else.

#include "server/host/recordings/recording_files.h"
#include "tests/disk/recorded.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <vector>

namespace tickbox::tests {
namespace {

using namespace std::chrono_literals;

// A restarted server also removes files of its earlier runs. Before the fix, it removed none of
// them.
TEST(RecordingLimit, RemovesTheOldestAcrossRestarts) {
  Recorded recorded;
  constexpr std::uint64_t kPart = 10'000;
  constexpr std::uint64_t kLimit = 100'000;
  const std::string oldest = recorded.put(3h, 40'000, kServer);
  const std::string newer = recorded.put(2h, 40'000, kServer);
  const std::string newest = recorded.put(1h, 40'000, kServer);
  recorded.open_limited(kPart, kLimit);
  const auto notes = recorded.run_until_noted({"recording_removed"});
  EXPECT_TRUE(std::ranges::count(notes, "recording_removed path=" + oldest) == 1);
  EXPECT_FALSE(recorded.has(oldest));
  EXPECT_TRUE(recorded.has(newest));
  recorded.run_until_noted({"recording_removed path=" + newer, "recording_removed path=" + newest});
  recorded.run_until_noted({"recording_removed"});  // the first file of this run
  recorded.close();
  // The last files may end some records later than planned.
  EXPECT_LE(recorded.bytes_in_folder(), kLimit + 2 * kPart);
  for (const record::VerifyResult& result : recorded.expect_all_sound())
    EXPECT_TRUE(result.complete);
}

TEST(RecordingLimit, LeavesWhatIsNotAClosedRecordingOfThisServer) {
  Recorded recorded;
  const std::string others = recorded.put(4h, 30'000, "arena-2");
  const std::string unnamed = recorded.put(3h, 30'000, "");
  const std::string text = recorded.folder.file("20200101T000000.000Z-room0.tickbox");
  recorded.disk.put(text, std::vector<std::byte>(1'000));
  const std::string copy = recorded.folder.file("copy.tickbox");
  recorded.disk.put(copy, recorded.disk.bytes(recorded.put(2h, 20'000, kServer)));
  const std::string written = recorded.folder.file("20200101T000000.001Z-room0.tickbox");
  const auto writer = recorded.disk.create(written);
  ASSERT_TRUE(writer && (*writer)->append(recorded.disk.bytes(copy)));
  recorded.open_limited(10'000, 100'000);
  recorded.run_until_noted({"recording_removed", "recording_over_limit"});
  recorded.run_until_noted({"recording_removed"});
  recorded.close();
  for (const std::string& path : {others, unnamed, text, copy, written}) {
    EXPECT_TRUE(recorded.has(path)) << path;
  }
}

TEST(RecordingLimit, ReportsAFolderThatItCannotBringWithinItsLimit) {
  Recorded recorded;
  const std::string others = recorded.put(4h, 200'000, "arena-2");
  recorded.open_limited(10'000, 100'000);
  const auto notes = recorded.run_until_noted({"recording_over_limit path="});
  EXPECT_TRUE(std::ranges::any_of(
      notes, [](const std::string& line) { return line.contains(" limit=100000 "); }));
  for (const std::string& line : recorded.run_until_noted({"recording_removed"})) {
    EXPECT_FALSE(line.starts_with("recording_over_limit")) << "reported again";
  }
  recorded.close();
  EXPECT_TRUE(recorded.has(others));
  EXPECT_EQ(recorded.files->stats().ticks_lost, 0U);
}

// One that cannot be removed is logged once, is not tried again, and costs nothing else.
TEST(RecordingLimit, GoesOnWithTheNextFileAfterOneThatItCannotRemove) {
  Recorded recorded;
  const std::string oldest = recorded.put(3h, 40'000, kServer);
  const std::string newer = recorded.put(2h, 40'000, kServer);
  recorded.put(1h, 40'000, kServer);
  recorded.disk.set_faults({.code = EACCES, .always = DiskCall::Remove});
  recorded.open_limited(10'000, 100'000);
  const auto notes = recorded.run_until_noted(
      {"recording_not_removed path=" + oldest, "recording_not_removed path=" + newer});
  EXPECT_EQ(std::ranges::count(notes, "recording_not_removed path=" + oldest), 1);
  EXPECT_FALSE(recorded.files->status().degraded);
  recorded.disk.set_faults({});
  recorded.run_until_noted({"recording_removed"}, 2);
  recorded.close();
  EXPECT_TRUE(recorded.has(oldest));
  EXPECT_TRUE(recorded.has(newer));
  EXPECT_GE(recorded.files->status().errors, 2U);
  EXPECT_EQ(recorded.files->stats().ticks_lost, 0U);
}

// The list of a server's closed files has those that are still there, of all its rooms.
TEST(RecordingLimit, ListsTheNewestFilesOfThisRunThatItHasNotRemoved) {
  Recorded recorded;
  recorded.open_limited(10'000, 100'000);
  recorded.run_until_noted({"recording_removed"}, 2);
  recorded.close();
  EXPECT_EQ(recorded.kept->closed(), recorded.disk.paths());
  for (int i = 0; i < 1'200; ++i)
    recorded.kept->add_closed(std::to_string(i));
  EXPECT_EQ(recorded.kept->closed().size(), 1'000U);
  EXPECT_EQ(recorded.kept->closed().back(), "1199");
}

TEST(RecordingLimit, KnowsTheNamesOfRecordings) {
  for (const std::int64_t start : {0LL, 1'790'000'000'123LL}) {
    const WallTime at{std::chrono::milliseconds{start}};
    EXPECT_TRUE(server::is_recording_name(server::recording_name(at, 0)));
    EXPECT_TRUE(server::is_recording_name(server::recording_name(at, 12)));
    EXPECT_FALSE(server::is_recording_name(server::recording_name(at, 0, "crash")));
  }
  for (const char* name :
       {"", ".tickbox", "copy.tickbox", "20200101T000000.000Z-room.tickbox",
        "20200101T000000.000Z-room0.tickbox.gz", "20200101T000000.000Z-room0a.tickbox"}) {
    EXPECT_FALSE(server::is_recording_name(name)) << name;
  }
}

}  // namespace
}  // namespace tickbox::tests
