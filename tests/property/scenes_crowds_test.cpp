// Scenes that other engines get wrong: crowds. In none of them is a body frozen, and no bodies
// overlap.

#include "core/rng.h"
#include "tests/property/stage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tickbox::test {
namespace {

using sim::Body;

constexpr std::uint32_t kFirstMover = 1'000;

std::int32_t draw(Rng& rng, double low, double high) {
  const std::int64_t from = units(low);
  const std::int64_t count = units(high) - from + 1;
  return static_cast<std::int32_t>(
      from + static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(count))));
}

/// Four walls around [0, width] × [0, height].
std::vector<Body> room(double width, double height) {
  return {wall(1, at(-2, -2), at(width + 4, 2)), wall(2, at(-2, height), at(width + 4, 2)),
          wall(3, at(-2, 0), at(2, height)), wall(4, at(width, 0), at(2, height))};
}

/// Boxes on a grid of cells, each up to three quarters of the size of its cell.
struct Grid {
  int per_row = 0;
  int count = 0;
  double cell = 0;   // units
  double speed = 0;  // the limit, in units per tick
};

void fill(std::vector<Body>& bodies, Rng& rng, const Grid& grid) {
  const auto [per_row, count, cell, speed] = grid;
  for (int n = 0; n < count; ++n) {
    Body body{.id = {kFirstMover + static_cast<std::uint32_t>(n)}};
    for (std::size_t k = 0; k < 2; ++k) {
      const int place = k == 0 ? n % per_row : n / per_row;
      body.size[k] = draw(rng, 0.3 * cell, 0.75 * cell);
      body.min[k] = units(cell * place) + draw(rng, 0, 0.2 * cell);
      body.velocity[k] = draw(rng, -speed, speed);
    }
    bodies.push_back(body);
  }
}

void expect_nobody_left(Stage& stage, double width, double height) {
  for (const Body& body : stage.world().movers()) {
    ASSERT_TRUE(body.min.x >= 0 && body.min.x + body.size.x <= units(width)) << body.id.value;
    ASSERT_TRUE(body.min.y >= 0 && body.min.y + body.size.y <= units(height)) << body.id.value;
  }
}

void throw_into_a_room(std::uint8_t friction) {
  Rng rng{1};
  std::vector<Body> bodies = room(50, 60);
  fill(bodies, rng, {33, 1'000, 1.5, 0.6});
  for (Body& body : bodies) {
    body.friction = friction;
  }
  Stage stage{kGravityDown, bodies};
  for (int n = 0; n < 30; ++n) {
    stage.step(20);
    expect_nobody_left(stage, 50, 60);
  }
  EXPECT_EQ(stage.frozen(), 0U);
}

TEST(Crowds, AThousandBoxesThrownIntoARoomStayInItAndApart) {
  throw_into_a_room(0);
}

// Friction on one axis reopens contacts on the other axis, and the reverse. Without a limit, some
// boxes of such a pile would be frozen (35 to 414 in 2,000 ticks were).
TEST(Crowds, AThousandRoughBoxesThrownIntoARoomFreezeNobody) {
  for (const int friction : {32, 128, 255}) {
    SCOPED_TRACE(friction);
    throw_into_a_room(static_cast<std::uint8_t>(friction));
  }
}

TEST(Crowds, AnArenaOfElasticBoxesKeepsItsEnergy) {
  Rng rng{2};
  std::vector<Body> bodies = room(60, 60);
  fill(bodies, rng, {20, 400, 3, 0.17});
  for (Body& body : bodies) {
    if (body.kind == sim::Kind::Dynamic) body = bouncing(body);
  }
  Stage stage{{}, bodies};
  const auto energy = [&] {
    std::int64_t sum = 0;
    for (const Body& body : stage.world().movers()) {
      const std::int64_t x = body.velocity.x;
      const std::int64_t y = body.velocity.y;
      sum += x * x + y * y;
    }
    return sum;
  };
  const std::int64_t before = energy();
  stage.step(600);
  EXPECT_EQ(stage.frozen(), 0U);
  EXPECT_LE(energy(), before);
  EXPECT_GT(energy(), before - before / 100);
  expect_nobody_left(stage, 60, 60);
}

TEST(Crowds, APlatformerOfHundredsFreezesNobody) {
  Rng rng{3};
  constexpr int kWidth = 80;
  constexpr int kRows = 5;
  std::vector<Body> bodies = room(kWidth, 8 * kRows);
  std::uint32_t id = 10;
  for (int row = 0; row < kRows; ++row) {
    for (int x = 0; x < kWidth; ++x) {
      const int y = 8 * (row + 1) - 1;
      if (rng.chance(85, 100)) bodies.push_back(wall(id++, at(x, y), at(1, 1)));
      if (rng.chance(10, 100)) bodies.push_back(wall(id++, at(x, y - 1), at(1, 1)));
    }
  }
  for (int n = 0; n < 100; ++n) {
    const double x = 4 * (n % 20) + 1.2;
    const int row = n / 20;
    const double y = 8 * row + 2;
    bodies.push_back(box(kFirstMover + static_cast<std::uint32_t>(n),
                         {units(x) + draw(rng, 0, 1), units(y) + draw(rng, 0, 2)}, at(0.8, 0.8)));
  }
  Stage stage{kGravityDown, bodies};
  for (int tick = 0; tick < 600; ++tick) {
    for (Body& body : stage.world().movers()) {
      if (rng.chance(1, 30)) body.velocity.x = draw(rng, -0.1, 0.1);
      if (rng.chance(1, 60)) body.velocity.y = -units(0.25);
    }
    stage.step();
  }
  EXPECT_EQ(stage.frozen(), 0U);
  expect_nobody_left(stage, kWidth, 8 * kRows);
}

// All bodies press to the same place without end: the worst case of a lobby.
TEST(Crowds, ACrowdThatPressesToOnePlaceFreezesNobody) {
  Rng rng{4};
  std::vector<Body> bodies;
  fill(bodies, rng, {15, 225, 2, 0});
  Stage stage{{}, bodies};
  for (int tick = 0; tick < 400; ++tick) {
    for (Body& body : stage.world().movers()) {
      constexpr std::int32_t kWalk = units(0.08);
      const Vec2 goal = at(15, 15);
      for (std::size_t k = 0; k < 2; ++k) {
        body.velocity[k] = std::clamp(goal[k] - body.min[k] - body.size[k] / 2, -kWalk, kWalk);
      }
    }
    stage.step();
  }
  EXPECT_EQ(stage.frozen(), 0U);
}

TEST(Crowds, BoxesPushedIntoAPileByAPlowFreezeNobody) {
  Rng rng{5};
  std::vector<Body> bodies = room(40, 30);
  fill(bodies, rng, {20, 200, 1.5, 0.2});
  bodies.push_back(platform(900, at(34, 20), at(1, 10), at(-0.05, 0)));
  Stage stage{kGravityDown, bodies};
  stage.step(500);
  EXPECT_EQ(stage.frozen(), 0U);
  expect_nobody_left(stage, 40, 30);
}

}  // namespace
}  // namespace tickbox::test
