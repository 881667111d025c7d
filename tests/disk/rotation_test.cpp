// A recording that goes on from file to file: each stands alone, none is removed that was not made
// here, and a disk that fails keeps the recording where it is.

#include "os/process/steady_clock.h"
#include "server/host/recording_files.h"
#include "server/host/recording_limit.h"
#include "server/recording/recorder.h"
#include "tests/disk/patience.h"
#include "tests/support/faulty_disk.h"
#include "tests/support/recorded_match.h"
#include "tests/unit/os/temporary_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <string>
#include <thread>
#include <vector>

namespace tickbox::tests {
namespace {

using namespace std::chrono_literals;

/// A calendar that a test moves, and the thread of the files reads.
class TurnedCalendar final : public WallClock {
 public:
  [[nodiscard]] WallTime now() const override {
    return WallTime{std::chrono::milliseconds{milliseconds_.load()}};
  }

  void jump(std::chrono::milliseconds by) { milliseconds_ += by.count(); }

 private:
  std::atomic<std::int64_t> milliseconds_{1'790'000'000'000};
};

constexpr const char* kServer = "arena-1";

/// A room, its recorder and its files, over a disk of the test.
struct Recorded {
  os::TemporaryFolder folder;
  FaultyDisk disk;
  TurnedCalendar calendar;
  os::SystemEntropy entropy;
  RecordedMatch played{{.seats = 8, .all_stay = true}};
  Duration patience = 2s;
  std::unique_ptr<server::RecordingFiles> files;
  std::optional<server::Recorder> recorder;

  /// Ten ticks a second; a file is `ticks` ticks long.
  void open(std::uint32_t ticks, std::uint32_t keep, std::uint64_t bytes = 0) {
    auto opened = server::RecordingFiles::open(
        {.folder = folder.file(""), .keep = keep, .retry_interval = 1ms, .patience = patience},
        {.calendar = calendar, .entropy = entropy, .disk = disk}, played.header());
    ASSERT_TRUE(opened) << opened.error();
    files = *std::move(opened);
    recorder.emplace(files->first(), played.room(),
                     server::Rotation{.store = files.get(), .ticks = ticks, .bytes = bytes});
  }

  /// Ends files at `part` bytes, and limits the folder to `limit` bytes.
  void open_limited(std::uint64_t part, std::uint64_t limit) {
    record::Header header = played.header();
    header.server = record::name_hash(kServer);
    auto opened = server::RecordingFiles::open(
        {.folder = folder.file(""), .bytes_max = limit, .part_bytes = part, .retry_interval = 1ms},
        {.calendar = calendar, .entropy = entropy, .disk = disk}, header);
    ASSERT_TRUE(opened) << opened.error();
    files = *std::move(opened);
    recorder.emplace(files->first(), played.room(),
                     server::Rotation{.store = files.get(), .bytes = part});
  }

  /// Puts a closed recording of `bytes` bytes there that began `before` now.  Returns its path.
  std::string put(std::chrono::hours before, std::size_t bytes, std::string_view server_name) {
    const std::string path =
        folder.file(server::recording_name(calendar.now() - before, played.header().room));
    record::Header header = played.header();
    header.server = server_name.empty() ? 0 : record::name_hash(server_name);
    const auto head = record::encode_header(header);
    std::vector<std::byte> file{head.begin(), head.end()};
    file.resize(std::max(bytes, head.size()));
    disk.put(path, file);
    return path;
  }

  [[nodiscard]] bool has(const std::string& path) const { return !disk.bytes(path).empty(); }

  [[nodiscard]] std::uint64_t bytes_in_folder() const {
    std::uint64_t bytes = 0;
    for (const std::string& path : disk.paths())
      bytes += disk.bytes(path).size();
    return bytes;
  }

  /// Runs until a note begins with each of `prefixes`.  Returns the notes.
  std::vector<std::string> run_until_noted(const std::vector<std::string>& prefixes) {
    std::vector<std::string> lines;
    const auto is_noted = [&](const std::string& prefix) {
      return std::ranges::any_of(lines,
                                 [&](const std::string& line) { return line.starts_with(prefix); });
    };
    EXPECT_TRUE(comes_true([&] {
      run(1);
      for (const auto& note : files->take_notes())
        lines.push_back(note.line);
      return std::ranges::all_of(prefixes, is_noted);
    }));
    return lines;
  }

  void run(int ticks) {
    for (; ticks > 0; --ticks) {
      const auto commands = played.decide();
      played.room().log_commands(commands, played.origins());
      played.room().tick(commands);
      recorder->ticked(played.room());
      calendar.jump(100ms);
    }
  }

  /// Runs until `count` files have been begun.
  void run_until_files(std::size_t count) {
    ASSERT_TRUE(comes_true([&] {
      run(1);
      return disk.paths().size() >= count;
    }));
  }

