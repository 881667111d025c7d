// A recorded match over a disk on which every call fails once, for a while, or always: whatever
// happens, the file verifies, and shows what it lacks.

#include "core/bytes.h"
#include "os/files/file_sink.h"
#include "tests/support/faulty_disk.h"
#include "tests/support/patience.h"
#include "tests/support/recorded_match.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <optional>

namespace tickbox::tests {
namespace {

using namespace std::chrono_literals;

constexpr const char* kPath = "match.tickbox";
/// Four segments: at 10 Hz a tick is a record, and a keyframe comes every 50.
constexpr std::uint32_t kTicks = 160;

struct Outcome {
  bool opened = false;
  bool closed = false;  ///< without a loss
  std::uint64_t calls = 0;
  os::FileSinkStats sink;
  std::string failure;
  record::LogFileStats writer;
  std::vector<std::byte> file;
};

/// The sink has done what it can for now: written all, or failed.
bool settled(const os::FileSink& sink) {
  const os::FileSinkStats stats = sink.stats();
  return stats.queue_bytes == 0 || stats.degraded;
}

/// Records a whole match, waiting for the disk after each tick, so that call N is nearly always the
/// same. The sink's thread writes what one tick adds with one call or two.
Outcome record_on(FaultyDisk& disk, Duration retry_interval) {
  Outcome outcome;
  auto sink = os::FileSink::create({.path = kPath, .retry_interval = retry_interval}, disk);
  if (!sink) return outcome;
  outcome.opened = true;
  RecordedMatch match;
  Writer writer{**sink, match.header()};
  for (std::uint32_t tick = 0; tick < kTicks; ++tick) {
    match.record(writer, 1);
    EXPECT_TRUE(comes_true([&] { return settled(**sink); }));
  }
  writer.finish();
  outcome.closed = (*sink)->close().has_value();
  outcome.calls = disk.calls();
  outcome.sink = (*sink)->stats();
  outcome.failure = (*sink)->failure();
  outcome.writer = writer.stats();
  outcome.file = disk.bytes(kPath);
  return outcome;
}

/// Checks that the file verifies, and that missing ticks are a gap or an early end in it.
void expect_sound(const Outcome& outcome) {
  const auto reader = record::Reader::open(outcome.file);
  if (!reader) {
    // Nothing of it was ever written: its header is cut, which no damage looks like.
    EXPECT_EQ(reader.error(), record::RecordError::HeaderCut);
    EXPECT_EQ(outcome.sink.bytes_written, 0U);
    return;
  }
  const record::VerifyResult result = verify(outcome.file);
  EXPECT_TRUE(result.held()) << "damages " << result.damages;
  EXPECT_TRUE(result.complete || result.gaps > 0 || result.ends_early);
  EXPECT_TRUE(result.ticks == kTicks || !result.complete);
  if (outcome.closed) {
    EXPECT_EQ(outcome.file.size(), outcome.sink.bytes_written);
    EXPECT_EQ(result.ticks, outcome.writer.ticks_recorded);
    EXPECT_EQ(result.ticks + outcome.writer.ticks_lost, kTicks);
    // Where the disk failed until the end, nobody could write that ticks are missing there.
    EXPECT_LE(result.gaps, outcome.writer.gaps);
    EXPECT_GE(result.gaps + (result.ends_early ? 1 : 0), outcome.writer.gaps);
  } else {
    EXPECT_LE(result.ticks, outcome.writer.ticks_recorded);
  }
}

TEST(DiskFaults, ADiskThatTakesEverythingGetsEverything) {
  for (const std::size_t append_max : {DiskFaults::kUnlimited, 1UL, 7UL, 100UL}) {
    FaultyDisk disk{{.append_max = append_max}};
    const Outcome outcome = record_on(disk, 1h);
    EXPECT_TRUE(outcome.closed);
    EXPECT_EQ(outcome.sink.errors, 0U);
    EXPECT_EQ(outcome.writer.ticks_recorded, kTicks) << append_max;
    expect_sound(outcome);
  }
}

// In each run other calls fail, and soon work again. If the write fails and then the cut,
// nothing may be written behind what is torn.
TEST(DiskFaults, WhicheverCallsFailTheFileHoldsAndTheFaultIsReported) {
  FaultyDisk good;
  const std::uint64_t calls = record_on(good, 1h).calls;
  ASSERT_GT(calls, kTicks);
  std::uint64_t with_gap = 0;
  for (const std::uint64_t in_a_row : {1U, 2U, 3U, 10U}) {
    const std::uint64_t each = in_a_row == 1 ? 60 : 20;
    for (std::uint64_t n = 1; n <= calls; n += n < each || n + each > calls ? 1 : 7) {
      SCOPED_TRACE("calls " + std::to_string(n) + " to " + std::to_string(n + in_a_row - 1));
      FaultyDisk disk{{.fail_from = n, .fail_calls = in_a_row, .code = n % 2 == 0 ? ENOSPC : EIO}};
      const Outcome outcome = record_on(disk, 100us);
      EXPECT_EQ(outcome.opened, n != 1);
      if (!outcome.opened) continue;
      expect_sound(outcome);
      EXPECT_EQ(outcome.sink.errors > 0, outcome.calls >= n);
      EXPECT_LE(outcome.sink.errors, in_a_row);
      EXPECT_NE(outcome.failure.empty(), outcome.sink.errors > 0);
      with_gap += outcome.writer.gaps;
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(with_gap, 0U);
}

// In each run the space ends at another byte, and the disk stays full.
TEST(DiskFaults, AFullDiskKeepsAllThatFitted) {
  FaultyDisk good;
  const std::size_t whole = record_on(good, 1h).file.size();
  for (std::size_t room = 0; room < whole; room += room < 2'000 ? 53 : 997) {
    SCOPED_TRACE("room " + std::to_string(room));
    FaultyDisk disk{{.room = room}};
    const Outcome outcome = record_on(disk, 100us);
    EXPECT_FALSE(outcome.closed);
    EXPECT_TRUE(outcome.sink.degraded);
    EXPECT_LE(outcome.file.size(), room);
    expect_sound(outcome);
    if (HasFailure()) return;
  }
}

TEST(DiskFaults, AfterAFullDiskThereIsAGapAndAKeyframe) {
  FaultyDisk disk{{.room = 6'000}};  // of some 10,000
  auto sink = os::FileSink::create({.path = kPath, .retry_interval = 1ms}, disk);
  ASSERT_TRUE(sink) << sink.error();
  RecordedMatch match;
  Writer writer{**sink, match.header()};
  for (std::uint32_t tick = 0; tick < kTicks; ++tick) {
    match.record(writer, 1);
    ASSERT_TRUE(comes_true([&] { return settled(**sink); }));
  }
  ASSERT_TRUE((*sink)->stats().degraded);
  ASSERT_GT(writer.stats().ticks_lost, 0U);
  EXPECT_TRUE((*sink)->failure().starts_with("cannot write match.tickbox: no space left"))
      << (*sink)->failure();

  disk.set_faults({});
  ASSERT_TRUE(comes_true([&] { return !(*sink)->stats().degraded; }));
  match.record(writer, kTicks);
  writer.finish();
  ASSERT_TRUE((*sink)->close());
  const auto result = verify(disk.bytes(kPath));
  EXPECT_TRUE(result.held());
  EXPECT_EQ(result.gaps, 1U);
  EXPECT_FALSE(result.complete);
  EXPECT_EQ(result.ticks, writer.stats().ticks_recorded);
  EXPECT_EQ(result.ticks + writer.stats().ticks_lost, 2 * kTicks);
}

// The machine stops in the middle of a write: half of a record may stand at the end of the file.
TEST(DiskFaults, ADeathInTheMiddleOfAWriteEndsTheFileEarly) {
  FaultyDisk good;
  const std::uint64_t calls = record_on(good, 1h).calls;
  for (std::uint64_t n = 2; n <= calls; n += 5) {
    SCOPED_TRACE("call " + std::to_string(n));
    FaultyDisk disk{{.die_at = n}};
    const Outcome outcome = record_on(disk, 1h);
    const auto reader = record::Reader::open(outcome.file);
    if (!reader) {
      EXPECT_EQ(reader.error(), record::RecordError::HeaderCut);
      continue;
    }
    const auto result = verify(outcome.file);
    EXPECT_TRUE(result.held());
    EXPECT_EQ(result.gaps, 0U);
    // Each record of this match but a few keyframes is a tick.
    EXPECT_GE(result.ticks + 12, std::min<std::uint64_t>(n, kTicks));
    if (HasFailure()) return;
  }
}

// The disk does not answer during a whole match. The match continues: this thread never waits. What
// the queue cannot hold is a gap.
TEST(DiskFaults, ASlowDiskCostsTheRecordingAloneAndOnlyWhatItsQueueCannotHold) {
  for (const std::size_t queue : {std::size_t{4'000}, os::FileSinkOptions{}.queue_bytes_max}) {
    FaultyDisk disk;
    auto sink = os::FileSink::create({.path = kPath, .queue_bytes_max = queue}, disk);
    ASSERT_TRUE(sink) << sink.error();
    disk.hold();
    RecordedMatch match;
    Writer writer{**sink, match.header()};
    match.record(writer, kTicks);
    EXPECT_GT((*sink)->stats().queue_bytes, 0U);
    EXPECT_LE((*sink)->stats().queue_bytes, queue);
    EXPECT_EQ((*sink)->stats().bytes_written, 0U);
    const bool is_lost = queue == 4'000;
    EXPECT_EQ(writer.stats().ticks_lost > 0, is_lost);
    disk.release();
    ASSERT_TRUE(comes_true([&] { return (*sink)->stats().queue_bytes == 0; }));
    match.record(writer, 20);
    writer.finish();
    ASSERT_TRUE((*sink)->close());
    EXPECT_EQ((*sink)->stats().errors, 0U);
    const auto result = verify(disk.bytes(kPath));
    EXPECT_TRUE(result.held());
    EXPECT_EQ(result.complete, !is_lost);
    EXPECT_EQ(result.gaps, writer.stats().gaps);
    EXPECT_EQ(result.gaps > 0, is_lost);
    EXPECT_EQ(result.ticks, writer.stats().ticks_recorded);
    EXPECT_EQ(result.ticks + writer.stats().ticks_lost, kTicks + 20);
  }
}

}  // namespace
}  // namespace tickbox::tests
