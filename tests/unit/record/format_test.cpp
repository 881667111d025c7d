#include "record/format.h"

#include "core/hash.h"
#include "record/reader.h"
#include "tests/support/recorded_match.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

namespace tickbox::record {
namespace {

using tests::RecordedMatch;

std::vector<std::byte> header_bytes(const Header& header) {
  const auto bytes = encode_header(header);
  return {bytes.begin(), bytes.end()};
}

/// A header whose every field has a value of its own, with texts of full length.
Header full_header() {
  Header header = RecordedMatch{}.header();
  header.game = std::string(kHeaderTextMax, 'g');
  header.simulation = std::string(kHeaderTextMax, 's');
  header.commit = std::string(kCommitMax, 'c');
  header.start_ms = -1;
  header.server = name_hash("arena-1");
  header.first_segment = kSegmentsMax - 1;
  return header;
}

TEST(RecordHeader, ComesBackAsItWas) {
  for (const Header& header : {RecordedMatch{}.header(), full_header()}) {
    EXPECT_EQ(decode_header(header_bytes(header)), header);
  }
  EXPECT_EQ(RecordedMatch{}.header().server, 0U);
  EXPECT_NE(name_hash("arena-1"), name_hash("arena-2"));
  EXPECT_NE(name_hash(""), 0U);
}

TEST(RecordHeader, OfALogHasNothingOfAFile) {
  Header header = full_header();
  const Header of_log = without_file(header);
  header.part = 0;
  header.server = 0;
  header.first_segment = 0;
  EXPECT_EQ(of_log, header);
}

/// The bytes in which two headers differ, without the checksum.
std::vector<std::size_t> differing_bytes(const Header& a, const Header& b) {
  const auto bytes_a = header_bytes(a);
  const auto bytes_b = header_bytes(b);
  std::vector<std::size_t> differing;
  for (std::size_t i = 0; i < bytes_a.size() - kChecksumBytes; ++i) {
    if (bytes_a[i] != bytes_b[i]) differing.push_back(i);
  }
  return differing;
}

// Each field stands where the table of the format says.
TEST(RecordHeader, HasItsFieldsInTheirPlaces) {
  const auto expect_at = [](std::size_t offset, std::size_t bytes, const auto& change) {
    const Header header = RecordedMatch{}.header();
    Header other = header;
    change(other);
    std::vector<std::size_t> expected(bytes);
    std::iota(expected.begin(), expected.end(), offset);
    EXPECT_EQ(differing_bytes(header, other), expected);
  };
  expect_at(72, 1, [](Header& header) { header.game[0] ^= 1; });
  expect_at(136, 4, [](Header& header) { header.part = ~header.part; });
  expect_at(140, 8, [](Header& header) { header.server = ~header.server; });
  expect_at(148, 4, [](Header& header) { header.game_version = ~header.game_version; });
  expect_at(152, 8, [](Header& header) { header.game_hash = ~header.game_hash; });
  expect_at(160, 16, [](Header& header) { header.commit = std::string(kCommitMax, 'c'); });
  expect_at(176, 4, [](Header& header) { header.first_segment = 0x0102'0304; });
}

TEST(RecordHeader, SaysWhichGameAndMapItIsOf) {
  const RecordedMatch match;
  EXPECT_EQ(identity_of(match.header()),
            engine::identity_of(match.game(), match.map(), match.header().tick_rate));
}

TEST(RecordHeader, IsNoLongerValidWithAnyBitFlipped) {
  const auto whole = header_bytes(RecordedMatch{}.header());
  for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    auto flipped = whole;
    flipped[bit / 8] ^= std::byte{1} << (bit % 8);
    EXPECT_FALSE(decode_header(flipped)) << "bit " << bit;
  }
}

TEST(RecordHeader, TellsWhatIsCutFromWhatIsNoRecording) {
  const auto whole = header_bytes(RecordedMatch{}.header());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_EQ(decode_header(ConstBytes{whole}.first(size)).error(), RecordError::HeaderCut) << size;
  }
  const std::string_view text = "{\"tick_rate\": 60}";
  EXPECT_EQ(decode_header(as_bytes_of(text)).error(), RecordError::NotARecording);
  EXPECT_EQ(decode_header(as_bytes_of(text.substr(0, 3))).error(), RecordError::NotARecording);
}

// The headers of all versions begin alike, and name the build in the same place.
TEST(RecordHeader, OfAnotherVersionIsRefusedAndNamesTheBuildThatReadsIt) {
  constexpr std::size_t kVersionAt = 8;
  for (const int version : {kFormatVersion - 1, kFormatVersion + 1}) {
    Header header = RecordedMatch{}.header();
    header.commit = "0123abc";
    auto file = header_bytes(header);
    file[kVersionAt] = static_cast<std::byte>(version);
    const MutableBytes checksum = MutableBytes{file}.last(kChecksumBytes);
    store_le(checksum, hash_bytes(ConstBytes{file}.first(file.size() - kChecksumBytes)));
    file.resize(4'096);
    const auto opened = Reader::open(file);
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error(), RecordError::UnknownVersion);
    EXPECT_EQ(describe(opened.error(), file),
              "it has version " + std::to_string(version) +
                  " of the recording format, and this build reads version " +
                  std::to_string(kFormatVersion) +
                  "; the build that recorded it reads it: 0123abc");
  }
}

TEST(RecordHead, ComesBackAsItWas) {
  const RecordHead head{.payload_bytes = 4'096,
                        .type = RecordType::Trailer,
                        .flags = kFlagTicksLost,
                        .tick = {123'456},
                        .count = 789};
  std::array<std::byte, kRecordHeadBytes> bytes{};
  store_head(bytes, head);
  EXPECT_EQ(load_head(bytes), head);
}

TEST(RecordHead, AsTheStandardSays) {
  std::array<std::byte, kRecordHeadBytes> bytes{};
  store_head(bytes, {.payload_bytes = 0x010203,
                     .type = RecordType::Keyframe,
                     .flags = kFlagCompressed,
                     .tick = {0x0405'0607},
                     .count = 0x0809});
  const auto expected = std::to_array<std::uint8_t>({0xc0, 0x7e, 0xb1, 0x5d,  // sync word
                                                     3,    2,    1,    0,    // bytes of the payload
                                                     1,    0,    2,    0,    // type, flags
                                                     7,    6,    5,    4,    // tick
                                                     9,    8,    0,    0});  // count
  EXPECT_EQ((std::bit_cast<std::array<std::uint8_t, kRecordHeadBytes>>(bytes)), expected);
}

TEST(RecordHead, IsCutWhenShort) {
  const std::array<std::byte, kRecordHeadBytes - 1> bytes{};
  EXPECT_EQ(load_head(bytes).error(), HeadError::Cut);
}

TEST(RecordHead, RefusesWhatNoWriterWrites) {
  const RecordHead good{.payload_bytes = 64, .type = RecordType::Ticks, .tick = {1}, .count = 1};
  const auto is_wrong = [&](const auto& change) {
    RecordHead head = good;
    change(head);
    std::array<std::byte, kRecordHeadBytes> bytes{};
    store_head(bytes, head);
    const auto loaded = load_head(bytes);
    return !loaded && loaded.error() == HeadError::Wrong;
  };
  const auto with = [&](RecordType type, std::uint16_t flags) {
    return is_wrong([&](RecordHead& head) {
      head.type = type;
      head.flags = flags;
    });
  };
  EXPECT_FALSE(is_wrong([](RecordHead& head) { head.payload_bytes = kPayloadBytesMax; }));
  EXPECT_TRUE(is_wrong([](RecordHead& head) { head.payload_bytes = kPayloadBytesMax + 1; }));
  EXPECT_FALSE(is_wrong([](RecordHead& head) { head.count = kSegmentsMax; }));
  EXPECT_TRUE(is_wrong([](RecordHead& head) { head.count = kSegmentsMax + 1; }));
  for (const std::uint16_t type : std::to_array<std::uint16_t>({0, 7})) {
    std::array<std::byte, kRecordHeadBytes> bytes{};
    store_head(bytes, good);
    store_le(MutableBytes{bytes}.subspan(8), type);
    EXPECT_EQ(load_head(bytes).error(), HeadError::Wrong);
  }
  EXPECT_TRUE(with(RecordType::Ticks, 4));
  for (const auto type : {RecordType::Keyframe, RecordType::Ticks, RecordType::Quiet,
                          RecordType::Trailer, RecordType::Unfinished, RecordType::Idle}) {
    EXPECT_FALSE(with(type, 0));
    EXPECT_EQ(with(type, kFlagCompressed), type != RecordType::Keyframe);
    EXPECT_EQ(with(type, kFlagTicksLost), type != RecordType::Trailer);
  }
}

TEST(Chain, DependsOnTheSaltAndOnWhatCameBefore) {
  Header other = RecordedMatch{}.header();
  const Chain chain{other};
  other.salt[15] ^= std::byte{1};
  EXPECT_NE(chain.seed_after(0), Chain{other}.seed_after(0));
  EXPECT_NE(chain.seed_after(0), chain.seed_after(1));
}

}  // namespace
}  // namespace tickbox::record
