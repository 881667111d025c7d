// Rays and boxes cast through a world: edges, corners, seams, insides, order.

#include "tests/unit/sim/cast_scene.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <ostream>
#include <utility>
#include <vector>

namespace tickbox::test {
namespace {

using sim::Body;
using sim::Cast;
using sim::Caster;
using sim::CastHit;

std::vector<std::uint32_t> ids_hit(const sim::World& world, const Cast& cast) {
  Caster caster;
  caster.look_at(world);
  std::vector<CastHit> hits;
  caster.all(cast, hits);
  std::vector<std::uint32_t> ids;
  ids.reserve(hits.size());
  for (const CastHit& hit : hits) {
    ids.push_back(hit.body.value);
  }
  return ids;
}

constexpr Vec2 kPoint = {0, 0};

/// A true point's ray; the tests that follow are about a box from (0, 0) to (10, 10) sub-units.
constexpr Cast point_ray(Vec2 from, Vec2 way) {
  return {.from = from, .size = kPoint, .way = way};
}

sim::World one_box() {
  return world_of({wall(1, {0, 0}, {10, 10})});
}

TEST(Cast, TellsWhereWhenAndOnWhichSideItHits) {
  const auto hit = nearest(one_box(), point_ray({-10, 3}, {40, 8}));
  ASSERT_TRUE(hit);
  EXPECT_EQ(hit->body, BodyId{1});
  EXPECT_EQ(hit->place, (Vec2{0, 5}));
  EXPECT_EQ(hit->normal_x, -1);
  EXPECT_EQ(hit->normal_y, 0);
  EXPECT_EQ(hit->at, (sim::Moment{sim::kFineSteps / 4, 3, 4}));  // a quarter of the way
}

TEST(Cast, PutsABoxFaceToFace) {
  const auto hit = nearest(one_box(), {.from = {3, 30}, .size = {4, 6}, .way = {0, -kSpeedLimit}});
  ASSERT_TRUE(hit);
  EXPECT_EQ(hit->place, (Vec2{3, 10}));
  EXPECT_EQ(hit->normal_y, 1);
}

TEST(Cast, DoesNotHitWhatItReachesExactlyAtItsEnd) {
  EXPECT_FALSE(nearest(one_box(), point_ray({-7, 5}, {7, 0})));
  EXPECT_TRUE(nearest(one_box(), point_ray({-7, 5}, {8, 0})));
}

TEST(Cast, RunsAlongAnEdgeFreely) {
  EXPECT_FALSE(nearest(one_box(), point_ray({-5, 0}, {30, 0})));
  EXPECT_FALSE(nearest(one_box(), point_ray({-5, 10}, {30, 0})));
  EXPECT_FALSE(nearest(one_box(), point_ray({10, 5}, {0, 30})));
  EXPECT_FALSE(nearest(one_box(), {.from = {-5, -1}, .way = {30, 0}}));
  EXPECT_FALSE(nearest(one_box(), {.from = {-5, 10}, .way = {30, 0}}));
}

TEST(Cast, HitsAtOnceFromAnEdgeInwardsAndNotOutwards) {
  const auto hit = nearest(one_box(), point_ray({5, 10}, {3, -1}));
  ASSERT_TRUE(hit);
  EXPECT_EQ(hit->at, sim::Moment{});
  EXPECT_EQ(hit->place, (Vec2{5, 10}));
  EXPECT_EQ(hit->normal_y, 1);
  EXPECT_FALSE(nearest(one_box(), point_ray({5, 10}, {3, 1})));
  EXPECT_FALSE(nearest(one_box(), point_ray({5, 10}, {0, 0})));
}

TEST(Cast, GoesStraightIntoACornerAndPastOne) {
  const auto into = nearest(one_box(), point_ray({-5, -5}, {10, 10}));
  ASSERT_TRUE(into);
  EXPECT_EQ(into->place, (Vec2{0, 0}));
  EXPECT_EQ(into->normal_y, -1) << "of two equal axes it is y";
  EXPECT_EQ(nearest(one_box(), point_ray({-6, -3}, {20, 10}))->normal_x, -1) << "the faster axis";
  EXPECT_FALSE(nearest(one_box(), point_ray({-5, 5}, {10, -10}))) << "through the corner, past it";
  EXPECT_TRUE(nearest(one_box(), point_ray({0, 0}, {1, 1}))) << "from the corner inwards";
}

TEST(Cast, IsHitAtItsStartByWhatItStartsIn) {
  const Cast inside = point_ray({5, 5}, {40, 0});
  const auto hit = nearest(one_box(), inside);
  ASSERT_TRUE(hit);
  EXPECT_EQ(hit->at, sim::Moment{});
  EXPECT_EQ(hit->place, (Vec2{5, 5}));
  EXPECT_EQ(hit->normal_x, 0);
  EXPECT_EQ(hit->normal_y, 0);

  Cast outwards = inside;
  outwards.start = sim::CastStart::Skipped;
  EXPECT_FALSE(nearest(one_box(), outwards));
}

TEST(Cast, PutsWhatItStartsInBeforeWhatItTouchesThere) {
  const sim::World world = world_of({wall(1, at(1, 0), at(1, 2)), box(2, at(0, 1), at(1, 1))});
  EXPECT_EQ(ids_hit(world, {.from = at(0, 0), .size = at(1, 1.5), .way = at(1, 0)}),
            (std::vector<std::uint32_t>{2, 1}));
}

TEST(Cast, WithoutAWayTellsWhoIsThere) {
  const sim::World world = world_of({wall(1, at(0, 0), at(2, 2)), box(2, at(3, 0), at(1, 1))});
  EXPECT_EQ(ids_hit(world, {.from = at(1, 0), .size = at(3, 1)}),
            (std::vector<std::uint32_t>{1, 2}));
  EXPECT_EQ(ids_hit(world, {.from = at(2, 0), .size = at(1, 1)}), (std::vector<std::uint32_t>{}));
}

// A point that runs exactly along the seam is in neither tile; the ray of one sub-unit is in one.
TEST(Cast, PassesAlongASeamOnlyAsATruePoint) {
  const sim::World world = world_of({wall(1, at(5, 0), at(1, 1)), wall(2, at(5, 1), at(1, 1))});
  EXPECT_FALSE(nearest(world, {.from = at(0, 1), .size = kPoint, .way = at(20, 0)}));
  const auto hit = nearest(world, {.from = at(0, 1), .way = at(20, 0)});
  ASSERT_TRUE(hit);
  EXPECT_EQ(hit->body, BodyId{2});
}

TEST(Cast, OrdersHitsByTimeThenLongerContactThenId) {
  const sim::World world = world_of({box(9, at(2, 0), at(1, 1)), wall(4, at(4, 1.5), at(1, 1)),
                                     box(3, at(4, 0.5), at(1, 1)), wall(2, at(4, -0.75), at(1, 1)),
                                     wall(1, at(4, 2.5), at(1, 1)), box(5, at(8, 1), at(1, 1))});
  EXPECT_EQ(ids_hit(world, {.from = at(0, 0), .size = at(1, 2.5), .way = at(20, 0)}),
            (std::vector<std::uint32_t>{9, 3, 4, 2, 5}));
}

TEST(Cast, GivesTheLowerIdOfTwoHitAlike) {
  const sim::World world = world_of({wall(7, at(5, 0), at(1, 1)), wall(6, at(5, 1), at(1, 1))});
  EXPECT_EQ(ids_hit(world, {.from = at(0, 0.5), .size = at(1, 1), .way = at(20, 0)}),
            (std::vector<std::uint32_t>{6, 7}));
}

TEST(Cast, MeetsWhomItsLayersMeetAndNotWhomItIgnores) {
  Body other_layer = box(1, at(1, 0), at(1, 1));
  other_layer.layers = 2;
  Body deaf = box(2, at(3, 0), at(1, 1));
  deaf.collides_with = 2;
  const sim::World world =
      world_of({other_layer, deaf, box(3, at(5, 0), at(1, 1)), box(4, at(7, 0), at(1, 1))});
  const Cast cast = {
      .from = at(0, 0.5), .way = at(20, 0), .layers = 1, .collides_with = 1, .ignores = BodyId{3}};
  EXPECT_EQ(ids_hit(world, cast), (std::vector<std::uint32_t>{4}));
}

TEST(Cast, MeetsGhostsOnlyWhenAsked) {
  Body sensor = wall(1, at(1, 0), at(1, 1));
  sensor.sensor = true;
  Body passing = box(2, at(3, 0), at(1, 1));
  passing.response = sim::Response::Pass;
  const sim::World world = world_of({sensor, passing, box(3, at(5, 0), at(1, 1))});
  Cast cast = {.from = at(0, 0.5), .way = at(20, 0)};
  EXPECT_EQ(ids_hit(world, cast), (std::vector<std::uint32_t>{3}));
  cast.ghosts = sim::CastGhosts::Counted;
  EXPECT_EQ(ids_hit(world, cast), (std::vector<std::uint32_t>{1, 2, 3}));
}

TEST(Cast, MeetsAOneWayBodyOnItsSolidSideOnly) {
  const std::pair<sim::OneWay, Vec2> solid_to[] = {{sim::OneWay::Up, at(0, 9)},
                                                   {sim::OneWay::Down, at(0, -9)},
                                                   {sim::OneWay::Left, at(9, 0)},
                                                   {sim::OneWay::Right, at(-9, 0)}};
  for (const auto& [side, way] : solid_to) {
    Body platform = wall(1, at(0, 0), at(2, 2));
    platform.one_way = side;
    const sim::World world = world_of({platform});
    const Vec2 middle = at(1, 1);
    const Vec2 outside = {middle.x - way.x / 3, middle.y - way.y / 3};
    const Vec2 behind = {middle.x + way.x / 3, middle.y + way.y / 3};
    EXPECT_TRUE(nearest(world, {.from = outside, .way = way}));
    EXPECT_FALSE(nearest(world, {.from = behind, .way = {-way.x, -way.y}}));
    EXPECT_FALSE(nearest(world, {.from = middle, .way = way})) << "from within";
  }
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

}  // namespace
}  // namespace tickbox::test
