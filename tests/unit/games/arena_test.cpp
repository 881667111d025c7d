#include "games/arena/arena.h"

#include "core/rng.h"
#include "engine/map.h"
#include "games/arena/layout.h"
#include "tests/unit/games/played_match.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <utility>
#include <vector>

namespace tickbox::games {
namespace {

constexpr std::uint32_t kRate = 60;

/// At rest; then to the right: a run, and a shot of each weapon.
const Values kRest{};
const Values kRight{{.field = "move", .value = 1}};
const Values kShootRight{{.field = "shoot", .value = 1}};
const Values kRayRight{{.field = "ray", .value = 1}};

struct SeenHit {
  std::int64_t shooter = 0;
  std::int64_t victim = 0;

  friend bool operator==(const SeenHit&, const SeenHit&) = default;
};

class ArenaMatch : public PlayedMatch {
 public:
  /// The origin is the upper left corner of the field. In the first block, rows 0 to 3 and columns
  /// 0 to 2 are open. A thin wall is at x = 13, from y = 4 to 12.
  explicit ArenaMatch(std::uint32_t seats = 4, std::uint64_t seed = 1)
      : PlayedMatch(arena(), seats, kRate, seed) {
    const sim::Body& upper_wall = world().map()->statics->bodies()[0];
    origin_ = {upper_wall.min.x + upper_wall.size.y, upper_wall.min.y + upper_wall.size.y};
  }

  void tick(const std::vector<PlayedInput>& played = {},
            const std::vector<engine::Strike>& strikes = {}) {
    fired_.clear();
    const engine::JudgeRays judge = [&](std::span<const engine::FiredRay> rays,
                                        std::vector<engine::Strike>& out) {
      fired_.assign(rays.begin(), rays.end());
      out = strikes;
    };
    PlayedMatch::tick(played, &judge);
  }

  /// Moves a player's body to (x, y), in units from the origin, at rest.
  void put(std::uint16_t seat, std::int32_t x, std::int32_t y) {
    put_at(seat, {origin_.x + x * kUnit, origin_.y + y * kUnit});
  }

  void put_at(std::uint16_t seat, Vec2 place) { PlayedMatch::put(row(seat), place); }

  [[nodiscard]] Vec2 origin() const { return origin_; }

  [[nodiscard]] BodyId id(std::uint16_t seat) const { return world().id(row(seat)); }

  [[nodiscard]] Ref ref(std::uint16_t seat) const { return engine::ref_of(id(seat)); }

  [[nodiscard]] const sim::Body& box(std::uint16_t seat) const { return world().body(row(seat)); }

  [[nodiscard]] std::int64_t points(std::uint16_t seat) const { return seat_value(seat, "points"); }

  /// The rays that were fired in the last tick().
  [[nodiscard]] const std::vector<engine::FiredRay>& fired() const { return fired_; }

  [[nodiscard]] std::vector<SeenHit> hits() const {
    std::vector<SeenHit> hits;
    for (const engine::Emitted& emitted : report().emitted) {
      const TypeInfo& type = arena().events[emitted.type];
      const ConstBytes hit = report().event(type, emitted);
      hits.push_back({.shooter = tests::field_value(type, hit, "shooter"),
                      .victim = tests::field_value(type, hit, "victim")});
    }
    return hits;
  }

  /// The entities that were put elsewhere in the last tick.
  [[nodiscard]] std::vector<Ref> respawned() const {
    std::vector<Ref> respawned;
    for (const engine::Outcome& outcome : record().outcomes) {
      if (outcome.kind == engine::OutcomeKind::Decided) respawned.push_back(outcome.ref);
    }
    return respawned;
  }

