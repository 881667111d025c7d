#include "record/segments.h"
#include "record/trailer.h"
#include "tests/support/recorded_match.h"
#include "tests/unit/record/walk.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tickbox::record {
namespace {

using tests::pieces;

constexpr std::uint32_t kSegments = 6;
constexpr std::uint32_t kTicksPerSegment = 7;

/// The tick of the keyframe that a seek comes to.
Tick sought(const std::vector<std::byte>& file, std::uint32_t tick) {
  Reader reader = seek(Reader::open(file).value(), Tick{tick});
  while (reader.next() != Reader::Item::Keyframe) {
  }
  return reader.keyframe().tick;
}

void expect_the_way_to_every_tick(const std::vector<std::byte>& file) {
  for (std::uint32_t tick = 0; tick <= kSegments * kTicksPerSegment; ++tick) {
    const std::uint32_t last = (kSegments - 1) * kTicksPerSegment;
    EXPECT_EQ(sought(file, tick).value, std::min(tick / kTicksPerSegment * kTicksPerSegment, last));
  }
}

TEST(RecordSeek, ComesToTheLastKeyframeBeforeATick) {
  const auto file = tests::small_recording(kSegments, kTicksPerSegment);
  const auto trailer = Reader::open(file).value().find_trailer();
  ASSERT_TRUE(trailer);
  EXPECT_EQ(trailer->index.size(), kSegments);
  for (const KeyframePlace& place : trailer->index) {
    EXPECT_TRUE(Reader::open(file).value().has_keyframe(place));
  }
  expect_the_way_to_every_tick(file);
}

TEST(RecordSeek, WalksWhereThereIsNoTrailer) {
  auto file = tests::small_recording(kSegments, kTicksPerSegment);
  file.resize(pieces(file).back().offset);
  EXPECT_FALSE(Reader::open(file).value().find_trailer());
  expect_the_way_to_every_tick(file);
}

/// Alters an entry of the trailer's index, under a right checksum.
template <class Alter>
std::vector<std::byte> with_place(std::vector<std::byte> file, std::size_t entry,
                                  const Alter& alter) {
  const std::size_t trailer = pieces(file).back().offset + kRecordHeadBytes;
  const MutableBytes bytes =
      MutableBytes{file}.subspan(trailer + kTrailerHeadBytes + entry * kIndexEntryBytes);
  KeyframePlace place{.offset = load_le<std::uint64_t>(bytes),
                      .tick = {load_le<std::uint32_t>(bytes.subspan(8))},
                      .segment = load_le<std::uint32_t>(bytes.subspan(12))};
  alter(place);
  store_le(bytes, place.offset);
  store_le(bytes.subspan(8), place.tick.value);
  store_le(bytes.subspan(12), place.segment);
  tests::rechecksum(file);
  return file;
}

// An index of right checksum whose places are wrong: of a forger, or of a sink that lost what it
// took.
TEST(RecordSeek, BelievesNoIndexUnchecked) {
  const auto good = tests::small_recording(kSegments, kTicksPerSegment);
  const auto expect_the_way = [&good](std::size_t entry, auto&& alter) {
    const auto file = with_place(good, entry, alter);
    EXPECT_NE(file, good);
    EXPECT_TRUE(Reader::open(file).value().find_trailer()) << entry;
    expect_the_way_to_every_tick(file);
  };
  expect_the_way(2, [](KeyframePlace& place) { place.offset += 8; });
  expect_the_way(kSegments - 1,
                 [](KeyframePlace& place) { place.offset = std::uint64_t{1} << 60U; });
  expect_the_way(3, [](KeyframePlace& place) { --place.tick.value; });
}

TEST(RecordSeek, TakesNoIndexThatIsOutOfOrder) {
  const auto file = with_place(tests::small_recording(kSegments, kTicksPerSegment), 3,
                               [](KeyframePlace& place) { place.segment = 1; });
  EXPECT_FALSE(Reader::open(file).value().find_trailer());
  EXPECT_EQ(tests::walk(file).damages, 1U);
  expect_the_way_to_every_tick(file);
}

// The count in front of the index must fit its bytes, and be no more than a writer writes.
TEST(RecordSeek, TakesNoIndexOfAnotherLength) {
  const auto good = tests::small_recording(kSegments, kTicksPerSegment);
  for (const std::uint32_t count : {0U, kSegments - 1, kSegments + 1, 0xffff'ffffU}) {
    auto file = good;
    const std::size_t trailer = pieces(file).back().offset + kRecordHeadBytes;
    store_le(MutableBytes{file}.subspan(trailer + kTrailerHeadBytes - 4), count);
    tests::rechecksum(file);
    EXPECT_FALSE(Reader::open(file).value().find_trailer()) << count;
    EXPECT_EQ(tests::walk(file).damages, 1U) << count;
    expect_the_way_to_every_tick(file);
  }
}

TEST(RecordSeek, FindsItsWayThroughADamagedFile) {
  auto file = tests::small_recording(kSegments, kTicksPerSegment);
  file[pieces(file)[2 * (kTicksPerSegment + 1)].offset + 50] ^= std::byte{1};  // keyframe 2
  EXPECT_EQ(sought(file, 2 * kTicksPerSegment + 3).value, kTicksPerSegment);
  EXPECT_EQ(sought(file, 3 * kTicksPerSegment).value, 3 * kTicksPerSegment);
}

}  // namespace
}  // namespace tickbox::record
