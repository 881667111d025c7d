// What file systems lose: whole blocks of 4 KiB, zeroed, exchanged, moved or gone.

#include "tests/support/recorded_match.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <vector>

namespace tickbox::record {
namespace {

using tests::MemorySink;
using tests::pieces;
using tests::RecordedMatch;

constexpr std::size_t kBlock = 4'096;
constexpr std::uint32_t kSegments = 5;
constexpr std::uint32_t kTicksPerSegment = 60;
/// Of the many files with two damaged places, one in this number is stepped again as well as read.
constexpr std::size_t kStepped = 7;

/// What a damage leaves of each segment at the least.
struct Left {
  std::array<std::uint32_t, kSegments> ticks{};
  std::array<bool, kSegments> is_hurt{};  ///< any record of it is; the trailer is one of the last

  [[nodiscard]] std::uint32_t all_ticks() const {
    return std::accumulate(ticks.begin(), ticks.end(), 0U);
  }

  [[nodiscard]] std::uint32_t hurt() const {
    return static_cast<std::uint32_t>(std::ranges::count(is_hurt, true));
  }
};

/// What two damages leave together.
Left both(const Left& a, const Left& b) {
  Left left;
  for (std::size_t segment = 0; segment < kSegments; ++segment) {
    left.ticks.at(segment) = std::min(a.ticks.at(segment), b.ticks.at(segment));
    left.is_hurt.at(segment) = a.is_hurt.at(segment) || b.is_hurt.at(segment);
  }
  return left;
}

/// Takes a block out of a file.
std::vector<std::byte> cut_out(std::vector<std::byte>& file, std::size_t number) {
  const auto begin = file.begin() + static_cast<std::ptrdiff_t>(number * kBlock);
  const auto end =
      begin + static_cast<std::ptrdiff_t>(std::min(kBlock, file.size() - number * kBlock));
  std::vector<std::byte> taken(begin, end);
  file.erase(begin, end);
  return taken;
}

/// A recording whose segments have several blocks each, and what it holds.
class Blocks : public testing::Test {
 protected:
  Blocks() {
    MemorySink sink;
    Writer writer{sink, match_.header()};
    for (std::uint32_t segment = 0; segment < kSegments; ++segment) {
      match_.keyframe(writer);
      hash_at_keyframe_[match_.world().tick.value] = engine::state_hash(match_.world());
      match_.record(writer, kTicksPerSegment);
    }
    EXPECT_TRUE(writer.finish());
    file_ = std::move(sink.bytes);
  }

  [[nodiscard]] std::size_t blocks() const { return (file_.size() + kBlock - 1) / kBlock; }

  [[nodiscard]] MutableBytes block(std::vector<std::byte>& file, std::size_t number) const {
    const std::size_t begin = number * kBlock;
    return MutableBytes{file}.subspan(begin, std::min(kBlock, file.size() - begin));
  }

  /// What damage to [begin, end) leaves: of each segment the ticks before its first damaged record.
  /// No tick behind that record can be stepped without it.
  [[nodiscard]] Left left_by(std::size_t begin, std::size_t end) const {
    Left left;
    std::uint32_t segment = 0;
    for (const tests::Piece& piece : pieces(file_)) {
      if (piece.head.type == RecordType::Keyframe) segment = piece.head.count;
      bool& is_hurt = left.is_hurt.at(segment);
      is_hurt = is_hurt || (piece.offset < end && piece.end() > begin);
      if (!tests::holds_ticks(piece.head.type) || is_hurt) continue;
      left.ticks.at(segment) += piece.head.count;
    }
    return left;
  }

  [[nodiscard]] Left left_by(std::size_t number) const {
    return left_by(number * kBlock, (number + 1) * kBlock);
  }

  void check(const std::vector<std::byte>& damaged, const Left& left) {
    expect_read(damaged, left);
    expect_stepped(damaged, left);
  }

  void expect_stepped(const std::vector<std::byte>& damaged, const Left& left) {
    const auto result = tests::verify(damaged);
    EXPECT_FALSE(result.complete);
    EXPECT_EQ(result.mismatched, 0U);
    EXPECT_GE(result.ticks, left.all_ticks());
  }

  /// Reads a damaged file: it is found to be damaged, every tick that is handed out is one that was
  /// played, and of each segment there is what stands before the damage at the least.
  void expect_read(const std::vector<std::byte>& damaged, const Left& left) {
    auto reader = Reader::open(damaged);
    ASSERT_TRUE(reader.has_value());
    std::array<std::uint32_t, kSegments> read{};
    bool noticed = false;
    for (auto item = reader->next(); item != Reader::Item::Finished; item = reader->next()) {
      if (item == Reader::Item::Keyframe) {
        EXPECT_EQ(reader->keyframe().state_hash,
                  hash_at_keyframe_.at(reader->keyframe().tick.value));
      } else if (item == Reader::Item::Ticks) {
        for (const RecordedTick& tick : reader->ticks()) {
          expect_played(tick);
          ++read.at((tick.tick.value - 1) / kTicksPerSegment);
        }
      } else {
        noticed = noticed || item == Reader::Item::Damage || item == Reader::Item::EndsEarly;
      }
    }
    EXPECT_TRUE(noticed);
    for (std::uint32_t segment = 0; segment < kSegments; ++segment) {
      EXPECT_GE(read.at(segment), left.ticks.at(segment)) << "segment " << segment;
    }
  }

