#include "record/copy.h"

#include "record/segments.h"
#include "tests/support/bytes.h"
#include "tests/support/recorded_match.h"
#include "tests/unit/record/forged.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tickbox::record {
namespace {

using tests::Deserted;
using tests::MemorySink;
using tests::pieces;
using tests::RecordedMatch;

struct Copied {
  CopyResult result;
  std::vector<std::byte> bytes;
};

Copied copied(ConstBytes file, const RecordedMatch& match, const CopyRange& range = {}) {
  const Reader reader = Reader::open(file).value();
  Header header = reader.header();
  header.salt[0] ^= std::byte{0xff};
  MemorySink sink;
  Writer writer{sink, header};
  Copied out;
  out.result = copy(seek(reader, range.from), writer, match.game(), match.map(), range);
  out.bytes = std::move(sink.bytes);
  return out;
}

TEST(RecordCopy, OfAWholeRecordingHoldsTheSame) {
  const RecordedMatch match;
  const auto file = tests::small_recording(3, 12);
  const Copied copy = copied(file, match);
  EXPECT_TRUE(copy.result.written);
  EXPECT_EQ(copy.result.ticks, 36U);
  EXPECT_EQ(tests::verify(copy.bytes), tests::verify(file));
}

TEST(RecordCopy, BeginsWithinASegmentByTheWorldOfThatTick) {
  const RecordedMatch match;
  const auto file = tests::small_recording(4, 10);
  for (std::uint32_t from = 0; from <= 40; from += 3) {
    const Copied copy = copied(file, match, {.from = {from}, .to = {from + 15}});
    EXPECT_EQ(copy.result.first, Tick{from});
    const auto result = tests::verify(copy.bytes);
    EXPECT_EQ(result.ticks, std::min(15U, 40 - from)) << from;
    EXPECT_TRUE(result.complete && result.held()) << from;
  }
}

TEST(RecordCopy, OfADamagedOneIsWholeAndHasAGap) {
  const RecordedMatch match;
  auto file = tests::small_recording(4, 10);
  const auto records = pieces(file);
  file[records[15].offset + kRecordHeadBytes] ^= std::byte{1};  // ticks of segment 1
  const auto damaged = tests::verify(file);
  ASSERT_EQ(damaged.damages, 1U);
  const Copied copy = copied(file, match);
  EXPECT_EQ(copy.result.damages, 1U);
  EXPECT_EQ(copy.result.gaps, 1U);
  EXPECT_EQ(copy.result.ticks, damaged.ticks);
  EXPECT_EQ(copy.result.ticks + copy.result.ticks_lost, 40U);
  const auto result = tests::verify(copy.bytes);
  EXPECT_TRUE(result.held());
  EXPECT_EQ(result.gaps, 1U);
  EXPECT_EQ(result.ticks, damaged.ticks);
  EXPECT_EQ(result.last_tick, Tick{40});
}

// The segment after the lost ticks begins behind the range: its ticks do not follow the world
// before them.
TEST(RecordCopy, OfLostTicksAloneIsEmpty) {
  const RecordedMatch match;
  auto file = tests::small_recording(4, 10);
  file[pieces(file)[15].offset + kRecordHeadBytes] ^= std::byte{1};  // tick 14
  for (std::uint32_t from = 14; from <= 18; ++from) {
    const Copied copy = copied(file, match, {.from = {from}, .to = {19}});
    EXPECT_FALSE(copy.result.first) << from;
    EXPECT_FALSE(copy.result.differs) << from;
    EXPECT_EQ(copy.result.damages, 1U) << from;
  }
}

TEST(RecordCopy, OfACutFileEndsCleanly) {
  const RecordedMatch match;
  auto file = tests::small_recording(2, 10);
  file.resize(pieces(file)[17].offset + 9);
  const Copied copy = copied(file, match);
  EXPECT_TRUE(tests::verify(copy.bytes).complete);
  EXPECT_EQ(copy.result.ticks, 15U);
}

TEST(RecordCopy, KeepsTheTickThatNeverEnded) {
  RecordedMatch match;
  MemorySink sink;
  Writer writer{sink, match.header()};
  match.record(writer, 8);
  match.decide();
  const Tick last = match.world().tick + 1;
  ASSERT_TRUE(writer.unfinished(last, match.requested_bytes()));
  const Copied copy = copied(sink.bytes, match);
  EXPECT_TRUE(copy.result.written);
  EXPECT_EQ(tests::verify(copy.bytes).unfinished, last);
}

/// At 10 Hz: nobody is in the room from tick 9 to 31, and a quiet record holds at most ten ticks.
/// The quiet records end with ticks 18, 28 and 31.
const tests::RecordedMatchOptions kDeserted{.all_stay = true,
                                            .deserted = Deserted{.first = {8}, .last = {31}}};
constexpr std::uint32_t kLastTick = 45;

/// The last tick of the quiet record that holds a tick; itself where none does.
std::uint32_t end_of_stretch(std::uint32_t tick) {
  for (const std::uint32_t end : {18U, 28U, 31U}) {
    if (tick >= 9 && tick <= end) return end;
  }
  return tick;
}

// A quiet record has one hash, that of its last tick: what is copied has it at that tick again,
// however the ticks before it are gathered now.
TEST(RecordCopy, BeginsWithinAQuietStretch) {
  const RecordedMatch match;
  const auto file = tests::small_recording(1, kLastTick, kDeserted);
  for (std::uint32_t from = 0; from < kLastTick; ++from) {
    const Copied copy = copied(file, match, {.from = {from}});
    EXPECT_EQ(copy.result.first, Tick{from});
    EXPECT_FALSE(copy.result.differs) << from;
    EXPECT_EQ(copy.result.ticks, kLastTick - from);
    const auto result = tests::verify(copy.bytes);
    EXPECT_EQ(result.ticks, kLastTick - from) << from;
    EXPECT_EQ(result.last_tick, Tick{kLastTick}) << from;
    EXPECT_EQ(result.mismatched, 0U) << from;
    EXPECT_TRUE(result.complete && result.held()) << from;
  }
}

TEST(RecordCopy, EndsWithTheLastTickOfAQuietRecord) {
  const RecordedMatch match;
  const auto file = tests::small_recording(1, kLastTick, kDeserted);
  for (std::uint32_t to = 1; to <= kLastTick; ++to) {
    const Copied copy = copied(file, match, {.to = {to}});
    EXPECT_TRUE(copy.result.written) << to;
    EXPECT_EQ(copy.result.last, Tick{end_of_stretch(to)}) << to;
    const auto result = tests::verify(copy.bytes);
    EXPECT_EQ(result.ticks, end_of_stretch(to)) << to;
    EXPECT_TRUE(result.complete && result.held()) << to;
  }
}

TEST(RecordCopy, OfAPieceOfAQuietRecordGoesOnToItsEnd) {
  const RecordedMatch match;
  const auto file = tests::small_recording(1, kLastTick, kDeserted);
  const Copied copy = copied(file, match, {.from = {21}, .to = {23}});
  EXPECT_EQ(copy.result.first, Tick{21});
  EXPECT_EQ(copy.result.last, Tick{28});
  const auto result = tests::verify(copy.bytes);
  EXPECT_EQ(result.ticks, 7U);
  EXPECT_TRUE(result.complete && result.held());
}

TEST(RecordCopy, KeepsWhatTheTokenOfAJoinSaid) {
  const RecordedMatch match;
  tests::Forged forged;
  const auto join = tests::join_of(20);
  forged.keyframe().add({.type = RecordType::Ticks, .tick = {1}, .count = 1},
                        tests::tick_with(join));
  const Copied copy = copied(forged.bytes(), match);
  EXPECT_EQ(copy.result.ticks, 1U);
  EXPECT_FALSE(std::ranges::search(copy.bytes, join).empty());
}

// Such a tick has a right checksum. A reader without the game cannot tell that it is impossible.
TEST(RecordCopy, LeavesOutTicksThatCannotBe) {
  const RecordedMatch match;
  const auto forge = [](Tick tick, tests::Told& told) {
    if (tick == Tick{14}) told.bytes = tests::bytes({16});
  };
  const auto file = tests::small_recording(3, 10, {.forge = forge});
  const Copied copy = copied(file, match);
  EXPECT_EQ(copy.result.damages, 1U);
  EXPECT_EQ(copy.result.gaps, 1U);
  EXPECT_EQ(copy.result.ticks, 23U);
  EXPECT_EQ(copy.result.ticks_lost, 7U);
  const auto result = tests::verify(copy.bytes);
  EXPECT_TRUE(result.held());
  EXPECT_EQ(result.ticks, 23U);
}

TEST(RecordCopy, GivenUpItHasNoEnd) {
  const RecordedMatch match;
  const auto file = tests::small_recording(4, 10);
  int asked = 0;
  const Copied copy = copied(file, match, {.stopped = [&] { return ++asked > 20; }});
  EXPECT_TRUE(copy.result.interrupted);
  EXPECT_FALSE(copy.result.written);
  EXPECT_GT(copy.result.ticks, 0U);
  EXPECT_LT(copy.result.last, Tick{40});
  EXPECT_FALSE(tests::verify(copy.bytes).complete);
}

}  // namespace
}  // namespace tickbox::record
