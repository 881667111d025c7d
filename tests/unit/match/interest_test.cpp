// The entities in sight, against a look at all of them.

#include "server/match/interest.h"

#include "core/rng.h"
#include "games/arena/arena.h"
#include "games/catalog.h"
#include "package/laws/random_match.h"
#include "server/match/plan/plan_stages.h"
#include "tests/support/menagerie.h"
#include "tests/unit/match/planned_match.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <set>
#include <span>
#include <vector>

namespace tickbox::server {
namespace {

/// An arena with many players.
class InterestOfCrowd : public ::testing::Test {
 protected:
  static constexpr std::uint16_t kPlayers = 200;

  InterestOfCrowd() {
    std::vector<engine::Join> joins;
    for (std::uint16_t seat = 0; seat < kPlayers; ++seat) {
      joins.push_back({.player = {seat}, .user_data = {}});
    }
    match_.tick({.leaves = {}, .joins = joins, .inputs = {}});
    interest_.rebuild(match_.world(), match_.history().slots().present());
  }

  [[nodiscard]] std::span<const sim::Body> bodies() const {
    return match_.world().physics().movers();
  }

  static Vec2 middle_of(const sim::Body& body) {
    return {body.min.x + body.size.x / 2, body.min.y + body.size.y / 2};
  }

  /// Returns the rows of what was found.
  [[nodiscard]] std::set<std::size_t> rows_of(std::span<const Interest::Found> found) const {
    std::set<std::size_t> rows;
    for (const Interest::Found& each : found) {
      const std::size_t row = match_.world().index_of(match_.history().slots().slot(each.slot).id);
      EXPECT_EQ(each.extent.middle, middle_of(bodies()[row]));
      rows.insert(row);
    }
    EXPECT_EQ(rows.size(), found.size()) << "none twice";
    return rows;
  }

