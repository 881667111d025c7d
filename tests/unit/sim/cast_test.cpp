// Rays and boxes cast through a world, against a plain search; and by hand what that search leaves
// out: order, layers, the border.

#include "sim/cast.h"

#include "core/rng.h"
#include "sim/step.h"
#include "tests/support/allocations.h"
#include "tests/unit/sim/scene.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace tickbox::test::cast_test {
namespace {

using sim::Body;
using sim::Cast;
using sim::Caster;
using sim::CastHit;

sim::PhysicsWorld world_of(const std::vector<sim::Body>& bodies,
                           sim::WorldSettings settings = {.border = sim::Border::Remove}) {
  return Scene::make_world(settings, bodies);
}

std::optional<CastHit> nearest(const sim::PhysicsWorld& world, const Cast& cast) {
  Caster caster;
  caster.rebuild(world);
  return caster.nearest(cast);
}

std::vector<std::uint64_t> ids_hit(const sim::PhysicsWorld& world, const Cast& cast) {
  Caster caster;
  caster.rebuild(world);
  std::vector<CastHit> hits;
  caster.all(cast, hits);
  std::vector<std::uint64_t> ids;
  ids.reserve(hits.size());
  for (const CastHit& hit : hits) {
    ids.push_back(hit.body.value);
  }
  return ids;
}

TEST(Cast, PutsWhatItStartsInBeforeWhatItTouchesThere) {
  const sim::PhysicsWorld world =
      world_of({wall(1, at(1, 0), at(1, 2)), box(2, at(0, 1), at(1, 1))});
  EXPECT_EQ(ids_hit(world, {.from = at(0, 0), .size = at(1, 1.5), .way = at(1, 0)}),
            (std::vector<std::uint64_t>{2, 1}));
}

TEST(Cast, OrdersHitsByTimeThenLongerContactThenId) {
  const sim::PhysicsWorld world = world_of(
      {box(9, at(2, 0), at(1, 1)), wall(4, at(4, 1.5), at(1, 1)), box(3, at(4, 0.5), at(1, 1)),
       wall(2, at(4, -0.75), at(1, 1)), wall(1, at(4, 2.5), at(1, 1)), box(5, at(8, 1), at(1, 1))});
  EXPECT_EQ(ids_hit(world, {.from = at(0, 0), .size = at(1, 2.5), .way = at(20, 0)}),
            (std::vector<std::uint64_t>{9, 3, 4, 2, 5}));
}

TEST(Cast, GivesTheLowerIdOfTwoHitAlike) {
  const sim::PhysicsWorld world =
      world_of({wall(7, at(5, 0), at(1, 1)), wall(6, at(5, 1), at(1, 1))});
  EXPECT_EQ(ids_hit(world, {.from = at(0, 0.5), .size = at(1, 1), .way = at(20, 0)}),
            (std::vector<std::uint64_t>{6, 7}));
}

TEST(Cast, MeetsWhomItsLayersMeetAndNotWhomItIgnores) {
  Body other_layer = box(1, at(1, 0), at(1, 1));
  other_layer.layers = 2;
  Body deaf = box(2, at(3, 0), at(1, 1));
  deaf.collides_with = 2;
  const sim::PhysicsWorld world =
      world_of({other_layer, deaf, box(3, at(5, 0), at(1, 1)), box(4, at(7, 0), at(1, 1))});
  const Cast cast = {
      .from = at(0, 0.5), .way = at(20, 0), .layers = 1, .collides_with = 1, .ignores = BodyId{3}};
  EXPECT_EQ(ids_hit(world, cast), (std::vector<std::uint64_t>{4}));
}

TEST(Cast, MeetsTheBorderWhereItIsSolid) {
  const Cast cast = {.from = {kWorldLimit - 100, 5}, .size = {10, 10}, .way = {200, 20}};
  const auto hit = nearest(world_of({}, {.border = sim::Border::Solid}), cast);
  ASSERT_TRUE(hit);
  EXPECT_EQ(hit->body, sim::kWorldBorder);
  EXPECT_EQ(hit->place, (Vec2{kWorldLimit - 10, 14}));
  EXPECT_EQ(hit->normal_x, -1);
  EXPECT_FALSE(nearest(world_of({}, {.border = sim::Border::Remove}), cast));
}

// Casts in random worlds: against a plain search that shares no code with them, in a mirror, and
// against bullets that the step moves.

std::int32_t between(Rng& rng, std::int64_t low, std::int64_t high) {
  return static_cast<std::int32_t>(
      low + static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(high - low + 1))));
}

/// A place so small that casts often meet edges, corners and seams, or a wide one.
struct Place {
  std::int32_t extent = 0;
  std::int32_t size_max = 0;
  std::int32_t way_max = 0;
  std::uint64_t bodies_max = 40;
};

