// What the black box keeps, and that it allocates no memory for this once warm.

#include "server/recording/black_box.h"

#include "tests/crash/kept_match.h"
#include "tests/support/allocations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tickbox::tests {
namespace {

void play(RecordedMatch& played, server::BlackBox& black_box, int ticks) {
  for (; ticks > 0; --ticks) {
    play_tick(played, black_box);
  }
}

// Checks every seventh tick, and the first ticks of each stretch.
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

// In every tick all leave, join, fire and strike, which is more than there is room for: the stretch
// ends early, and nothing is lost or grows.
TEST(BlackBox, BytesThatAreFullEndAStretchEarly) {
  RecordedMatch played{{.tick_rate = 60, .seats = 4, .all_stay = true}};
  server::BlackBox black_box{played.room(), 60};
  const std::vector<PlayerId> everybody{{0}, {1}, {2}, {3}};
  const std::vector<std::uint64_t> clients{11, 12, 13, 14};
  const std::vector<game::InputSource> sources(everybody.size(), game::InputSource::Received);
  std::vector<game::PlayerInput> inputs;
  std::vector<game::Strike> strikes;
  for (const PlayerId player : everybody) {
    inputs.push_back({.player = player, .input = {.buttons = game::kButtonRay}});
    strikes.push_back({.shooter = player, .victim = game::player_body({0}, 1)});
  }
  std::vector<PlayerId> leaves;
  for (int i = 0; i < 250; ++i) {
    const game::TickCommands commands{
        .leaves = leaves, .joins = everybody, .inputs = inputs, .strikes = strikes};
    black_box.prepare(played.room());
    played.room().log_commands(commands, {.sources = sources, .clients = clients});
    black_box.stepping(played.room().log());
    played.room().tick(commands);
    black_box.stepped(played.room());
    leaves = everybody;
  }
  MemorySink file;
  ASSERT_TRUE(black_box.write(file, played.header()));
  const auto result = verify(file.bytes);
  EXPECT_TRUE(result.held());
  EXPECT_EQ(result.last_tick, Tick{250});
  EXPECT_GE(result.ticks, 8U);
  EXPECT_LT(result.ticks, 200U);
}

// Nobody plays in the room.
TEST(BlackBox, OfADesertedRoomIsWholeToo) {
  RecordedMatch played{{.tick_rate = 20, .deserted = Deserted{.first = {1}, .last = {1'000}}}};
  server::BlackBox black_box{played.room(), 20};
  play(played, black_box, 250);
  black_box.prepare(played.room());
  const auto commands = played.decide();
  played.room().log_commands(commands, played.origins());
  black_box.stepping(played.room().log());
  MemorySink file;
  ASSERT_TRUE(black_box.write(file, played.header())) << "in the midst of a step";
  const auto result = verify(file.bytes, {.step_unfinished = true});
  EXPECT_TRUE(result.held());
  EXPECT_EQ(result.ticks, 150U);
  EXPECT_EQ(result.last_tick, Tick{250});
  EXPECT_EQ(result.unfinished, Tick{251});
}

TEST(BlackBox, AsksForNoMemoryOnceWarm) {
  RecordedMatch played{{.tick_rate = 60, .seats = 32, .all_stay = true}};
  server::BlackBox black_box{played.room(), 60};
  play(played, black_box, 24'000);  // until no moment has more bodies than one before
  std::uint64_t asked = 0;
  for (int tick = 0; tick < 1'300; ++tick) {
    const auto commands = played.decide();
    const std::uint64_t before = allocations();
    black_box.prepare(played.room());
    played.room().log_commands(commands, played.origins());
    black_box.stepping(played.room().log());
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