  void expect_played(const RecordedTick& tick) const {
    const tests::PlayedTick& played = match_.played().at(tick.tick.value - 1);
    EXPECT_TRUE(is_as_played(tick, played)) << "what entered tick " << played.tick.value;
  }

  RecordedMatch match_{{.tick_rate = 60, .seats = 96, .seed = 6}};
  std::vector<std::byte> file_;
  std::map<std::uint32_t, std::uint64_t> hash_at_keyframe_;
};

// A block across the border of two segments holds the keyframe of the second. Zeroing it costs the
// whole second segment and the end of the first.
TEST_F(Blocks, AZeroedOneCostsTheRestOfItsSegmentAndAllOfTheNextIfItCrossesTheBorder) {
  ASSERT_GT(blocks(), 3 * kSegments);
  std::uint32_t over_a_border = 0;
  for (std::size_t i = 0; i < blocks(); ++i) {
    auto damaged = file_;
    std::ranges::fill(block(damaged, i), std::byte{0});
    const Left left = left_by(i);
    ASSERT_LE(left.hurt(), 2U);
    over_a_border += left.hurt() == 2 ? 1U : 0U;
    check(damaged, left);
    const auto result = tests::verify(damaged);
    EXPECT_FALSE(result.held());
    EXPECT_LE(result.segments_lost, left.hurt());
    if (HasFailure()) FAIL() << "block " << i;
  }
  EXPECT_GT(over_a_border, 0U);
}

TEST_F(Blocks, TwoThatChangePlacesCostNoMoreThanBothZeroed) {
  for (std::size_t i = 0; i < blocks(); ++i) {
    for (std::size_t j = i + 1; (j + 1) * kBlock <= file_.size(); ++j) {
      auto damaged = file_;
      std::ranges::swap_ranges(block(damaged, i), block(damaged, j));
      const Left left = both(left_by(i), left_by(j));
      expect_read(damaged, left);
      if ((i + j) % kStepped == 0) expect_stepped(damaged, left);
      if (HasFailure()) FAIL() << "blocks " << i << " and " << j;
    }
  }
}

TEST_F(Blocks, AMissingOneCostsNoMoreThanAZeroedOne) {
  for (std::size_t i = 0; i < blocks(); ++i) {
    auto damaged = file_;
    (void)cut_out(damaged, i);
    check(damaged, left_by(i));
    EXPECT_LE(tests::verify(damaged).segments_lost, left_by(i).hurt());
    if (HasFailure()) FAIL() << "block " << i;
  }
}

// A block may begin and end where records do, by chance: then a whole record stands where the
// damage is.
TEST_F(Blocks, WholeRecordsThatAreMissingCostTheirOwnSegmentsAlone) {
  const std::vector<tests::Piece> records = pieces(file_);
  for (std::size_t first = 0; first + 1 < records.size(); ++first) {
    for (std::size_t last = first; last + 1 < records.size() && last < first + 3; ++last) {
      const std::size_t begin = records[first].offset;
      const std::size_t end = records[last].end();
      auto damaged = file_;
      damaged.erase(damaged.begin() + static_cast<std::ptrdiff_t>(begin),
                    damaged.begin() + static_cast<std::ptrdiff_t>(end));
      const Left left = left_by(begin, end);
      check(damaged, left);
      EXPECT_LE(tests::verify(damaged).segments_lost, left.hurt());
      if (HasFailure()) FAIL() << "records " << first << " to " << last;
    }
  }
}

// Everything between the two places is shifted, and is whole.
TEST_F(Blocks, AMovedOneCostsWhereItWasAndTheSegmentThatItCameInto) {
  for (std::size_t from = 0; from < blocks(); ++from) {
    for (std::size_t to = 0; to < blocks(); ++to) {
      auto damaged = file_;
      const std::vector<std::byte> moved = cut_out(damaged, from);
      const std::size_t at = std::min(to * kBlock, damaged.size());
      damaged.insert(damaged.begin() + static_cast<std::ptrdiff_t>(at), moved.begin(), moved.end());
      if (damaged == file_) continue;
      // The same place in the file before the block was taken out.
      const std::size_t split = at < from * kBlock ? at : at + moved.size();
      const Left left = both(left_by(from), left_by(split, split + 1));
      expect_read(damaged, left);
      if ((from + to) % kStepped == 0) expect_stepped(damaged, left);
      if (HasFailure()) FAIL() << "block " << from << " to " << to;
    }
  }
}

}  // namespace
}  // namespace tickbox::record