  void close() {
    recorder->finish();
    const auto closed = files->close();
    EXPECT_TRUE(closed) << closed.error();
  }
};

TEST(Rotation, EachFileStandsAloneAndTogetherTheyLackNothing) {
  Recorded recorded;
  recorded.open(20, 0);
  recorded.run_until_files(6);
  recorded.run(20);
  recorded.close();
  std::uint64_t ticks = 0;
  std::uint32_t part = 0;
  Tick last{0};
  for (const std::string& path : recorded.disk.paths()) {  // by name: in the order of time
    const auto file = recorded.disk.bytes(path);
    const auto reader = record::Reader::open(file);
    ASSERT_TRUE(reader) << path;
    EXPECT_EQ(reader->header().part, part++);
    const auto result = verify(file);
    EXPECT_TRUE(result.complete) << path;
    EXPECT_TRUE(result.held()) << path;
    EXPECT_EQ(result.last_tick.value, last.value + result.ticks) << path;
    last = result.last_tick;
    ticks += result.ticks;
  }
  EXPECT_GE(part, 5U);
  EXPECT_EQ(last, recorded.played.world().tick);
  EXPECT_EQ(ticks, last.value);
  EXPECT_EQ(recorded.recorder->stats().ticks_recorded, ticks);
}

TEST(Rotation, ASizeBeginsANewFileToo) {
  Recorded recorded;
  constexpr std::uint64_t kBytes = 10'000;
  recorded.open(0, 0, kBytes);
  recorded.run_until_files(4);
  recorded.close();
  const auto paths = recorded.disk.paths();
  for (std::size_t i = 0; i + 1 < paths.size(); ++i) {
    const auto file = recorded.disk.bytes(paths[i]);
    EXPECT_GE(file.size(), kBytes);
    EXPECT_TRUE(verify(file).complete);
  }
}

TEST(Rotation, NoTwoFilesHaveTheSameSalt) {
  Recorded recorded;
  recorded.open(5, 0);
  recorded.run_until_files(3);
  recorded.close();
  std::vector<std::array<std::byte, 16>> salts;
  for (const std::string& path : recorded.disk.paths()) {
    const auto file = recorded.disk.bytes(path);
    salts.push_back(record::Reader::open(file).value().header().salt);
  }
  std::ranges::sort(salts);
  EXPECT_EQ(std::ranges::adjacent_find(salts), salts.end());
}

TEST(Rotation, OldFilesGoAndOthersStay) {
  Recorded recorded;
  const std::string foreign = recorded.folder.file("20200101T000000.000Z-room0.tickbox");
  ASSERT_TRUE(recorded.disk.create(foreign));
  recorded.open(5, 2);
  std::vector<std::string> removed;
  ASSERT_TRUE(comes_true([&] {
    recorded.run(1);
    for (const auto& note : recorded.files->take_notes()) {
      if (note.line.starts_with("recording_removed")) removed.push_back(note.line);
    }
    return removed.size() >= 5;
  }));
  recorded.close();
  const auto paths = recorded.disk.paths();
  EXPECT_EQ(paths.front(), foreign);
  EXPECT_LE(paths.size(), 1U + 2U + 2U);  // two kept, the last, and one more on its way out
  EXPECT_TRUE(std::ranges::is_sorted(removed));
  for (std::size_t i = 1; i < paths.size(); ++i) {
    EXPECT_TRUE(verify(recorded.disk.bytes(paths[i])).complete) << paths[i];
  }
}

// The calendar goes back by an hour: names still tell the order.
TEST(Rotation, AFileIsNeverNamedLikeAnotherWhateverTheCalendarDoes) {
  Recorded recorded;
  recorded.open(5, 0);
  const std::string first = recorded.disk.paths().front();
  recorded.calendar.jump(-1h);
  recorded.run_until_files(3);
  recorded.close();
  EXPECT_EQ(recorded.disk.paths().front(), first);
}

TEST(Rotation, WhatHasTheNameAlreadyIsLeftAlone) {
  Recorded recorded;
  const std::string taken =
      recorded.folder.file(server::recording_name(recorded.calendar.now(), 0));
  ASSERT_TRUE(recorded.disk.create(taken));
  recorded.open(0, 0);
  recorded.run(10);
  recorded.close();
  EXPECT_TRUE(recorded.disk.bytes(taken).empty());
  EXPECT_EQ(recorded.disk.paths().size(), 2U);
}

// The next file cannot be made: the present one goes on, and takes no harm.
TEST(Rotation, WhereNoFileCanBeMadeItGoesOnInTheOldOne) {
  Recorded recorded;
  recorded.open(10, 0);
  const std::string first = recorded.disk.paths().front();
  // Only the names that the next file can have are taken, so the disk itself is well.
  std::vector<std::string> in_the_way;
  for (WallTime at = recorded.calendar.now(); at < recorded.calendar.now() + 3s; at += 1ms) {
    const std::string path =
        recorded.folder.file(server::recording_name(at, recorded.played.header().room));
    if (recorded.disk.create(path)) in_the_way.push_back(path);
  }
  ASSERT_TRUE(comes_true([&] {
    if (recorded.played.world().tick < Tick{12}) recorded.run(1);
    return recorded.files->status().degraded;
  }));
  EXPECT_TRUE(recorded.files->status().reason.starts_with("cannot create"))
      << recorded.files->status().reason;
  EXPECT_EQ(recorded.files->status().path, first);
  recorded.run(5);
  for (const std::string& path : in_the_way)
    EXPECT_TRUE(recorded.disk.remove(path));
  ASSERT_TRUE(comes_true([&] { return !recorded.files->status().degraded; }));
  recorded.run_until_files(2);
  recorded.run(10);
  recorded.close();
  EXPECT_GT(recorded.files->status().errors, 0U);
  const auto result = verify(recorded.disk.bytes(first));
  EXPECT_TRUE(result.complete);
  EXPECT_GT(result.ticks, 12U);
  EXPECT_EQ(recorded.recorder->stats().ticks_lost, 0U);
}

// A full disk: no file is begun, none removed, the present one goes on with a gap.
TEST(Rotation, AFullDiskKeepsThePresentFileAndTheOldOnes) {
  Recorded recorded;
  recorded.open(10, 1);
  recorded.run_until_files(2);
  recorded.disk.set_faults({.room = 0});
  ASSERT_TRUE(comes_true([&] {
    recorded.run(1);
    return recorded.files->status().degraded;
  }));
  ASSERT_TRUE(comes_true([&] {
    recorded.run(1);
    return recorded.recorder->stats().ticks_lost > 0;
  }));
  const auto before = recorded.disk.paths();
  recorded.run(50);
  // None goes, and at most the one comes that was asked for before.
  EXPECT_TRUE(std::ranges::includes(recorded.disk.paths(), before));
  EXPECT_LE(recorded.disk.paths().size(), before.size() + 1);
  recorded.disk.set_faults({});
  ASSERT_TRUE(comes_true([&] { return !recorded.files->status().degraded; }));
  recorded.run(60);
  recorded.close();
  std::uint32_t gaps = 0;
  for (const std::string& path : recorded.disk.paths()) {
    const auto result = verify(recorded.disk.bytes(path));
    EXPECT_TRUE(result.held()) << path;
    gaps += result.gaps;
  }
  EXPECT_LE(gaps, 1U);  // it may have been in a file that is removed by now
}

TEST(Rotation, ADiskThatDoesNotAnswerIsToldOfWhileNothingIsLostYet) {
  Recorded recorded;
  recorded.patience = 1ms;
  recorded.open(10'000, 0);
  recorded.run(10);
  recorded.disk.hold();
  ASSERT_TRUE(comes_true([&] {
    recorded.run(1);
    return recorded.files->status().degraded;
  }));
  const server::RecordingStatus status = recorded.files->status();
  EXPECT_TRUE(status.reason.contains("the disk does not answer")) << status.reason;
  EXPECT_TRUE(status.reason.contains(status.path)) << status.reason;
  EXPECT_GT(status.queue_bytes, 0U);
  recorded.disk.release();
  ASSERT_TRUE(comes_true([&] { return !recorded.files->status().degraded; }));
  recorded.close();
  EXPECT_EQ(recorded.recorder->stats().ticks_lost, 0U);
  const auto result = verify(recorded.disk.bytes(status.path));
  EXPECT_TRUE(result.complete && result.held());
}

// Of every kind of call of a rotation, and of all at once: the disk answers none, and the thread
// that ticks goes on, asks how the files do and what there is to log.
TEST(Rotation, ADiskThatAnswersNothingNeverHoldsUpTheThreadThatTicks) {
  using enum DiskCall;
  for (const std::optional<DiskCall> held :
       std::vector<std::optional<DiskCall>>{std::nullopt, Create, Append, Sync, Close, Remove}) {
    SCOPED_TRACE(held ? "calls of kind " + std::to_string(static_cast<int>(*held)) : "all calls");
    Recorded recorded;
    recorded.open(10, 1);
    recorded.run_until_files(2);
    recorded.disk.hold(held);
    std::atomic<int> ticked = 0;
    const auto tick = [&] {
      recorded.run(1);
      (void)recorded.files->status();
      (void)recorded.files->take_notes();
      ++ticked;
    };
    bool waited = false;
    constexpr int kTicks = 100;
    std::atomic<bool> done = false;
    std::jthread ticking{[&] {
      waited = comes_true([&] {
        tick();
        return recorded.disk.waiting() > 0;
      });
      for (int i = 0; i < kTicks; ++i) {
        tick();
      }
      done = true;
    }};
    const bool went_on = comes_true([&] { return done.load(); });
    EXPECT_TRUE(went_on) << "held up in tick " << ticked;
    EXPECT_GT(recorded.disk.waiting(), 0U);
    recorded.disk.release();
    ticking.join();
    EXPECT_TRUE(waited);
    if (HasFailure()) return;
    // And so is the rotation: it goes on as if nothing had been.
    std::uint64_t closed = 0;
    ASSERT_TRUE(comes_true([&] {
      recorded.run(1);
      for (const auto& note : recorded.files->take_notes()) {
        closed += note.line.starts_with("recording_closed") ? 1U : 0U;
      }
      return closed >= 2;
    }));
    recorded.close();
    EXPECT_EQ(recorded.recorder->stats().ticks_lost, 0U);
    EXPECT_EQ(recorded.files->status().errors, 0U);
    for (const std::string& path : recorded.disk.paths()) {
      const auto result = verify(recorded.disk.bytes(path));
      EXPECT_TRUE(result.complete && result.held()) << path;
    }
  }
}

// An old file that cannot be removed is logged, once, and stays; the recording goes on.
TEST(Rotation, AFileThatCannotBeRemovedIsToldOfAndStays) {
  Recorded recorded;
  recorded.open(5, 1);
  recorded.disk.set_faults({.code = EACCES, .always = DiskCall::Remove});
  const std::string first = recorded.disk.paths().front();
  std::vector<std::string> wrong;
  const auto run_until_notes = [&](std::string_view prefix, std::size_t count) {
    std::size_t seen = 0;
    return comes_true([&] {
      recorded.run(1);
      for (const auto& note : recorded.files->take_notes()) {
        if (note.wrong) wrong.push_back(note.line);
        seen += note.line.starts_with(prefix) ? 1U : 0U;
      }
      return seen >= count;
    });
  };
  ASSERT_TRUE(run_until_notes("recording_not_removed", 2));
  EXPECT_EQ(wrong.size(), 2U);
  EXPECT_EQ(wrong.front(), "recording_not_removed path=" + first);
  EXPECT_FALSE(recorded.disk.bytes(first).empty());
  EXPECT_EQ(recorded.files->status().errors, 2U);
  EXPECT_FALSE(recorded.files->status().degraded);

  recorded.disk.set_faults({});
  ASSERT_TRUE(run_until_notes("recording_removed", 2));
  EXPECT_EQ(recorded.disk.paths().front(), first);
  recorded.close();
  EXPECT_EQ(recorded.recorder->stats().ticks_lost, 0U);
  for (const std::string& path : recorded.disk.paths()) {
    EXPECT_TRUE(verify(recorded.disk.bytes(path)).complete) << path;
  }
}

// A server that was restarted removed none of the files of its earlier runs.
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
  for (const std::string& path : recorded.disk.paths()) {
    const auto result = verify(recorded.disk.bytes(path));
    EXPECT_TRUE(result.complete && result.held()) << path;
  }
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
  EXPECT_EQ(recorded.recorder->stats().ticks_lost, 0U);
}

TEST(RecordingLimit, GoesOnWithTheNextFileAfterOneThatItCannotRemove) {
  Recorded recorded;
  const std::string oldest = recorded.put(3h, 40'000, kServer);
  const std::string newer = recorded.put(2h, 40'000, kServer);
  recorded.put(1h, 40'000, kServer);
  recorded.disk.set_faults({.code = EACCES, .always = DiskCall::Remove});
  recorded.open_limited(10'000, 100'000);
  recorded.run_until_noted(
      {"recording_not_removed path=" + oldest, "recording_not_removed path=" + newer});
  recorded.disk.set_faults({});
  recorded.run_until_noted({"recording_removed"});
  recorded.close();
  EXPECT_TRUE(recorded.has(oldest));
  EXPECT_TRUE(recorded.has(newer));
  EXPECT_GE(recorded.files->status().errors, 2U);
}

TEST(RecordingLimit, NeverHoldsUpTheThreadThatTicks) {
  for (const DiskCall held : {DiskCall::List, DiskCall::Read, DiskCall::Remove}) {
    Recorded recorded;
    recorded.put(1h, 200'000, kServer);
    recorded.disk.hold(held);
    recorded.open_limited(10'000, 100'000);
    ASSERT_TRUE(comes_true([&] { return recorded.disk.waiting() > 0; }));
    recorded.run(100);
    EXPECT_GT(recorded.disk.waiting(), 0U);
    recorded.disk.release();
    recorded.close();
    EXPECT_EQ(recorded.recorder->stats().ticks_lost, 0U);
  }
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
