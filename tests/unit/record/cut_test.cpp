#include "record/segments.h"
#include "tests/support/recorded_match.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace tickbox::record {
namespace {

using tests::MemorySink;
using tests::pieces;

struct Copied {
  CutResult result;
  std::vector<std::byte> bytes;
};

Copied copied(ConstBytes file, const CutRange& range = {}) {
  MemorySink sink;
  Copied out;
  out.result = cut(Reader::open(file).value(), sink, range);
  out.bytes = std::move(sink.bytes);
  return out;
}

/// A file of a server: segments of ten ticks, from tick 0 to 40.
std::vector<std::byte> file_of_a_server() {
  auto file = tests::small_recording(4, 10);
  Header header = decode_header(file).value();
  header.server = name_hash("arena-1");
  std::ranges::copy(encode_header(header), file.begin());
  return file;
}

TEST(RecordCut, OfEverythingIsTheSameFileThatNoServerRemoves) {
  const auto file = file_of_a_server();
  const Copied copy = copied(file);
  EXPECT_TRUE(copy.result.written);
  EXPECT_EQ(Reader::open(copy.bytes).value().header().server, 0U);
  EXPECT_TRUE(std::ranges::equal(ConstBytes{copy.bytes}.subspan(kRecordsOffset),
                                 ConstBytes{file}.subspan(kRecordsOffset)));
}

TEST(RecordCut, HasTheWholeSegmentsOfARangeByteForByte) {
  const auto file = file_of_a_server();
  const auto records = pieces(file);
  for (std::uint32_t from = 0; from <= 40; ++from) {
    for (std::uint32_t to = from; to <= 45; to += 3) {
      SCOPED_TRACE(std::to_string(from) + " to " + std::to_string(to));
      const Copied copy = copied(file, {.from = {from}, .to = {to}});
      const std::uint32_t first = std::min(from, 39U) / 10;
      const std::uint32_t last = std::max(first, to == 0 ? 0 : std::min(to - 1, 39U) / 10);
      EXPECT_TRUE(copy.result.written);
      EXPECT_EQ(copy.result.first, Tick{10 * first});
      EXPECT_EQ(copy.result.last, Tick{10 * (last + 1)});
      EXPECT_EQ(copy.result.copy.ticks_recorded, 10 * (last - first + 1));
      const std::size_t begin = records[std::size_t{first} * 11].offset;
      const std::size_t end = records[std::size_t{last} * 11 + 10].end();
      EXPECT_FALSE(
          std::ranges::search(copy.bytes, ConstBytes{file}.subspan(begin, end - begin)).empty());
      const auto result = tests::verify(copy.bytes);
      EXPECT_TRUE(result.complete && result.held());
      EXPECT_EQ(result.ticks, copy.result.copy.ticks_recorded);
    }
  }
}

// Any damaged record costs its segment, the trailer none: what was cut has no damage, but a gap.
TEST(RecordCut, LeavesDamagedSegmentsOutWhole) {
  const auto file = file_of_a_server();
  for (const tests::Piece& piece : pieces(file)) {
    SCOPED_TRACE(piece.offset);
    auto damaged = file;
    damaged[piece.offset + kRecordHeadBytes] ^= std::byte{1};
    const Copied copy = copied(damaged);
    const bool is_trailer = piece.head.type == RecordType::Trailer;
    const bool is_keyframe = piece.head.type == RecordType::Keyframe;
    const std::uint32_t tick = piece.head.tick.value;
    const std::uint32_t segment = is_trailer ? 3 : (is_keyframe ? tick : tick - 1) / 10;
    EXPECT_TRUE(copy.result.written);
    EXPECT_EQ(copy.result.damages, 1U);
    const auto result = tests::verify(copy.bytes);
    EXPECT_TRUE(result.held());
    EXPECT_EQ(result.ticks, 30U);
    EXPECT_EQ(result.gaps, segment == 0 || segment == 3 ? 0U : 1U);
    EXPECT_EQ(copy.result.copy.gaps, result.gaps);
    EXPECT_EQ(copy.result.copy.ticks_recorded, result.ticks);
    EXPECT_EQ(copied(copy.bytes).bytes, copy.bytes) << "a second time";
  }
}

// The tick at a border is in the segment before it too.
TEST(RecordCut, TakesATickFromTheSegmentBeforeIfTheOneAfterIsDamaged) {
  auto file = file_of_a_server();
  file[pieces(file)[15].offset + kRecordHeadBytes] ^= std::byte{1};
  const Copied copy = copied(file, {.from = {10}, .to = {19}});
  EXPECT_EQ(copy.result.first, Tick{0});
  EXPECT_EQ(tests::verify(copy.bytes).last_tick, Tick{10});
}

TEST(RecordCut, OfADamagedSegmentAloneIsEmpty) {
  auto file = file_of_a_server();
  file[pieces(file)[15].offset + kRecordHeadBytes] ^= std::byte{1};
  const Copied copy = copied(file, {.from = {12}, .to = {19}});
  EXPECT_FALSE(copy.result.first);
  EXPECT_FALSE(copy.result.written);
  EXPECT_TRUE(copy.bytes.empty());
}

TEST(RecordCut, KeepsTheEndOfARecordingThatEndsEarlyOrUnfinished) {
  auto file = tests::small_recording(2, 10);
  file.resize(pieces(file)[17].offset + 9);
  const Copied killed = copied(file);
  EXPECT_TRUE(tests::verify(killed.bytes).complete);
  EXPECT_EQ(killed.result.copy.ticks_recorded, 15U);

  tests::RecordedMatch match;
  MemorySink sink;
  tests::Writer writer{sink, match.header()};
  match.record(writer, 8);
  match.decide();
  ASSERT_TRUE(writer.unfinished(match.requested_bytes()));
  EXPECT_EQ(copied(sink.bytes).bytes, sink.bytes);
}

TEST(RecordCut, GivenUpItHasNoEnd) {
  int asked = 0;
  const Copied copy = copied(file_of_a_server(), {.stopped = [&] { return ++asked > 20; }});
  EXPECT_TRUE(copy.result.interrupted);
  EXPECT_FALSE(copy.result.written);
}

}  // namespace
}  // namespace tickbox::record
