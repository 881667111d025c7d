#include "record/segments.h"
#include "tests/support/recorded_match.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tickbox::record::seek_test {
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

TEST(RecordSeek, ComesToTheLastKeyframeBeforeATick) {
  const auto file = tests::small_recording(kSegments, kTicksPerSegment);
  for (std::uint32_t tick = 0; tick <= kSegments * kTicksPerSegment; ++tick) {
    const std::uint32_t last = (kSegments - 1) * kTicksPerSegment;
    EXPECT_EQ(sought(file, tick).value, std::min(tick / kTicksPerSegment * kTicksPerSegment, last));
  }
}

TEST(RecordSeek, FindsItsWayThroughADamagedFile) {
  auto file = tests::small_recording(kSegments, kTicksPerSegment);
  file[pieces(file)[2 * (kTicksPerSegment + 1)].offset + 50] ^= std::byte{1};  // keyframe 2
  EXPECT_EQ(sought(file, 2 * kTicksPerSegment + 3).value, kTicksPerSegment);
  EXPECT_EQ(sought(file, 3 * kTicksPerSegment).value, 3 * kTicksPerSegment);
}

}  // namespace
}  // namespace tickbox::record::seek_test
