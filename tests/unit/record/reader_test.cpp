#include "record/reader.h"

#include "record/compression.h"
#include "tests/support/recorded_match.h"
#include "tests/unit/record/forged.h"
#include "tests/unit/record/walk.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
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

// Everybody leaves in tick 310 and comes back in tick 431. A second of quiet or idle ticks has one
// hash.
void expect_all_given_back(bool idles) {
  RecordedMatch match{{.tick_rate = 60,
                       .seats = 12,
                       .seed = 5,
                       .idles = idles,
                       .deserted = Deserted{.first = {310}, .last = {430}}}};
  MemorySink sink;
  tests::Writer writer{sink, match.header()};
  match.record(writer, 650);
  const auto last_world = match.keyframe();
  match.keyframe(writer);
  ASSERT_TRUE(writer.finish());

  auto reader = Reader::open(sink.bytes).value();
  EXPECT_EQ(reader.header(), match.header());
  std::size_t at = 0;
  std::vector<std::uint32_t> keyframes;
  std::vector<std::uint32_t> stretch_hashes;
  Item item = reader.next();
  for (; item == Item::Keyframe || item == Item::Ticks; item = reader.next()) {
    if (item == Item::Keyframe) {
      keyframes.push_back(reader.keyframe().tick.value);
      EXPECT_EQ(reader.keyframe().segment + 1, keyframes.size());
      EXPECT_FALSE(reader.keyframe().gap_before);
      continue;
    }
    for (const EncodedTick& tick : reader.ticks()) {
      const PlayedTick& played = match.played()[at++];
      EXPECT_TRUE(is_as_played(tick, played)) << "what entered tick " << played.tick.value;
      const bool is_in_stretch = idles ? tick.is_idle : tick.is_quiet;
      EXPECT_TRUE(is_in_stretch || tick.state_hash);
      if (is_in_stretch && tick.state_hash) stretch_hashes.push_back(tick.tick.value);
    }
  }
  EXPECT_EQ(item, Item::Trailer);
  EXPECT_EQ(at, 650U);
  EXPECT_EQ(stretch_hashes, (std::vector<std::uint32_t>{370, 430}));
  EXPECT_EQ(keyframes, (std::vector<std::uint32_t>{0, 300, 600, 650}));
  EXPECT_EQ(reader.keyframe().state_hash, engine::state_hash(match.world()));
  EXPECT_TRUE(std::ranges::equal(reader.world(), last_world));
  EXPECT_EQ(reader.trailer().last_tick, Tick{650});
  EXPECT_EQ(reader.trailer().ticks, 650U);
  EXPECT_EQ(reader.trailer().end_segment, 4U);
  EXPECT_EQ(reader.trailer().last_keyframe, Tick{650});
  EXPECT_EQ(reader.next(), Item::Finished);
  EXPECT_EQ(reader.offset(), sink.bytes.size());
}