constexpr Place kPlaces[] = {{8, 4, 12},
                             {60, 20, 90},
                             {50 * kUnit, 6 * kUnit, 90 * kUnit, 200},
                             {100 * kUnit, kUnit, 200 * kUnit, 800},
                             {kWorldLimit / 2, kWorldLimit / 8, kSpeedLimit}};

std::vector<Body> draw_bodies(Rng& rng, const Place& place) {
  std::vector<Body> bodies;
  const std::uint64_t count = rng.below(place.bodies_max);
  for (std::uint32_t id = 0; id < count; ++id) {
    Body body = box(
        id, {between(rng, -place.extent, place.extent), between(rng, -place.extent, place.extent)},
        {between(rng, 1, place.size_max), between(rng, 1, place.size_max)});
    if (rng.chance(1, 10)) {  // long walls: a cast comes near them long before it meets them
      std::int32_t& length = body.size[rng.below(2)];
      length = static_cast<std::int32_t>(
          std::min<std::int64_t>(place.extent, 30 * std::int64_t{length}));
    }
    if (rng.chance(1, 2)) body.kind = sim::Kind::Static;
    body.layers = static_cast<std::uint16_t>(1 + rng.below(3));
    body.sensor = rng.chance(1, 8);
    if (body.kind == sim::Kind::Static && rng.chance(1, 5)) {
      body.one_way = static_cast<sim::OneWay>(1 + rng.below(4));
    }
    bodies.push_back(body);
  }
  return bodies;
}

Cast draw_cast(Rng& rng, const Place& place) {
  Cast cast;
  cast.from = {between(rng, -place.extent, place.extent),
               between(rng, -place.extent, place.extent)};
  for (std::size_t axis = 0; axis < 2; ++axis) {
    if (rng.chance(1, 3)) cast.size[axis] = between(rng, 0, place.size_max);
    if (rng.chance(1, 4)) cast.size[axis] = 0;
    if (!rng.chance(1, 5)) cast.way[axis] = between(rng, -place.way_max, place.way_max);
  }
  if (rng.chance(1, 8)) cast.way.y = cast.way.x;
  cast.collides_with = static_cast<std::uint16_t>(1 + rng.below(3));
  if (rng.chance(1, 4)) cast.ghosts = sim::CastGhosts::Counted;
  if (rng.chance(1, 4)) cast.start = sim::CastStart::Skipped;
  return cast;
}

/// part / whole of the way, whole > 0.
struct Share {
  std::int64_t part;
  std::int64_t whole;

  friend bool operator<(Share a, Share b) { return a.part * b.whole < b.part * a.whole; }
};

struct Expected {
  Share share{0, 1};
  std::uint64_t id = 0;
  int normal[2] = {0, 0};
};

/// The slab test on exact fractions, in sub-units.
std::optional<Expected> expected_hit(const Cast& cast, const Body& body) {
  if ((body.layers & cast.collides_with) == 0) return {};
  if (body.sensor && cast.ghosts == sim::CastGhosts::Skipped) return {};
  std::optional<Share> in[2];
  std::optional<Share> out[2];
  int outside = 0;
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const std::int64_t p = cast.from[axis];
    const std::int64_t low = std::int64_t{body.min[axis]} - cast.size[axis];
    const std::int64_t high = std::int64_t{body.min[axis]} + body.size[axis];
    const std::int64_t way = cast.way[axis];
    const bool is_inside = low < p && p < high;
    if (way == 0 && !is_inside) return {};
    if (!is_inside) ++outside;
    if (way > 0) in[axis] = {low - p, way}, out[axis] = {high - p, way};
    if (way < 0) in[axis] = {p - high, -way}, out[axis] = {p - low, -way};
  }
  if (outside == 0) {
    if (cast.start == sim::CastStart::Skipped || body.one_way != sim::OneWay::None) return {};
    return Expected{.id = body.id.value};
  }
  std::size_t axis = in[0] ? 0 : 1;
  if (in[0] && in[1]) {
    if (*in[0] < *in[1]) axis = 1;
    const bool tie = !(*in[0] < *in[1]) && !(*in[1] < *in[0]);
    if (tie && std::abs(cast.way.y) >= std::abs(cast.way.x)) axis = 1;
    if (!(*in[axis] < *out[1 - axis])) return {};
  }
  if (in[axis]->part < 0 || in[axis]->part >= in[axis]->whole) return {};
  Expected hit{.share = *in[axis], .id = body.id.value};
  hit.normal[axis] = cast.way[axis] > 0 ? -1 : 1;
  switch (body.one_way) {
    case sim::OneWay::Up:
      return hit.normal[1] == -1 ? std::optional{hit} : std::nullopt;
    case sim::OneWay::Down:
      return hit.normal[1] == 1 ? std::optional{hit} : std::nullopt;
    case sim::OneWay::Left:
      return hit.normal[0] == -1 ? std::optional{hit} : std::nullopt;
    case sim::OneWay::Right:
      return hit.normal[0] == 1 ? std::optional{hit} : std::nullopt;
    case sim::OneWay::None:
      return hit;
  }
  return hit;
}

