// Fixed bodies that come and go: bricks that break, coins that are taken, doors, ledges.

#include "sim/box.h"
#include "tests/golden/draw.h"
#include "tests/golden/make_scenes.h"
#include "tests/golden/physics_scene.h"

#include <algorithm>
#include <vector>

namespace tickbox::golden {
namespace {

constexpr std::int32_t kColumns = 48;
constexpr std::int32_t kRows = 30;
constexpr Vec2 kInside{kColumns * kUnit, kRows* kUnit};
constexpr std::int32_t kCoinFloorHeight = 6;  ///< in rows
constexpr std::int32_t kCoinRunSpeed = 7 * kUnit / 60;
constexpr std::int32_t kCoinJumpSpeed = 17 * kUnit / 60;
constexpr std::uint32_t kFirstCoin = 100'000;
constexpr std::uint32_t kFirstBrick = 200'000;
constexpr std::uint32_t kFirstDoor = 300'000;
constexpr std::int32_t kDoors = 5;

sim::Body fixed_body(std::uint32_t id, Vec2 min, Vec2 size) {
  return {.id = {id}, .kind = sim::Kind::Fixed, .min = min, .size = size};
}

/// Returns a coin in a cell: a sensor, or a body with Response::Pass.
sim::Body coin_at(std::int32_t column, std::int32_t row) {
  constexpr std::int32_t kSide = kUnit / 4;
  const auto cell = static_cast<std::uint32_t>(row * kColumns + column);
  const Vec2 min{column * kUnit + kUnit / 3, row * kUnit + kUnit / 3};
  sim::Body coin = fixed_body(kFirstCoin + cell, min, {kSide, kSide});
  coin.sensor = cell % 3 != 0;
  if (!coin.sensor) coin.response = sim::Response::Pass;
  return coin;
}

/// A brick of a floor: most are plain, some are rough, some throw back, some are ledges.
sim::Body brick_at(std::int32_t column, std::int32_t row) {
  const auto cell = static_cast<std::uint32_t>(row * kColumns + column);
  sim::Body brick = fixed_body(kFirstBrick + cell, {column * kUnit, row * kUnit}, {kUnit, kUnit});
  if (cell % 7 == 2) brick.friction = 200;
  if (cell % 11 == 3) {
    brick.response = sim::Response::Bounce;
    brick.restitution = 200;
  }
  if (cell % 5 == 1) brick.one_way = sim::OneWay::Up;
  return brick;
}

sim::Body door(std::int32_t number) {
  return fixed_body(kFirstDoor + static_cast<std::uint32_t>(number),
                    {(8 * number + 7) * kUnit, (kRows - 4) * kUnit}, {kUnit / 2, 4 * kUnit});
}

void add_if_none(sim::PhysicsWorld& world, const sim::Body& body) {
  if (world.find(body.id) == nullptr) world.add(body);
}

/// Removes the coins that a mover is in.
void take_coins(sim::PhysicsWorld& world) {
  std::vector<BodyId> taken;
  for (const sim::Body& coin : world.fixed().by_id()) {
    if (!sim::is_ghost(coin)) continue;
    const auto is_in = [&](const sim::Body& mover) {
      return overlap(sim::box_of(coin.min, coin.size), sim::box_of(mover.min, mover.size));
    };
    if (std::ranges::any_of(world.movers(), is_in)) taken.push_back(coin.id);
  }
  world.remove(taken);
}

void build_and_break(sim::PhysicsWorld& world, Rng& rng) {
  const std::int32_t column = between(rng, 0, kColumns - 1);
  const std::int32_t row = kCoinFloorHeight * between(rng, 1, 4);
  const sim::Body brick = brick_at(column, row);
  if (!world.remove(brick.id)) world.add(brick);  // movers may be there
  const Vec2 cell{between(rng, 0, kColumns - 1), between(rng, 1, kRows - 1)};
  add_if_none(world, coin_at(cell.x, cell.y));
}

void play(sim::PhysicsWorld& world, Rng& rng, std::uint32_t tick) {
  constexpr std::uint32_t kTicksBetweenMoves = 20;
  constexpr std::uint32_t kTicksOfDoor = 90;
  for (sim::Body& body : world.movers()) {
    if (body.kind != sim::Kind::Dynamic) continue;
    if ((tick + 3 * body.id.value) % kTicksBetweenMoves != 0) continue;
    body.velocity.x = rng.chance(1, 5) ? 0 : between(rng, -kCoinRunSpeed, kCoinRunSpeed);
    if (rng.chance(1, 2)) body.velocity.y = -kCoinJumpSpeed;
    if (rng.chance(1, 60)) body.velocity = draw_vec(rng, kSpeedLimit);
    if (sim::is_ghost(body)) {
      body.min = Vec2{between(rng, 0, kInside.x), between(rng, 0, kInside.y)};
    }
  }
  take_coins(world);
  if (tick % 3 == 0) build_and_break(world, rng);
  for (std::int32_t number = 0; number < kDoors; ++number) {
    if ((tick + 17 * static_cast<std::uint32_t>(number)) % kTicksOfDoor != 0) continue;
    if (!world.remove(door(number).id)) world.add(door(number));
  }
}

void add_players(Plan& plan, Rng& rng) {
  constexpr std::int32_t kPlayers = 40;
  for (std::int32_t i = 0; i < kPlayers; ++i) {
    const std::int32_t side = between(rng, kUnit / 2, 4 * kUnit / 5);
    sim::Body& player = plan.add_mover(
        {(i % 10 * 4 + 2) * kUnit, (kCoinFloorHeight * (i / 10 + 1) - 2) * kUnit}, {side, side});
    player.friction = static_cast<std::uint8_t>(i % 4 == 0 ? 60 : 0);
    if (i % 9 == 4) player.response = sim::Response::Stop;
    if (i % 9 == 7) {
      player.response = sim::Response::Bounce;
      player.restitution = sim::kFullRestitution / 2;
    }
    if (i % 13 == 6) {
      player.sensor = true;
      player.gravity_scale = 0;
    }
  }
}

}  // namespace

std::unique_ptr<Scene> make_coins() {
  Rng rng{7'000'019};
  Plan plan{.settings = {.gravity = {0, 546}}};
  plan.add_walls(kInside);
  const sim::Path lift{{{0, 28 * kUnit}, {0, 2 * kUnit}}, kUnit / 10};
  plan.add_lift({2 * kUnit, kUnit / 4}, lift);
  add_players(plan, rng);
  for (std::int32_t row = 1; row < kRows; ++row) {
    for (std::int32_t column = 2; column < kColumns; ++column) {
      if (row % kCoinFloorHeight == 0) {
        if (!rng.chance(1, 6)) plan.movers.push_back(brick_at(column, row));
      } else if (rng.chance(2, 3)) {
        plan.movers.push_back(coin_at(column, row));
      }
    }
  }
  return std::make_unique<PhysicsScene>(plan, rng, play);
}

}  // namespace tickbox::golden
