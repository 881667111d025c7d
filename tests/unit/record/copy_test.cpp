#include "record/copy.h"

#include "record/segments.h"
#include "tests/support/recorded_match.h"

#include <gtest/gtest.h>

namespace tickbox::record {
namespace {

using tests::MemorySink;
using tests::pieces;
using tests::RecordedMatch;

struct Copied {
  CopyResult result;
  std::vector<std::byte> bytes;
};

Copied copied(ConstBytes file, const RecordedMatch& match, const CopyRange& range = {}) {
  const Reader reader = Reader::open(file).value();
  Header header = reader.header();
  header.salt[0] ^= std::byte{0xff};
  MemorySink sink;
  Writer writer{sink, header};
  Copied out;
  out.result = copy(seek(reader, range.from), writer, match.map(), match.rules(), range);
  out.bytes = std::move(sink.bytes);
  return out;
}

TEST(RecordCopy, OfAWholeRecordingHoldsTheSame) {
  const RecordedMatch match;
  const auto file = tests::small_recording(3, 12);
  const Copied copy = copied(file, match);
  EXPECT_TRUE(copy.result.written);
  EXPECT_EQ(copy.result.ticks, 36U);
  EXPECT_EQ(tests::verify(copy.bytes), tests::verify(file));
}

TEST(RecordCopy, BeginsWithinASegmentByTheWorldOfThatTick) {
  const RecordedMatch match;
  const auto file = tests::small_recording(4, 10);
  for (std::uint32_t from = 0; from <= 40; from += 3) {
    const Copied copy = copied(file, match, {.from = {from}, .to = {from + 15}});
    EXPECT_EQ(copy.result.first, Tick{from});
    const auto result = tests::verify(copy.bytes);
    EXPECT_EQ(result.ticks, std::min(15U, 40 - from)) << from;
    EXPECT_TRUE(result.complete && result.held()) << from;
  }
}

TEST(RecordCopy, OfADamagedOneIsWholeAndHasAGap) {
  const RecordedMatch match;
  auto file = tests::small_recording(4, 10);
  const auto records = pieces(file);
  file[records[15].offset + 40] ^= std::byte{1};  // ticks of segment 1
  const auto damaged = tests::verify(file);
  ASSERT_EQ(damaged.damages, 1U);
  const Copied copy = copied(file, match);
  EXPECT_EQ(copy.result.damages, 1U);
  EXPECT_EQ(copy.result.gaps, 1U);
  EXPECT_EQ(copy.result.ticks, damaged.ticks);
  EXPECT_EQ(copy.result.ticks + copy.result.ticks_lost, 40U);
  const auto result = tests::verify(copy.bytes);
  EXPECT_TRUE(result.held());
  EXPECT_EQ(result.gaps, 1U);
  EXPECT_EQ(result.ticks, damaged.ticks);
  EXPECT_EQ(result.last_tick, Tick{40});
}

TEST(RecordCopy, OfACutFileEndsCleanly) {
  const RecordedMatch match;
  auto file = tests::small_recording(2, 10);
  file.resize(pieces(file)[17].offset + 9);
  const Copied copy = copied(file, match);
  EXPECT_TRUE(tests::verify(copy.bytes).complete);
  EXPECT_EQ(copy.result.ticks, 15U);
}

TEST(RecordCopy, KeepsTheTickThatNeverEnded) {
  RecordedMatch match;
  MemorySink sink;
  Writer writer{sink, match.header()};
  match.record(writer, 8);
  const RecordedTick& last = match.step();
  ASSERT_TRUE(writer.unfinished(last.tick, last.commands(), last.sources));
  const Copied copy = copied(sink.bytes, match);
  EXPECT_TRUE(copy.result.written);
  EXPECT_EQ(tests::verify(copy.bytes).unfinished, last.tick);
}

TEST(RecordCopy, GivenUpItHasNoEnd) {
  const RecordedMatch match;
  const auto file = tests::small_recording(4, 10);
  int asked = 0;
  const Copied copy = copied(file, match, {.stopped = [&] { return ++asked > 20; }});
  EXPECT_TRUE(copy.result.interrupted);
  EXPECT_FALSE(copy.result.written);
  EXPECT_GT(copy.result.ticks, 0U);
  EXPECT_LT(copy.result.last, Tick{40});
  EXPECT_FALSE(tests::verify(copy.bytes).complete);
}

}  // namespace
}  // namespace tickbox::record
