// What file systems lose: whole blocks of 4 KiB, zeroed, exchanged or gone.

#include "tests/unit/record/match.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

namespace tickbox::record {
namespace {

using test::Match;
using test::MemorySink;
using test::pieces;

constexpr std::size_t kBlock = 4'096;
constexpr std::uint32_t kSegments = 5;
constexpr std::uint32_t kTicksPerSegment = 60;

/// A recording whose segments have several blocks each, and what it holds.
class Blocks : public testing::Test {
 protected:
  Blocks() {
    MemorySink sink;
    Writer writer{sink, match_.header()};
    for (std::uint32_t segment = 0; segment < kSegments; ++segment) {
      writer.keyframe(match_.world());
      hash_at_keyframe_[match_.world().tick.value] = game::state_hash(match_.world());
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

  /// The segments that have a byte in a block.
  [[nodiscard]] std::set<std::uint32_t> segments_in(std::size_t number) const {
    std::set<std::uint32_t> found;
    std::uint32_t segment = 0;
    for (const test::Piece& piece : pieces(file_)) {
      if (piece.head.type == RecordType::Keyframe) segment = piece.head.count;
      if (piece.offset < (number + 1) * kBlock && piece.end() > number * kBlock) {
        found.insert(segment);
      }
    }
    return found;
  }

  /// Reads a damaged file: it is found to be damaged, every tick that is handed out is one that was
  /// played, whole segments are lost only where a block was, at most one for each damaged place.
  void check(const std::vector<std::byte>& damaged, const std::set<std::uint32_t>& touched,
             std::size_t places) {
    auto reader = Reader::open(damaged);
    ASSERT_TRUE(reader.has_value());
    std::vector<std::uint32_t> read(kSegments, 0);
    bool noticed = false;
    for (auto item = reader->next(); item != Reader::Item::Finished; item = reader->next()) {
      if (item == Reader::Item::Keyframe) {
        EXPECT_EQ(reader->keyframe().state_hash,
                  hash_at_keyframe_.at(reader->keyframe().tick.value));
      } else if (item == Reader::Item::Ticks) {
        for (const RecordedTick& tick : reader->ticks()) {
          expect_played(tick);
          ++read[(tick.tick.value - 1) / kTicksPerSegment];
        }
      } else {
        noticed = noticed || item == Reader::Item::Damage || item == Reader::Item::EndsEarly;
      }
    }
    EXPECT_TRUE(noticed);
    EXPECT_LE(static_cast<std::size_t>(std::ranges::count(read, 0U)), places);
    for (std::uint32_t segment = 0; segment < kSegments; ++segment) {
      if (!touched.contains(segment)) {
        EXPECT_EQ(read[segment], kTicksPerSegment) << "segment " << segment;
      }
    }
  }

  void expect_played(const RecordedTick& tick) const {
    const RecordedTick& played = match_.played().at(tick.tick.value - 1);
    EXPECT_EQ(tick.tick, played.tick);
    EXPECT_EQ(tick.leaves, played.leaves);
    EXPECT_EQ(tick.joins, played.joins);
    EXPECT_EQ(tick.inputs, played.inputs);
    EXPECT_EQ(tick.strikes, played.strikes);
    EXPECT_EQ(tick.state_hash, played.state_hash);
  }

  Match match_{{.tick_rate = 60, .seats = 48, .seed = 6}};
  std::vector<std::byte> file_;
  std::map<std::uint32_t, std::uint64_t> hash_at_keyframe_;
};

TEST_F(Blocks, AZeroedOneCostsAtMostOneSegment) {
  ASSERT_GT(blocks(), 3 * kSegments);
  for (std::size_t i = 0; i < blocks(); ++i) {
    auto damaged = file_;
    std::ranges::fill(block(damaged, i), std::byte{0});
    check(damaged, segments_in(i), 1);
    const auto result = test::verify(damaged, match_);
    EXPECT_FALSE(result.held()) << "block " << i;
    EXPECT_EQ(result.mismatched, 0U) << "block " << i;
    if (HasFailure()) FAIL() << "block " << i;
  }
}

TEST_F(Blocks, TwoThatChangePlacesCostAtMostTwoSegments) {
  for (std::size_t i = 0; i < blocks(); ++i) {
    for (std::size_t j = i + 1; (j + 1) * kBlock <= file_.size(); ++j) {
      auto damaged = file_;
      std::ranges::swap_ranges(block(damaged, i), block(damaged, j));
      auto touched = segments_in(i);
      touched.merge(segments_in(j));
      check(damaged, touched, 2);
      if (HasFailure()) FAIL() << "blocks " << i << " and " << j;
    }
  }
}

TEST_F(Blocks, AMissingOneCostsAtMostOneSegment) {
  for (std::size_t i = 0; i < blocks(); ++i) {
    auto damaged = file_;
    const auto begin = damaged.begin() + static_cast<std::ptrdiff_t>(i * kBlock);
    damaged.erase(begin, begin + static_cast<std::ptrdiff_t>(block(damaged, i).size()));
    check(damaged, segments_in(i), 1);
    const auto result = test::verify(damaged, match_);
    EXPECT_FALSE(result.complete) << "block " << i;
    EXPECT_EQ(result.mismatched, 0U) << "block " << i;
    if (HasFailure()) FAIL() << "block " << i;
  }
}

}  // namespace
}  // namespace tickbox::record
