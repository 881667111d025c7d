// No room: walls and presses that close on boxes, and boxes put into each other, which must part.

#include "tests/golden/draw.h"
#include "tests/golden/make_scenes.h"
#include "tests/golden/physics_scene.h"

namespace tickbox::golden {
namespace {

constexpr std::int32_t kPits = 4;
constexpr std::int32_t kPitPitch = 24 * kUnit;
constexpr std::int32_t kPitWidth = 16 * kUnit;
constexpr std::int32_t kSqueezeFloor = 20 * kUnit;

/// Every other pit has machines that crush.
sim::Squeeze squeeze_of(std::int32_t pit) {
  return pit % 2 == 0 ? sim::Squeeze::Blocked : sim::Squeeze::Crush;
}

void put_into_each_other(sim::PhysicsWorld& world, Rng& rng, std::uint32_t tick) {
  constexpr std::uint32_t kTicksBetweenMoves = 40;
  constexpr int kMoved = 3;
  if (tick % kTicksBetweenMoves != 0) return;
  for (int n = 0; n < kMoved; ++n) {
    sim::Body& moved = world.movers()[rng.below(world.movers().size())];
    const sim::Body& other = world.movers()[rng.below(world.movers().size())];
    const Vec2 shift = draw_vec(rng, kUnit / 2);
    if (moved.kind != sim::Kind::Dynamic || other.kind != sim::Kind::Dynamic) continue;
    moved.min = {other.min.x + shift.x, other.min.y + shift.y};
    moved.velocity = {0, 0};
  }
}

/// Two walls that close on the middle, and a press above it.
void add_machines(Plan& plan, std::int32_t pit, Rng& rng) {
  const std::int32_t left = pit * kPitPitch;
  const std::int32_t right = left + kPitWidth;
  const std::int32_t top = kSqueezeFloor - 8 * kUnit;
  const Vec2 speeds{between(rng, kUnit / 30, kUnit / 4), between(rng, kUnit / 30, 2 * kUnit)};
  const sim::Path from_left{{{left, top}, {left + 6 * kUnit, top}}, speeds.x};
  const sim::Path from_right{{{right - kUnit, top}, {right - 7 * kUnit, top}}, speeds.x};
  const sim::Path press{
      {{left + kUnit, top - 2 * kUnit}, {left + kUnit, kSqueezeFloor - 2 * kUnit}}, speeds.y};
  plan.add_lift({kUnit, 8 * kUnit}, from_left).squeeze = squeeze_of(pit);
  plan.add_lift({kUnit, 8 * kUnit}, from_right).squeeze = squeeze_of(pit);
  plan.add_lift({kPitWidth - 2 * kUnit, kUnit}, press).squeeze = squeeze_of(pit);
}

void add_boxes(Plan& plan, std::int32_t pit, Rng& rng) {
  constexpr std::int32_t kRow = 4;
  constexpr std::int32_t kRows = 4;
  for (std::int32_t i = 0; i < kRow * kRows; ++i) {
    // Up to one and a half units wide, at a distance of one unit: some overlap from the start.
    const Vec2 size{between(rng, kUnit / 2, 3 * kUnit / 2), between(rng, kUnit / 2, 3 * kUnit / 2)};
    sim::Body& box = plan.add_mover(
        {pit * kPitPitch + (i % kRow + 6) * kUnit, kSqueezeFloor - (i / kRow + 2) * kUnit}, size);
    box.mass = static_cast<std::uint16_t>(rng.chance(1, 8) ? 65'535 : between(rng, 1, 9));
    box.friction = static_cast<std::uint8_t>(rng.chance(1, 2) ? 0 : between(rng, 1, 255));
    if (i % 4 == 1) {
      box.response = sim::Response::Bounce;
      box.restitution = static_cast<std::uint16_t>(between(rng, 1, sim::kFullRestitution));
    } else if (i % 7 == 2) {
      box.response = sim::Response::Stop;
    }
  }
}

}  // namespace

std::unique_ptr<Scene> make_squeeze() {
  Rng rng{6'000'017};
  Plan plan{.settings = {.gravity = {61, 546}}};
  plan.add_walls({kPits * kPitPitch, kSqueezeFloor});
  for (std::int32_t pit = 0; pit < kPits; ++pit) {
    add_machines(plan, pit, rng);
    add_boxes(plan, pit, rng);
  }
  return std::make_unique<PhysicsScene>(plan, rng, put_into_each_other);
}

}  // namespace tickbox::golden
