#include "games/arena/bot.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace tickbox::client {
namespace {

constexpr std::uint32_t kRate = 60;

game::EntityState player_at(std::uint16_t seat, std::int32_t x, std::int32_t y) {
  return {.id = game::player_body({seat}, 1),
          .min = {.x = x * kUnit, .y = y * kUnit},
          .velocity = {},
          .traits = {.kind = game::EntityKind::Player}};
}

std::vector<game::Input> decisions(game::BotKind kind, std::uint64_t seed, int ticks) {
  game::Bot bot{kind, seed, kRate};
  const game::EntityState own = player_at(0, 0, 0);
  const std::vector<game::EntityState> seen{own, player_at(1, 10, 0)};
  std::vector<game::Input> all;
  for (int i = 0; i < ticks; ++i) {
    all.push_back(bot.decide(own, seen));
  }
  return all;
}

int shots_of(const std::vector<game::Input>& inputs) {
  int shots = 0;
  for (const game::Input& input : inputs) {
    shots += (input.buttons & game::kButtonShoot) != 0 ? 1 : 0;
  }
  return shots;
}

TEST(Bot, ReadsEachNameAndNamesAllWhenItIsNone) {
  EXPECT_EQ(game::parse_bot_kind("wander"), game::BotKind::Wander);
  EXPECT_EQ(game::parse_bot_kind("chase"), game::BotKind::Chase);
  EXPECT_EQ(game::parse_bot_kind("still"), game::BotKind::Still);
  EXPECT_EQ(game::parse_bot_kind("stress"), game::BotKind::Stress);
  EXPECT_EQ(game::parse_bot_kind("mix"), game::BotKind::Mix);
  const auto unknown = game::parse_bot_kind("wandr");
  ASSERT_FALSE(unknown);
  EXPECT_TRUE(unknown.error().contains("wander, chase, still, stress or mix"));
}

TEST(Bot, MixIsAQuarterOfEach) {
  std::set<game::BotKind> kinds;
  for (std::uint64_t number = 0; number < 4; ++number) {
    kinds.insert(game::bot_kind_of(game::BotKind::Mix, number));
    EXPECT_EQ(game::bot_kind_of(game::BotKind::Mix, number),
              game::bot_kind_of(game::BotKind::Mix, number + 4));
    EXPECT_EQ(game::bot_kind_of(game::BotKind::Chase, number), game::BotKind::Chase);
  }
  EXPECT_EQ(kinds, (std::set{game::BotKind::Wander, game::BotKind::Chase, game::BotKind::Still,
                             game::BotKind::Stress}));
}

TEST(Bot, DecidesAlikeFromOneSeedAndOtherwiseFromAnother) {
  for (const game::BotKind kind :
       {game::BotKind::Wander, game::BotKind::Chase, game::BotKind::Stress}) {
    EXPECT_EQ(decisions(kind, 7, 600), decisions(kind, 7, 600));
    EXPECT_NE(decisions(kind, 7, 600), decisions(kind, 8, 600));
  }
}

TEST(Bot, OnlyEverAsksForWhatThereIs) {
  for (const game::BotKind kind :
       {game::BotKind::Wander, game::BotKind::Chase, game::BotKind::Still, game::BotKind::Stress}) {
    for (const game::Input& input : decisions(kind, 3, 3'000)) {
      EXPECT_EQ(input, game::clamped(input));
    }
  }
}

TEST(Bot, StillDoesNothing) {
  for (const game::Input& input : decisions(game::BotKind::Still, 1, 200)) {
    EXPECT_EQ(input, game::Input{});
  }
}

TEST(Bot, WanderKeepsADirectionThirtyToNinetyTicksAndShootsOnceASecond) {
  const std::vector<game::Input> inputs = decisions(game::BotKind::Wander, 5, 60 * 600);
  int same = 0;
  int shortest = 1'000;
  for (std::size_t i = 1; i < inputs.size(); ++i) {
    ++same;
    if (inputs[i].move != inputs[i - 1].move) {
      shortest = std::min(shortest, same);
      same = 0;
    }
  }
  EXPECT_GE(shortest, 30);
  EXPECT_NEAR(shots_of(inputs), 600, 90);
}

TEST(Bot, StressPressesOtherButtonsEveryTick) {
  const std::vector<game::Input> inputs = decisions(game::BotKind::Stress, 5, 600);
  int changed = 0;
  for (std::size_t i = 1; i < inputs.size(); ++i) {
    changed += inputs[i] != inputs[i - 1] ? 1 : 0;
  }
  EXPECT_GT(changed, 580);
}

TEST(Bot, ChaseRunsAtTheNearestAndShootsThatWay) {
  game::Bot bot{game::BotKind::Chase, 1, kRate};
  const game::EntityState own = player_at(0, 0, 0);
  const std::vector<game::EntityState> seen{own, player_at(1, 10, 0), player_at(2, 0, 3)};
  int shots = 0;
  for (int i = 0; i < 600; ++i) {
    const game::Input input = bot.decide(own, seen);
    EXPECT_EQ(input.move, 3) << "south, where player 2 is";
    if (input.buttons != 0) {
      ++shots;
      EXPECT_EQ(input.aim, game::kAimDirections / 4) << "down";
    }
  }
  EXPECT_NEAR(shots, 10, 9);
}

TEST(Bot, ChaseStandsUntilItHasABody) {
  game::Bot bot{game::BotKind::Chase, 1, kRate};
  EXPECT_EQ(bot.decide(std::nullopt, {}), game::Input{});
}

}  // namespace
}  // namespace tickbox::client