  Match match_{games::arena(), engine::make_map(games::arena(), {.seats = kPlayers}, 60), 60, 9};
  Interest interest_;
  std::vector<Interest::Found> found_;
};

// No body whose box is outside is ever in a view, and no body whose box meets the view is missing.
TEST_F(InterestOfCrowd, SeesTheBodiesWhoseBoxesMeetItsRectangle) {
  constexpr Vec2 kView{20 * kUnit, 12 * kUnit};
  std::size_t corners_only = 0;
  for (std::uint16_t seat = 0; seat < kPlayers; ++seat) {
    const Vec2 centre = bodies()[match_.world().avatar_of({seat})].min;
    interest_.query({.centre = centre, .sight = kView}, 10'000, found_);
    const std::set<std::size_t> seen = rows_of(found_);
    EXPECT_TRUE(seen.contains(match_.world().avatar_of({seat})));
    for (std::size_t row = 0; row < bodies().size(); ++row) {
      const sim::Body& body = bodies()[row];
      const bool meets =
          body.min.x <= centre.x + kView.x && body.min.x + body.size.x >= centre.x - kView.x &&
          body.min.y <= centre.y + kView.y && body.min.y + body.size.y >= centre.y - kView.y;
      ASSERT_EQ(seen.contains(row), meets) << seat << " and " << row;
      const Vec2 middle = middle_of(body);
      const bool has_middle =
          std::abs(middle.x - centre.x) <= kView.x && std::abs(middle.y - centre.y) <= kView.y;
      corners_only += meets && !has_middle ? 1U : 0U;
    }
  }
  EXPECT_GT(corners_only, 10U) << "some are seen by their corners only";
}

TEST_F(InterestOfCrowd, InACrowdSeesTheNearest) {
  constexpr Vec2 kView{300 * kUnit, 200 * kUnit};
  constexpr std::size_t kEnough = 20;
  std::size_t smaller = 0;
  for (std::size_t own = 0; own < bodies().size(); ++own) {
    const Vec2 centre = bodies()[own].min;
    interest_.query({.centre = centre, .sight = kView}, kEnough, found_);
    EXPECT_GE(found_.size(), kEnough);
    smaller += found_.size() < bodies().size() ? 1U : 0U;
    const std::set<std::size_t> seen = rows_of(found_);
    std::int64_t furthest_seen = 0;
    std::int64_t nearest_other = std::numeric_limits<std::int64_t>::max();
    for (std::size_t row = 0; row < bodies().size(); ++row) {
      // How far the nearest side of the box is, in the proportions of the view.
      const sim::Body& body = bodies()[row];
      const Vec2 middle = middle_of(body);
      const auto distance =
          std::max(2 * (std::abs(std::int64_t{middle.x} - centre.x) - body.size.x / 2),
                   3 * (std::abs(std::int64_t{middle.y} - centre.y) - body.size.y / 2));
      if (seen.contains(row)) {
        furthest_seen = std::max(furthest_seen, distance);
      } else {
        nearest_other = std::min(nearest_other, distance);
      }
    }
    EXPECT_LT(furthest_seen, nearest_other);
  }
  EXPECT_GT(smaller, 0U);
}

/// Returns the slots of the bodies that a search of all finds, in order.
std::vector<SlotId> search_all(const Match& match, const Eye& eye, std::size_t enough) {
  std::vector<Interest::Found> all;
  std::int32_t half_width_max = 0;
  for (std::size_t row = 0; row < match.world().size(); ++row) {
    const sim::Body& body = match.world().body(row);
    const Vec2 half{body.size.x / 2, body.size.y / 2};
    half_width_max = std::max(half_width_max, half.x);
    all.push_back({.extent = {.middle = {body.min.x + half.x, body.min.y + half.y}, .half = half},
                   .slot = match.history().slots().present()[row]});
  }
  const auto within = [&](std::int32_t eighths) {
    const Eye part{.centre = eye.centre,
                   .sight = {eye.sight.x / 8 * eighths, eye.sight.y / 8 * eighths}};
    std::vector<SlotId> found;
    for (const Interest::Found& each : all) {
      if (is_in_sight(part, each.extent, 0)) found.push_back(each.slot);
    }
    std::ranges::sort(found);
    return found;
  };
  const auto in_width = std::ranges::count_if(all, [&](const Interest::Found& each) {
    return std::abs(std::int64_t{each.extent.middle.x} - eye.centre.x) <=
           std::int64_t{eye.sight.x} + half_width_max;
  });
  if (static_cast<std::size_t>(in_width) <= 2 * enough) return within(8);
  for (std::size_t eighths = 4; eighths < 8; ++eighths) {
    std::vector<SlotId> found = within(static_cast<std::int32_t>(eighths));
    if (found.size() >= enough) return found;
    if (found.size() * 64 < enough * eighths * eighths) break;
  }
  return within(8);
}

/// Compares queries with searches of all bodies.
class InterestAndSearch : public ::testing::Test {
 protected:
  std::int32_t number(std::int32_t low, std::int32_t high) {
    return low + static_cast<std::int32_t>(dice_.below(static_cast<std::uint64_t>(high - low) + 1));
  }

  /// Looks from players and from places, up to `sight_max` units far.
  template <class DrawPlace>
  void compare(TickContext& tick, Match& match, std::int32_t sight_max, DrawPlace draw_place) {
    tick.read(match);
    const auto last_seat = static_cast<std::int32_t>(match.world().seats().size()) - 1;
    for (int view = 0; view < 40; ++view) {
      const Player player{static_cast<std::uint16_t>(number(0, last_seat))};
      const Eye eye{
          .centre = number(0, 1) == 0 ? draw_place() : eye_of(match.world(), player).centre,
          .sight = {number(0, sight_max) * kUnit, number(0, sight_max) * kUnit}};
      const auto enough = static_cast<std::size_t>(number(0, 60));
      tick.interest.query(eye, enough, found_);
      std::vector<SlotId> slots;
      for (const Interest::Found& each : found_) {
        slots.push_back(each.slot);
      }
      std::ranges::sort(slots);
      const std::vector<SlotId> expected = search_all(match, eye, enough);
      ASSERT_EQ(slots, expected);
      seen_ += expected.size();
      crowds_ += expected.size() < search_all(match, eye, match.world().size()).size() ? 1U : 0U;
    }
  }

  Rng dice_{7};
  std::vector<Interest::Found> found_;
  std::size_t seen_ = 0;
  std::size_t crowds_ = 0;  ///< views of the nearest alone
};

// Runners and crates spread over any width and height, some of them far away.
TEST_F(InterestAndSearch, AgreeWhereverBodiesAre) {
  for (int played = 0; played < 80; ++played) {
    SCOPED_TRACE(played);
    const std::int32_t width = 1 << number(2, 14);
    const std::int32_t height = 1 << number(2, 14);
    const auto place = [&] {
      constexpr std::int32_t kFar = 60'000;
      const bool is_far = number(0, 19) == 0;
      const std::int32_t x = is_far ? kFar : width;
      const std::int32_t y = is_far ? kFar : height;
      return Vec2{number(-x, x) * field::kQuarter, number(-y, y) * field::kQuarter};
    };
    FieldMatch match{std::vector<Vec2>(3)};
    for (int crate = number(0, 200); crate > 0; --crate) {
      match.command_drop(place());
    }
    TickContext context;
    for (int tick = 0; tick < 3; ++tick) {
      match.put({place(), place(), place()});
      compare(context, match.match(), std::max(width, height) / 2, place);
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GT(seen_, 100'000U);
  EXPECT_GT(crowds_, 500U);
}

// Games with entities at rest, which spawn and despawn.
TEST_F(InterestAndSearch, AgreeInRandomMatches) {
  std::vector<const GameTable*> games{&tests::menagerie()};
  games.insert(games.end(), games::all_games().begin(), games::all_games().end());
  for (const GameTable* game : games) {
    SCOPED_TRACE(game->name);
    const engine::SharedMap map = engine::make_map(*game, {.seats = 6}, kPlannedRate);
    laws::RandomMatch random{*game, map, {.seed = 3, .tick_rate = kPlannedRate}};
    Match match{*game, map, kPlannedRate, 3};
    const engine::JudgeRays judge = [&](auto, std::vector<engine::Strike>& strikes) {
      strikes = random.record().strikes;
    };
    TickContext context;
    for (int tick = 0; tick < 120; ++tick) {
      engine::TickRequest request = random.draw();
      random.step();
      request.judge = &judge;
      match.tick(request);
      compare(context, match, 60,
              [&] { return Vec2{number(-60, 60) * kUnit, number(-60, 60) * kUnit}; });
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GT(seen_, 100'000U);
}

// A body in view stays in view up to a little beyond the border, and no further.
TEST(Interest, KeepsABodyInViewALittleBeyondItsRectangle) {
  const Eye eye{.centre = {5 * kUnit, -7 * kUnit}, .sight = {20 * kUnit, 12 * kUnit}};
  constexpr Vec2 kHalf{kUnit / 2, kUnit};
  constexpr std::int32_t kWidth = 20 * kUnit + kHalf.x + kViewHysteresis;
  constexpr std::int32_t kHeight = 12 * kUnit + kHalf.y + kViewHysteresis;
  for (const std::int32_t sign : {-1, 1}) {
    const auto stays = [&](std::int32_t x, std::int32_t y) {
      const Vec2 middle{eye.centre.x + sign * x, eye.centre.y + sign * y};
      return keeps_seeing(eye, {.middle = middle, .half = kHalf});
    };
    EXPECT_TRUE(stays(kWidth, kHeight));
    EXPECT_TRUE(stays(kWidth, -kHeight));
    EXPECT_FALSE(stays(kWidth + 1, 0));
    EXPECT_FALSE(stays(0, kHeight + 1));
  }
}

TEST(Interest, IsExactAtTheEndsOfTheNumbers) {
  const Eye eye{.centre = {INT32_MIN, INT32_MAX}, .sight = {INT32_MAX, INT32_MAX}};
  EXPECT_TRUE(is_in_sight(eye, {.middle = {-1, 0}, .half = {}}, 0));
  EXPECT_FALSE(is_in_sight(eye, {.middle = {0, 0}, .half = {}}, 0));
  EXPECT_TRUE(is_in_sight(eye, {.middle = {0, 0}, .half = {1, 0}}, 0));
  EXPECT_FALSE(is_in_sight(eye, {.middle = {INT32_MAX, INT32_MIN}, .half = {}}, 0));
}

TEST(Eye, IsAtTheFocusAndSeesAsFarAsTheFirstAvatar) {
  FieldMatch match{{units(3, 4), units(50, 0)}};
  match.tick();
  const Eye eye = eye_of(match.match().world(), {0});
  EXPECT_EQ(eye.centre, (Vec2{3 * kUnit + kUnit / 2, 4 * kUnit + kUnit / 2})) << "its middle";
  EXPECT_EQ(eye.sight, field::kSight);
  // A player without an avatar sees as far as any.
  match.leave({0});
  EXPECT_EQ(eye_of(match.match().world(), {0}).sight, kSight);
}

// sight() reads the state of an avatar, and of no other kind.
TEST(Eye, SeesAsFarAsAnyWhereThePlayersFirstEntityIsNoAvatar) {
  GameTable game = field::game();
  game.avatar = 2;
  Match match{game, engine::make_map(game, {.seats = 1}, kPlannedRate), kPlannedRate, 1};
  const engine::Join join{.player = {0}, .user_data = {}};
  match.tick({.joins = {&join, 1}});
  const std::size_t row = match.world().avatar_of({0});
  ASSERT_NE(row, match.world().size());
  ASSERT_NE(match.world().infos()[row].kind, game.avatar);
  EXPECT_EQ(eye_of(match.world(), {0}).sight, kSight);
}

}  // namespace
}  // namespace tickbox::server
