#include "games/bomber/bomber.h"

#include "core/rng.h"
#include "games/bomber/field.h"
#include "tests/unit/games/played_match.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace tickbox::games {
namespace {

constexpr Vec2 kManSize{kUnit * 3 / 4, kUnit * 3 / 4};
constexpr int kFuse = 150;                  // ticks, of the longest one
constexpr Cell kFarAway{.x = 24, .y = 24};  // in a field of 16 seats

const Values kLay{{.field = "bomb", .value = 1}};

/// A round of two players at 60 Hz, in the two upper corners of a field of 9 cells.
class Bomber : public testing::Test {
 protected:
  Bomber() { match_.join({0, 1}); }

  void put(std::uint16_t seat, Cell cell) {
    match_.put(match_.row(seat), middle_of(cell, kManSize));
  }

  void lay(std::uint16_t seat) { match_.tick({{.seat = seat, .values = kLay}}); }

  /// Ticks until an event of a type comes; at most `ticks` times.
  bool comes(std::string_view event, int ticks = kFuse) {
    for (; ticks > 0; --ticks) {
      match_.tick();
      if (match_.events(event) > 0) return true;
    }
    return false;
  }

  [[nodiscard]] bool is_out(std::uint16_t seat) const {
    return match_.row(seat) == match_.world().size();
  }

  [[nodiscard]] bool has(std::string_view kind, Cell cell) const {
    for (std::size_t row = 0; row < match_.world().size(); ++row) {
      const sim::Body& box = match_.box(row);
      const Vec2 middle{box.min.x + box.size.x / 2, box.min.y + box.size.y / 2};
      if (match_.world().kind_of(row).type.name == kind && cell_at(middle) == cell) return true;
    }
    return false;
  }

  /// A brick that can be reached from a free cell to its left, and that cell.
  [[nodiscard]] Cell brick_to_burn() const {
    for (const MapObject& brick : match_.objects("brick")) {
      const Cell cell = cell_at(brick.min);
      const Cell left{.x = cell.x - 1, .y = cell.y};
      if (cell.x > 0 && !is_pillar(left) && !has("Brick", left)) return cell;
    }
    ADD_FAILURE() << "no such brick";
    return {};
  }

