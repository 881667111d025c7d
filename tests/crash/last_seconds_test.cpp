// The last seconds that a recorder keeps for a crash, and that it allocates no memory once warm,
// with a file beside them.

#include "record/room_log.h"
#include "tests/crash/kept_match.h"
#include "tests/support/allocations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

namespace tickbox::tests {
namespace {

void play(RecordedMatch& played, server::Recorder& recorder, int ticks) {
  for (; ticks > 0; --ticks) {
    play_tick(played, recorder);
  }
}

// Checks every seventh tick, and the first ticks of each segment.
TEST(LastSeconds, AtAnyTickTheyAreWhole) {
  constexpr std::uint32_t kRate = 20;
  constexpr std::uint32_t kSegment = kRate * record::kKeyframeSeconds;
  RecordedMatch played{{.tick_rate = kRate, .seats = 8, .all_stay = true}};
  server::Recorder recorder{played.match(), played.header()};
  for (std::uint32_t tick = 1; tick < 4 * kSegment; ++tick) {
    play(played, recorder, 1);
    if (tick % 7 != 0 && tick % kSegment > 2) continue;
    MemorySink file;
    ASSERT_TRUE(recorder.write_last_seconds(file));
    const auto result = verify(file.bytes);
    EXPECT_TRUE(result.held()) << "tick " << tick;
    EXPECT_TRUE(result.complete) << "tick " << tick;
    EXPECT_EQ(result.last_tick, Tick{tick});
    EXPECT_GE(result.ticks, std::min(tick, kSegment));
    EXPECT_LE(result.ticks, 2 * kSegment);
  }
}

TEST(LastSeconds, CannotBeWrittenBeforeTheFirstTickOrToASinkThatRefuses) {
  RecordedMatch played{{.tick_rate = 60, .seats = 8, .all_stay = true}};
  server::Recorder recorder{played.match(), played.header()};
  MemorySink whole;
  EXPECT_FALSE(recorder.write_last_seconds(whole));
  EXPECT_TRUE(whole.bytes.empty());
  play(played, recorder, 100);
  ASSERT_TRUE(recorder.write_last_seconds(whole));
  for (std::size_t room = 0; room < whole.bytes.size(); room += 101) {
    MemorySink file;
    file.room = room;
    EXPECT_FALSE(recorder.write_last_seconds(file)) << room;
  }
}

// A segment of an empty room is a minute.
TEST(LastSeconds, OfAnEmptyRoomAreWholeInTheMiddleOfAStepToo) {
  RecordedMatch played{{.tick_rate = 20, .deserted = Deserted{.first = {1}, .last = {9'000}}}};
  server::Recorder recorder{played.match(), played.header()};
  play(played, recorder, 2'500);
  begin_tick(played, recorder);
  MemorySink file;
  ASSERT_TRUE(recorder.write_last_seconds(file));
  const auto result = verify(file.bytes, {.step_unfinished = true});
  EXPECT_TRUE(result.held());
  EXPECT_EQ(result.ticks, 1'300U);
  EXPECT_EQ(result.last_tick, Tick{2'500});
  EXPECT_EQ(result.unfinished, Tick{2'501});
}

TEST(LastSeconds, TakeNoMemoryOnceWarm) {
  RecordedMatch played{{.tick_rate = 60, .seats = 32, .all_stay = true, .forgets = true}};
  MemorySink sink;
  sink.bytes.reserve(std::size_t{100} << 20U);
  record::LogFile file{sink, played.header()};
  server::Recorder recorder{played.match(), played.header()};
  recorder.add(file);
  play(played, recorder, 24'000);  // until no moment has more bodies than one before
  std::uint64_t asked = 0;
  for (int tick = 0; tick < 1'300; ++tick) {
    const RecordedMatch::Decided decided = played.decide();
    const std::uint64_t before = allocations();
    recorder.stepping(decided.request, decided.origins);
    asked += allocations() - before;
    played.play();
    const std::uint64_t stepped = allocations();
    recorder.stepped();
    asked += allocations() - stepped;
  }
  EXPECT_EQ(asked, 0U);
  EXPECT_LT(sink.bytes.size(), sink.bytes.capacity() / 2);
  EXPECT_GT(allocations(), 0U) << "nothing is counted";
}

}  // namespace
}  // namespace tickbox::tests
