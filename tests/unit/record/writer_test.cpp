#include "record/writer.h"

#include "engine/keyframe.h"
#include "engine/log/tick_log.h"
#include "record/trailer.h"
#include "tests/support/allocations.h"
#include "tests/support/recorded_match.h"
#include "tests/unit/record/walk.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace tickbox::record {
namespace {

using tests::Deserted;
using tests::MemorySink;
using tests::pieces;
using tests::RecordedMatch;

TEST(RecordWriter, GathersATenthOfASecondPerRecord) {
  RecordedMatch match{{.tick_rate = 60}};
  MemorySink sink;
  Writer writer{sink, match.header()};
  match.record(writer, 6 * 4 + 5);
  ASSERT_EQ(sink.writes, 1U + 1U + 4U);  // file header, keyframe, four batches of six
  writer.finish();
  const auto found = pieces(sink.bytes);
  ASSERT_EQ(found.size(), 7U);
  EXPECT_EQ(found[0].head.type, RecordType::Keyframe);
  EXPECT_EQ(found[4].head.count, 6U);
  EXPECT_EQ(found[4].head.tick, Tick{19});
  EXPECT_EQ(found[5].head.count, 5U);  // what was left at the end
  EXPECT_EQ(found[6].head.type, RecordType::Trailer);
  EXPECT_EQ(found[6].head.tick, Tick{29});
  EXPECT_EQ(found.back().end(), sink.bytes.size());
}

TEST(RecordWriter, AsksForAKeyframeEveryFiveSeconds) {
  RecordedMatch match{{.tick_rate = 60}};
  MemorySink sink;
  Writer writer{sink, match.header()};
  EXPECT_TRUE(writer.needs_keyframe());
  match.record(writer, 901);
  writer.finish();
  std::vector<std::uint32_t> ticks;
  for (const auto& piece : pieces(sink.bytes)) {
    if (piece.head.type == RecordType::Keyframe) {
      ticks.push_back(piece.head.tick.value);
    }
  }
  EXPECT_EQ(ticks, (std::vector<std::uint32_t>{0, 300, 600, 900}));
  EXPECT_EQ(writer.stats().keyframes, 4U);
  EXPECT_EQ(writer.stats().ticks_recorded, 901U);
  EXPECT_EQ(writer.stats().ticks_lost, 0U);
  EXPECT_EQ(writer.stats().bytes, sink.bytes.size());
}

TEST(RecordWriter, MayBeginInTheMiddleOfAMatch) {
  RecordedMatch match;
  for (int i = 0; i < 25; ++i) {
    match.step();
  }
  MemorySink sink;
  Writer writer{sink, match.header()};
  match.record(writer, 10);
  EXPECT_TRUE(writer.finish());
  const auto result = tests::verify(sink.bytes);
  EXPECT_EQ(result.ticks, 10U);
  EXPECT_EQ(result.mismatched, 0U);
  EXPECT_TRUE(result.complete);
}

TEST(RecordWriter, GoesOnWithAGapAndAKeyframeAfterARefusal) {
  RecordedMatch match;
  MemorySink sink;
  Writer writer{sink, match.header()};
  match.record(writer, 20);
  sink.room = 0;
  match.record(writer, 7);
  sink.room = SIZE_MAX;
  match.record(writer, 30);
  EXPECT_TRUE(writer.finish());

  EXPECT_EQ(writer.stats().gaps, 1U);
  EXPECT_GT(writer.stats().records_refused, 0U);
  EXPECT_EQ(writer.stats().ticks_recorded + writer.stats().ticks_lost, 57U);
  EXPECT_LE(writer.stats().ticks_lost, 9U);  // the seven, and those until the next attempt

  std::uint32_t gaps = 0;
  auto reader = Reader::open(sink.bytes).value();
  for (auto item = reader.next(); item != Reader::Item::Finished; item = reader.next()) {
    EXPECT_NE(item, Reader::Item::Damage);
    gaps += item == Reader::Item::Keyframe && reader.keyframe().gap_before ? 1U : 0U;
  }
  EXPECT_EQ(gaps, 1U);

  const auto result = tests::verify(sink.bytes);
  EXPECT_EQ(result.ticks, writer.stats().ticks_recorded);
  EXPECT_EQ(result.mismatched, 0U);
  EXPECT_EQ(result.damages, 0U);
  EXPECT_EQ(result.gaps, 1U);
  EXPECT_FALSE(result.complete);
}

TEST(RecordWriter, WritesTheHeaderLateWhenItWasRefusedFirst) {
  RecordedMatch match;
  MemorySink sink;
  sink.room = 0;
  Writer writer{sink, match.header()};
  match.record(writer, 12);
  EXPECT_TRUE(sink.bytes.empty());
  sink.room = SIZE_MAX;
  match.record(writer, 12);
  EXPECT_TRUE(writer.finish());
  const auto result = tests::verify(sink.bytes);
  EXPECT_EQ(result.ticks, writer.stats().ticks_recorded);
  EXPECT_GE(result.ticks, 11U);
  EXPECT_EQ(result.mismatched, 0U);
  EXPECT_EQ(result.gaps, 1U) << "what it lacks at its beginning is a gap";
  EXPECT_FALSE(result.complete);
}

TEST(RecordWriter, SaysInTheTrailerWhenTheLastTicksAreMissing) {
  RecordedMatch match;
  MemorySink sink;
  Writer writer{sink, match.header()};
  match.record(writer, 10);
  sink.room = 0;
  match.record(writer, 3);
  sink.room = SIZE_MAX;
  EXPECT_TRUE(writer.finish());
  const auto result = tests::verify(sink.bytes);
  EXPECT_EQ(result.ticks, 10U);
  EXPECT_EQ(result.last_tick, Tick{10});
  EXPECT_EQ(result.gaps, 1U);
  EXPECT_TRUE(result.held());
  EXPECT_FALSE(result.complete);
}

// A sink that refuses at random: whatever it took is a readable recording without damage.
TEST(RecordWriter, LeavesAReadableRecordingWhateverIsRefused) {
  for (std::uint64_t seed = 1; seed <= 32; ++seed) {
    RecordedMatch match{{.seed = seed}};
    MemorySink sink;
    Rng rng{seed};
    Writer writer{sink, match.header()};
    for (int i = 0; i < 120; ++i) {
      match.record(writer, 1);
      if (rng.chance(1, 8)) {
        sink.room = 0;
      } else if (rng.chance(1, 3)) {
        sink.room = SIZE_MAX;
      }
    }
    sink.room = SIZE_MAX;
    EXPECT_TRUE(writer.finish());
    const auto result = tests::verify(sink.bytes);
    EXPECT_EQ(result.ticks, writer.stats().ticks_recorded) << "seed " << seed;
    EXPECT_EQ(result.gaps, writer.stats().gaps) << "seed " << seed;
    EXPECT_EQ(result.segments_whole, writer.stats().keyframes) << "seed " << seed;
    EXPECT_TRUE(result.held()) << "seed " << seed;
  }
}

TEST(RecordWriter, TellsTheTrailerWhereEveryKeyframeIs) {
  const auto file = tests::small_recording(5, 7);
  auto reader = Reader::open(file).value();
  while (reader.next() != Reader::Item::Trailer) {
  }
  std::vector<KeyframePlace> places;
  for (const auto& piece : pieces(file)) {
    if (piece.head.type == RecordType::Keyframe) {
      places.push_back(
          {.offset = piece.offset, .tick = piece.head.tick, .segment = piece.head.count});
    }
  }
  EXPECT_EQ(places.size(), 5U);
  EXPECT_EQ(reader.trailer().index, places);
}

TEST(RecordWriter, KeepsTheIndexOfALongRecordingBounded) {
  RecordedMatch match{{.seats = 1}};
  MemorySink sink;
  Writer writer{sink, match.header()};
  constexpr auto kKeyframes = static_cast<std::uint32_t>(2 * kIndexEntriesMax + 10);
  for (std::uint32_t i = 0; i < kKeyframes; ++i) {
    match.keyframe(writer);
  }
  ASSERT_TRUE(writer.finish());
  auto reader = Reader::open(sink.bytes).value();
  while (reader.next() == Reader::Item::Keyframe) {
  }
  const auto& index = reader.trailer().index;
  ASSERT_GE(index.size(), kIndexEntriesMax / 2);
  ASSERT_LT(index.size(), kIndexEntriesMax);
  for (std::size_t i = 0; i < index.size(); ++i) {
    EXPECT_EQ(index[i].segment, 4 * i);
    const auto head = load_head(ConstBytes{sink.bytes}.subspan(index[i].offset));
    EXPECT_TRUE(head && head->type == RecordType::Keyframe && head->count == index[i].segment);
  }
  EXPECT_GT(index.back().segment + 4, kKeyframes - 1);
}

TEST(RecordWriter, EndsWithATickWhoseStepNeverEnded) {
  RecordedMatch match{{.tick_rate = 60}};
  MemorySink sink;
  Writer writer{sink, match.header()};
  match.record(writer, 20);  // two of them wait for their batch to be full
  const auto decided = match.decide();
  ASSERT_FALSE(decided.request.inputs.empty());
  const auto requested = match.requested_bytes();
  EXPECT_TRUE(writer.unfinished(Tick{21}, requested));
  const auto found = pieces(sink.bytes);
  EXPECT_EQ(found.back().head, (RecordHead{.payload_bytes = found.back().head.payload_bytes,
                                           .type = RecordType::Unfinished,
                                           .tick = {21},
                                           .count = 1}));
  auto reader = Reader::open(sink.bytes).value();
  while (reader.next() != Reader::Item::Unfinished) {
  }
  EXPECT_EQ(reader.unfinished().tick, Tick{21});
  EXPECT_TRUE(std::ranges::equal(reader.unfinished().bytes, requested));
  EXPECT_EQ(reader.next(), Reader::Item::Finished);
  const auto result = tests::verify(sink.bytes);
  EXPECT_EQ(result.ticks, 20U);
  EXPECT_EQ(result.unfinished, Tick{21});
  EXPECT_TRUE(result.held());
  EXPECT_FALSE(result.complete);
  EXPECT_FALSE(result.ends_early);
}

TEST(RecordWriter, WritesNothingUnfinishedBehindLostTicks) {
  RecordedMatch match;
  MemorySink sink;
  Writer writer{sink, match.header()};
  match.record(writer, 4);
  sink.room = 0;
  match.record(writer, 1);
  sink.room = SIZE_MAX;
  match.decide();
  EXPECT_FALSE(writer.unfinished(match.world().tick + 1, match.requested_bytes()));
  EXPECT_EQ(tests::walk(sink.bytes),
            (tests::Walk{.keyframes = 1, .ticks = 4, .ends_early = true, .last_tick = {4}}));
}

// Stretches that nothing enters, in a room that nobody is in.

using Stretches = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

/// The first and the last tick of each quiet record.
Stretches quiet_stretches(ConstBytes file) {
  Stretches stretches;
  for (const auto& piece : pieces(file)) {
    if (piece.head.type != RecordType::Quiet) continue;
    EXPECT_EQ(piece.head.payload_bytes, 8U) << "the hash after its last tick";
    const std::uint32_t first = piece.head.tick.value;
    stretches.emplace_back(first, first + piece.head.count - 1);
  }
  return stretches;
}

TEST(RecordWriter, WritesOneHashASecondOfADesertedRoom) {
  RecordedMatch match{{.tick_rate = 60, .deserted = Deserted{.first = {1}, .last = {1'000'000}}}};
  MemorySink sink;
  Writer writer{sink, match.header()};
  match.record(writer, 290);
  EXPECT_EQ(quiet_stretches(sink.bytes), (Stretches{{1, 60}, {61, 120}, {121, 180}, {181, 240}}))
      << "the rest waits for its second";
  ASSERT_TRUE(writer.finish());
  EXPECT_EQ(quiet_stretches(sink.bytes).back(), (std::pair{241U, 290U}));
  EXPECT_EQ(writer.stats().ticks_recorded, 290U);
  const auto result = tests::verify(sink.bytes);
  EXPECT_EQ(result.ticks, 290U);
  EXPECT_TRUE(result.held() && result.complete);
}

TEST(RecordWriter, TakesNextToNothingForAMinuteOfADesertedRoom) {
  RecordedMatch match{{.deserted = Deserted{.first = {1}, .last = {1'000'000}}}};
  MemorySink sink;
  Writer writer{sink, match.header()};
  constexpr std::uint32_t kMinute = 60 * tests::kMatchTickRate;
  match.record(writer, kMinute);
  const std::size_t minute = sink.bytes.size();
  match.record(writer, kMinute);
  // A second takes 36 bytes. The minute has one keyframe; the limit leaves space for twelve.
  constexpr std::size_t kQuietRecord = kRecordHeadBytes + 8 + kChecksumBytes;
  static_assert(kQuietRecord == 36);
  EXPECT_GE(sink.bytes.size() - minute, 60 * kQuietRecord);
  EXPECT_LE(sink.bytes.size() - minute, 60 * kQuietRecord + 12 * 512);
}

struct TickRecord {
  RecordType type;
  std::uint32_t tick;
  std::uint32_t count;

