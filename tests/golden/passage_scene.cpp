// Bodies that are solid to some others only: one-way floors and doors, layers, sensors, ghosts; and
// friction.

#include "tests/golden/draw.h"
#include "tests/golden/make_scenes.h"
#include "tests/golden/physics_scene.h"

namespace tickbox::golden {
namespace {

constexpr std::int32_t kPassageWidth = 60 * kUnit;
constexpr std::int32_t kHeight = 48 * kUnit;
constexpr std::int32_t kFloors = 7;
constexpr std::int32_t kFloorHeight = 6 * kUnit;
constexpr std::int32_t kPassageRunSpeed = 8 * kUnit / 60;
constexpr std::int32_t kPassageJumpSpeed = 24 * kUnit / 60;

constexpr std::uint16_t kPlatformLayer = 2;
constexpr std::uint16_t kEveryLayer = 0xffff;

Vec2 draw_place(Rng& rng) {
  return Vec2{between(rng, 0, kPassageWidth - 2 * kUnit), between(rng, 0, kHeight - 2 * kUnit)};
}

void climb_and_drop(sim::PhysicsWorld& world, Rng& rng, std::uint32_t tick) {
  constexpr std::uint32_t kTicksBetweenMoves = 25;
  for (sim::Body& body : world.movers()) {
    if (body.kind != sim::Kind::Dynamic) continue;
    if ((tick + 3 * body.id.value) % kTicksBetweenMoves != 0) continue;
    if (sim::is_ghost(body)) {
      const std::int32_t speed = rng.chance(1, 3) ? kSpeedLimit : kUnit;
      body.min = draw_place(rng);
      body.velocity = draw_vec(rng, speed);
      continue;
    }
    // A body that falls through the floors does so until its next move.
    body.collides_with =
        static_cast<std::uint16_t>(rng.chance(1, 6) ? kEveryLayer & ~kPlatformLayer : kEveryLayer);
    body.velocity.x += between(rng, -kPassageRunSpeed, kPassageRunSpeed);
    if (rng.chance(1, 2)) body.velocity.y = -between(rng, 0, kPassageJumpSpeed);
  }
}

void add_floors(Plan& plan, Rng& rng) {
  for (std::int32_t i = 1; i <= kFloors; ++i) {
    for (std::int32_t x = 0; x < 6; ++x) {
      if (rng.chance(1, 5)) continue;
      const std::int32_t thickness = i % 2 == 0 ? kUnit / 4 : 1;
      sim::Body& floor =
          plan.add_static({x * 10 * kUnit, kHeight - i * kFloorHeight}, {10 * kUnit, thickness});
      floor.one_way = sim::OneWay::Up;
      floor.layers = kPlatformLayer;
      floor.friction = static_cast<std::uint8_t>(rng.chance(1, 3) ? 0 : between(rng, 1, 255));
    }
    sim::Body& door = plan.add_static({between(rng, 10, 50) * kUnit, kHeight - i * kFloorHeight},
                                      {kUnit / 2, kFloorHeight});
    door.one_way = i % 2 == 0 ? sim::OneWay::Left : sim::OneWay::Right;
  }
  sim::Body& ceiling = plan.add_static({0, 3 * kUnit}, {kPassageWidth / 2, kUnit / 4});
  ceiling.one_way = sim::OneWay::Down;
}

void add_sensors(Plan& plan, Rng& rng) {
  constexpr std::int32_t kZones = 8;
  for (std::int32_t i = 0; i < kZones; ++i) {
    const Vec2 min = draw_place(rng);
    plan.add_static(min, {between(rng, 1, 2 * kUnit), 2 * kUnit}).sensor = true;
  }
  const sim::Path beam{{{0, kUnit}, {kPassageWidth, kHeight - kUnit}}, 20 * kUnit};
  plan.add_lift({kUnit / 8, kUnit / 8}, beam).sensor = true;
}

void add_climbers(Plan& plan, Rng& rng) {
  constexpr std::int32_t kPerFloor = 9;
  for (std::int32_t i = 0; i < kFloors * kPerFloor; ++i) {
    const std::int32_t width = between(rng, kUnit / 2, kUnit);
    sim::Body& climber = plan.add_mover({(6 * (i % kPerFloor) + 2) * kUnit,
                                         kHeight - (i / kPerFloor + 1) * kFloorHeight + 2 * kUnit},
                                        {width, width});
    climber.friction = static_cast<std::uint8_t>(rng.chance(1, 2) ? 0 : between(rng, 1, 255));
    if (i % 12 == 5) climber.response = sim::Response::Pass;
    if (i % 12 == 9) climber.sensor = true;
    if (i % 12 == 11) climber.response = sim::Response::Stop;
    if (sim::is_ghost(climber)) climber.gravity_scale = 0;
  }
}

}  // namespace

std::unique_ptr<Scene> make_passages() {
  Rng rng{6'000'016};
  Plan plan{.settings = {.gravity = {0, 546}}};
  plan.add_walls({kPassageWidth, kHeight});
  add_floors(plan, rng);
  add_sensors(plan, rng);
  const sim::Path ferry{{{0, 12 * kUnit + kUnit / 2}, {kPassageWidth, 12 * kUnit + kUnit / 2}},
                        kUnit / 8};
  plan.add_lift({5 * kUnit, kUnit / 4}, ferry).one_way = sim::OneWay::Up;
  add_climbers(plan, rng);
  return std::make_unique<PhysicsScene>(plan, rng, climb_and_drop);
}

}  // namespace tickbox::golden
