// Scenes that other engines get wrong: speeds of up to 4,096 units per tick.

#include "core/rng.h"
#include "tests/property/stage.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

namespace tickbox::test {
namespace {

using sim::Body;

constexpr Vec2 kBullet = at(0.2, 0.2);

TEST(Fast, BulletsThatMeetHeadOnAtTheSpeedLimitStopEachOther) {
  Stage stage{{},
              {stopping(moving(box(1, at(-3000, 0), kBullet), {kSpeedLimit, 0})),
               stopping(moving(box(2, at(3000, 0), kBullet), {-kSpeedLimit, 0}))}};
  const sim::StepReport& report = stage.step();
  ASSERT_EQ(report.contacts.size(), 1U);
  EXPECT_EQ(stage.body(1).velocity, Vec2{});
  EXPECT_EQ(stage.body(2).velocity, Vec2{});
  EXPECT_LE(stage.body(1).min.x + kBullet.x, stage.body(2).min.x);
  EXPECT_LE(stage.body(2).min.x - stage.body(1).min.x - kBullet.x, 1);
}

std::vector<Body> room(std::int32_t width) {
  const std::int32_t thick = units(1);
  return {wall(1, {-thick, -thick}, {width + 2 * thick, thick}),
          wall(2, {-thick, width}, {width + 2 * thick, thick}),
          wall(3, {-thick, 0}, {thick, width}), wall(4, {width, 0}, {thick, width})};
}

/// Such a room may freeze bodies. The claim is that no body leaves it and no bodies overlap.
TEST(Fast, ARoomFullOfBodiesAtTheSpeedLimitKeepsThemInAndApart) {
  constexpr int kPerRow = 10;
  constexpr std::int32_t kRoom = units(30);
  Rng rng{1};
  std::vector<Body> bodies = room(kRoom);
  for (std::uint32_t n = 0; n < kPerRow * kPerRow; ++n) {
    const std::uint32_t row = n / kPerRow;
    Body body = box(10 + n, at(0.5 + 3 * (n % kPerRow), 0.5 + 3 * row), at(1, 1));
    body.response = static_cast<sim::Response>(n % 3);
    body.restitution = static_cast<std::uint16_t>(rng.below(257));
    bodies.push_back(body);
  }
  Stage stage{kGravityDown, bodies};
  for (int tick = 0; tick < 15; ++tick) {
    for (Body& body : stage.world().movers()) {
      body.velocity = {rng.chance(1, 2) ? kSpeedLimit : -kSpeedLimit,
                       rng.chance(1, 2) ? kSpeedLimit : -kSpeedLimit};
    }
    stage.step();
    for (const Body& body : stage.world().movers()) {
      ASSERT_TRUE(body.min.x >= 0 && body.min.x + body.size.x <= kRoom) << body.id.value;
      ASSERT_TRUE(body.min.y >= 0 && body.min.y + body.size.y <= kRoom) << body.id.value;
    }
  }
}

/// A body near the corner of the world on these sides (−1 or 1), on its way out.
Body at_corner(std::uint32_t id, Vec2 sides, std::int32_t size, std::int32_t rows) {
  Body body = bouncing(box(id, {}, {size, size / rows + 1}), static_cast<std::uint16_t>(id));
  for (std::size_t k = 0; k < 2; ++k) {
    const std::int32_t inward = size * (rows + (k == 0 ? 1 : 0));
    const bool at_low = sides[k] < 0;
    body.min[k] = at_low ? -kWorldLimit + inward - size : kWorldLimit - inward;
    body.velocity[k] = at_low ? -kSpeedLimit : kSpeedLimit;
  }
  body.layers = static_cast<std::uint16_t>(1U << (id % 16));
  body.collides_with = body.layers;
  return body;
}

TEST(Fast, AllAtTheCornersOfTheWorldStayInIt) {
  std::vector<Body> bodies;
  std::uint32_t id = 1;
  for (const Vec2 sides : {Vec2{-1, -1}, Vec2{-1, 1}, Vec2{1, -1}, Vec2{1, 1}}) {
    for (const std::int32_t size : {1, 2, kUnit, 512 * kUnit, 4'096 * kUnit}) {
      bodies.push_back(at_corner(id++, sides, size, 1));
      bodies.push_back(at_corner(id++, sides, size, 2));
    }
  }
  Stage stage{{}, bodies};
  for (int tick = 0; tick < 60; ++tick) {
    stage.step();
    for (const Body& body : stage.world().movers()) {
      for (std::size_t k = 0; k < 2; ++k) {
        ASSERT_GE(body.min[k], -kWorldLimit) << body.id.value;
        ASSERT_LE(std::int64_t{body.min[k]} + body.size[k], kWorldLimit) << body.id.value;
      }
    }
  }
}

TEST(Fast, AWorldThatRemovesReportsWhoLeavesIt) {
  Stage stage{{.border = sim::Border::Remove},
              {moving(box(1, {kWorldLimit - units(2), 0}, at(1, 1)), at(1, 0)),
               moving(box(2, {-kWorldLimit, 0}, at(1, 1)), {-1, 0}),
               moving(box(3, {0, kWorldLimit - units(1)}, at(1, 1)), {kSpeedLimit, kSpeedLimit})}};
  EXPECT_EQ(stage.step().left, (std::vector<BodyId>{{2}, {3}}));
  EXPECT_EQ(stage.step().left, (std::vector<BodyId>{{1}}));
  EXPECT_TRUE(stage.world().movers().empty());
}

}  // namespace
}  // namespace tickbox::test
