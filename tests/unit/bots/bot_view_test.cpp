// What a bot sees and asks, on a game whose bot a test writes.

#include "tests/support/declared_values.h"
#include "tests/unit/bots/bot_match.h"
#include "tickbox/adapter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

namespace tickbox::bots {
namespace {

struct Man {
  TICKBOX_FIELDS(Man)
};

struct Flag {
  Int<0, 9> number;
  TICKBOX_FIELDS(Flag, number)
};

struct Wave {
  TICKBOX_FIELDS(Wave)
};

struct Plant {
  Int<0, 99> number;
  TICKBOX_FIELDS(Plant, number)
};

struct Hill {
  static constexpr std::string_view name = "hill";
  static constexpr std::uint32_t version = 1;
  static constexpr std::array<std::string_view, 1> bot_styles = {"look"};
  using Input = Empty;
  using Avatar = Man;
  using Kinds = List<Man, Flag>;
  using Server = tickbox::Server<Hill>;
  using Commands = List<Wave, Plant>;
  using BotView = tickbox::BotView<Hill>;

  template <class Kind>
  static constexpr std::int32_t top_speed(const Kind&) {
    return 1;
  }

  template <class Kind>
  static Body body(const Kind&) {
    return {.motion = Motion::Fixed, .collides_with = 0};
  }

  static void map(MapBuilder& map, const MapOptions&) { map.solid({8 * kUnit, 0}, {kUnit, kUnit}); }

  static void open(Server& server) {
    server.spawn(Flag{.number = 4}, {});
    server.spawn(Flag{.number = 5}, {});
  }

  static void join(Server& server, Player who) { server.spawn_avatar(who, Man{}, {}); }

  template <class Command>
  static void command(Server&, Player, const Command&) {}

  static Empty bot(const BotView& view, Empty&, std::string_view) {
    task(view);
    return {};
  }

  static std::function<void(const BotView&)> task;
};

std::function<void(const Hill::BotView&)> Hill::task;

/// What a bot sends in each of some ticks: the number of a Plant, -1 for a Wave, and -2 for
/// nothing.
std::vector<std::int64_t> sent_in(std::uint32_t ticks, std::uint32_t rate,
                                  std::function<void(const Hill::BotView&)> task) {
  Hill::task = std::move(task);
  const GameTable& game = kGameTable<Hill>;
  Bot bot{game,
          engine::make_map(game, {.seats = 1}, rate),
          {.style = tests::style_named(game, "look"), .tick_rate = rate}};
  const views::Rows nothing{game};
  std::vector<std::int64_t> sent;
  for (std::uint32_t tick = 1; tick <= ticks; ++tick) {
    static_cast<void>(
        bot.decide({.tick = {tick}, .me = {0}, .view = nothing, .own = nothing, .room = {}}));
    const auto command = bot.command();
    if (!command) {
      sent.push_back(-2);
    } else if (command->type == 0) {
      sent.push_back(-1);
    } else {
      sent.push_back(tests::field_value(game.commands[1].type, command->value, "number"));
    }
  }
  return sent;
}

tests::BotMatch match_of_hill() {
  return {kGameTable<Hill>, {.style = tests::style_named(kGameTable<Hill>, "look"), .players = 2}};
}

TEST(BotView, CountsTheEntitiesOfAKindAndFindsTheFirst) {
  int looks = 0;
  Hill::task = [&looks](const Hill::BotView& view) {
    if (view.tick() < 3) return;
    ++looks;
    EXPECT_EQ(view.count<Man>(), 2);
    EXPECT_EQ(view.first<Man>()->owner, Player{0});
    EXPECT_EQ(view.count<Flag>(), 2);
    EXPECT_EQ((*view.first<Flag>())->number, 4);
    EXPECT_EQ(view.own()->owner, view.me());
  };
  match_of_hill().run(3);
  EXPECT_EQ(looks, 2);
}

TEST(BotView, SeesNothingBeforeTheFirstView) {
  Hill::task = [](const Hill::BotView& view) {
    if (view.tick() > 1) return;
    EXPECT_EQ(view.count<Man>(), 0);
    EXPECT_FALSE(view.first<Man>());
    EXPECT_FALSE(view.own());
  };
  match_of_hill().run(1);
}

TEST(BotView, KnowsTheWallsOfTheMap) {
  Hill::task = [](const Hill::BotView& view) {
    EXPECT_TRUE(view.overlaps_wall({8 * kUnit, 0}, {}));
    EXPECT_FALSE(view.overlaps_wall({7 * kUnit, 0}, {kUnit, kUnit})) << "it touches it";
    EXPECT_TRUE(view.overlaps_wall({7 * kUnit, 0}, {kUnit + 1, kUnit}));
  };
  match_of_hill().run(1);
}

TEST(BotView, SendsTheLastCommandOfATick) {
  const auto sent = sent_in(3, 10, [](const Hill::BotView& view) {
    if (view.tick() == 2) return;
    view.command(Wave{});
    if (view.tick() == 3) view.command(Plant{.number = 42});
  });
  EXPECT_EQ(sent, (std::vector<std::int64_t>{-1, -2, 42}));
}

TEST(BotView, SendsAtMostTenCommandsASecond) {
  for (const std::uint32_t rate : {10U, 25U, 60U, 240U}) {
    const auto sent =
        sent_in(10 * rate, rate, [](const Hill::BotView& view) { view.command(Wave{}); });
    const auto count = std::ranges::count(sent, -1);
    EXPECT_LE(count, 100) << rate;
    EXPECT_GE(count, 80) << rate;
  }
}

}  // namespace
}  // namespace tickbox::bots
