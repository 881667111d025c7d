// A recording that goes on from file to file: each file stands alone, no file is removed that was
// not made here, and while a disk fails the recording stays in the present file.

#include "record/segments.h"
#include "tests/disk/recorded.h"
#include "tests/support/short_match.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace tickbox::tests::rotation_test {
namespace {

using namespace std::chrono_literals;

// All files have one salt: their segments differ by number, so an old block on the disk is not
// valid in a newer file.
TEST(Rotation, EachFileStandsAloneAndTogetherTheyLackNothing) {
  for (const auto& options :
       std::vector<server::RecordingFilesOptions>{{.part_bytes = 10'000}, {.part_ticks = 20}}) {
    Recorded recorded;
    recorded.open(options);
    recorded.run_until_files(7);
    recorded.close();
    const auto results = recorded.expect_all_sound();
    const auto paths = recorded.disk.paths();  // by name: in the order of time
    ASSERT_GE(paths.size(), 6U);
    ASSERT_EQ(results.size(), paths.size());
    std::uint32_t next_segment = 0;
    Tick last{0};
    for (std::size_t i = 0; i < paths.size(); ++i) {
      SCOPED_TRACE(paths[i]);
      const auto file = recorded.disk.bytes(paths[i]);
      const auto reader = record::Reader::open(file).value();
      EXPECT_EQ(reader.header().part, i);
      EXPECT_EQ(reader.header().salt, recorded.played.header().salt);
      EXPECT_GE(reader.first_segment(), next_segment);
      next_segment = record::segments_of(reader).trailer.value().end_segment;
      EXPECT_GT(next_segment, reader.header().first_segment);
      EXPECT_TRUE(results[i].complete);
      EXPECT_EQ(results[i].last_tick, last + static_cast<std::uint32_t>(results[i].ticks));
      last = results[i].last_tick;
      const bool is_last = i + 1 == paths.size();
      EXPECT_TRUE(is_last ||
                  (file.size() >= options.part_bytes && results[i].ticks >= options.part_ticks));
    }
    EXPECT_EQ(last, recorded.played.world().tick);
    EXPECT_EQ(recorded.files->stats().ticks_recorded, last.value);
  }
}

TEST(Rotation, TheEndOfAMatchBeginsANewFileToo) {
  Recorded recorded{{.tick_rate = 60, .seats = 2, .game = &short_match()}};
  recorded.open({});
  recorded.run(59);
  EXPECT_EQ(recorded.disk.paths().size(), 1U);
  recorded.run(1);
  EXPECT_TRUE(comes_true([&] { return recorded.disk.paths().size() == 2; })) << "a match ends";
  recorded.run(50);
  EXPECT_EQ(recorded.disk.paths().size(), 2U) << "the next has not ended yet";
  recorded.run_until_files(4);
  recorded.close();
  Tick last;
  for (const record::VerifyResult& result : recorded.expect_all_sound()) {
    EXPECT_TRUE(result.complete);
    EXPECT_EQ(result.last_tick.value, last.value + result.ticks);
    last = result.last_tick;
  }
  EXPECT_EQ(last, recorded.played.world().tick);
}

// The calendar goes back by an hour: names still tell the order.
TEST(Rotation, AFileIsNeverNamedLikeAnotherWhateverTheCalendarDoes) {
  Recorded recorded;
  recorded.open({.part_ticks = 5});
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
  recorded.open({});
  recorded.run(10);
  recorded.close();
  EXPECT_TRUE(recorded.disk.bytes(taken).empty());
  EXPECT_EQ(recorded.disk.paths().size(), 2U);
}

// The page is beside the recordings once, and neither a limit nor the removal of old files takes it
// for a recording.
TEST(Rotation, ThePageIsWrittenOnceAndStays) {
  Recorded recorded;
  const std::string path = recorded.folder.file("view-arena-00ff.html");
  const std::string page(150'000, 'p');
  constexpr std::uint64_t kLimit = 100'000;
  const server::RecordingFilesOptions options{
      .part_bytes = 10'000, .page_name = "view-arena-00ff.html", .page = page};
  recorded.open(options, kLimit);
  const auto notes =
      recorded.run_until_noted({"view_page_written path=" + path, "recording_removed"});
  EXPECT_TRUE(std::ranges::none_of(
      notes, [](const std::string& line) { return line.starts_with("recording_over_limit"); }));
  recorded.close();
  EXPECT_TRUE(std::ranges::equal(recorded.disk.bytes(path), as_bytes_of(page)));

  // The one that is there stays.
  recorded.open(options, kLimit);
  for (const std::string& line : recorded.run_until_noted({"recording_removed"})) {
    EXPECT_FALSE(line.starts_with("view_page")) << line;
  }
  recorded.close();

  // A server that was killed has left the beginning of one.
  recorded.disk.put(path, std::vector<std::byte>(10));
  recorded.open(options, kLimit);
  recorded.run_until_noted({"view_page_written path=" + path});
  recorded.close();
  EXPECT_TRUE(std::ranges::equal(recorded.disk.bytes(path), as_bytes_of(page)));
}

TEST(Rotation, APageThatDoesNotFitIsRemovedAndCostsNothingElse) {
  Recorded recorded;
  const std::string page(150'000, 'p');
  recorded.disk.set_faults({.room = 100'000});
  recorded.open({.page_name = "view-arena-00ff.html", .page = page});
  recorded.run_until_noted({"view_page_failed path="});
  recorded.run(20);
  recorded.close();
  EXPECT_FALSE(recorded.has(recorded.folder.file("view-arena-00ff.html")));
  for (const record::VerifyResult& result : recorded.expect_all_sound())
    EXPECT_EQ(result.mismatched, 0U);
}

// The next file cannot be made: the present one goes on, and stays whole.
TEST(Rotation, WhereNoFileCanBeMadeItGoesOnInTheOldOne) {
  Recorded recorded;
  recorded.open({.part_ticks = 10});
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
  ASSERT_TRUE(comes_true([&] {
    recorded.run(1);
    return !recorded.files->status().degraded;
  }));
  recorded.run_until_files(2);
  recorded.run(10);
  recorded.close();
  EXPECT_GT(recorded.files->status().errors, 0U);
  const auto result = verify(recorded.disk.bytes(first));
  EXPECT_TRUE(result.complete);
  EXPECT_GT(result.ticks, 12U);
  EXPECT_EQ(recorded.files->stats().ticks_lost, 0U);
}

// In each run other calls fail, of the files and between them, and soon work again.
TEST(Rotation, WhicheverCallsFailTheFilesHoldAndTheFaultIsMetered) {
  std::uint64_t lost = 0;
  for (std::uint64_t n = 2; n < 120; ++n) {
    SCOPED_TRACE("from call " + std::to_string(n));
    Recorded recorded;
    recorded.disk.set_faults({.fail_from = n, .fail_calls = n % 3 + 1, .code = EIO});
    recorded.open({.part_ticks = 10});
    for (int tick = 0; tick < 100; ++tick) {
      recorded.run(1);
      EXPECT_TRUE(comes_true([&] {
        const server::RecordingStatus status = recorded.files->status();
        return status.queue_bytes == 0 || status.degraded;
      }));
    }
    recorded.recorder->finish();
    recorded.files->finish();
    const bool is_whole = recorded.files->close().has_value();
    EXPECT_GT(recorded.files->status().errors, 0U);
    const record::LogFileStats stats = recorded.files->stats();
    std::uint64_t ticks = 0;
    for (const record::VerifyResult& result : recorded.expect_all_sound())
      ticks += result.ticks;
    EXPECT_EQ(stats.ticks_recorded + stats.ticks_lost, 100U);
    EXPECT_TRUE(is_whole ? ticks == stats.ticks_recorded : ticks <= stats.ticks_recorded) << ticks;
    lost += stats.ticks_lost;
    if (HasFailure()) return;
  }
  EXPECT_GT(lost, 0U);
}

// A full disk: no file is removed, at most the requested one is begun, and the present one goes on
// with a gap.
TEST(Rotation, AFullDiskKeepsThePresentFileAndTheOldOnes) {
  Recorded recorded;
  recorded.put(1h, 50'000, kServer);
  recorded.open({.part_bytes = 10'000}, 70'000);
  recorded.run_until_files(3);
  recorded.disk.set_faults({.room = 0});
  ASSERT_TRUE(comes_true([&] {
    recorded.run(1);
    return recorded.files->status().degraded;
  }));
  ASSERT_TRUE(comes_true([&] {
    recorded.run(1);
    return recorded.files->stats().ticks_lost > 0;
  }));
  EXPECT_FALSE(recorded.files->wants_segment()) << "the disk would refuse it too";
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
  for (const record::VerifyResult& result : recorded.expect_all_sound())
    gaps += result.gaps;
  EXPECT_LE(gaps, 1U);  // it may have been in a file that is removed by now
}

TEST(Rotation, ADiskThatDoesNotAnswerIsToldOfWhileNothingIsLostYet) {
  Recorded recorded;
  recorded.open({.patience = 1ms});
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
  EXPECT_EQ(recorded.files->stats().ticks_lost, 0U);
  const auto result = verify(recorded.disk.bytes(status.path));
  EXPECT_TRUE(result.complete && result.held());
}

// The disk does not answer one kind of call of a rotation, or any call. The thread that ticks goes
// on, and still asks for the files' status and for what there is to log.
TEST(Rotation, ADiskThatAnswersNothingNeverHoldsUpTheThreadThatTicks) {
  using enum DiskCall;
  for (const std::optional<DiskCall> held : std::vector<std::optional<DiskCall>>{
           std::nullopt, Create, Append, Sync, Close, List, Read, Remove}) {
    SCOPED_TRACE(held ? "calls of kind " + std::to_string(static_cast<int>(*held)) : "all calls");
    Recorded recorded;
    recorded.open({.part_ticks = 10}, 5'000);
    recorded.run_until_files(2);
    recorded.disk.hold(held);
    std::atomic<int> ticked = 0;
    const auto tick = [&] {
      recorded.run(1);
      (void)recorded.files->status();
      (void)recorded.files->consume_notes();
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
    recorded.run_until_noted({"recording_closed"}, 2);
    recorded.close();
    EXPECT_EQ(recorded.files->stats().ticks_lost, 0U);
    EXPECT_EQ(recorded.files->status().errors, 0U);
    for (const record::VerifyResult& result : recorded.expect_all_sound())
      EXPECT_TRUE(result.complete);
  }
}

}  // namespace
}  // namespace tickbox::tests::rotation_test
