// Tickbox under the benchmark: the library `sim`.

#include "sim/step.h"
#include "sim/world.h"
#include "tests/bench/physics/engine.h"

#include <cmath>
#include <utility>

namespace tickbox::bench {
namespace {

constexpr std::uint16_t kTickboxOnStatics = 1;
constexpr std::uint16_t kTickboxOnBoxes = 2;
constexpr std::uint16_t kTickboxOnBullets = 4;

std::int32_t sub_units(double units) {
  return static_cast<std::int32_t>(std::lround(units * kUnit));
}

std::int32_t per_tick(double units_per_second) {
  return sub_units(units_per_second / kTicksPerSecond);
}

double units(std::int64_t sub_units) {
  return static_cast<double>(sub_units) / kUnit;
}

sim::Body body_at(const Rect& place, std::uint32_t id) {
  sim::Body body;
  body.id = {id};
  body.min = {sub_units(place.x - place.width / 2), sub_units(place.y - place.height / 2)};
  body.size = {sub_units(place.width), sub_units(place.height)};
  return body;
}

/// Exact: a centre has one bit more than a corner, and a double has plenty.
Rect rect_of(const sim::Body& body) {
  return {.x = units(2 * std::int64_t{body.min.x} + body.size.x) / 2,
          .y = units(2 * std::int64_t{body.min.y} + body.size.y) / 2,
          .width = units(body.size.x),
          .height = units(body.size.y)};
}

sim::SharedStatics make_statics(const Scene& scene) {
  std::vector<sim::Body> statics;
  auto id = static_cast<std::uint32_t>(scene.bodies.size());
  for (const Rect& place : geometry_of(scene, PeerBodies::Boxes).statics) {
    sim::Body body = body_at(place, id++);
    body.kind = sim::Kind::Static;
    body.layers = kTickboxOnStatics;
    statics.push_back(body);
  }
  return std::make_shared<const sim::Statics>(std::move(statics));
}

sim::Body mover_of(const Scene& scene, std::size_t index) {
  const SceneBody& from = scene.bodies[index];
  sim::Body body = body_at(from.place, static_cast<std::uint32_t>(index));
  body.velocity = {per_tick(from.vx), per_tick(from.vy)};
  if (scene.restitution > 0) {
    body.response = sim::Response::Bounce;
    body.restitution = sim::kFullRestitution;
  }
  const bool is_bullet = from.role == Role::Bullet;
  body.layers = is_bullet ? kTickboxOnBullets : kTickboxOnBoxes;
  body.collides_with = is_bullet ? kTickboxOnStatics : kTickboxOnStatics | kTickboxOnBoxes;
  return body;
}

class TickboxEngine final : public Engine {
 public:
  explicit TickboxEngine(const Scene& scene) : world_(make_world(scene)) {
    for (const sim::Body& body : world_.statics().bodies()) {
      geometry_.statics.push_back(rect_of(body));
    }
    for (const sim::Body& body : world_.movers()) {
      geometry_.bodies.push_back(rect_of(body));
    }
    for (const SceneBody& body : scene.bodies) {
      geometry_.roles.push_back(body.role);
    }
  }

  void set_vx(std::size_t body, double vx) override {
    world_.movers()[body].velocity.x = per_tick(vx);
  }

  void step() override { stepper_.step(world_); }

  [[nodiscard]] std::vector<Pose> poses() const override {
    std::vector<Pose> poses;
    for (const sim::Body& body : world_.movers()) {
      const Rect rect = rect_of(body);
      poses.push_back({.x = rect.x, .y = rect.y});
    }
    return poses;
  }

  [[nodiscard]] const Geometry& geometry() const override { return geometry_; }

  [[nodiscard]] Tolerance tolerance() const override { return {}; }

  [[nodiscard]] std::uint64_t hash() const override { return sim::state_hash(world_); }

 private:
  sim::PhysicsWorld world_;
  sim::PhysicsStepper stepper_;
  Geometry geometry_;
};

}  // namespace

sim::PhysicsWorld make_world(const Scene& scene) {
  sim::PhysicsWorld world{{.gravity = {0, per_tick(scene.gravity / kTicksPerSecond)}},
                          make_statics(scene)};
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    world.add(mover_of(scene, i));
  }
  return world;
}

std::unique_ptr<Engine> make_tickbox(const Scene& scene) {
  return std::make_unique<TickboxEngine>(scene);
}

}  // namespace tickbox::bench
