#include "record/format.h"

#include "tests/support/recorded_match.h"

#include <gtest/gtest.h>

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
  header.rules = std::string(kHeaderTextMax, 'r');
  header.simulation = std::string(kHeaderTextMax, 's');
  header.start_ms = -1;
  EXPECT_EQ(decode_header(header_bytes(header)), header);
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

TEST(RecordHeader, NamesAnotherVersion) {
  auto bytes = header_bytes(RecordedMatch{}.header());
  bytes[8] = static_cast<std::byte>(kFormatVersion + 1);
  EXPECT_EQ(decode_header(bytes).error(), RecordError::UnknownVersion);
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
  head.payload_bytes = kPayloadBytesMax + kPayloadAlignment;
  EXPECT_TRUE(error_of(head));
  head.payload_bytes = 63;
  EXPECT_TRUE(error_of(head));
  head = good;
  head.type = static_cast<RecordType>(0);
  EXPECT_TRUE(error_of(head));
  head.type = static_cast<RecordType>(5);
  EXPECT_TRUE(error_of(head));
  head = good;
  head.flags = 2;
  EXPECT_TRUE(error_of(head));
  head = good;
  head.count = kSegmentsMax + 1;
  EXPECT_TRUE(error_of(head));
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
