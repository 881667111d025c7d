// What a bot sees and asks, on a game whose bot a test writes.

#include "tests/unit/bots/bot_match.h"
#include "tickbox/adapter.h"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <string_view>

namespace tickbox::bots {
namespace {

struct Man {
  TICKBOX_FIELDS(Man)
};

struct Flag {
  Int<0, 9> number;
  TICKBOX_FIELDS(Flag, number)
};

struct Hill {
  // NOLINTBEGIN(readability-identifier-naming): the names that the interface asks for
  static constexpr std::string_view name = "hill";
  static constexpr std::uint32_t version = 1;
  static constexpr std::array<std::string_view, 1> bot_styles = {"look"};
  // NOLINTEND(readability-identifier-naming)
  using Input = Empty;
  using Avatar = Man;
  using Kinds = List<Man, Flag>;
  using Outcomes = List<>;
  using Events = List<>;
  using Seat = Empty;
  using Room = Empty;
  using Server = tickbox::Server<Hill>;
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

  static Empty bot(const BotView& view, Empty&, std::string_view) {
    task(view);
    return {};
  }

  static std::function<void(const BotView&)> task;
};

std::function<void(const Hill::BotView&)> Hill::task;

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

}  // namespace
}  // namespace tickbox::bots
