#pragma once
// A scene of bare physics: a plan of bodies, and what disturbs them before every step.

#include "core/rng.h"
#include "sim/step.h"
#include "tests/golden/scene.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace tickbox::golden {

/// The bodies of a scene before its first tick, their ids in the order in which they come.
struct Plan {
  sim::WorldSettings settings;
  std::vector<sim::Body> statics;
  std::vector<sim::Path> paths;
  std::vector<sim::Body> movers;  ///< and fixed bodies
  std::uint32_t ids_given = 0;

  sim::Body& add_static(Vec2 min, Vec2 size);
  /// Adds a dynamic body. The reference is valid until the next mover is added.
  sim::Body& add_mover(Vec2 min, Vec2 size);
  /// Adds a kinematic body that moves along `path`. The reference is valid as that of add_mover().
  sim::Body& add_lift(Vec2 size, const sim::Path& path);
  /// Adds four walls around the box from the origin to `inside`.
  void add_walls(Vec2 inside);

  [[nodiscard]] sim::PhysicsWorld world() const;
};

/// What happens to a world before the step that makes `tick`; the first is 1.
using Disturb = void (*)(sim::PhysicsWorld& world, Rng& rng, std::uint32_t tick);

class PhysicsScene final : public Scene {
 public:
  PhysicsScene(const Plan& plan, Rng rng, Disturb disturb)
      : world_(plan.world()), rng_(rng), disturb_(disturb) {}

  TickHashes step() override;

  [[nodiscard]] const sim::PhysicsWorld& world() const override { return world_; }

 private:
  sim::PhysicsWorld world_;
  Rng rng_;
  Disturb disturb_;
  std::uint32_t tick_ = 0;
  sim::PhysicsStepper stepper_;
};

}  // namespace tickbox::golden