  PlayedMatch match_{bomber()};
};

TEST_F(Bomber, WalksFromCellToCellAroundPillars) {
  // Half a cell off the middle, a pillar is in the way to the right.
  match_.put(match_.row(0), {kUnit / 8, kUnit / 2});
  for (int tick = 0; tick < 60; ++tick) {
    match_.tick({{.seat = 0, .values = {{.field = "walk", .value = 1}}}});
  }
  EXPECT_GT(match_.box(match_.row(0)).min.x, kUnit / 2);
  EXPECT_EQ(match_.box(match_.row(0)).min.y, kUnit / 8);
}

TEST_F(Bomber, LeavesTheBombThatItLaysAndIsStoppedByItAfterwards) {
  lay(0);
  EXPECT_EQ(match_.count("Bomb"), 1U);
  EXPECT_EQ(match_.value(match_.row(0), "bombs"), 0);
  for (int tick = 0; tick < 15; ++tick) {
    match_.tick({{.seat = 0, .values = {{.field = "walk", .value = 1}}}});
  }
  EXPECT_GT(match_.box(match_.row(0)).min.x, 3 * kUnit / 4);
  put(0, {.x = 1, .y = 0});
  for (int tick = 0; tick < 30; ++tick) {
    match_.tick({{.seat = 0, .values = {{.field = "walk", .value = 3}}}});
  }
  EXPECT_EQ(match_.box(match_.row(0)).min.x, kUnit) << "at the side of the bomb";
}

TEST_F(Bomber, LaysOneBombInACell) {
  match_.set(match_.row(0), "bombs", 3);
  lay(0);
  lay(0);
  EXPECT_EQ(match_.count("Bomb"), 1U);
  EXPECT_EQ(match_.value(match_.row(0), "bombs"), 2);
}

TEST_F(Bomber, BurnsAsFarAsItReachesAndCanLayAgain) {
  put(0, {.x = 4, .y = 0});
  lay(0);
  put(0, {.x = 8, .y = 8});
  for (int tick = 0; tick < kFuse && match_.count("Flame") == 0; ++tick) {
    match_.tick();
  }
  EXPECT_TRUE(has("Flame", {.x = 4, .y = 0}));
  EXPECT_FALSE(has("Flame", {.x = 5, .y = 1})) << "a pillar";
  EXPECT_FALSE(has("Flame", {.x = 7, .y = 0})) << "three cells away";
  EXPECT_EQ(match_.value(match_.row(0), "bombs"), 1);
  match_.ticks(31);
  EXPECT_EQ(match_.count("Flame"), 0U);
}

TEST_F(Bomber, BurnsWhoStandsInTheFlames) {
  lay(1);
  match_.ticks(10);
  put(1, {.x = 8, .y = 1});
  EXPECT_TRUE(comes("Burnt"));
  EXPECT_TRUE(is_out(1));
  EXPECT_EQ(match_.seat_value(1, "kills"), 0) << "its own bomb";
}

TEST_F(Bomber, AFlameLightsTheNextBomb) {
  match_.set(match_.row(0), "bombs", 3);
  put(0, {.x = 0, .y = 0});
  lay(0);
  match_.ticks(60);
  put(0, {.x = 0, .y = 1});
  lay(0);
  put(0, {.x = 1, .y = 0});
  lay(0);
  put(0, {.x = 8, .y = 8});
  ASSERT_EQ(match_.count("Bomb"), 3U);
  for (int tick = 0; tick < kFuse && match_.count("Bomb") == 3; ++tick) {
    match_.tick();
  }
  match_.ticks(2);
  EXPECT_EQ(match_.count("Bomb"), 0U) << "the other two had a second left";
}

TEST_F(Bomber, BreaksABrickAndStopsThere) {
  const Cell brick = brick_to_burn();
  const std::size_t bricks = match_.count("Brick");
  put(0, {.x = brick.x - 1, .y = brick.y});
  lay(0);
  put(0, {.x = 0, .y = 0});
  EXPECT_TRUE(comes("Broken"));
  EXPECT_LT(match_.count("Brick"), bricks);
  EXPECT_FALSE(has("Brick", brick));
  EXPECT_FALSE(has("Flame", brick)) << "what it hides does not burn";
}

/// A match in which player 0 burns the bricks that have a free cell to their left, one by one.
struct Burner {
  explicit Burner(std::uint64_t seed) : match{bomber(), 16, 60, seed} { match.join({0, 1}); }

  /// Calls `look` after each brick that has burnt, until it returns false.
  template <class Look>
  void burn(Look look) {
    for (const MapObject& object : match.objects("brick")) {
      const Cell cell = cell_at(object.min);
      const Cell left{.x = cell.x - 1, .y = cell.y};
      if (cell.x == 0 || is_pillar(left)) continue;
      match.put(match.row(0), middle_of(left, kManSize));
      match.set(match.row(0), "bombs", 1);
      match.tick({{.seat = 0, .values = kLay}});
      match.put(match.row(0), middle_of(kFarAway, kManSize));
      for (int tick = 0; tick < kFuse && match.events("Broken") == 0; ++tick) {
        match.tick();
      }
      if (!look()) return;
      match.ticks(40);
    }
  }

  PlayedMatch match;
};

/// The gifts of the first bricks that burn in a match whose server has this seed.
std::vector<std::int64_t> gifts_of(std::uint64_t seed) {
  Burner of{seed};
  std::vector<std::int64_t> gifts;
  of.burn([&] {
    const std::size_t row = of.match.first("Gift");
    gifts.push_back(row != of.match.world().size() ? of.match.value(row, "kind") : -1);
    return gifts.size() < 10;
  });
  return gifts;
}

// A brick has no state, and what a client receives is the same whatever the server draws.
TEST(BomberGifts, AreKnownToTheServerAlone) {
  EXPECT_TRUE(bomber().kinds[3].type.fields().empty()) << "a brick";
  std::set<std::vector<std::int64_t>> all;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    all.insert(gifts_of(seed));
  }
  EXPECT_GT(all.size(), 3U);
}

