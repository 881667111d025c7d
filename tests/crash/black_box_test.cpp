// What the black box keeps, and that it allocates no memory for this once warm.

#include "server/recording/black_box.h"

#include "engine/declared.h"
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
  server::BlackBox black_box{played.match(), kRate};
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
  server::BlackBox black_box{played.match(), 60};
  play(played, black_box, 100);
  MemorySink whole;
  ASSERT_TRUE(black_box.write(whole, played.header()));
  for (std::size_t room = 0; room < whole.bytes.size(); room += 101) {
    MemorySink file;
    file.room = room;
    EXPECT_FALSE(black_box.write(file, played.header())) << room;
  }
}

// In every tick all players leave, join and fire, which makes more bytes than there is room for.
// The stretch ends early, nothing is lost, and no buffer grows.
TEST(BlackBox, BytesThatAreFullEndAStretchEarly) {
  RecordedMatch played{{.tick_rate = 60, .seats = 4, .all_stay = true}};
  server::BlackBox black_box{played.match(), 60};
  const GameTable& game = played.game();
  std::vector<std::byte> ray(game.input.bytes);
  engine::set_value(game.input.fields()[2], 0, 1, ray);
  std::vector<Player> everybody;
  std::vector<engine::Join> joins;
  std::vector<engine::PlayerInput> inputs;
  std::vector<engine::PlayerSource> sources;
  for (std::uint16_t seat = 0; seat < 4; ++seat) {
    everybody.push_back({seat});
    joins.push_back({.player = {seat}, .user_data = "with a token"});
    inputs.push_back({.player = {seat}, .input = ray});
    sources.push_back({.player = {seat}, .source = engine::InputSource::Received});
  }
  const std::vector<std::uint64_t> clients{11, 12, 13, 14};
  const engine::CommandOrigins origins{.sources = sources, .clients = clients};
  for (int i = 0; i < 250; ++i) {
    engine::TickRequest request{.leaves = {}, .joins = joins, .inputs = inputs};
    if (i > 0) request.leaves = everybody;
    black_box.stepping(played.match(), {.request = request, .origins = origins});
    played.match().tick(request);
    played.match().write_tick_log(origins);
    black_box.stepped(played.match());
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
  server::BlackBox black_box{played.match(), 20};
  play(played, black_box, 250);
  begin_tick(played, black_box);
  MemorySink file;
  ASSERT_TRUE(black_box.write(file, played.header())) << "in the midst of a step";
  const auto result = verify(file.bytes, {.step_unfinished = true});
  EXPECT_TRUE(result.held());
  EXPECT_EQ(result.ticks, 150U);
  EXPECT_EQ(result.last_tick, Tick{250});
  EXPECT_EQ(result.unfinished, Tick{251});
}

TEST(BlackBox, AsksForNoMemoryOnceWarm) {
  RecordedMatch played{{.tick_rate = 60, .seats = 32, .all_stay = true, .forgets = true}};
  server::BlackBox black_box{played.match(), 60};
  play(played, black_box, 24'000);  // until no moment has more bodies than one before
  std::uint64_t asked = 0;
  for (int tick = 0; tick < 1'300; ++tick) {
    const RecordedMatch::Decided decided = played.decide();
    const std::uint64_t before = allocations();
    black_box.stepping(played.match(), {.request = decided.request, .origins = decided.origins});
    asked += allocations() - before;
    played.play();
    const std::uint64_t stepped = allocations();
    black_box.stepped(played.match());
    asked += allocations() - stepped;
  }
  EXPECT_EQ(asked, 0U);
  EXPECT_GT(allocations(), 0U) << "nothing is counted";
}

}  // namespace
}  // namespace tickbox::tests