  friend bool operator==(const TickRecord&, const TickRecord&) = default;
};

// At 60 Hz a batch has 6 ticks. Everybody leaves in tick 10, and comes back in tick 30.
TEST(RecordWriter, EndsAQuietStretchWhereSomebodyJoins) {
  RecordedMatch match{
      {.tick_rate = 60, .all_stay = true, .deserted = Deserted{.first = {10}, .last = {29}}}};
  MemorySink sink;
  Writer writer{sink, match.header()};
  match.record(writer, 40);
  ASSERT_TRUE(writer.finish());
  std::vector<TickRecord> records;
  for (const auto& piece : pieces(sink.bytes)) {
    if (!tests::holds_ticks(piece.head.type) || piece.head.tick < Tick{7}) continue;
    records.push_back({piece.head.type, piece.head.tick.value, piece.head.count});
  }
  EXPECT_EQ(records, (std::vector<TickRecord>{{RecordType::Ticks, 7, 4},
                                              {RecordType::Quiet, 11, 19},
                                              {RecordType::Ticks, 30, 6},
                                              {RecordType::Ticks, 36, 5}}));
  EXPECT_TRUE(tests::verify(sink.bytes).complete && tests::verify(sink.bytes).held());
}

TEST(RecordWriter, EndsAQuietStretchWhereAKeyframeStands) {
  RecordedMatch match{{.deserted = Deserted{.first = {1}, .last = {1'000}}}};
  MemorySink sink;
  Writer writer{sink, match.header()};
  match.record(writer, 7);
  match.keyframe(writer);
  match.record(writer, 12);
  ASSERT_TRUE(writer.finish());
  EXPECT_EQ(quiet_stretches(sink.bytes), (Stretches{{1, 7}, {8, 17}, {18, 19}}));
  EXPECT_TRUE(tests::verify(sink.bytes).held());
}

TEST(RecordWriter, LosesAQuietStretchThatIsRefusedWhole) {
  RecordedMatch match{{.deserted = Deserted{.first = {1}, .last = {1'000}}}};
  MemorySink sink;
  Writer writer{sink, match.header()};
  match.record(writer, 15);
  sink.room = 0;
  match.record(writer, 5);
  sink.room = SIZE_MAX;
  EXPECT_EQ(writer.stats().ticks_lost, 10U);
  match.record(writer, 20);
  ASSERT_TRUE(writer.finish());
  const auto result = tests::verify(sink.bytes);
  EXPECT_TRUE(result.held());
  EXPECT_EQ(result.gaps, 1U);
  EXPECT_EQ(result.ticks, writer.stats().ticks_recorded);
}

TEST(RecordWriter, EndsWithATickWhoseStepNeverEndedInADesertedRoom) {
  RecordedMatch match{{.deserted = Deserted{.first = {1}, .last = {1'000}}}};
  MemorySink sink;
  Writer writer{sink, match.header()};
  match.record(writer, 14);
  match.decide();
  const Tick last = match.world().tick + 1;
  EXPECT_TRUE(writer.unfinished(last, match.requested_bytes()));
  EXPECT_EQ(pieces(sink.bytes).back().head.payload_bytes, 0U);
  const auto result = tests::verify(sink.bytes, {.step_unfinished = true});
  EXPECT_EQ(result.ticks, 14U);
  EXPECT_EQ(result.unfinished, last);
  EXPECT_TRUE(result.held());
}

/// Counts, and keeps nothing.
class CountingSink final : public ByteSink {
 public:
  bool write(ConstBytes record) override {
    bytes += record.size();
    return true;
  }

  std::uint64_t bytes = 0;
};

/// The ticks of a match as their log has them, and its last world.
struct Logged {
  struct Entry {
    std::vector<std::byte> bytes;
    std::uint64_t state_hash = 0;
    bool is_quiet = false;
  };

  std::vector<Entry> ticks;
  std::vector<std::byte> keyframe;
};

Logged logged(RecordedMatch& match, std::uint32_t ticks) {
  Logged all;
  for (; ticks > 0; --ticks) {
    match.step();
    const engine::TickEntry entry = match.match().tick_entry();
    all.ticks.push_back({.bytes = {entry.bytes.begin(), entry.bytes.end()},
                         .state_hash = entry.state_hash,
                         .is_quiet = entry.is_quiet});
  }
  all.keyframe = match.keyframe();
  return all;
}

TEST(RecordWriter, BeginsARecordEarlyWhereTheNextTickDoesNotFit) {
  const RecordedMatch match{{.tick_rate = 60}};
  MemorySink sink;
  Writer writer{sink, match.header()};
  match.keyframe(writer);
  const std::vector<std::byte> bytes(kPayloadBytesMax * 2 / 5);
  for (std::uint32_t tick = 1; tick <= 4; ++tick) {
    writer.tick({.tick = {tick}, .bytes = bytes, .state_hash = 0});
  }
  EXPECT_TRUE(writer.finish());
  std::vector<std::uint32_t> counts;
  for (const auto& piece : pieces(sink.bytes)) {
    if (piece.head.type == RecordType::Ticks) counts.push_back(piece.head.count);
  }
  EXPECT_EQ(counts, (std::vector<std::uint32_t>{2, 2}));
}

TEST(RecordWriter, DoesNotAllocateOnceWarm) {
  for (const Compression compression : {Compression::Zstd, Compression::None}) {
    RecordedMatch match{{.tick_rate = 60, .seats = 32}};
    CountingSink sink;
    Writer writer{sink,
                  match.header(),
                  {.compression = compression,
                   .keyframe_bytes = engine::keyframe_bytes_of(match.world()),
                   .tick_bytes = engine::tick_bytes_of(match.game(), 32)}};
    match.record(writer, 60);
    // Played beforehand, so that only the writer is at work.
    const Logged played = logged(match, 720);
    Tick tick{60};
    std::uint64_t keyframes = 0;
    const std::uint64_t before = tests::allocations();
    const std::uint64_t bytes_before = sink.bytes;
    for (const Logged::Entry& entry : played.ticks) {
      tick = tick + 1;
      writer.tick({.tick = tick,
                   .bytes = entry.bytes,
                   .state_hash = entry.state_hash,
                   .is_quiet = entry.is_quiet});
      if (writer.needs_keyframe()) {
        writer.keyframe(tick, played.keyframe);
        ++keyframes;
      }
    }
    EXPECT_EQ(tests::allocations() - before, 0U);
    EXPECT_EQ(keyframes, 2U);
    EXPECT_GT(sink.bytes, bytes_before);
  }
}

TEST(RecordWriter, CompressesItsKeyframesUnlessToldNotTo) {
  const auto small = tests::small_recording(3, 5, {.seats = 64});
  const auto large = tests::small_recording(3, 5, {.seats = 64}, Compression::None);
  const auto keyframe_bytes = [](ConstBytes file, std::uint16_t flags) {
    std::size_t bytes = 0;
    for (const auto& piece : pieces(file)) {
      if (piece.head.type != RecordType::Keyframe) continue;
      EXPECT_EQ(piece.head.flags, flags);
      bytes += piece.head.payload_bytes;
    }
    return bytes;
  };
  EXPECT_LT(keyframe_bytes(small, kFlagCompressed), keyframe_bytes(large, 0));
  EXPECT_EQ(tests::verify(small), tests::verify(large));
}

TEST(RecordWriter, CopiesTheHeaderIntoTheKeyframesOfSomeSegments) {
  const auto file = tests::small_recording(7, 2);
  const auto header = encode_header(RecordedMatch{}.header());
  std::vector<std::uint32_t> carrying;
  for (const auto& piece : pieces(file)) {
    if (piece.head.type != RecordType::Keyframe) continue;
    const ConstBytes bytes = ConstBytes{file}.subspan(piece.offset, record_bytes(piece.head));
    if (!std::ranges::search(bytes, header).empty()) carrying.push_back(piece.head.count);
  }
  EXPECT_EQ(carrying, (std::vector<std::uint32_t>{0, 1, 2, 4}));
}

}  // namespace
}  // namespace tickbox::record
