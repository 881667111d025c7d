// The laws play every map, and the game's bots play every second match.

#include "engine/tick_report.h"
#include "package/laws/laws.h"
#include "tests/unit/laws/law_options.h"
#include "tickbox/adapter.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox {
namespace {

/// Where a static variable changes the rules.
enum class Planted : std::uint8_t { Nowhere, Contact, Wall, Crushed, Left, Apply, Command, Map };

struct Pad {
  Int<-1, 1> walk;
  TICKBOX_FIELDS(Pad, walk)
};

struct Walker {
  Int<0, 1'000> marks;
  TICKBOX_FIELDS(Walker, marks)
};

struct Flag {
  TICKBOX_FIELDS(Flag)
};

struct Press {
  TICKBOX_FIELDS(Press)
};

struct Mark {
  TICKBOX_FIELDS(Mark)
};

struct Wave {
  TICKBOX_FIELDS(Wave)
};

/// Walkers have a lane each. The map "meadow" has nothing. In the lanes of "yard" are flags, then a
/// wall, or a press and at last the border.
template <Planted kPlanted>
struct Course {
  static constexpr std::string_view name = "course";
  static constexpr std::uint32_t version = 1;
  static constexpr std::array<std::string_view, 2> maps = {"meadow", "yard"};
  static constexpr std::array<std::string_view, 1> bot_styles = {"walk"};
  using Input = Pad;
  using Avatar = Walker;
  using Kinds = List<Walker, Flag, Press>;
  using Outcomes = List<Mark>;
  using Commands = List<Wave>;
  using Step = tickbox::Step<Course>;
  using Server = tickbox::Server<Course>;

  static constexpr std::int32_t kFlagX = 20 * kUnit;
  static constexpr std::int32_t kWallX = 24 * kUnit;
  static constexpr std::int32_t kPressX = 28 * kUnit;
  static constexpr std::int32_t kEndX = 40 * kUnit;

  template <Planted kHere>
  static std::int32_t calls() {
    if constexpr (kHere != kPlanted) return 0;
    static std::int32_t count = 0;
    return ++count % 5;
  }

  static constexpr Vec2 lane(std::int32_t number) { return {0, number * 2 * kUnit}; }

  static Body body(const Walker&) { return {}; }

  static Body body(const Flag&) { return {.motion = Motion::Fixed, .sensor = true}; }

  static Body body(const Press&) {
    return {.size = {4 * kUnit, kUnit}, .motion = Motion::Kinematic, .squeeze = Squeeze::Crush};
  }

  template <class Kind>
  static constexpr std::int32_t top_speed(const Kind&) {
    return 8;
  }

  static void map(MapBuilder& builder, const MapOptions& options) {
    if (options.name == "meadow") return;
    builder.border({-100 * kUnit, -100 * kUnit}, {100 * kUnit + kEndX, 200 * kUnit},
                   Border::Remove);
    builder.solid({kWallX, lane(1).y}, {kUnit, kUnit});
    builder.solid({kPressX, lane(2).y + kUnit}, {4 * kUnit, kUnit / 2});
    const Vec2 top{kPressX, lane(2).y - 2 * kUnit};
    const std::array<Vec2, 2> points{top, Vec2{kPressX, lane(2).y}};
    builder.object("press", top, {}, builder.path(points, 2));
    for (std::int32_t number = 0; number < static_cast<std::int32_t>(options.seats); ++number) {
      builder.object("flag", {kFlagX + calls<Planted::Map>(), lane(number).y});
    }
  }

  static void open(Server& server) {
    for (const MapObject& flag : server.objects("flag")) {
      server.spawn(Flag{}, flag.min);
    }
    for (const MapObject& press : server.objects("press")) {
      server.spawn(Press{}, press.min, press.path);
    }
  }

  static void join(Server& server, Player who) {
    server.spawn_avatar(who, Walker{}, lane(who.seat));
  }

  static void act(Entity<Walker> me, const Pad& pad, Step& step) {
    me.velocity = {pad.walk * step.speed(6), 0};
  }

  static void contact(Entity<Walker> me, Entity<Flag>, Contact, Step&) {
    me->marks += calls<Planted::Contact>();
  }

  static void wall(Entity<Walker> me, Contact, Step&) { me->marks += calls<Planted::Wall>(); }

  static void crushed(Entity<Walker> me, Step&) { me->marks += calls<Planted::Crushed>(); }

  static void left(Entity<Walker>, Step& step) {
    if (calls<Planted::Left>() % 2 == 1) step.spawn(Walker{}, {});
  }

  static void apply(Entity<Walker> me, const Mark&, Step&) { me->marks += calls<Planted::Apply>(); }

  static void command(Server& server, Player who, const Wave&) {
    const auto walker = server.avatar(who);
    if (!walker || walker->min.x < kFlagX || server.objects("flag").size() == 0) return;
    if (calls<Planted::Command>() % 2 == 1) server.remove(walker->ref);
  }

