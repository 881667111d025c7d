// A recording that goes on from file to file: each file stands alone, no file is removed that was
// not made here, and while a disk fails the recording stays in the present file.

#include "engine/map.h"
#include "record/verify.h"
#include "tests/disk/recorded.h"
#include "tests/support/memory_sink.h"
#include "tests/support/short_match.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace tickbox::tests {
namespace {

using namespace std::chrono_literals;

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

/// Files in memory. next() gives none while `is_full`.
class MemoryStore final : public server::RecordingStore {
 public:
  [[nodiscard]] server::RecordingPart add() {
    return {.sink = files.emplace_back(std::make_unique<MemorySink>()).get(),
            .header = {.tick_rate = 60, .game = "short_match", .simulation = "none"}};
  }

  std::optional<server::RecordingPart> next() override {
    if (is_full) return std::nullopt;
    return add();
  }

  void retire() override {}

  std::vector<std::unique_ptr<MemorySink>> files;
  bool is_full = false;
};

TEST(Rotation, TheEndOfAMatchBeginsANewFileToo) {
  const GameTable& game = short_match();
  match::Match match{game, engine::make_map(game, {.seats = 2}, 60), 60, 1};
  MemoryStore store;
  server::Recorder recorder{store.add(), match, {.store = &store}};
  const auto run = [&](int ticks) {
    for (; ticks > 0; --ticks) {
      match.tick(
          {.opens_match = match.record().closes_match(), .leaves = {}, .joins = {}, .inputs = {}});
      match.write_tick_log({});
      recorder.ticked(match);
    }
  };
  run(59);
  EXPECT_EQ(store.files.size(), 1U);
  run(1);
  EXPECT_EQ(store.files.size(), 2U) << "a match lasts a second";
  run(60);
  EXPECT_EQ(store.files.size(), 2U);
  store.is_full = true;
  run(10);
  EXPECT_EQ(store.files.size(), 2U) << "it goes on in the present file";
  store.is_full = false;
  run(10);
  EXPECT_EQ(store.files.size(), 3U);
  recorder.finish();
  Tick last;
  for (const auto& file : store.files) {
    const auto result =
        record::verify(record::Reader::open(file->bytes).value(), game, match.world().map());
    EXPECT_TRUE(result.held() && result.complete);
    EXPECT_EQ(result.last_tick.value, last.value + result.ticks);
    last = result.last_tick;
  }
  EXPECT_EQ(last, match.world().tick);
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
      if (note.event.name == "recording_removed") removed.push_back(as_text(note.event));
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

// The next file cannot be made: the present one goes on, and stays whole.
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

// A full disk: no file is removed, at most the requested one is begun, and the present one goes on
// with a gap.
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
  // No file is removed, and at most the file is added that was requested before.
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

// The disk does not answer one kind of call of a rotation, or any call. The thread that ticks goes
// on, and still asks for the files' status and for what there is to log.
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
    // The rotation goes on too, as if nothing had happened.
    std::uint64_t closed = 0;
    ASSERT_TRUE(comes_true([&] {
      recorded.run(1);
      for (const auto& note : recorded.files->take_notes()) {
        closed += note.event.name == "recording_closed" ? 1U : 0U;
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
        if (note.wrong) wrong.push_back(as_text(note.event));
        seen += note.event.name == prefix ? 1U : 0U;
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

}  // namespace
}  // namespace tickbox::tests
