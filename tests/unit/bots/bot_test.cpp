// Bots of every style, in the arena and in the menagerie.

#include "bots/bot.h"

#include "engine/declared.h"
#include "games/arena/arena.h"
#include "tests/support/declared_values.h"
#include "tests/support/menagerie.h"
#include "tests/unit/bots/bot_match.h"
#include "tickbox/adapter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::bots {
namespace {

using Values = std::vector<std::int64_t>;
using tests::BotMatch;
using tests::style_named;

const std::array<const GameTable*, 2> kGames = {&games::arena(), &tests::menagerie()};

std::vector<Values> inputs_of(const GameTable& game, Style style, std::uint64_t seed) {
  BotMatch match{game, {.style = style, .seed = seed}};
  match.run(300);
  EXPECT_TRUE(match.are_in_range());
  return match.given();
}

/// Returns the inputs of a bot that sees nothing.
std::vector<Values> inputs_alone(const GameTable& game, std::string_view style,
                                 std::uint32_t tick_rate, std::uint32_t ticks) {
  const engine::SharedMap map = engine::make_map(game, {.seats = 8}, tick_rate);
  Bot bot{game, map, {.style = style_named(game, style), .seed = 5, .tick_rate = tick_rate}};
  const views::Rows nothing{game};
  std::vector<Values> inputs;
  for (std::uint32_t tick = 1; tick <= ticks; ++tick) {
    inputs.push_back(tests::values_of(
        game.input,
        bot.decide({.tick = {tick}, .me = {0}, .view = nothing, .own = nothing, .room = {}})));
  }
  return inputs;
}

TEST(Bot, DecidesAlikeFromOneSeedAndOtherwiseFromAnother) {
  for (const GameTable* game : kGames) {
    for (const Style& style : styles_of(*game)) {
      const std::vector<Values> inputs = inputs_of(*game, style, 7);
      EXPECT_EQ(inputs, inputs_of(*game, style, 7)) << game->name << ' ' << style.name;
      if (style.kind == StyleKind::Still) continue;
      EXPECT_NE(inputs, inputs_of(*game, style, 8)) << game->name << ' ' << style.name;
    }
  }
}

TEST(Bot, StillGivesTheInputByDefault) {
  for (const GameTable* game : kGames) {
    const std::vector<std::byte> by_default = tests::value_with(game->input, {});
    for (const Values& input : inputs_alone(*game, "still", 60, 200)) {
      EXPECT_EQ(input, tests::values_of(game->input, by_default));
    }
  }
}

TEST(Bot, StressDrawsEachValueInEveryTick) {
  for (const GameTable* game : kGames) {
    const std::vector<Values> inputs = inputs_alone(*game, "stress", 60, 6'000);
    for (std::size_t value = 0; value < inputs.front().size(); ++value) {
      std::size_t changes = 0;
      for (std::size_t i = 1; i < inputs.size(); ++i) {
        changes += inputs[i][value] != inputs[i - 1][value] ? 1U : 0U;
      }
      // Half of the draws of a flag are the same again.
      EXPECT_GT(changes, 2'800U) << game->name << " value " << value;
    }
  }
}

/// What a wandering bot did: how long it held its values, and how often it pressed.
struct Walk {
  std::vector<std::size_t> holds;  ///< in ticks
  std::size_t presses = 0;
  std::size_t changed_together = 0;
};

Walk walk_of(const GameTable& game, std::uint32_t tick_rate, std::uint32_t ticks) {
  std::vector<bool> is_press;
  for (const FieldInfo& field : game.input.fields()) {
    is_press.insert(is_press.end(), field.times, field.form == FieldForm::Press);
  }
  Walk walk;
  const std::vector<Values> inputs = inputs_alone(game, "wander", tick_rate, ticks);
  std::size_t held_since = 0;
  for (std::size_t i = 1; i < inputs.size(); ++i) {
    std::size_t changes = 0;
    for (std::size_t value = 0; value < is_press.size(); ++value) {
      if (is_press[value]) {
        walk.presses += inputs[i][value] != 0 ? 1U : 0U;
      } else {
        changes += inputs[i][value] != inputs[i - 1][value] ? 1U : 0U;
      }
    }
    if (changes > 1) ++walk.changed_together;
    if (changes == 0) continue;
    walk.holds.push_back(i - held_since);
    held_since = i;
  }
  return walk;
}

TEST(Bot, WanderHoldsItsValuesForHalfASecondToOneAndAHalfAndPressesOnceASecond) {
  for (const GameTable* game : kGames) {
    for (const std::uint32_t rate : {10U, 60U, 240U}) {
      const Walk walk = walk_of(*game, rate, rate * 600);
      EXPECT_EQ(std::ranges::min(walk.holds), rate / 2) << game->name << " at " << rate;
      EXPECT_EQ(std::ranges::max(walk.holds), rate / 2 + rate) << game->name << " at " << rate;
      EXPECT_NEAR(static_cast<int>(walk.presses), 600, 90) << game->name << " at " << rate;
      EXPECT_EQ(walk.changed_together, 0U);
    }
  }
}

// Each kind of value of an input, also those that name a player or an entity.
struct Order {
  Player to;
  Ref target;
  Array<Press, 2> calls;
  Array<Int<1, 3>, 2> ranks;
  Int<INT32_MIN, INT32_MAX> any;
  TICKBOX_FIELDS(Order, to, target, calls, ranks, any)
};

struct Piece {
  TICKBOX_FIELDS(Piece)
};

struct Orders {
  static constexpr std::string_view name = "orders";
  static constexpr std::uint32_t version = 1;
  using Input = Order;
  using Avatar = Piece;
  using Kinds = List<Piece>;

  static Body body(const Piece&) { return {}; }

  static constexpr std::int32_t top_speed(const Piece&) { return 1; }

  static void map(MapBuilder&, const MapOptions&) {}

  static void join(Server<Orders>& server, Player who) {
    server.spawn_avatar(who, Piece{}, {who.seat * 3 * kUnit, 0});
  }
};

TEST(Bot, DrawsSeatsOfTheMapAndEntitiesOfTheView) {
  const GameTable& game = kGameTable<Orders>;
  for (const std::string_view style : {"wander", "stress"}) {
    BotMatch match{game, {.style = style_named(game, style)}};
    match.run(2'000);
    EXPECT_TRUE(match.are_in_range());
    std::vector<bool> is_drawn(match.world().size());
    for (const Values& input : match.given()) {
      const Ref target{static_cast<std::uint64_t>(input[1])};
      if (target != Ref{}) {
        const std::size_t row = match.world().index_of(engine::body_id(target));
        ASSERT_LT(row, match.world().size());
        is_drawn[row] = true;
      }
      const bool is_seat = input[0] < 3 || input[0] == Player::kNobody;
      EXPECT_TRUE(is_seat) << input[0];
    }
    EXPECT_EQ(std::ranges::count(is_drawn, true), 3) << style;
  }
}

TEST(Bot, OfAGameWithoutOneHasTheStylesOfEveryGame) {
  const auto style = parse_style(kGameTable<Orders>, "chase");
  ASSERT_FALSE(style);
  EXPECT_EQ(style.error(), "unknown bot \"chase\"; give wander, still, stress or mix");
}

/// Returns the coins that all walkers have.
std::int64_t coins_of(const engine::World& world) {
  std::int64_t coins = 0;
  for (std::size_t row = 0; row < world.size(); ++row) {
    for (const FieldInfo& field : world.kind_of(row).type.fields()) {
      if (field.name == "coins") coins += engine::value_of(field, 0, world.state(row));
    }
  }
  return coins;
}

TEST(Bot, OfTheMenagerieCollectsCoins) {
  std::int64_t collected = 0;
  std::int64_t stood = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    for (const std::string_view name : {"collect", "still"}) {
      BotMatch match{tests::menagerie(),
                     {.style = style_named(tests::menagerie(), name), .seed = seed}};
      match.run(600);
      (name == "collect" ? collected : stood) += coins_of(match.world());
    }
  }
  EXPECT_GT(2 * collected, 3 * stood);
}

TEST(Bot, OfTheMenagerieLaysBombsNearPetsOfOthers) {
  std::int64_t bombs = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    BotMatch match{tests::menagerie(),
                   {.style = style_named(tests::menagerie(), "bomb-pets"), .seed = seed}};
    match.run(600);
    bombs += std::ranges::count_if(match.given(), [](const Values& pad) { return pad[2] != 0; });
  }
  EXPECT_GT(bombs, 20);
}

}  // namespace
}  // namespace tickbox::bots
