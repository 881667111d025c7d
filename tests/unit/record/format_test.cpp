#include "record/format.h"

#include "core/hash.h"
#include "record/reader.h"
#include "tests/support/recorded_match.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

namespace tickbox::record {
namespace {

using tests::RecordedMatch;

std::vector<std::byte> header_bytes(const Header& header) {
  const auto bytes = encode_header(header);
  return {bytes.begin(), bytes.end()};
}

TEST(RecordHeader, ComesBackAsItWas) {
  const Header header = RecordedMatch{}.header();
  EXPECT_EQ(decode_header(header_bytes(header)), header);
}

TEST(RecordHeader, HoldsTextsOfFullLength) {
  Header header = RecordedMatch{}.header();
  header.game = std::string(kHeaderTextMax, 'g');
  header.simulation = std::string(kHeaderTextMax, 's');
  header.start_ms = -1;
  EXPECT_EQ(decode_header(header_bytes(header)), header);
}

TEST(RecordHeader, NamesItsServerOrNone) {
  Header header = RecordedMatch{}.header();
  EXPECT_EQ(header.server, 0U);
  header.server = name_hash("arena-1");
  EXPECT_EQ(decode_header(header_bytes(header)).value().server, header.server);
  EXPECT_NE(name_hash("arena-1"), name_hash("arena-2"));
  EXPECT_NE(name_hash(""), 0U);
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

// The game and the server stand where the table of the format says.
TEST(RecordHeader, HasItsGameAndServerInTheirPlaces) {
  const Header header = RecordedMatch{}.header();
  Header other = header;
  other.server = ~header.server;
  EXPECT_EQ(differing_bytes(header, other),
            (std::vector<std::size_t>{140, 141, 142, 143, 144, 145, 146, 147}));
  other = header;
  other.game_version = ~header.game_version;
  EXPECT_EQ(differing_bytes(header, other), (std::vector<std::size_t>{148, 149, 150, 151}));
  other = header;
  other.game_hash = ~header.game_hash;
  EXPECT_EQ(differing_bytes(header, other),
            (std::vector<std::size_t>{152, 153, 154, 155, 156, 157, 158, 159}));
  other = header;
  other.game[0] = static_cast<char>(other.game[0] ^ 1);
  EXPECT_EQ(differing_bytes(header, other), std::vector<std::size_t>{72});
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

constexpr std::size_t kVersionAt = 8;

TEST(RecordHeader, NamesAnotherVersion) {
  auto bytes = header_bytes(RecordedMatch{}.header());
  bytes[kVersionAt] = static_cast<std::byte>(kFormatVersion + 1);
  EXPECT_EQ(decode_header(bytes).error(), RecordError::UnknownVersion);
}

// The headers of all versions begin alike, up to the number of the version.
TEST(RecordHeader, OfTheFormatBeforeIsRefusedInWords) {
  auto copy = header_bytes(RecordedMatch{}.header());
  copy[kVersionAt] = std::byte{kFormatVersion - 1};
  const MutableBytes checksum = MutableBytes{copy}.last(kChecksumBytes);
  store_le(checksum, hash_bytes(ConstBytes{copy}.first(copy.size() - kChecksumBytes)));
  std::vector<std::byte> file = copy;
  file.insert(file.end(), copy.begin(), copy.end());
  file.resize(4'096);
  const auto opened = Reader::open(file);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error(), RecordError::UnknownVersion);
  EXPECT_EQ(describe(opened.error()), "it was written by another version of the recording format");
}

TEST(RecordHead, ComesBackAsItWas) {
  const RecordHead head{.payload_bytes = 4'096,
                        .type = RecordType::Trailer,
                        .flags = kFlagGapBefore,
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
                     .flags = kFlagGapBefore | kFlagCompressed,
                     .tick = {0x0405'0607},
                     .count = 0x0809});
  const auto expected = std::to_array<std::uint8_t>({0xc0, 0x7e, 0xb1, 0x5d,  // sync word
                                                     3,    2,    1,    0,    // bytes of the payload
                                                     1,    0,    3,    0,    // type, flags
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
  const auto error_of = [](RecordHead head) {
    std::array<std::byte, kRecordHeadBytes> bytes{};
    store_head(bytes, head);
    const auto loaded = load_head(bytes);
    return !loaded && loaded.error() == HeadError::Wrong;
  };
  EXPECT_FALSE(error_of(good));
  auto head = good;
  head.payload_bytes = kPayloadBytesMax;
  EXPECT_FALSE(error_of(head));
  head.payload_bytes = kPayloadBytesMax + 1;
  EXPECT_TRUE(error_of(head));
  head = good;
  head.type = static_cast<RecordType>(0);
  EXPECT_TRUE(error_of(head));
  head.type = static_cast<RecordType>(6);
  EXPECT_TRUE(error_of(head));
  head = good;
  head.flags = 4;
  EXPECT_TRUE(error_of(head));
  head.flags = kFlagCompressed;
  EXPECT_TRUE(error_of(head)) << "only keyframes are";
  head.type = RecordType::Keyframe;
  EXPECT_FALSE(error_of(head));
  head = good;
  head.count = kSegmentsMax + 1;
  EXPECT_TRUE(error_of(head));
}

TEST(KeyframeHeader, StandsInSomeSegmentsEverFurtherApart) {
  std::vector<std::uint32_t> segments;
  for (std::uint32_t segment = 0; segment < 100; ++segment) {
    if (carries_header(segment)) segments.push_back(segment);
  }
  EXPECT_EQ(segments, (std::vector<std::uint32_t>{0, 1, 2, 4, 8, 16, 32, 64}));
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
