// What the black box keeps, and that keeping it asks for nothing.

#include "server/recording/black_box.h"

#include "tests/support/allocations.h"
#include "tests/support/recorded_match.h"

#include <gtest/gtest.h>

namespace tickbox::tests {
namespace {

void play(RecordedMatch& played, server::BlackBox& black_box, int ticks) {
  for (; ticks > 0; --ticks) {
    const auto commands = played.decide();
    black_box.stepping(played.room(), commands, played.sources());
    played.room().tick(commands);
    black_box.stepped(played.room());
  }
}

// At every age of a room, across the places where a stretch ends.
TEST(BlackBox, AtAnyTickTheLastSecondsAreWhole) {
  constexpr std::uint32_t kRate = 20;
  constexpr std::uint32_t kStretch = kRate * server::kBlackBoxSeconds;
  RecordedMatch played{{.tick_rate = kRate, .seats = 8, .all_stay = true}};
  server::BlackBox black_box{played.room(), kRate};
  for (std::uint32_t tick = 1; tick < 4 * kStretch; ++tick) {
    play(played, black_box, 1);
    if (tick % 7 != 0 && tick % kStretch > 2) continue;
    MemorySink file;
    ASSERT_TRUE(black_box.write(file, played.header()));
    const auto result = verify(file.bytes);
    EXPECT_TRUE(result.held()) << "tick " << tick;
    EXPECT_TRUE(result.complete) << "tick " << tick;
    EXPECT_EQ(result.last_tick, Tick{tick});
    EXPECT_GE(result.ticks, std::min(tick, kStretch));
    EXPECT_LE(result.ticks, 2 * kStretch);
  }
}

TEST(BlackBox, SaysWhenTheSinkRefuses) {
  RecordedMatch played{{.tick_rate = 60, .seats = 8, .all_stay = true}};
  server::BlackBox black_box{played.room(), 60};
  play(played, black_box, 100);
  MemorySink whole;
  ASSERT_TRUE(black_box.write(whole, played.header()));
  for (std::size_t room = 0; room < whole.bytes.size(); room += 101) {
    MemorySink file;
    file.room = room;
    EXPECT_FALSE(black_box.write(file, played.header())) << room;
  }
}

// More come and go than there is room for: the stretch ends early, and nothing is lost or grows.
TEST(BlackBox, ListsThatAreFullEndAStretchEarly) {
  RecordedMatch played{{.tick_rate = 60, .seats = 4, .all_stay = true}};
  server::BlackBox black_box{played.room(), 60};
  const std::vector<PlayerId> everybody{{0}, {1}, {2}, {3}};
  for (int i = 0; i < 100; ++i) {
    const game::TickCommands come{.leaves = {}, .joins = everybody, .inputs = {}};
    const game::TickCommands go{.leaves = everybody, .joins = {}, .inputs = {}};
    for (const game::TickCommands& commands : {come, go}) {
      black_box.stepping(played.room(), commands, {});
      played.room().tick(commands);
      black_box.stepped(played.room());
    }
  }
  MemorySink file;
  ASSERT_TRUE(black_box.write(file, played.header()));
  const auto result = verify(file.bytes);
  EXPECT_TRUE(result.held());
  EXPECT_EQ(result.last_tick, Tick{200});
  EXPECT_GE(result.ticks, 8U);
  EXPECT_LT(result.ticks, 200U);
}

TEST(BlackBox, AsksForNoMemoryOnceWarm) {
  RecordedMatch played{{.tick_rate = 60, .seats = 32, .all_stay = true}};
  server::BlackBox black_box{played.room(), 60};
  play(played, black_box, 24'000);  // until no moment has more bodies than one before
  std::uint64_t asked = 0;
  for (int tick = 0; tick < 1'300; ++tick) {
    const auto commands = played.decide();
    const std::uint64_t before = allocations();
    black_box.stepping(played.room(), commands, played.sources());
    asked += allocations() - before;
    played.room().tick(commands);
    const std::uint64_t stepped = allocations();
    black_box.stepped(played.room());
    asked += allocations() - stepped;
  }
  EXPECT_EQ(asked, 0U);
  EXPECT_GT(allocations(), 0U) << "nothing is counted";
}

}  // namespace
}  // namespace tickbox::tests