/// Returns whether `place` is where a box stops: face to face with the body along the normal, and
/// on the other axis at most half a sub-unit from its way.
bool is_place_of(const Expected& hit, const Cast& cast, const Body& body, Vec2 place) {
  if (hit.normal[0] == 0 && hit.normal[1] == 0) return place == cast.from;
  const std::size_t axis = hit.normal[0] != 0 ? 0 : 1;
  const std::size_t across = 1 - axis;
  const std::int32_t face =
      body.min[axis] + (hit.normal[axis] < 0 ? -cast.size[axis] : body.size[axis]);
  const std::int64_t gone = std::int64_t{place[across]} - cast.from[across];
  const std::int64_t off = gone * hit.share.whole - hit.share.part * cast.way[across];
  return place[axis] == face && 2 * std::abs(off) <= hit.share.whole;
}

TEST(Cast, AgreesWithAPlainSearchInRandomWorlds) {
  std::size_t compared = 0;
  Caster caster;
  std::vector<CastHit> hits;
  for (std::uint64_t seed = 1; seed <= 4'000; ++seed) {
    Rng rng{seed};
    const Place& place = kPlaces[seed % std::size(kPlaces)];
    const std::vector<Body> bodies = draw_bodies(rng, place);
    const sim::PhysicsWorld world = world_of(bodies);
    caster.rebuild(world);
    for (int n = 0; n < 30; ++n) {
      const Cast cast = draw_cast(rng, place);
      std::vector<Expected> expected;
      for (const Body& body : bodies) {
        if (const auto hit = expected_hit(cast, body)) expected.push_back(*hit);
      }
      caster.all(cast, hits);
      ASSERT_EQ(hits.size(), expected.size()) << "seed " << seed << " cast " << n;
      ASSERT_TRUE(std::ranges::is_sorted(hits, sim::is_before)) << "seed " << seed;
      for (const CastHit& hit : hits) {
        const auto same = std::ranges::find(expected, hit.body.value, &Expected::id);
        ASSERT_NE(same, expected.end()) << "seed " << seed << " cast " << n;
        ASSERT_EQ(hit.normal_x, same->normal[0]) << "seed " << seed << " cast " << n;
        ASSERT_EQ(hit.normal_y, same->normal[1]) << "seed " << seed << " cast " << n;
        ASSERT_EQ(hit.at.whole * hit.at.divisor + hit.at.rest, same->share.part * sim::kFineSteps);
        ASSERT_EQ(hit.at.divisor, same->share.whole);
        ASSERT_TRUE(is_place_of(*same, cast, bodies[same->id], hit.place)) << "seed " << seed;
      }
      const auto first = caster.nearest(cast);
      ASSERT_EQ(first.has_value(), !hits.empty()) << "seed " << seed << " cast " << n;
      if (hits.empty()) continue;
      ASSERT_EQ(*first, hits.front()) << "seed " << seed << " cast " << n;
      compared += hits.size();
    }
  }
  EXPECT_GT(compared, 50'000U);
}

bool overlaps_any_of(const std::vector<Body>& bodies, const Cast& cast, Vec2 place) {
  const sim::Box moved = sim::box_of(place, cast.size);
  return std::ranges::any_of(bodies, [&](const Body& body) {
    const bool counts = (body.layers & cast.collides_with) != 0 && !body.sensor &&
                        body.one_way == sim::OneWay::None;
    return counts && overlap(sim::box_of(body.min, body.size), moved);
  });
}

TEST(Cast, OverlapsNothingAtThePlaceOfTheNearestHit) {
  int placed = 0;
  for (std::uint64_t seed = 1; seed <= 2'000; ++seed) {
    Rng rng{seed};
    const Place& place = kPlaces[seed % std::size(kPlaces)];
    const std::vector<Body> bodies = draw_bodies(rng, place);
    const sim::PhysicsWorld world = world_of(bodies);
    for (int n = 0; n < 5; ++n) {
      Cast cast = draw_cast(rng, place);
      cast.ghosts = sim::CastGhosts::Skipped;
      if (overlaps_any_of(bodies, cast, cast.from)) continue;
      const auto hit = nearest(world, cast);
      if (!hit) continue;
      ASSERT_FALSE(overlaps_any_of(bodies, cast, hit->place)) << "seed " << seed << " cast " << n;
      ++placed;
    }
  }
  EXPECT_GT(placed, 500);
}

TEST(Cast, IsTheSameInAMirror) {
  const auto mirrored = [](Vec2 min, Vec2 size) { return Vec2{-min.x - size.x, min.y}; };
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    Rng rng{seed};
    const Place& place = kPlaces[seed % std::size(kPlaces)];
    std::vector<Body> bodies = draw_bodies(rng, place);
    const sim::PhysicsWorld here = world_of(bodies);
    for (Body& body : bodies) {
      body.min = mirrored(body.min, body.size);
      if (body.one_way == sim::OneWay::Left || body.one_way == sim::OneWay::Right) {
        body.one_way = body.one_way == sim::OneWay::Left ? sim::OneWay::Right : sim::OneWay::Left;
      }
    }
    const sim::PhysicsWorld there = world_of(bodies);
    for (int n = 0; n < 10; ++n) {
      const Cast cast = draw_cast(rng, place);
      Cast reflected = cast;
      reflected.from = mirrored(cast.from, cast.size);
      reflected.way.x = -cast.way.x;
      auto hit = nearest(there, reflected);
      if (hit) {
        hit->place = mirrored(hit->place, cast.size);
        hit->normal_x = static_cast<std::int8_t>(-hit->normal_x);
      }
      ASSERT_EQ(nearest(here, cast), hit) << "seed " << seed << " cast " << n;
    }
  }
}

