#include "client/player.h"

#include "games/arena/arena.h"
#include "tests/support/field_game.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tickbox::client {
namespace {

engine::GameOnMap assets_of(const GameTable& game) {
  return {.game = &game, .map = engine::make_map(game, {.seats = 4}, 60), .tick_rate = 60};
}

TEST(BotPlayer, DecidesByItsStyleAndSeed) {
  const engine::GameOnMap assets = assets_of(games::arena());
  const views::Rows none{games::arena()};
  const auto a = bot_player("stress", 0, 7)(assets);
  const auto b = bot_player("stress", 0, 7)(assets);
  ASSERT_TRUE(a && b);
  for (std::uint32_t tick = 1; tick < 100; ++tick) {
    const bots::Seen seen{.tick = {tick}, .me = {0}, .view = none, .own = none, .room = {}};
    const ConstBytes input = (*a)(seen).input;
    ASSERT_EQ(input.size(), games::arena().input.bytes);
    ASSERT_TRUE(std::ranges::equal(input, (*b)(seen).input));
  }
}

TEST(BotPlayer, PlaysAnyGameByTheStylesThatItHas) {
  const engine::GameOnMap assets = assets_of(tests::field::game());
  EXPECT_TRUE(bot_player("mix", 3, 1)(assets));
  const auto none = bot_player("chase", 0, 1)(assets);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error(),
            "the server plays field: unknown bot \"chase\"; give wander, still, stress or mix");
}

}  // namespace
}  // namespace tickbox::client
