#include "record/reader.h"

#include "record/compression.h"
#include "tests/support/recorded_match.h"
#include "tests/unit/record/forged.h"
#include "tests/unit/record/walk.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tickbox::record {
namespace {

using tests::Deserted;
using tests::Forged;
using tests::is_as_played;
using tests::MemorySink;
using tests::pieces;
using tests::PlayedTick;
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
  Item item = reader.next();
  for (; item == Item::Keyframe || item == Item::Ticks; item = reader.next()) {
    if (item == Item::Keyframe) {
      keyframes.push_back(reader.keyframe().tick.value);
      EXPECT_EQ(reader.keyframe().segment + 1, keyframes.size());
      continue;
    }
    for (const RecordedTick& tick : reader.ticks()) {
      const PlayedTick& played = match.played()[at++];
      EXPECT_TRUE(is_as_played(tick, played)) << "what entered tick " << played.tick.value;
      EXPECT_EQ(tick.state_hash, played.state_hash);
    }
  }
  EXPECT_EQ(item, Item::Trailer);
  EXPECT_EQ(at, 650U);
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
  EXPECT_EQ(reader.keyframe().tick, match.world().tick);
  EXPECT_EQ(reader.keyframe().state_hash, engine::state_hash(match.world()));
  EXPECT_TRUE(std::ranges::equal(reader.world(), match.keyframe()));
}

/// What a reader gives back, tick by tick.
std::vector<RecordedTick> ticks_of(ConstBytes file) {
  std::vector<RecordedTick> ticks;
  auto reader = Reader::open(file).value();
  for (Item item = reader.next(); item != Item::Finished; item = reader.next()) {
    if (item != Item::Ticks) continue;
    ticks.insert(ticks.end(), reader.ticks().begin(), reader.ticks().end());
  }
  return ticks;
}

// At 10 Hz: everybody leaves in tick 8, nobody is there from 9 to 31, everybody comes in 32.
TEST(RecordReader, GivesBackQuietTicksWithTheHashOfTheLastAlone) {
  RecordedMatch match{{.all_stay = true, .deserted = Deserted{.first = {8}, .last = {31}}}};
  MemorySink sink;
  Writer writer{sink, match.header()};
  match.record(writer, 40);
  ASSERT_TRUE(writer.finish());
  const auto ticks = ticks_of(sink.bytes);
  ASSERT_EQ(ticks.size(), 40U);
  std::vector<std::uint32_t> without;
  std::vector<std::uint32_t> quiet;
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    const PlayedTick& played = match.played()[i];
    EXPECT_TRUE(is_as_played(ticks[i], played)) << "what entered tick " << played.tick.value;
    if (ticks[i].is_quiet) {
      quiet.push_back(ticks[i].tick.value);
      EXPECT_TRUE(ticks[i].bytes.empty());
    }
    if (!ticks[i].state_hash) without.push_back(ticks[i].tick.value);
  }
  EXPECT_EQ(quiet.front(), 9U);
  EXPECT_EQ(quiet.back(), 31U);
  EXPECT_EQ(quiet.size(), 23U);
  // A second of them has 10: the hashes are those of 18, 28 and 31.
  std::erase_if(quiet, [](std::uint32_t tick) { return tick == 18 || tick == 28 || tick == 31; });
  EXPECT_EQ(without, quiet);
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
  shorter.erase(shorter.begin() +
                static_cast<std::ptrdiff_t>(in_second_segment + kRecordHeadBytes + 2));
  EXPECT_EQ(walk(shorter), walk(longer));
}

// What follows a stretch that was taken out between two records is whole, and is read.
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
        if (is_whole && tests::holds_ticks(records[i].head.type)) ticks += records[i].head.count;
      }
      const auto seen = walk(without);
      EXPECT_EQ(seen.ticks, ticks) << "records " << first << " to " << end;
      const bool is_cut = end == records.size();
      EXPECT_EQ(seen.damages, is_cut ? 0U : 1U) << "records " << first << " to " << end;
      EXPECT_EQ(seen.ends_early, is_cut) << "records " << first << " to " << end;
      // A trailer is taken only behind the record that it was written behind.
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
         {0U, 8U, 7U, record.head.payload_bytes - 1, record.head.payload_bytes + 1,
          record.head.payload_bytes - 8, record.head.payload_bytes + 8, 0x100'0000U, 0x100'0001U,
          0x7fff'ffffU, 0xffff'ffffU}) {
      if (length == record.head.payload_bytes) continue;
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
           at += kRecordHeadBytes + rng.below(64)) {
        store_head(MutableBytes{noise}.subspan(at),
                   {.payload_bytes = static_cast<std::uint32_t>(rng.below(160)),
                    .type = static_cast<RecordType>(rng.below(7)),
                    .tick = {static_cast<std::uint32_t>(rng.below(3))},
                    .count = static_cast<std::uint32_t>(rng.below(3))});
      }
    }
    const auto seen = walk(noise);
    EXPECT_EQ(seen.ticks + seen.keyframes + seen.trailers, 0U);
    EXPECT_NE(seen.damages > 0, seen.ends_early);
  }
}