// A cast meets the same body as a bullet of its size with the same way in one tick.
TEST(Cast, MeetsWhatABulletMeets) {
  sim::PhysicsStepper stepper;
  int met = 0;
  for (std::uint64_t seed = 1; seed <= 3'000; ++seed) {
    Rng rng{seed};
    const Place& place = kPlaces[seed % std::size(kPlaces)];
    std::vector<Body> bodies = draw_bodies(rng, place);
    for (Body& body : bodies) {
      body.kind = sim::Kind::Static;
      body.collides_with = 4;
    }
    Cast cast = draw_cast(rng, place);
    cast.size = {std::max(cast.size.x, 1), std::max(cast.size.y, 1)};
    cast.layers = 4;
    cast.ghosts = sim::CastGhosts::Skipped;
    cast.start = sim::CastStart::Skipped;
    Body bullet = stopping(moving(box(1'000, cast.from, cast.size), cast.way));
    bullet.layers = cast.layers;
    bullet.collides_with = cast.collides_with;
    sim::PhysicsWorld world = world_of(bodies);
    world.add(bullet);
    cast.ignores = bullet.id;

    const auto hit = nearest(world, cast);
    if (std::ranges::any_of(bodies, [&](const Body& body) {
          return may_meet(body, bullet) &&
                 overlap(sim::box_of(body.min, body.size), sim::box_of(bullet.min, bullet.size));
        })) {
      continue;
    }
    const sim::StepReport& report = stepper.step(world);
    ASSERT_EQ(hit.has_value(), !report.contacts.empty()) << "seed " << seed;
    if (!hit) continue;
    const sim::Contact& contact = report.contacts.front();
    ASSERT_EQ(hit->body, contact.a) << "seed " << seed;
    ASSERT_EQ(hit->normal_x, -contact.normal_x) << "seed " << seed;
    ASSERT_EQ(hit->normal_y, -contact.normal_y) << "seed " << seed;
    ASSERT_EQ(hit->at, (sim::Moment{contact.time, contact.time_rest, contact.time_divisor}));
    ++met;
  }
  EXPECT_GT(met, 300);
}

TEST(Caster, AllocatesNothingOnceWarm) {
  Rng rng{1};
  const Place place = {50 * kUnit, 2 * kUnit, 90 * kUnit};
  std::vector<Body> bodies;
  for (std::uint32_t id = 0; id < 500; ++id) {
    bodies.push_back(box(
        id, {between(rng, -place.extent, place.extent), between(rng, -place.extent, place.extent)},
        at(1, 1)));
    if (id % 2 == 0) bodies.back().kind = sim::Kind::Static;
  }
  const sim::PhysicsWorld world = world_of(bodies);
  Caster caster;
  std::vector<CastHit> hits;
  std::size_t found = 0;
  const auto cast_all = [&] {
    Rng same{2};
    caster.rebuild(world);
    for (int n = 0; n < 100; ++n) {
      const Cast cast = draw_cast(same, place);
      caster.all(cast, hits);
      found += hits.size() + (caster.nearest(cast) ? 1U : 0U);
    }
  };
  cast_all();
  const std::uint64_t before = tests::allocations();
  cast_all();
  EXPECT_EQ(tests::allocations(), before);
  EXPECT_GT(found, 300U);
}

}  // namespace
}  // namespace tickbox::test::cast_test
