// The bot of the arena.

#include "bots/bot.h"
#include "games/arena/arena.h"
#include "tests/unit/bots/bot_match.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

namespace tickbox::bots {
namespace {

/// An input of the arena.
struct Pad {
  std::int64_t move = 0;
  bool shoot = false;
  bool ray = false;
  std::int64_t aim = 0;

  friend bool operator==(const Pad&, const Pad&) = default;
};

/// A player in the view.
struct Seat {
  std::uint16_t seat = 0;
  Vec2 min;
};

views::Rows rows_of(const std::vector<Seat>& seats) {
  const GameTable& game = games::arena();
  std::vector<std::byte> state(game.kinds[game.avatar].type.bytes);
  std::vector<std::byte> input(game.input.bytes);
  views::Rows rows{game};
  for (const Seat& seat : seats) {
    const BodyId id = engine::controlled_id(1, {.lineage = seat.seat, .tick = {1}, .count = 0});
    rows.add(
        {.head = {.id = id, .min = seat.min, .kind = game.avatar}, .state = state, .input = input});
  }
  return rows;
}

/// A bot of player 0, which chases.
class Chaser {
 public:
  explicit Chaser(std::uint64_t seed)
      : bot_(games::arena(), engine::make_map(games::arena(), {.seats = 8}, 60),
             {.style = tests::style_named(games::arena(), "chase"), .seed = seed}) {}

  Pad decide(const views::Rows& own, const views::Rows& view) {
    const ConstBytes input =
        bot_.decide({.tick = {1}, .me = {0}, .view = view, .own = own, .room = {}});
    const std::vector<std::int64_t> values = tests::values_of(games::arena().input, input);
    return {.move = values[0], .shoot = values[1] != 0, .ray = values[2] != 0, .aim = values[3]};
  }

  /// Decides until the bot shoots.
  Pad shot(Vec2 from, Vec2 at) {
    const views::Rows own = rows_of({{0, from}});
    const views::Rows view = rows_of({{0, from}, {1, at}});
    for (int tick = 0; tick < 10'000; ++tick) {
      const Pad pad = decide(own, view);
      if (pad.shoot || pad.ray) return pad;
    }
    ADD_FAILURE() << "no shot";
    return {};
  }

 private:
  Bot bot_;
};

TEST(Chase, AimsInEveryDirection) {
  Chaser chaser{1};
  const Vec2 from{40 * kUnit, -30 * kUnit};
  for (std::int32_t direction = 0; direction < kDirections; ++direction) {
    const Vec2 way = aimed(direction, 9 * kUnit);
    const Pad pad = chaser.shot(from, {from.x + way.x, from.y + way.y});
    const std::int64_t off = (pad.aim - direction + kDirections) % kDirections;
    EXPECT_LE(off, 1) << direction;
    const std::int64_t eighth = (direction + kDirections / 16) / (kDirections / 8) % 8;
    // Near the limit of two eighths, either is right: the bot takes 2/5 for tan 22.5°.
    const std::int64_t from_limit = (direction + kDirections / 16) % (kDirections / 8);
    if (from_limit < 4 || from_limit > kDirections / 8 - 4) continue;
    EXPECT_EQ(pad.move, 1 + eighth) << direction;
  }
}

TEST(Chase, RunsAtTheNearestAndShootsThatWay) {
  Chaser chaser{1};
  const views::Rows own = rows_of({{0, {}}});
  const views::Rows view = rows_of({{0, {}}, {1, {10 * kUnit, 0}}, {2, {0, 3 * kUnit}}});
  int shots = 0;
  int rays = 0;
  for (int i = 0; i < 60 * 100; ++i) {
    const Pad pad = chaser.decide(own, view);
    EXPECT_EQ(pad.move, 3) << "south, where player 2 is";
    EXPECT_EQ(pad.aim, pad.shoot || pad.ray ? kDirections / 4 : 0) << "down";
    shots += pad.shoot ? 1 : 0;
    rays += pad.ray ? 1 : 0;
  }
  EXPECT_NEAR(shots, 50, 25);
  EXPECT_NEAR(rays, 50, 25);
}

TEST(Chase, StandsUntilItHasABody) {
  Chaser chaser{1};
  EXPECT_EQ(chaser.decide(rows_of({}), rows_of({{1, {}}})), Pad{});
}

TEST(Chase, HitsInTheArena) {
  tests::BotMatch match{games::arena(),
                        {.style = tests::style_named(games::arena(), "chase"), .players = 4}};
  match.run(60 * 60);
  std::int64_t points = 0;
  for (std::uint16_t seat = 0; seat < 4; ++seat) {
    points += tests::values_of(games::arena().seat, match.world().seat_state({seat}))[0];
  }
  EXPECT_GT(points, 10);
}

TEST(Chase, StrollsWhereItSeesNobody) {
  Chaser chaser{1};
  const views::Rows own = rows_of({{0, {}}});
  std::set<std::int64_t> moves;
  int turns = 0;
  int shots = 0;
  std::int64_t before = 0;
  for (int i = 0; i < 60 * 100; ++i) {
    const Pad pad = chaser.decide(own, own);
    moves.insert(pad.move);
    turns += pad.move != before ? 1 : 0;
    before = pad.move;
    shots += pad.shoot ? 1 : 0;
    EXPECT_FALSE(pad.ray);
  }
  EXPECT_EQ(moves.size(), 9U) << "eight directions, and none";
  EXPECT_NEAR(turns, 90, 30);
  EXPECT_NEAR(shots, 100, 40);
}

}  // namespace
}  // namespace tickbox::bots