TEST(BomberGifts, AreTakenAndHelp) {
  Burner of{3};
  PlayedMatch& match = of.match;
  of.burn([&match] { return match.count("Gift") == 0; });
  ASSERT_GT(match.count("Gift"), 0U);
  match.ticks(40);
  const auto worth = [&match] {
    const std::size_t man = match.row(0);
    return match.value(man, "bombs") + match.value(man, "reach") + match.value(man, "haste");
  };
  const std::int64_t worth_before = worth();
  const std::size_t gifts = match.count("Gift");
  match.put(match.row(0), match.box(match.first("Gift")).min);
  match.ticks(2);
  EXPECT_EQ(match.count("Gift"), gifts - 1);
  EXPECT_EQ(worth(), worth_before + 1);
}

TEST_F(Bomber, TheLastOneWinsTheRoundAndTheNextOneBegins) {
  EXPECT_EQ(match_.room_value("next_at"), 0) << "the first one has begun";
  EXPECT_EQ(match_.room_value("fighters"), 2);
  // Player 0 burns player 1.
  put(0, {.x = 8, .y = 1});
  lay(0);
  put(0, {.x = 0, .y = 8});
  EXPECT_TRUE(comes("Burnt"));
  EXPECT_EQ(match_.results(), std::vector<std::string>{R"({"winner":0,"fighters":2})"});
  EXPECT_EQ(match_.room_value("winner"), 0);
  EXPECT_EQ(match_.seat_value(0, "wins"), 1);
  EXPECT_EQ(match_.seat_value(0, "kills"), 1);
  EXPECT_EQ(match_.seat_value(1, "wins"), 0);
  const std::size_t bricks = static_cast<std::size_t>(match_.objects("brick").size());
  match_.ticks(3 * 60 - 1);
  EXPECT_TRUE(is_out(1));
  match_.ticks(2);
  EXPECT_FALSE(is_out(0) || is_out(1));
  EXPECT_EQ(match_.room_value("next_at"), 0);
  EXPECT_EQ(match_.room_value("winner"), 0) << "the result of the last round";
  EXPECT_EQ(match_.count("Brick"), bricks) << "they have grown again";
  EXPECT_EQ(match_.count("Man"), 2U);
}

TEST_F(Bomber, NobodyWinsARoundThatLastsTwoMinutes) {
  match_.ticks(120 * 60 - 1);
  EXPECT_EQ(match_.room_value("next_at"), 0);
  match_.tick();
  EXPECT_GT(match_.room_value("next_at"), 0);
  EXPECT_EQ(match_.room_value("winner"), Player::kNobody);
}

TEST(BomberRound, OfOneGoesOnUntilItIsOutAndAnotherMayJoin) {
  PlayedMatch match{bomber()};
  match.join({0});
  match.ticks(15 * 60);
  EXPECT_EQ(match.room_value("next_at"), 0);
  match.join({1});
  EXPECT_EQ(match.room_value("fighters"), 2);
  EXPECT_EQ(match.count("Man"), 2U);
  match.leave(1);
  EXPECT_EQ(match.room_value("winner"), 0) << "the last who is left";
}

TEST_F(Bomber, WhoIsOutWatchesWhoBurntIt) {
  const auto focus_of = [this](std::uint16_t seat) { return match_.world().seats()[seat].focus; };
  const auto ref_of = [this](std::uint16_t seat) {
    return engine::ref_of(match_.world().id(match_.row(seat)));
  };
  EXPECT_EQ(focus_of(1), ref_of(1));
  put(0, {.x = 8, .y = 1});
  lay(0);
  put(0, {.x = 0, .y = 8});
  ASSERT_TRUE(comes("Burnt"));
  EXPECT_EQ(focus_of(1), ref_of(0));
  match_.ticks(3 * 60 + 1);
  EXPECT_EQ(focus_of(1), ref_of(1)) << "in the next round";
}