  static void decide(Server& server) {
    server.template for_each<Walker>([&](ConstEntity<Walker> it) {
      if (it.min.x > kFlagX && server.objects("flag").size() > 0) server.decide(it.ref, Mark{});
    });
    server.for_each_player([&](Player who) {
      if (!server.avatar(who)) server.spawn_avatar(who, Walker{}, lane(who.seat));
    });
  }

  static Pad bot(const BotView<Course>& view, Empty&, std::string_view) {
    if (view.random(20) == 0) view.command(Wave{});
    return {.walk = 1};
  }
};

struct PlantedGame {
  const char* where;
  const GameTable* game;
};

class StaticVariable : public ::testing::TestWithParam<PlantedGame> {};

// Before the fix, the laws played the first map alone.
TEST_P(StaticVariable, InOneCallbackOfOneMapIsFound) {
  const std::optional<laws::LawBroken> broken =
      laws::check_laws(*GetParam().game, {.matches = tests::law_matches(60)});
  ASSERT_TRUE(broken);
  EXPECT_EQ(broken->place.map, "yard") << laws::to_text(*GetParam().game, *broken);
}

INSTANTIATE_TEST_SUITE_P(
    LawMaps, StaticVariable,
    ::testing::Values(PlantedGame{"contact", &kGameTable<Course<Planted::Contact>>},
                      PlantedGame{"wall", &kGameTable<Course<Planted::Wall>>},
                      PlantedGame{"crushed", &kGameTable<Course<Planted::Crushed>>},
                      PlantedGame{"left", &kGameTable<Course<Planted::Left>>},
                      PlantedGame{"apply", &kGameTable<Course<Planted::Apply>>},
                      PlantedGame{"command", &kGameTable<Course<Planted::Command>>},
                      PlantedGame{"map", &kGameTable<Course<Planted::Map>>}),
    [](const auto& of) { return std::string{of.param.where}; });

std::uint64_t calls_of(const GameTable& game, const laws::MapCalls& map, std::string_view name) {
  for (const laws::CallbackUse& use : laws::callbacks_of(game)) {
    if (use.name == name) return map.counts.of(use.which);
  }
  ADD_FAILURE() << name << " is no callback of the game";
  return 0;
}

TEST(LawMaps, EveryMapIsPlayedAndItsCallsAreCounted) {
  const GameTable& game = kGameTable<Course<Planted::Nowhere>>;
  std::vector<laws::MapCalls> maps;
  const std::uint32_t matches = tests::law_matches(60);
  ASSERT_FALSE(laws::check_laws(game, {.matches = matches, .calls = &maps}));
  ASSERT_EQ(maps.size(), 2U);
  for (const laws::MapCalls& map : maps) {
    EXPECT_GE(map.matches, 3 * matches) << map.map;
    EXPECT_EQ(calls_of(game, map, "decide"), map.matches * laws::LawOptions{}.ticks) << map.map;
    EXPECT_GT(calls_of(game, map, "bot (walk)"), 0U) << map.map;
  }
  EXPECT_EQ(maps[0].map, "meadow");
  for (const std::string_view name :
       {"contact (Walker with Flag)", "wall (Walker)", "crushed (Walker)", "left (Walker)",
        "apply (Walker by Mark)"}) {
    EXPECT_EQ(calls_of(game, maps[0], name), 0U) << name;
    EXPECT_GT(calls_of(game, maps[1], name), 0U) << name;
  }
}

TEST(LawMaps, TheGamesBotsPlayEverySecondMatch) {
  const GameTable& game = kGameTable<Course<Planted::Nowhere>>;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    std::vector<laws::MapCalls> maps;
    ASSERT_FALSE(laws::check_laws(
        game,
        {.first_seed = seed, .matches = 1, .map = "yard", .tick_rates = {10}, .calls = &maps}));
    ASSERT_EQ(maps.size(), 1U);
    EXPECT_EQ(calls_of(game, maps[0], "bot (walk)") > 0, seed % 2 == 0) << seed;
  }
}

TEST(LawMaps, AFailureNamesTheMapAndTheMatchThatShowsItAgain) {
  const GameTable& game = kGameTable<Course<Planted::Crushed>>;
  const std::optional<laws::LawBroken> broken = laws::check_laws(game, {});
  ASSERT_TRUE(broken);
  const laws::LawPlace& place = broken->place;
  EXPECT_NE(laws::to_text(game, *broken).find(" on map yard at "), std::string::npos);
  EXPECT_EQ(laws::options_of(place, {.ticks = 77, .seats = 9}),
            "--map yard --tick-rate " + std::to_string(place.tick_rate) + " --seed " +
                std::to_string(place.seed) + " --matches 1 --ticks 77 --seats 9");
  const std::optional<laws::LawBroken> again = laws::check_laws(
      game,
      {.first_seed = place.seed, .matches = 1, .map = place.map, .tick_rates = {place.tick_rate}});
  ASSERT_TRUE(again);
  EXPECT_EQ(again->place.seed, place.seed);
}

}  // namespace
}  // namespace tickbox