 private:
  std::vector<engine::FiredRay> fired_;
  Vec2 origin_;
};

constexpr std::int32_t kRunPerTick = 8 * kUnit / 60;

/// A match of one player at (x, y).
ArenaMatch alone_at(std::int32_t x, std::int32_t y, std::uint32_t seats = 4) {
  ArenaMatch match{seats};
  match.join({0});
  match.put(0, x, y);
  return match;
}

engine::SharedMap map_for(std::uint32_t seats) {
  return engine::make_map(arena(), {.seats = seats}, kRate);
}

TEST(Arena, AcceleratesToEightUnitsPerSecondAndStopsByFriction) {
  ArenaMatch match = alone_at(1, 1);
  match.tick({{.seat = 0, .values = kRight}});
  EXPECT_EQ(match.box(0).velocity.x, 60 * kUnit / 3'600);
  match.ticks(20);
  EXPECT_EQ(match.box(0).velocity.x, kRunPerTick) << "a player holds its input until another comes";
  match.tick({{.seat = 0, .values = kRest}});
  EXPECT_LT(match.box(0).velocity.x, kRunPerTick);
  match.ticks(20);
  EXPECT_EQ(match.box(0).velocity, Vec2{});
}

TEST(Arena, RunsAsFastDiagonally) {
  ArenaMatch match = alone_at(1, 1);
  match.ticks(15, {{.seat = 0, .values = {{.field = "move", .value = 2}}}});
  const Vec2 velocity = match.box(0).velocity;
  EXPECT_EQ(velocity.x, velocity.y);
  const std::int64_t squared =
      std::int64_t{velocity.x} * velocity.x + std::int64_t{velocity.y} * velocity.y;
  EXPECT_NEAR(static_cast<double>(squared),
              static_cast<double>(std::int64_t{kRunPerTick} * kRunPerTick), 2e4);
}

TEST(Arena, ABulletLeavesItsOwnerAndHitsWhoStandsInItsWay) {
  ArenaMatch match;
  match.join({0, 1});
  match.put(0, 1, 1);
  match.put(1, 10, 1);
  match.tick({{.seat = 0, .values = kShootRight}});
  EXPECT_EQ(match.count("Bullet"), 1U);
  match.tick();
  EXPECT_EQ(match.points(0), 0);
  match.tick();
  EXPECT_EQ(match.hits(), (std::vector<SeenHit>{{.shooter = 0, .victim = 1}}));
  EXPECT_EQ(match.points(0), 1);
  EXPECT_EQ(match.count("Bullet"), 0U);
  EXPECT_EQ(match.respawned(), std::vector<Ref>{match.ref(1)});
  EXPECT_NE(match.box(1).min, (Vec2{match.origin().x + 10 * kUnit, match.origin().y + kUnit}))
      << "who is hit appears elsewhere";
  EXPECT_EQ(match.box(1).velocity, Vec2{});
  EXPECT_EQ(match.box(0).min, (Vec2{match.origin().x + kUnit, match.origin().y + kUnit}))
      << "a shot does not push its owner";
}

// 3.3 units per tick against a wall a tenth of a unit thick.
TEST(Arena, ThinWallsStopBullets) {
  ArenaMatch match = alone_at(9, 5);
  match.tick({{.seat = 0, .values = kShootRight}});
  ASSERT_EQ(match.count("Bullet"), 1U);
  match.tick();
  EXPECT_EQ(match.count("Bullet"), 0U);
}

TEST(Arena, ShootsTwicePerSecondAtMost) {
  ArenaMatch match = alone_at(1, 1);
  std::size_t born = 0;
  std::size_t before = 0;
  for (int i = 0; i < 120; ++i) {
    match.tick({{.seat = 0, .values = kShootRight}});
    const std::size_t now = match.count("Bullet");
    born += now > before ? 1 : 0;
    before = now;
  }
  EXPECT_EQ(born, 4U);
}

// The step loads and fires; whom a ray strikes is said from outside.
TEST(Arena, ARayStrikesWhomItIsSaidTo) {
  ArenaMatch match;
  match.join({0, 1});
  match.put(0, 1, 1);
  match.put(1, 10, 1);
  const std::vector<engine::Strike> strike{{.shooter = {0}, .victim = match.ref(1)}};
  match.tick({{.seat = 0, .values = kRayRight}});
  ASSERT_EQ(match.fired().size(), 1U);
  EXPECT_EQ(match.fired()[0].shooter, Player{0});
  EXPECT_EQ(match.fired()[0].from, match.ref(0));
  EXPECT_EQ(match.fired()[0].ray.way, (Vec2{24 * kUnit, 0})) << "as far as a screen";
  EXPECT_TRUE(match.hits().empty()) << "nobody was said to be struck";
  EXPECT_EQ(match.count("Bullet"), 0U);
  match.tick({{.seat = 0, .values = kRayRight}}, strike);
  EXPECT_TRUE(match.fired().empty() && match.hits().empty()) << "it is not loaded";
  match.ticks(30);
  match.tick({{.seat = 0, .values = kShootRight}}, strike);
  EXPECT_TRUE(match.fired().empty() && match.hits().empty()) << "it was the gun";
  match.put(0, 1, 20);
  match.ticks(30);
  match.tick({{.seat = 0, .values = kRayRight}}, strike);
  EXPECT_EQ(match.hits(), (std::vector<SeenHit>{{.shooter = 0, .victim = 1}}));
  EXPECT_EQ(match.respawned(), std::vector<Ref>{match.ref(1)});
}

TEST(Arena, WhoIsStruckTwiceInATickAppearsElsewhereOnceAndCountsOnce) {
  ArenaMatch match;
  match.join({0, 1, 2});
  match.tick({{.seat = 0, .values = kRayRight}, {.seat = 2, .values = kRayRight}},
             {{.shooter = {0}, .victim = match.ref(1)}, {.shooter = {2}, .victim = match.ref(1)}});
  EXPECT_EQ(match.hits().size(), 2U);
  EXPECT_EQ(match.respawned().size(), 1U);
  EXPECT_EQ(match.points(0), 1);
  EXPECT_EQ(match.points(2), 0);
}

TEST(Arena, GunAndRayAreLoadedTogether) {
  ArenaMatch match = alone_at(1, 1);
  match.tick(
      {{.seat = 0, .values = {{.field = "shoot", .value = 1}, {.field = "ray", .value = 1}}}});
  EXPECT_TRUE(match.fired().empty());
  EXPECT_EQ(match.count("Bullet"), 1U) << "of both at once the gun";
  int ticks = 0;
  do {
    match.tick({{.seat = 0, .values = kRayRight}});
    ++ticks;
  } while (match.fired().empty() && ticks < 60);
  EXPECT_EQ(ticks, 30);
}

// A press that fires nothing, and an aim without one, change nothing: no log has them.
TEST(Arena, APressThatFiresNothingIsNoInput) {
  ArenaMatch match = alone_at(1, 1);
  match.tick({{.seat = 0, .values = {{.field = "aim", .value = 100}}}});
  EXPECT_TRUE(engine::are_equal(arena().input, match.world().input({0}),
                                tests::value_with(arena().input, {})));
  match.tick({{.seat = 0, .values = kShootRight}});
  const std::uint64_t hash = engine::input_hash(match.world(), {0});
  match.tick({{.seat = 0, .values = {{.field = "ray", .value = 1}, {.field = "aim", .value = 7}}}});
  EXPECT_EQ(engine::input_hash(match.world(), {0}), hash);
  EXPECT_TRUE(match.fired().empty());
}

TEST(Arena, ABulletIsGoneAfterASecond) {
  ArenaMatch match = alone_at(0, 0, 1'000);
  match.tick({{.seat = 0, .values = kShootRight}});
  match.ticks(58);
  EXPECT_EQ(match.count("Bullet"), 1U)
      << "along the upper wall nothing stands in its way for 272 units";
  match.tick();
  EXPECT_EQ(match.count("Bullet"), 0U);
}

TEST(Arena, PushesCratesWhichThenStop) {
  ArenaMatch match;
  match.join({0});
  const BodyId crate = match.world().id(match.first("Crate"));
  const auto body = [&]() -> const sim::Body& {
    return std::as_const(match.world()).body(match.world().index_of(crate));
  };
  const Vec2 place = body().min;
  match.put_at(0, {place.x - 2 * kUnit, place.y});
  match.ticks(30, {{.seat = 0, .values = kRight}});
  EXPECT_GT(body().min.x, place.x + kUnit / 2);
  match.ticks(60, {{.seat = 0, .values = kRest}});
  EXPECT_EQ(body().velocity, Vec2{});
}

TEST(Arena, WhoJoinsAgainHasANewBodyAndNoScore) {
  ArenaMatch match;
  match.join({0});
  const BodyId before = match.id(0);
  match.set_seat_value(0, "points", 5);
  match.leave(0);
  EXPECT_EQ(match.count("Hero"), 0U);
  match.join({0});
  EXPECT_NE(match.id(0), before);
  EXPECT_EQ(match.points(0), 0);
}

TEST(Arena, SeedsMakeDifferentMatches) {
  std::set<std::pair<std::int32_t, std::int32_t>> places;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    ArenaMatch match{4, seed};
    match.join({0});
    places.emplace(match.box(0).min.x, match.box(0).min.y);
  }
  EXPECT_GT(places.size(), 3U);
}

// With every seat taken and everyone shooting, the draw for a place always ends, and in the end no
// player is inside a wall.
TEST(Arena, SeatsAThousand) {
  constexpr std::uint16_t kPlayers = 1'000;
  ArenaMatch match{kPlayers};
  std::vector<std::uint16_t> everyone;
  for (std::uint16_t seat = 0; seat < kPlayers; ++seat) {
    everyone.push_back(seat);
  }
  match.join(everyone);
  Rng rng{3};
  std::size_t hits = 0;
  for (int tick = 0; tick < 60; ++tick) {
    std::vector<PlayedInput> played;
    for (const std::uint16_t seat : everyone) {
      played.push_back(
          {.seat = seat,
           .values = {{.field = "shoot", .value = 1},
                      {.field = "aim", .value = static_cast<std::int64_t>(rng.below(kDirections))},
                      {.field = "move", .value = static_cast<std::int64_t>(rng.below(9))}}});
    }
    match.tick(played);
    hits += match.hits().size();
  }
  EXPECT_EQ(match.count("Hero"), 1'000U);
  EXPECT_GT(hits, 50U);
  for (const std::uint16_t seat : everyone) {
    EXPECT_FALSE(sim::overlaps_any(*match.world().map()->statics, match.box(seat).min,
                                   match.box(seat).size));
  }
}

TEST(ArenaMap, HasRoomForEverySeatAndItsBullets) {
  for (const std::uint32_t seats : {1U, 2U, 64U, 1'000U, engine::kSeatsMax}) {
    const engine::SharedMap map = map_for(seats);
    EXPECT_EQ(map->seats, seats);
    const auto crates = static_cast<std::size_t>(engine::objects_of(*map, "crate").size());
    const auto places = static_cast<std::size_t>(engine::objects_of(*map, "spawn").size());
    EXPECT_GE(places, std::size_t{5} * seats + crates);
  }
}

TEST(ArenaMap, LeavesItsPlacesFree) {
  const engine::SharedMap map = map_for(100);
  const MapObjects places = engine::objects_of(*map, "spawn");
  for (std::int32_t i = 0; i < places.size(); ++i) {
    const Vec2 place = places[i].min;
    EXPECT_FALSE(sim::overlaps_any(*map->statics, place, kPlayerSize));
    for (std::int32_t k = 0; k < i; ++k) {
      const Vec2 other = places[k].min;
      EXPECT_TRUE(std::abs(place.x - other.x) >= 2 * kUnit ||
                  std::abs(place.y - other.y) >= 2 * kUnit);
    }
  }
  for (const MapObject& crate : engine::objects_of(*map, "crate")) {
    EXPECT_FALSE(sim::overlaps_any(*map->statics, crate.min, kPlayerSize));
  }
}

}  // namespace
}  // namespace tickbox::games
