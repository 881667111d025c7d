#include "record/segments.h"
#include "tests/support/recorded_match.h"
#include "tests/unit/record/walk.h"

#include "schema/record_generated.h"

#include <gtest/gtest.h>

#include <algorithm>

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
  expect_the_way_to_every_tick(file);
}

TEST(RecordSeek, WalksWhereThereIsNoTrailer) {
  auto file = tests::small_recording(kSegments, kTicksPerSegment);
  file.resize(pieces(file).back().offset);
  EXPECT_FALSE(Reader::open(file).value().find_trailer());
  expect_the_way_to_every_tick(file);
}

// An index of right checksum whose places are wrong: of a forger, or of a sink that lost what it
// took.
TEST(RecordSeek, BelievesNoIndexUnchecked) {
  const auto good = tests::small_recording(kSegments, kTicksPerSegment);
  const auto with_place = [&](std::uint32_t entry, auto&& alter) {
    auto file = good;
    const std::size_t payload = pieces(file).back().offset + kRecordHeadBytes;
    auto* trailer = flatbuffers::GetMutableRoot<schema::Trailer>(file.data() + payload);
    alter(*trailer->mutable_index()->GetMutableObject(entry));
    tests::rechecksum(file);
    EXPECT_TRUE(Reader::open(file).value().find_trailer()) << entry;
    return file;
  };
  expect_the_way_to_every_tick(
      with_place(2, [](schema::KeyframePlace& place) { place.mutate_offset(place.offset() + 8); }));
  expect_the_way_to_every_tick(with_place(kSegments - 1, [](schema::KeyframePlace& place) {
    place.mutate_offset(std::uint64_t{1} << 60U);
  }));
  expect_the_way_to_every_tick(
      with_place(3, [](schema::KeyframePlace& place) { place.mutate_tick(place.tick() - 1); }));
}

TEST(RecordSeek, TakesNoIndexThatIsOutOfOrder) {
  auto file = tests::small_recording(kSegments, kTicksPerSegment);
  const std::size_t payload = pieces(file).back().offset + kRecordHeadBytes;
  auto* trailer = flatbuffers::GetMutableRoot<schema::Trailer>(file.data() + payload);
  trailer->mutable_index()->GetMutableObject(3)->mutate_segment(1);
  tests::rechecksum(file);
  EXPECT_FALSE(Reader::open(file).value().find_trailer());
  EXPECT_EQ(tests::walk(file).damages, 1U);
  expect_the_way_to_every_tick(file);
}

TEST(RecordSeek, FindsItsWayThroughADamagedFile) {
  auto file = tests::small_recording(kSegments, kTicksPerSegment);
  file[pieces(file)[2 * (kTicksPerSegment + 1)].offset + 50] ^= std::byte{1};  // keyframe 2
  EXPECT_EQ(sought(file, 2 * kTicksPerSegment + 3).value, kTicksPerSegment);
  EXPECT_EQ(sought(file, 3 * kTicksPerSegment).value, 3 * kTicksPerSegment);
}

}  // namespace
}  // namespace tickbox::record
