#pragma once
// Small worlds in units, for tests whose values a person can check.

#include "sim/step.h"

#include <cstdint>
#include <memory>
#include <ostream>
#include <utility>
#include <vector>

namespace tickbox::test {

constexpr std::int32_t units(double value) {
  return static_cast<std::int32_t>(value * kUnit);
}

constexpr Vec2 at(double x, double y) {
  return {units(x), units(y)};
}

/// A box with its minimum corner at `min` and of size `size`, both in sub-units: at() converts
/// units.
constexpr sim::Body box(std::uint32_t id, Vec2 min, Vec2 size) {
  return {.id = {id}, .min = min, .size = size};
}

constexpr sim::Body wall(std::uint32_t id, Vec2 min, Vec2 size) {
  return {.id = {id}, .kind = sim::Kind::Static, .min = min, .size = size};
}

/// A kinematic body that moves by its velocity.
constexpr sim::Body platform(std::uint32_t id, Vec2 min, Vec2 size, Vec2 velocity = {}) {
  return {.id = {id}, .kind = sim::Kind::Kinematic, .min = min, .size = size, .velocity = velocity};
}

/// `body` with a velocity per tick.
constexpr sim::Body moving(sim::Body body, Vec2 velocity) {
  body.velocity = velocity;
  return body;
}

constexpr sim::Body bouncing(sim::Body body, std::uint16_t restitution = sim::kFullRestitution) {
  body.response = sim::Response::Bounce;
  body.restitution = restitution;
  return body;
}

constexpr sim::Body stopping(sim::Body body) {
  body.response = sim::Response::Stop;
  return body;
}

class Scene {
 public:
  Scene(sim::WorldSettings settings, const std::vector<sim::Body>& bodies)
      : world_(make_world(settings, bodies)) {}

  explicit Scene(const std::vector<sim::Body>& bodies) : Scene(sim::WorldSettings{}, bodies) {}

  static sim::PhysicsWorld make_world(sim::WorldSettings settings,
                                      const std::vector<sim::Body>& bodies,
                                      std::vector<sim::Path> paths = {}) {
    std::vector<sim::Body> statics;
    for (const sim::Body& body : bodies) {
      if (body.kind == sim::Kind::Static) statics.push_back(body);
    }
    sim::PhysicsWorld world{
        settings, std::make_shared<const sim::Statics>(std::move(statics), std::move(paths))};
    for (const sim::Body& body : bodies) {
      if (body.kind != sim::Kind::Static) world.add(body);
    }
    return world;
  }

  const sim::StepReport& step(int ticks = 1) {
    for (int tick = 1; tick < ticks; ++tick) {
      stepper_.step(world_);
    }
    return stepper_.step(world_);
  }

  [[nodiscard]] sim::PhysicsWorld& world() { return world_; }

  [[nodiscard]] Vec2 place(std::uint32_t id) { return world_.find({id})->min; }

  [[nodiscard]] Vec2 velocity(std::uint32_t id) { return world_.find({id})->velocity; }

 private:
  sim::PhysicsWorld world_;
  sim::PhysicsStepper stepper_;
};

}  // namespace tickbox::test

namespace tickbox {

/// Prints a vector in messages of failed tests.
// NOLINTNEXTLINE(readability-identifier-naming): the name that GoogleTest looks for
inline void PrintTo(Vec2 v, std::ostream* out) {
  *out << '(' << static_cast<double>(v.x) / kUnit << ", " << static_cast<double>(v.y) / kUnit
       << ')';
}

}  // namespace tickbox