// Before the fix, a burnt player could leave, return with another token, and play in the same
// round.
TEST_F(Bomber, WhoComesBackWatchesUntilTheNextRound) {
  match_.join({2});
  match_.leave(1);
  const Tick left = match_.world().tick;
  match_.come_back(3, left);
  EXPECT_TRUE(is_out(3));
  EXPECT_EQ(match_.world().seats()[3].focus, engine::ref_of(match_.world().id(match_.row(0))));
  match_.join({1});
  EXPECT_FALSE(is_out(1)) << "another client, in the seat that was left";
  EXPECT_EQ(match_.room_value("fighters"), 4);

  match_.leave(1);
  match_.leave(2);
  ASSERT_GT(match_.room_value("next_at"), 0) << "one is left";
  match_.come_back(2, match_.world().tick);
  EXPECT_FALSE(is_out(2)) << "between two rounds";
  match_.ticks(3 * 60 + 1);
  EXPECT_EQ(match_.room_value("next_at"), 0);
  EXPECT_FALSE(is_out(3));
  match_.leave(0);
  match_.come_back(0, left);
  EXPECT_FALSE(is_out(0)) << "it left a round before";
}

TEST(BomberField, HasAPlaceForEachSeatWithRoomForABomb) {
  for (const std::uint32_t seats : {1U, 4U, 5U, 90U, engine::kSeatsMax}) {
    const engine::SharedMap map = engine::make_map(bomber(), {.seats = seats}, 60);
    const MapObjects places = engine::objects_of(*map, "spawn");
    EXPECT_EQ(places.size(), static_cast<std::int32_t>(seats));
    std::set<std::pair<std::int32_t, std::int32_t>> bricks;
    for (const MapObject& brick : engine::objects_of(*map, "brick")) {
      const Cell cell = cell_at(brick.min);
      EXPECT_FALSE(is_pillar(cell));
      bricks.emplace(cell.x, cell.y);
    }
    EXPECT_LE(bricks.size(), 8'000U);
    for (const MapObject& place : places) {
      const Cell cell = cell_at(place.min);
      EXPECT_FALSE(is_pillar(cell));
      for (const Cell way : kWays) {
        EXPECT_FALSE(bricks.contains({cell.x + way.x, cell.y + way.y}));
      }
    }
  }
}

TEST(BomberLookout, RunsFromABombAroundTheCorner) {
  Lookout lookout{{.x = 0, .y = 0}, 9};
  EXPECT_EQ(lookout.way_to_safety(), 0);
  lookout.threaten({.x = 0, .y = 0}, 2);
  // The nearest safe places: (3, 0), (0, 3), and around a corner (2, 1) and (1, 2).
  EXPECT_EQ(lookout.way_to_safety(), 1);
  lookout.close({.x = 1, .y = 0});
  EXPECT_EQ(lookout.way_to_safety(), 2);
  lookout.close({.x = 0, .y = 1});
  EXPECT_EQ(lookout.way_to_safety(), std::nullopt);
}

TEST(BomberLookout, WalksToWhatIsWantedButNotThroughDanger) {
  Lookout lookout{{.x = 4, .y = 4}, 9};
  EXPECT_EQ(lookout.way_to_wanted(), std::nullopt);
  lookout.want({.x = 8, .y = 4});
  EXPECT_EQ(lookout.way_to_wanted(), 1);
  lookout.burn({.x = 5, .y = 4});
  EXPECT_NE(lookout.way_to_wanted(), 1);
  lookout.aim_at({.x = 4, .y = 4}, 1);
  EXPECT_EQ(lookout.way_to_wanted(), 0);
}

}  // namespace
}  // namespace tickbox::games
