#include "engine/log/request_record.h"

#include "engine/map.h"
#include "engine/stepper.h"
#include "engine/world.h"
#include "games/arena/arena.h"
#include "tests/support/declared_values.h"
#include "tests/support/menagerie.h"
#include "tests/unit/engine/yard.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace tickbox::engine {
namespace {

const GameTable& yard() {
  return kGameTable<tests::Yard>;
}

/// A request, and the record of it.
class RequestRecordTest : public ::testing::Test {
 protected:
  void write() {
    write_request(yard(), {.leaves = leaves_, .joins = joins_, .inputs = inputs_}, record_);
  }

  std::vector<std::byte> walking_ = tests::value_with(
      yard().input, {{.field = "walk", .value = -1}, {.field = "kick", .value = 1}});
  std::vector<std::byte> resting_ = tests::value_with(yard().input, {});
  std::vector<Player> leaves_{{1}, {4}};
  std::vector<Join> joins_{{.player = {0}, .user_data = "a knight"},
                           {.player = {4}, .user_data = {}}};
  std::vector<PlayerInput> inputs_{{.player = {0}, .input = resting_},
                                   {.player = {2}, .input = walking_}};
  TickRecord record_;
};

TEST_F(RequestRecordTest, IsReadBackAsItWas) {
  write();
  const RequestReader reader{yard(), record_};
  const TickRequest request = reader.request();
  EXPECT_TRUE(std::ranges::equal(request.leaves, leaves_));
  ASSERT_EQ(request.joins.size(), 2U);
  EXPECT_EQ(request.joins[0].player, Player{0});
  EXPECT_EQ(request.joins[0].user_data, "a knight");
  EXPECT_EQ(request.joins[1].player, Player{4});
  EXPECT_EQ(request.joins[1].user_data, "");
  ASSERT_EQ(request.inputs.size(), 2U) << "also that of a player who holds it already";
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    EXPECT_EQ(request.inputs[i].player, inputs_[i].player);
    EXPECT_TRUE(are_equal(yard().input, request.inputs[i].input, inputs_[i].input));
  }
  EXPECT_TRUE(request.commands.empty());
  EXPECT_EQ(request.judge, nullptr);
}

TEST_F(RequestRecordTest, ReplacesWhatTheRecordHad) {
  write();
  const TickRecord once = record_;
  write();
  EXPECT_EQ(record_, once);
  write_request(yard(), {.leaves = {}, .joins = {}, .inputs = {}}, record_);
  EXPECT_EQ(record_, TickRecord{});
}

TEST_F(RequestRecordTest, HasNothingThatAStepDecides) {
  write();
  for (const Outcome& outcome : record_.outcomes) {
    EXPECT_TRUE(outcome.kind == OutcomeKind::Left || outcome.kind == OutcomeKind::Joined);
    EXPECT_EQ(outcome.phase, OutcomePhase::Joining);
  }
  EXPECT_TRUE(record_.strikes.empty());
}

TEST(RequestRecord, HasCommandsAfterJoins) {
  const GameTable& game = tests::menagerie();
  const std::vector<Join> joins{{.player = {2}, .user_data = {}}};
  const std::vector<std::byte> near = tests::value_with(game.commands[0].type, {{"x", 3}});
  const std::vector<std::byte> far = tests::value_with(game.commands[0].type, {{"x", 29}});
  const std::vector<Command> commands{{.player = {2}, .type = 0, .bytes = far},
                                      {.player = {0}, .type = 0, .bytes = near}};
  TickRecord record;
  write_request(game, {.leaves = {}, .joins = joins, .commands = commands, .inputs = {}}, record);
  const RequestReader reader{game, record};
  const TickRequest request = reader.request();
  ASSERT_EQ(request.commands.size(), 2U) << "in the order of their arrival";
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(request.commands[i].player, commands[i].player);
    EXPECT_TRUE(are_equal(game.commands[0].type, request.commands[i].bytes, commands[i].bytes));
  }
}

// The hooks run again, with the same random numbers, as when a live server steps the request
// itself.
TEST(RequestRecord, IsSteppedAsTheRequestItself) {
  const GameTable& game = games::arena();
  World live{game, make_map(game, {.seats = 4}, 60), 60, 3};
  Stepper stepper;
  stepper.open(live);
  World again = live;
  std::vector<Join> joins;
  std::vector<PlayerInput> inputs;
  for (std::uint32_t tick = 1; tick <= 60; ++tick) {
    const auto input = tests::value_with(
        game.input, {{.field = "move", .value = tick % 9}, {.field = "shoot", .value = tick % 2}});
    joins.clear();
    inputs.clear();
    if (tick % 15 == 1) {
      joins.push_back({.player = {static_cast<std::uint16_t>(tick / 15)}, .user_data = {}});
    }
    for (std::uint16_t seat = 0; seat < 4; ++seat) {
      if (live.has({seat})) inputs.push_back({.player = {seat}, .input = input});
    }
    const TickRequest request{.leaves = {}, .joins = joins, .inputs = inputs};
    TickRecord requested;
    write_request(game, request, requested);
    TickRecord done;
    TickRecord done_again;
    stepper.step(live, request, done);
    stepper.step(again, RequestReader{game, requested}.request(), done_again);
    EXPECT_EQ(done, done_again);
    ASSERT_EQ(state_hash(live), state_hash(again)) << "tick " << tick;
  }
}

}  // namespace
}  // namespace tickbox::engine
