#include "record/reader.h"

#include "core/hash.h"
#include "tests/support/recorded_match.h"
#include "tests/unit/record/walk.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tickbox::record {
namespace {

using tests::MemorySink;
using tests::pieces;
using tests::RecordedMatch;
using tests::walk;

using Item = Reader::Item;

TEST(RecordReader, GivesBackEveryTickAndWorld) {
  RecordedMatch match{{.tick_rate = 60, .seats = 12, .seed = 5}};
  MemorySink sink;
  Writer writer{sink, match.header()};
  match.record(writer, 650);
  ASSERT_TRUE(writer.finish());

  auto reader = Reader::open(sink.bytes).value();
  EXPECT_EQ(reader.header(), match.header());
  std::size_t at = 0;
  std::vector<std::uint32_t> keyframes;
  std::size_t strikes = 0;
  Item item = reader.next();
  for (; item == Item::Keyframe || item == Item::Ticks; item = reader.next()) {
    if (item == Item::Keyframe) {
      keyframes.push_back(reader.keyframe().tick.value);
      EXPECT_EQ(reader.keyframe().segment + 1, keyframes.size());
      EXPECT_EQ(reader.keyframe().seats.size(), 12U);
      continue;
    }
    for (const RecordedTick& tick : reader.ticks()) {
      const RecordedTick& played = match.played()[at++];
      EXPECT_EQ(tick.tick, played.tick);
      EXPECT_EQ(tick.leaves, played.leaves);
      EXPECT_EQ(tick.joins, played.joins);
      EXPECT_EQ(tick.inputs, played.inputs);
      EXPECT_EQ(tick.sources, played.sources);
      EXPECT_EQ(tick.strikes, played.strikes);
      strikes += tick.strikes.size();
      EXPECT_EQ(tick.state_hash, played.state_hash);
    }
  }
  EXPECT_EQ(item, Item::Trailer);
  EXPECT_EQ(at, 650U);
  EXPECT_GT(strikes, 100U);
  EXPECT_EQ(keyframes, (std::vector<std::uint32_t>{0, 300, 600}));
  EXPECT_EQ(reader.trailer().last_tick, Tick{650});
  EXPECT_EQ(reader.trailer().ticks, 650U);
  EXPECT_EQ(reader.trailer().segments, 3U);
  EXPECT_EQ(reader.trailer().last_keyframe, Tick{600});
  EXPECT_EQ(reader.next(), Item::Finished);
  EXPECT_EQ(reader.offset(), sink.bytes.size());
}

TEST(RecordReader, GivesBackTheLastWorldWhole) {
  RecordedMatch match{{.seed = 9}};
  MemorySink sink;
  Writer writer{sink, match.header()};
  match.record(writer, kKeyframeSeconds * tests::kMatchTickRate);  // ends with a keyframe
  auto reader = Reader::open(sink.bytes).value();
  while (reader.next() != Item::EndsEarly) {
  }
  const game::World& world = match.world();
  const Keyframe& keyframe = reader.keyframe();
  EXPECT_EQ(keyframe.tick, world.tick);
  EXPECT_EQ(keyframe.random, world.rng.state());
  EXPECT_EQ(keyframe.state_hash, game::state_hash(world));
  EXPECT_TRUE(std::ranges::equal(keyframe.seats, world.seats()));
  ASSERT_EQ(keyframe.entities.size(), world.size());
  for (std::size_t i = 0; i < world.size(); ++i) {
    EXPECT_EQ(keyframe.entities[i], world.entity(i));
  }
}

TEST(RecordReader, ReadsARecordingWithNothingInIt) {
  const RecordedMatch match;
  MemorySink sink;
  Writer writer{sink, match.header()};
  EXPECT_TRUE(writer.finish());
  EXPECT_EQ(walk(sink.bytes), (tests::Walk{.trailers = 1}));
}

TEST(RecordReader, RefusesWhatIsNoRecording) {
  const std::vector<std::byte> zeros(10'000);
  EXPECT_EQ(Reader::open(zeros).error(), RecordError::NotARecording);
  EXPECT_EQ(Reader::open({}).error(), RecordError::HeaderCut);
}

TEST(RecordReader, ReadsAtAnyAlignment) {
  const auto file = tests::small_recording(2, 5);
  const auto expected = walk(file);
  for (std::size_t shift = 1; shift < 8; ++shift) {
    std::vector<std::byte> shifted(shift);
    shifted.insert(shifted.end(), file.begin(), file.end());
    EXPECT_EQ(walk(ConstBytes{shifted}.subspan(shift)), expected);
  }
}

TEST(RecordReader, GoesOnAfterInsertedAndRemovedBytes) {
  const auto file = tests::small_recording(3, 5);
  const auto records = pieces(file);
  const std::size_t in_second_segment = records[8].offset;
  auto longer = file;
  longer.insert(longer.begin() + static_cast<std::ptrdiff_t>(in_second_segment), 3,
                std::byte{0x55});
  EXPECT_EQ(
      walk(longer),
      (tests::Walk{
          .keyframes = 3, .ticks = 5 + 1 + 5, .trailers = 1, .damages = 1, .last_tick = {15}}));
  auto shorter = file;
  shorter.erase(shorter.begin() + static_cast<std::ptrdiff_t>(in_second_segment) + 30);
  EXPECT_EQ(walk(shorter), walk(longer));
}

// Whatever is whole goes on where it stands: what follows a stretch that was taken out, between two
// records, is not damaged itself.
TEST(RecordReader, LosesNoMoreThanWhatWasTakenOut) {
  const auto file = tests::small_recording(3, 5);
  const auto records = pieces(file);
  for (std::size_t first = 0; first < records.size(); ++first) {
    for (std::size_t end = first + 1; end <= records.size(); ++end) {
      const std::size_t begins = records[first].offset;
      const std::size_t ends = end < records.size() ? records[end].offset : file.size();
      auto without = file;
      without.erase(without.begin() + static_cast<std::ptrdiff_t>(begins),
                    without.begin() + static_cast<std::ptrdiff_t>(ends));
      std::uint32_t ticks = 0;
      bool is_whole = true;
      for (std::size_t i = 0; i < records.size(); ++i) {
        const bool is_there = i < first || i >= end;
        is_whole = is_there && (is_whole || records[i].head.type == RecordType::Keyframe);
        if (is_whole && records[i].head.type == RecordType::Ticks) ticks += records[i].head.count;
      }
      const auto seen = walk(without);
      EXPECT_EQ(seen.ticks, ticks) << "records " << first << " to " << end;
      const bool is_cut = end == records.size();
      EXPECT_EQ(seen.damages, is_cut ? 0U : 1U) << "records " << first << " to " << end;
      EXPECT_EQ(seen.ends_early, is_cut) << "records " << first << " to " << end;
      // A trailer holds by what stands before it, and that is another record then.
      const bool has_trailer = end + 1 < records.size();
      EXPECT_EQ(seen.trailers, has_trailer ? 1U : 0U) << "records " << first << " to " << end;
    }
  }
}

TEST(RecordReader, DoesNotTakeASegmentTwice) {
  const auto file = tests::small_recording(3, 5);
  const auto records = pieces(file);
  auto twice = file;
  const ConstBytes segment =
      ConstBytes{file}.subspan(records[6].offset, records[12].offset - records[6].offset);
  twice.insert(twice.begin() + static_cast<std::ptrdiff_t>(records[12].offset), segment.begin(),
               segment.end());
  const auto seen = walk(twice);  // walk() checks that ticks increase
  EXPECT_EQ(seen.damages, 1U);
  EXPECT_EQ(seen.ticks, 15U);
  EXPECT_EQ(seen.keyframes, 3U);
}

TEST(RecordReader, DoesNotTakeRecordsOfAnotherRecording) {
  const auto file = tests::small_recording(2, 5, {.seed = 1});
  const auto other = tests::small_recording(2, 5, {.seed = 2});
  auto mixed = file;
  const auto from = pieces(other)[6].offset;
  mixed.resize(pieces(file)[6].offset);
  mixed.insert(mixed.end(), other.begin() + static_cast<std::ptrdiff_t>(from), other.end());
  const auto seen = walk(mixed);
  EXPECT_EQ(seen.damages, 1U);
  EXPECT_EQ(seen.ticks, 5U);
  EXPECT_EQ(seen.trailers, 0U);
}

TEST(RecordReader, CallsBytesAfterTheTrailerDamage) {
  auto file = tests::small_recording(2, 5);
  file.push_back(std::byte{0});
  EXPECT_EQ(
      walk(file),
      (tests::Walk{.keyframes = 2, .ticks = 10, .trailers = 1, .damages = 1, .last_tick = {10}}));
}

/// Sets the length in the head of one record.
std::vector<std::byte> with_length(std::vector<std::byte> file, const tests::Piece& record,
                                   std::uint32_t length) {
  store_le(MutableBytes{file}.subspan(record.offset + 4), length);
  return file;
}

TEST(RecordReader, BelievesNoLength) {
  const auto file = tests::small_recording(2, 5);
  for (const tests::Piece& record : pieces(file)) {
    for (const std::uint32_t length :
         {0U, 8U, 7U, record.head.payload_bytes - 8, record.head.payload_bytes + 8, 0x100'0000U,
          0x100'0008U, 0x7fff'fff8U, 0xffff'ffffU}) {
      const auto seen = walk(with_length(file, record, length));
      EXPECT_TRUE(seen.damages > 0 || seen.ends_early) << record.offset << " " << length;
    }
  }
}

// The exception that the format documents: the length of the very last record.
TEST(RecordReader, TakesALengthBeyondTheEndForACutOnlyWithNothingValidAfterIt) {
  const auto file = tests::small_recording(2, 5);
  const auto records = pieces(file);
  const auto last = walk(with_length(file, records.back(), 0x1'0000));
  EXPECT_TRUE(last.ends_early);
  EXPECT_EQ(last.damages, 0U);
  const auto inner = walk(with_length(file, records[records.size() - 2], 0x1'0000));
  EXPECT_FALSE(inner.ends_early);
  EXPECT_EQ(inner.damages, 1U);
  EXPECT_EQ(inner.trailers, 1U);
}

TEST(RecordReader, SurvivesRandomBytesBehindAHeader) {
  const auto file = tests::small_recording(1, 1);
  Rng rng{42};
  for (int round = 0; round < 2'000; ++round) {
    std::vector<std::byte> noise{file.begin(), file.begin() + kRecordsOffset};
    const std::size_t size = 1 + rng.below(600);
    for (std::size_t i = 0; i < size; ++i) {
      noise.push_back(static_cast<std::byte>(rng.next()));
    }
    if (rng.chance(1, 2)) {  // what looks like records
      for (std::size_t at = kRecordsOffset; at + kRecordHeadBytes <= noise.size();
           at += 8 * (1 + rng.below(8))) {
        store_head(MutableBytes{noise}.subspan(at),
                   {.payload_bytes = static_cast<std::uint32_t>(8 * rng.below(20)),
                    .type = static_cast<RecordType>(rng.below(6)),
                    .tick = {static_cast<std::uint32_t>(rng.below(3))},
                    .count = static_cast<std::uint32_t>(rng.below(3))});
      }
    }
    const auto seen = walk(noise);
    EXPECT_EQ(seen.ticks + seen.keyframes + seen.trailers, 0U);
    EXPECT_NE(seen.damages > 0, seen.ends_early);
  }
}

// Payloads whose checksum is right and whose content is nonsense must come out as damage, never as
// values.
TEST(RecordReader, SurvivesRandomPayloadsWithRightChecksums) {
  const auto file = tests::small_recording(2, 4);
  Rng rng{43};
  for (int round = 0; round < 5'000; ++round) {
    auto forged = file;
    const auto records = pieces(forged);
    const auto& record = records[rng.below(records.size())];
    for (std::uint64_t n = 1 + rng.below(4); n > 0; --n) {
      const std::size_t at =
          record.offset + kRecordHeadBytes + rng.below(record.head.payload_bytes);
      forged[at] = static_cast<std::byte>(rng.next());
    }
    tests::rechecksum(forged);
    const auto seen = walk(forged);
    EXPECT_LE(seen.keyframes, 2U);
    EXPECT_LE(seen.ticks, 8U);
  }
}

// Each false head claims the whole rest of the file: without a limit they would all be hashed, 160
// GB in all.
TEST(RecordReader, TakesLinearTimeOverFalseHeads) {
  auto file = tests::small_recording(1, 1);
  file.resize(kRecordsOffset);
  constexpr std::uint32_t kHeads = 100'000;
  file.resize(kRecordsOffset + std::size_t{kHeads} * 32);
  for (std::uint32_t i = 0; i < kHeads; ++i) {
    const std::size_t at = kRecordsOffset + std::size_t{i} * 32;
    const std::size_t rest = file.size() - at - kRecordHeadBytes - kChecksumBytes;
    store_head(MutableBytes{file}.subspan(at),
               {.payload_bytes = static_cast<std::uint32_t>(std::min(rest, kPayloadBytesMax)),
                .type = RecordType::Keyframe});
  }
  EXPECT_EQ(walk(file).damages, 1U);
}

}  // namespace
}  // namespace tickbox::record