// Payloads whose checksum is right and whose content is nonsense: what frames the ticks and worlds
// must come out as damage, never as values. The reader does not look into them.
TEST(RecordReader, SurvivesRandomPayloadsWithRightChecksums) {
  for (const Compression compression : {Compression::Zstd, Compression::None}) {
    const auto file = tests::small_recording(2, 4, {}, compression);
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
}

// What a forger may write, record by record.

std::vector<std::byte> compressed(ConstBytes bytes) {
  std::vector<std::byte> frame;
  Compressor{}.append(bytes, frame);
  return frame;
}

TEST(RecordReader, TakesAFrameOfTheSizeThatItsHeadSaysAndNoOther) {
  const auto seen_of = [](std::uint32_t size, const std::vector<std::byte>& frame,
                          std::uint16_t flags) {
    return walk(Forged{}.keyframe(size, frame, flags).bytes());
  };
  const tests::Walk whole{.keyframes = 1, .ends_early = true};
  const tests::Walk damaged{.damages = 1};
  const auto world = Forged{}.world();
  const std::uint32_t size = Forged{}.size();
  const auto frame = compressed(world);
  EXPECT_EQ(seen_of(size, frame, kFlagCompressed), whole);
  EXPECT_EQ(seen_of(size, world, 0), whole);
  EXPECT_EQ(seen_of(size + 1, frame, kFlagCompressed), damaged);
  EXPECT_EQ(seen_of(size - 1, frame, kFlagCompressed), damaged);
  EXPECT_EQ(seen_of(size + 1, world, 0), damaged);
  EXPECT_EQ(seen_of(size, frame, 0), damaged) << "a frame that is not said to be one";
  EXPECT_EQ(seen_of(size, world, kFlagCompressed), damaged) << "no frame";
  EXPECT_EQ(seen_of(size, {}, kFlagCompressed), damaged) << "nothing";
  EXPECT_EQ(seen_of(0, {}, kFlagCompressed), damaged);
  for (std::size_t length = 0; length < frame.size(); ++length) {
    const auto cut =
        std::vector(frame.begin(), frame.begin() + static_cast<std::ptrdiff_t>(length));
    EXPECT_EQ(seen_of(size, cut, kFlagCompressed), damaged) << length;
  }
  auto longer = frame;
  longer.push_back(std::byte{0});
  EXPECT_EQ(seen_of(size, longer, kFlagCompressed), damaged) << "a frame, and a byte more";
  auto twice = frame;
  twice.insert(twice.end(), frame.begin(), frame.end());
  EXPECT_EQ(seen_of(size, twice, kFlagCompressed), damaged) << "two frames";
  EXPECT_EQ(seen_of(2 * size, twice, kFlagCompressed), damaged);
}

// 64 MiB of zeros are 2 KiB of a frame. The reader unpacks no more than a payload may have.
TEST(RecordReader, UnpacksNoMoreThanAWorldHas) {
  constexpr std::size_t kBomb = std::size_t{64} * 1024 * 1024;
  const auto frame = compressed(std::vector<std::byte>(kBomb));
  ASSERT_LT(frame.size(), 10'000U);
  const tests::Walk damaged{.damages = 1};
  for (const std::size_t size : {kBomb, kPayloadBytesMax, kPayloadBytesMax + 1}) {
    const auto said = static_cast<std::uint32_t>(size);
    EXPECT_EQ(walk(Forged{}.keyframe(said, frame, kFlagCompressed).bytes()), damaged) << size;
  }
}

// The first bytes of a world are its tick, which must be the tick of the record.
TEST(RecordReader, TakesNoWorldOfAnotherTick) {
  auto world = Forged{}.world();
  const tests::Walk damaged{.damages = 1};
  world[0] ^= std::byte{1};
  EXPECT_EQ(walk(Forged{}.keyframe(Forged{}.size(), world, 0).bytes()), damaged);
  for (const std::uint32_t size : {0U, 4U, 11U}) {
    EXPECT_EQ(walk(Forged{}.keyframe(size, std::vector<std::byte>(size), 0).bytes()), damaged)
        << "a tick and a hash take 12 bytes";
  }
}

TEST(RecordReader, TakesForQuietOnlyWhatIs) {
  const RecordHead quiet{.type = RecordType::Quiet, .tick = {1}, .count = 3};
  const std::vector<std::byte> hash(8);
  EXPECT_EQ(walk(Forged{}.keyframe().add(quiet, hash).bytes()),
            (tests::Walk{.keyframes = 1, .ticks = 3, .ends_early = true, .last_tick = {3}}));
  const tests::Walk damaged{.keyframes = 1, .damages = 1};
  EXPECT_EQ(walk(Forged{}.keyframe().add(quiet, std::vector<std::byte>(7)).bytes()), damaged);
  EXPECT_EQ(walk(Forged{}.keyframe().add(quiet, std::vector<std::byte>(9)).bytes()), damaged);
  RecordHead none = quiet;
  none.count = 0;
  EXPECT_EQ(walk(Forged{}.keyframe().add(none, hash).bytes()), damaged);
  RecordHead many = quiet;
  many.count = kTicksPerRecordMax + 1;
  EXPECT_EQ(walk(Forged{}.keyframe().add(many, hash).bytes()), damaged);
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
