// A recording cut at every byte, and with one bit flipped in every byte.

#include "tests/support/recorded_match.h"
#include "tests/unit/record/walk.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tickbox::record {
namespace {

using tests::Piece;
using tests::pieces;

constexpr std::uint32_t kSegments = 4;
constexpr std::uint32_t kTicksPerSegment = 8;

/// The ticks in records that end at or before `size`.
std::uint32_t whole_ticks(const std::vector<Piece>& records, std::size_t size) {
  std::uint32_t ticks = 0;
  for (const Piece& record : records) {
    ticks += tests::holds_ticks(record.head.type) && record.end() <= size ? record.head.count : 0;
  }
  return ticks;
}

// A server that was killed: whatever it had written verifies, up to the last whole record.
TEST(RecordDamage, CutAtAnyByteItVerifiesUpToTheLastWholeRecord) {
  const auto file = tests::small_recording(kSegments, kTicksPerSegment);
  const auto records = pieces(file);
  for (std::size_t size = 0; size < file.size(); ++size) {
    const ConstBytes cut = ConstBytes{file}.first(size);
    if (size < kFileHeaderBytes) {
      EXPECT_EQ(Reader::open(cut).error(), RecordError::HeaderCut) << size;
      continue;
    }
    const auto result = tests::verify(cut);
    EXPECT_EQ(result.ticks, whole_ticks(records, size)) << size;
    EXPECT_EQ(result.mismatched, 0U) << size;
    EXPECT_EQ(result.damages, 0U) << size;
    EXPECT_EQ(result.segments_lost, 0U) << size;
    EXPECT_TRUE(result.ends_early) << size;
    EXPECT_FALSE(result.complete) << size;
  }
}

/// What a file with one flipped bit in `byte` must come out as.
void check_flipped(const VerifyResult& result, const std::vector<Piece>& records,
                   std::size_t byte) {
  EXPECT_FALSE(result.complete) << byte;
  EXPECT_EQ(result.mismatched, 0U) << byte;
  EXPECT_LE(result.segments_lost, 1U) << byte;
  EXPECT_GE(result.ticks, (kSegments - 1) * kTicksPerSegment) << byte;
  const Piece& last = records.back();
  const bool in_last_length = byte >= last.offset + 4 && byte < last.offset + 8;
  EXPECT_TRUE(in_last_length ? result.ends_early || !result.held() : !result.held()) << byte;
  if (byte < kRecordsOffset) {
    EXPECT_EQ(result.ticks, kSegments * kTicksPerSegment) << byte;
    EXPECT_EQ(result.segments_whole, kSegments) << byte;
  } else if (byte < last.offset) {
    EXPECT_EQ(result.segments_whole + result.segments_lost, kSegments) << byte;
  }
}

TEST(RecordDamage, AnyFlippedBitIsDetectedAndCostsAtMostOneSegment) {
  const auto file = tests::small_recording(kSegments, kTicksPerSegment);
  const auto records = pieces(file);
  for (std::size_t byte = 0; byte < file.size(); ++byte) {
    auto flipped = file;
    flipped[byte] ^= std::byte{1} << (byte % 8);
    check_flipped(tests::verify(flipped), records, byte);
    if (HasFailure()) {
      FAIL() << "bit " << byte % 8 << " of byte " << byte;
    }
  }
}

// All eight bits, by the reader alone: it is far quicker than stepping.
TEST(RecordDamage, EveryFlippedBitIsSeenByTheReader) {
  const auto file = tests::small_recording(kSegments, kTicksPerSegment);
  auto flipped = file;
  for (std::size_t bit = 0; bit < 8 * file.size(); ++bit) {
    const std::byte mask = std::byte{1} << (bit % 8);
    flipped[bit / 8] ^= mask;
    const auto seen = tests::walk(flipped);
    flipped[bit / 8] ^= mask;
    EXPECT_TRUE(seen.damages > 0 || seen.ends_early) << "bit " << bit;
    EXPECT_GE(seen.ticks, (kSegments - 1) * kTicksPerSegment) << "bit " << bit;
  }
}

TEST(RecordDamage, TwoDamagedSegmentsCostTwo) {
  auto file = tests::small_recording(kSegments, kTicksPerSegment);
  const auto records = pieces(file);
  const std::size_t per_segment = 1 + kTicksPerSegment;
  file[records[3].offset + kRecordHeadBytes] ^= std::byte{4};  // ticks of segment 0
  file[records[2 * per_segment].offset + 60] ^= std::byte{4};  // the keyframe of segment 2
  const auto result = tests::verify(file);
  EXPECT_EQ(result.damages, 2U);
  EXPECT_EQ(result.segments_lost, 2U);
  EXPECT_EQ(result.segments_whole, 2U);
  EXPECT_EQ(result.ticks, 2 + 2 * kTicksPerSegment);
  EXPECT_EQ(result.recovered_ticks, 2 * kTicksPerSegment);
  EXPECT_EQ(result.mismatched, 0U);
}

TEST(RecordDamage, AKeyframeHasTheHeaderThatTheFileHasLost) {
  auto file = tests::small_recording(2, 3);
  file[20] ^= std::byte{1};
  file[kFileHeaderBytes + 20] ^= std::byte{1};
  const auto result = tests::verify(file);
  EXPECT_EQ(result.damages, 1U);
  EXPECT_EQ(result.ticks, 6U);
  EXPECT_EQ(result.segments_whole, 2U);
  file.resize(kRecordsOffset + 8);
  EXPECT_EQ(Reader::open(file).error(), RecordError::HeaderDamaged);
}

TEST(RecordDamage, SomeKeyframesFarFromTheBeginningHaveItToo) {
  auto file = tests::small_recording(6, 3);
  const auto keyframe_of = [records = pieces(file)](std::uint32_t segment) {
    return *std::ranges::find_if(records, [&](const Piece& piece) {
      return piece.head.type == RecordType::Keyframe && piece.head.count == segment;
    });
  };
  // What is left begins with segment 3, and the header stands in the keyframe of segment 4.
  std::fill_n(file.begin(), keyframe_of(3).offset, std::byte{0});
  const auto result = tests::verify(file);
  EXPECT_FALSE(result.held());
  EXPECT_EQ(result.ticks, 9U);
  EXPECT_EQ(result.segments_whole, 3U);
  EXPECT_EQ(result.segments_lost, 3U);
  // The keyframe of segment 5 does not have it.
  std::fill_n(file.begin(), keyframe_of(5).offset, std::byte{0});
  EXPECT_EQ(Reader::open(file).error(), RecordError::NotARecording);
}

// The hash of a quiet record is eight bytes of a file, and the only thing that is said of up to a
// second: losing it costs no more than any record.
TEST(RecordDamage, OfAQuietRecordCostsItsSegmentFromThereOn) {
  const tests::RecordedMatchOptions deserted{
      .all_stay = true, .deserted = tests::Deserted{.first = {5}, .last = {27}}};
  const auto good = tests::small_recording(3, 20, deserted);
  for (const Piece& record : pieces(good)) {
    if (record.head.type != RecordType::Quiet) continue;
    for (std::size_t at = record.offset; at < record.end(); ++at) {
      auto file = good;
      file[at] ^= std::byte{0x10};
      const auto result = tests::verify(file);
      EXPECT_EQ(result.damages, 1U) << at;
      EXPECT_EQ(result.mismatched, 0U) << at;
      EXPECT_EQ(result.segments_lost, 1U) << at;
      const std::uint32_t segment = record.head.tick.value <= 20 ? 0 : 1;
      EXPECT_EQ(result.ticks, record.head.tick.value - 1 + (2 - segment) * 20) << at;
    }
  }
}

}  // namespace
}  // namespace tickbox::record