TEST(RecordReader, GivesBackEveryTickAndWorld) {
  expect_all_given_back(false);
  expect_all_given_back(true);
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

// What follows a stretch that was taken out between two records is whole, and is read. If it goes
// on at a later segment, it looks like a file whose disk has refused some of it.
TEST(RecordReader, LosesNoMoreThanWhatWasTakenOut) {
  const auto file = tests::small_recording(3, 5);
  const auto records = pieces(file);
  const auto is_keyframe = [&](std::size_t i) {
    return records[i].head.type == RecordType::Keyframe;
  };
  for (std::size_t first = 0; first < records.size(); ++first) {
    for (std::size_t end = first + 1; end <= records.size(); ++end) {
      SCOPED_TRACE("records " + std::to_string(first) + " to " + std::to_string(end));
      const bool is_cut = end == records.size();
      auto without = file;
      without.erase(without.begin() + static_cast<std::ptrdiff_t>(records[first].offset),
                    is_cut ? without.end()
                           : without.begin() + static_cast<std::ptrdiff_t>(records[end].offset));
      std::uint32_t ticks = 0;
      bool is_whole = true;
      bool skips_a_number = false;
      for (std::size_t i = 0; i < records.size(); ++i) {
        const bool is_there = i < first || i >= end;
        is_whole = is_there && (is_whole || is_keyframe(i));
        skips_a_number = skips_a_number || (!is_there && is_keyframe(i));
        if (is_whole && tests::holds_ticks(records[i].head.type)) ticks += records[i].head.count;
      }
      const bool is_gap = first > 0 && !is_cut && is_keyframe(end) && skips_a_number;
      const auto seen = walk(without);
      EXPECT_EQ(seen.ticks, ticks);
      EXPECT_EQ(seen.damages, is_cut || is_gap ? 0U : 1U);
      EXPECT_EQ(seen.gaps, is_gap ? 1U : 0U);
      EXPECT_EQ(seen.ends_early, is_cut);
      // A trailer is taken only behind the record that it was written behind.
      EXPECT_EQ(seen.trailers, end + 1 < records.size() ? 1U : 0U);
    }
  }
}

/// The file with the records [first, end) once more before record `at`.
std::vector<std::byte> with_copy(const std::vector<std::byte>& file, std::size_t first,
                                 std::size_t end, std::size_t at) {
  const auto records = pieces(file);
  auto longer = file;
  longer.insert(longer.begin() + static_cast<std::ptrdiff_t>(records[at].offset),
                file.begin() + static_cast<std::ptrdiff_t>(records[first].offset),
                file.begin() + static_cast<std::ptrdiff_t>(records[end].offset));
  return longer;
}

// walk() checks that ticks increase.
TEST(RecordReader, TakesNothingTwice) {
  const auto file = tests::small_recording(3, 5);
  const tests::Walk whole{
      .keyframes = 3, .ticks = 15, .trailers = 1, .damages = 1, .last_tick = {15}};
  EXPECT_EQ(walk(with_copy(file, 6, 12, 12)), whole) << "a segment behind itself";
  tests::Walk cut = whole;
  cut.ticks = 5 + 3 + 5;
  EXPECT_EQ(walk(with_copy(file, 9, 10, 10)), cut) << "a record behind itself";
  EXPECT_EQ(walk(with_copy(file, 2, 3, 10)), cut) << "a record of another segment";
}

// Ticks may be missing where a number is, and nowhere else.
TEST(RecordReader, TellsAGapFromDamage) {
  const auto with_second = [](std::uint32_t number, std::uint32_t tick) {
    auto file = tests::small_recording(2, 5, {}, Compression::None);
    const auto [offset, head] = pieces(file)[6];
    const MutableBytes keyframe = MutableBytes{file}.subspan(offset);
    store_le(keyframe.subspan(12), tick);
    store_le(keyframe.subspan(16), number);
    store_le(keyframe.subspan(kRecordHeadBytes + kKeyframeFrameBytes), tick);
    file.resize(offset + record_bytes(head));
    tests::rechecksum(file);
    return walk(file);
  };
  const auto read = [](std::uint32_t keyframes, std::uint32_t damages, std::uint32_t gaps) {
    return tests::Walk{.keyframes = keyframes,
                       .ticks = 5,
                       .damages = damages,
                       .gaps = gaps,
                       .ends_early = damages == 0 || keyframes == 2,
                       .last_tick = {keyframes == 2 && damages + gaps > 0 ? 6U : 5U}};
  };
  EXPECT_EQ(with_second(1, 5), read(2, 0, 0));
  EXPECT_EQ(with_second(7, 5), read(2, 0, 0)) << "a sink asked for a segment";
  EXPECT_EQ(with_second(7, 6), read(2, 0, 1)) << "a sink has lost a tick";
  EXPECT_EQ(with_second(1, 6), read(2, 1, 0)) << "ticks are missing, and no number is";
  EXPECT_EQ(with_second(0, 5), read(1, 1, 0)) << "a number twice";
  EXPECT_EQ(with_second(7, 4), read(1, 1, 0)) << "a tick again";
}

TEST(RecordReader, TakesNoOtherFirstSegmentThanTheHeaderNames) {
  auto file = tests::small_recording(2, 5);
  Header header = RecordedMatch{}.header();
  header.first_segment = 1;
  std::ranges::copy(encode_header(header), file.begin());
  EXPECT_EQ(
      walk(file),
      (tests::Walk{.keyframes = 1, .ticks = 5, .trailers = 1, .damages = 1, .last_tick = {10}}));
}

TEST(RecordReader, TakesNoKeyframeWithAnotherHeader) {
  auto file = tests::small_recording(2, 5);
  const MutableBytes repeated = MutableBytes{file}.subspan(
      pieces(file)[6].offset + kRecordHeadBytes + kKeyframeHeadBytes, kFileHeaderBytes);
  Header header = decode_header(repeated).value();
  ++header.seed;
  std::ranges::copy(encode_header(header), repeated.begin());
  tests::rechecksum(file);
  EXPECT_EQ(walk(file).keyframes, 1U);
  EXPECT_EQ(walk(file).damages, 1U);
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

TEST(RecordReader, CallsATrailerBehindNothingDamage) {
  tests::Forged forged;
  forged.add({.type = RecordType::Trailer}, std::vector<std::byte>(12));
  const auto seen = walk(forged.bytes());
  EXPECT_EQ(seen.damages, 1U);
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

/// Expects that only a record with a hash and nothing else is a stretch.
void expect_stretch(RecordType type) {
  const RecordHead good{.type = type, .tick = {1}, .count = 3};
  const std::vector<std::byte> hash(8);
  EXPECT_EQ(walk(Forged{}.keyframe().add(good, hash).bytes()),
            (tests::Walk{.keyframes = 1, .ticks = 3, .ends_early = true, .last_tick = {3}}));
  const tests::Walk damaged{.keyframes = 1, .damages = 1};
  EXPECT_EQ(walk(Forged{}.keyframe().add(good, std::vector<std::byte>(7)).bytes()), damaged);
  EXPECT_EQ(walk(Forged{}.keyframe().add(good, std::vector<std::byte>(9)).bytes()), damaged);
  RecordHead none = good;
  none.count = 0;
  EXPECT_EQ(walk(Forged{}.keyframe().add(none, hash).bytes()), damaged);
  RecordHead many = good;
  many.count = kTicksPerRecordMax + 1;
  EXPECT_EQ(walk(Forged{}.keyframe().add(many, hash).bytes()), damaged);
}

TEST(RecordReader, TakesForQuietOrIdleOnlyWhatIs) {
  expect_stretch(RecordType::Quiet);
  expect_stretch(RecordType::Idle);
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

TEST(RecordReader, FollowsARecordingThatGrows) {
  const auto file = tests::small_recording(3, 5);
  for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, std::size_t{500}, file.size()}) {
    EXPECT_EQ(tests::followed(file, piece), walk(file)) << piece;
  }
}

// Every record, damaged or missing: nothing but its segment is lost.
TEST(RecordReader, FollowsADamagedRecordingFromTheNextKeyframe) {
  const auto file = tests::small_recording(3, 5);
  for (const auto& [offset, head] : pieces(file)) {
    if (head.type == RecordType::Trailer) continue;
    auto damaged = file;
    damaged[offset + kRecordHeadBytes] ^= std::byte{1};
    auto missing = file;
    missing.erase(missing.begin() + static_cast<std::ptrdiff_t>(offset),
                  missing.begin() + static_cast<std::ptrdiff_t>(offset + record_bytes(head)));
    for (const auto& changed : {damaged, missing}) {
      for (const std::size_t piece : {1U, 100U}) {
        SCOPED_TRACE(std::to_string(offset) + " " + std::to_string(piece));
        const auto seen = tests::followed(changed, piece);
        EXPECT_GT(seen.damages, 0U);
        EXPECT_EQ(seen.ticks, walk(changed).ticks);
        EXPECT_EQ(seen.keyframes, walk(changed).keyframes);
        EXPECT_EQ(seen.trailers, walk(changed).trailers);
      }
    }
  }
}

TEST(RecordReader, WaitsBehindDamageForNoMoreThanTheLongestKeyframe) {
  auto log = tests::small_recording(1, 1);
  log.resize(kRecordsOffset);
  auto reader = Reader::open(log).value();
  constexpr std::size_t kPiece = std::size_t{1} << 20U;
  std::size_t most = 0;
  std::uint32_t damages = 0;
  for (int piece = 0; piece < 40; ++piece) {
    log.resize(log.size() + kPiece);
    reader.grow(log, 0);
    while (reader.next() != Item::Waiting) {
      ++damages;
    }
    most = std::max(most, log.size() - reader.offset());
  }
  EXPECT_LE(most, kPayloadBytesMax + kPiece);
  EXPECT_EQ(damages, 2U);
}

}  // namespace
}  // namespace tickbox::record
