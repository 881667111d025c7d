// What disks lose and change: the end of a file, bits, and blocks of 4 KiB that are zeroed,
// exchanged, moved or missing.

#include "record/segments.h"
#include "tests/support/recorded_match.h"
#include "tests/unit/record/walk.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <vector>

namespace tickbox::record::damage_test {
namespace {

using tests::MemorySink;
using tests::Piece;
using tests::pieces;

constexpr std::uint32_t kSegments = 4;
constexpr std::uint32_t kTicksPerSegment = 8;

/// A recording in which nobody is in the room from tick 13 to tick 21.
std::vector<std::byte> recording() {
  return tests::small_recording(
      kSegments, kTicksPerSegment,
      {.all_stay = true, .deserted = tests::Deserted{.first = {12}, .last = {21}}});
}

// A server that was killed: whatever it had written verifies, up to the last whole record.
TEST(RecordDamage, CutAtAnyByteItVerifiesUpToTheLastWholeRecord) {
  const auto file = recording();
  const auto records = pieces(file);
  for (std::size_t size = 0; size < file.size(); ++size) {
    const ConstBytes cut = ConstBytes{file}.first(size);
    if (size < kFileHeaderBytes) {
      EXPECT_EQ(Reader::open(cut).error(), RecordError::HeaderCut) << size;
      continue;
    }
    std::uint32_t ticks = 0;
    for (const Piece& record : records) {
      ticks += tests::holds_ticks(record.head.type) && record.end() <= size ? record.head.count : 0;
    }
    const auto result = tests::verify(cut);
    EXPECT_EQ(result.ticks, ticks) << size;
    EXPECT_TRUE(result.held() && result.ends_early && !result.complete) << size;
    EXPECT_EQ(result.segments_lost, 0U) << size;
  }
}

// Seen by the reader alone, which is far quicker than stepping; one bit of each byte is stepped.
TEST(RecordDamage, AnyFlippedBitIsDetectedAndCostsAtMostOneSegment) {
  auto file = recording();
  const Piece last = pieces(file).back();
  for (std::size_t bit = 0; bit < 8 * file.size(); ++bit) {
    const std::size_t byte = bit / 8;
    file[byte] ^= std::byte{1} << (bit % 8);
    const auto seen = tests::walk(file);
    // The length of the last record may look like a cut.
    const bool may_look_cut = byte >= last.offset + 4 && byte < last.offset + 8;
    EXPECT_TRUE(seen.damages == 1 || (may_look_cut && seen.ends_early));
    EXPECT_EQ(seen.gaps, 0U);
    EXPECT_GE(seen.ticks, (kSegments - (byte < kRecordsOffset ? 0 : 1)) * kTicksPerSegment);
    if (bit % 8 == byte % 8) {
      const auto result = tests::verify(file);
      EXPECT_EQ(result.mismatched, 0U);
      EXPECT_FALSE(result.complete);
      EXPECT_EQ(result.ticks, seen.ticks);
      EXPECT_LE(result.segments_lost, byte < kRecordsOffset ? 0U : 1U);
      if (byte < last.offset) {
        EXPECT_EQ(result.segments_whole + result.segments_lost, kSegments);
      }
    }
    file[byte] ^= std::byte{1} << (bit % 8);
    if (HasFailure()) FAIL() << "bit " << bit % 8 << " of byte " << byte;
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

// What is left begins in the middle of any segment: the next keyframe has the header.
TEST(RecordDamage, AnyKeyframeHasTheHeaderThatTheFileHasLost) {
  auto file = tests::small_recording(kSegments, 3);
  for (const Piece& piece : pieces(file)) {
    std::fill_n(file.begin(), piece.offset, std::byte{0});
    const std::uint32_t whole = kSegments - (piece.head.tick.value + 2) / 3;
    if (whole == 0) {
      EXPECT_EQ(Reader::open(file).error(), RecordError::NotARecording);
      continue;
    }
    const auto result = tests::verify(file);
    EXPECT_FALSE(result.held());
    EXPECT_EQ(result.ticks, 3 * whole);
    EXPECT_EQ(result.segments_whole, whole);
    EXPECT_EQ(result.segments_lost, whole == kSegments ? 0U : 1U) << "how many is not known";
  }
}

/// Returns the segments of `file` from that of `tick` on, as a file of their own.
std::vector<std::byte> from(const std::vector<std::byte>& file, Tick tick) {
  MemorySink sink;
  EXPECT_TRUE(cut(Reader::open(file).value(), sink, {.from = tick}).written);
  return std::move(sink.bytes);
}

TEST(RecordDamage, OfTheHeaderOfALaterFileCostsNoSegment) {
  auto file = from(recording(), {2 * kTicksPerSegment + 1});
  ASSERT_EQ(decode_header(file).value().first_segment, 2U);
  for (std::size_t byte = 0; byte < kRecordsOffset; ++byte) {
    file[byte] ^= std::byte{1};
    const auto result = tests::verify(file);
    EXPECT_EQ(result.damages, 1U) << byte;
    EXPECT_EQ(result.segments_lost, 0U) << byte;
    EXPECT_EQ(result.ticks, 2 * kTicksPerSegment) << byte;
    file[byte] ^= std::byte{1};
  }
}

// The numbers of a file that has lost records jump already.
TEST(RecordDamage, ASegmentThatIsRemovedWholeIsDamageBesideAGapToo) {
  auto lossy = tests::small_recording(kSegments, kTicksPerSegment);
  lossy[pieces(lossy)[kTicksPerSegment + 3].offset + kRecordHeadBytes] ^= std::byte{1};
  const auto with_gap = from(lossy, {});
  ASSERT_EQ(tests::verify(with_gap).gaps, 1U);
  for (const auto& file : {recording(), with_gap}) {
    std::vector<Piece> keyframes = pieces(file);
    std::erase_if(keyframes,
                  [](const Piece& piece) { return piece.head.type != RecordType::Keyframe; });
    for (std::size_t i = 0; i + 1 < keyframes.size(); ++i) {
      auto removed = file;
      removed.erase(removed.begin() + static_cast<std::ptrdiff_t>(keyframes[i].offset),
                    removed.begin() + static_cast<std::ptrdiff_t>(keyframes[i + 1].offset));
      EXPECT_GT(tests::verify(removed).damages, 0U) << i;
      EXPECT_GT(segments_of(Reader::open(removed).value()).damages, 0U) << i;
    }
  }
}

/// A sink that wants a segment after eight records.
class Asking final : public Sink {
 public:
  void append(const LogRecord& /*record*/) override { ++records_; }

  [[nodiscard]] bool wants_segment() const override { return records_ == 8; }

 private:
  int records_ = 0;
};

// A number that the log has left out is no segment that is lost.
TEST(RecordDamage, BesideANumberThatWasLeftOutCostsItsSegmentAlone) {
  tests::RecordedMatch match;
  MemorySink sink;
  tests::Writer writer{sink, match.header()};
  Asking asking;
  writer.log().add(asking);
  match.record(writer, 30);
  ASSERT_TRUE(writer.finish());
  std::uint32_t damaged = 0;
  for (const Piece& piece : pieces(sink.bytes)) {
    if (piece.head.type == RecordType::Keyframe && piece.head.count > 0) break;
    if (piece.head.type == RecordType::Keyframe) continue;
    auto file = sink.bytes;
    file[piece.offset + kRecordHeadBytes] ^= std::byte{1};
    const auto result = tests::verify(file);
    EXPECT_EQ(result.segments_lost, 1U);
    EXPECT_EQ(result.segments_whole, 1U);
    ++damaged;
  }
  EXPECT_GT(damaged, 5U);
}

// A log that is followed is read as it comes: it costs no more than in a file.
TEST(RecordDamage, AnyFlippedBitCostsAFollowerAtMostOneSegment) {
  auto file = tests::small_recording(kSegments, kTicksPerSegment);
  const auto records = pieces(file);
  const auto trailer = records.back().offset;
  for (std::size_t byte = kRecordsOffset; byte < trailer; ++byte) {
    file[byte] ^= std::byte{1} << (byte % 8);
    const auto seen = tests::followed(file, 100);
    EXPECT_EQ(seen, tests::walk(file)) << byte;
    file[byte] ^= std::byte{1} << (byte % 8);
    if (HasFailure()) return;
  }
}

TEST(RecordDamage, BehindTheEndCostsNothingOfIt) {
  tests::RecordedMatch match;
  MemorySink sink;
  tests::Writer writer{sink, match.header()};
  match.record(writer, 8);
  match.decide();
  ASSERT_TRUE(writer.unfinished(match.requested_bytes()));
  for (auto file : {sink.bytes, recording()}) {
    const auto whole = tests::verify(file);
    file.push_back(std::byte{1});
    const auto result = tests::verify(file);
    EXPECT_EQ(result.damages, 1U);
    EXPECT_EQ(result.segments_lost, 0U);
    EXPECT_EQ(result.segments_whole, whole.segments_whole);
    EXPECT_EQ(result.unfinished, whole.unfinished);
  }
}

/// A recording whose segments have several blocks each, and what it holds.
class Blocks : public testing::Test {
 protected:
  static constexpr std::size_t kBlock = 4'096;
  static constexpr std::uint32_t kBlockSegments = 5;
  static constexpr std::uint32_t kBlockTicks = 60;

  /// The segments that have a byte of a stretch, and the ticks that are left without it: of each
  /// segment those before its first damaged record.
  struct Left {
    std::array<std::uint32_t, kBlockSegments> ticks{};
    std::array<bool, kBlockSegments> is_hurt{};  ///< the trailer is one of the last

    [[nodiscard]] std::uint32_t hurt() const {
      return static_cast<std::uint32_t>(std::ranges::count(is_hurt, true));
    }
  };

  Blocks() {
    MemorySink sink;
    tests::Writer writer{sink, match_.header()};
    for (std::uint32_t segment = 0; segment < kBlockSegments; ++segment) {
      match_.keyframe(writer);
      hash_at_keyframe_[match_.world().tick.value] = engine::state_hash(match_.world());
      match_.record(writer, kBlockTicks);
    }
    EXPECT_TRUE(writer.finish());
    file_ = std::move(sink.bytes);
  }

  [[nodiscard]] std::size_t blocks() const { return (file_.size() + kBlock - 1) / kBlock; }

  [[nodiscard]] MutableBytes block(std::vector<std::byte>& file, std::size_t number) const {
    const std::size_t begin = number * kBlock;
    return MutableBytes{file}.subspan(begin, std::min(kBlock, file.size() - begin));
  }

  [[nodiscard]] Left left_by(std::size_t begin, std::size_t end) const {
    Left left;
    std::uint32_t segment = 0;
    for (const Piece& piece : pieces(file_)) {
      if (piece.head.type == RecordType::Keyframe) segment = piece.head.count;
      bool& is_hurt = left.is_hurt.at(segment);
      is_hurt = is_hurt || (piece.offset < end && piece.end() > begin);
      if (tests::holds_ticks(piece.head.type) && !is_hurt) {
        left.ticks.at(segment) += piece.head.count;
      }
    }
    return left;
  }

  /// Reads a damaged file: it is found not to be complete, every tick and world that is handed out
  /// is one that was played, and of each segment there is what stands before the damage at the
  /// least.
  void expect_read(const std::vector<std::byte>& damaged, const Left& left) {
    auto reader = Reader::open(damaged).value();
    std::array<std::uint32_t, kBlockSegments> read{};
    bool noticed = false;
    for (auto item = reader.next(); item != Reader::Item::Finished; item = reader.next()) {
      if (item == Reader::Item::Keyframe) {
        const KeyframeHead& keyframe = reader.keyframe();
        EXPECT_EQ(keyframe.state_hash, hash_at_keyframe_.at(keyframe.tick.value));
        noticed = noticed || keyframe.gap_before;
      } else if (item == Reader::Item::Ticks) {
        for (const EncodedTick& tick : reader.ticks()) {
          EXPECT_TRUE(is_as_played(tick, match_.played().at(tick.tick.value - 1)));
          ++read.at((tick.tick.value - 1) / kBlockTicks);
        }
      } else {
        noticed = noticed || item == Reader::Item::Damage || item == Reader::Item::EndsEarly;
      }
    }
    EXPECT_TRUE(noticed);
    for (std::uint32_t segment = 0; segment < kBlockSegments; ++segment) {
      EXPECT_GE(read.at(segment), left.ticks.at(segment)) << "segment " << segment;
    }
  }

  /// Steps it too: it costs no more segments than have a damaged byte.
  void expect_stepped(const std::vector<std::byte>& damaged, const Left& left) {
    expect_read(damaged, left);
    const auto result = tests::verify(damaged);
    EXPECT_TRUE(!result.held() || result.ends_early);
    EXPECT_EQ(result.mismatched, 0U);
    EXPECT_GE(result.ticks, std::accumulate(left.ticks.begin(), left.ticks.end(), 0U));
    EXPECT_LE(result.segments_lost, left.hurt());
  }

  [[nodiscard]] std::vector<std::byte> without(std::size_t begin, std::size_t end) const {
    auto file = file_;
    file.erase(file.begin() + static_cast<std::ptrdiff_t>(begin),
               file.begin() + static_cast<std::ptrdiff_t>(end));
    return file;
  }

  tests::RecordedMatch match_{{.tick_rate = 60, .seats = 96, .seed = 6}};
  std::vector<std::byte> file_;
  std::map<std::uint32_t, std::uint64_t> hash_at_keyframe_;
};

// A block across the border of two segments holds the keyframe of the second. It costs the whole
// second segment and the end of the first.
TEST_F(Blocks, AZeroedOrMissingOneCostsItsSegmentAndTheNextIfItCrossesTheBorder) {
  ASSERT_GT(blocks(), 3 * kBlockSegments);
  std::uint32_t over_a_border = 0;
  for (std::size_t i = 0; i < blocks(); ++i) {
    const std::size_t end = std::min((i + 1) * kBlock, file_.size());
    const Left left = left_by(i * kBlock, end);
    ASSERT_LE(left.hurt(), 2U);
    over_a_border += left.hurt() == 2 ? 1U : 0U;
    auto zeroed = file_;
    std::ranges::fill(block(zeroed, i), std::byte{0});
    expect_stepped(zeroed, left);
    expect_stepped(without(i * kBlock, end), left);
    if (HasFailure()) FAIL() << "block " << i;
  }
  EXPECT_GT(over_a_border, 0U);
}

// A block may begin and end where records do, by chance: then a whole record stands where the
// damage is. Eleven records are as many as a segment has.
TEST_F(Blocks, WholeRecordsThatAreMissingCostTheirOwnSegmentsAlone) {
  const std::vector<Piece> records = pieces(file_);
  for (const std::size_t count : {1U, 2U, 3U, 11U}) {
    for (std::size_t first = 0; first + count < records.size(); ++first) {
      const std::size_t begin = records[first].offset;
      const std::size_t end = records[first + count - 1].end();
      expect_stepped(without(begin, end), left_by(begin, end));
      if (HasFailure()) FAIL() << count << " records from " << first;
    }
  }
}

// A keyframe that comes early may cost all segments that it skips; no wrong tick is handed out.
TEST_F(Blocks, ExchangedOrMovedOnesAreDetected) {
  for (std::size_t i = 0; i < blocks(); ++i) {
    for (std::size_t j = i + 1; (j + 1) * kBlock <= file_.size(); ++j) {
      auto exchanged = file_;
      std::ranges::swap_ranges(block(exchanged, i), block(exchanged, j));
      expect_read(exchanged, {});
      auto moved = without(j * kBlock, (j + 1) * kBlock);
      auto copy = file_;
      const MutableBytes taken = block(copy, j);
      moved.insert(moved.begin() + static_cast<std::ptrdiff_t>(i * kBlock), taken.begin(),
                   taken.end());
      expect_read(moved, {});
      if (HasFailure()) FAIL() << "blocks " << i << " and " << j;
    }
  }
}

}  // namespace
}  // namespace tickbox::record::damage_test
