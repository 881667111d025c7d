#pragma once
// A world stepped twice: by the simulation, and by a plain discrete method. For both, the
// bodies that passed through others are counted in the same way, from the positions before and
// after each tick.

#include "sim/step_report.h"
#include "sim/world.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tickbox::commands {

/// Moves every body its whole way, then pushes each overlapping pair apart once. The push is the
/// penetration vector of the Minkowski difference; two dynamic bodies move half of it each. A push
/// or the border sets the velocity along its axis to 0. There are no responses, friction, riders or
/// waiting. Returns the pairs pushed apart, by ids.
/// Source: Hamaluik, Simple AABB Collision Detection Using the Minkowski Difference (2014).
std::vector<sim::BodyPair> step_discretely(sim::PhysicsWorld& world);

/// The face through which a box entered another.
struct Passage {
  sim::Axis axis = 0;
  bool from_low = false;  ///< through the face with the lower coordinate

  friend bool operator==(const Passage&, const Passage&) = default;
};

/// Returns the face through which `body` passed `other` within a tick: apart before and after, and
/// inside in between. At a corner it is the axis of larger speed, then y. Returns nothing for
/// bodies that only touch, or that move by the world's width or more relative to each other.
[[nodiscard]] std::optional<Passage> passage_through(const sim::Motion& body,
                                                     const sim::Motion& other);

/// The passage of one body through another.
struct Crossing {
  Tick tick{};
  BodyId body{};  ///< the dynamic body; of two, the lower id
  BodyId through{};

  friend bool operator==(const Crossing&, const Crossing&) = default;
};

/// The number of crossings that are kept; further ones are only counted.
inline constexpr std::size_t kCrossingsKept = 32;

/// The world of one stepping method, and its crossings.
struct ComparedSide {
  sim::PhysicsWorld world;        ///< after the last step
  std::uint64_t unseen = 0;       ///< crossings that the stepper did not detect
  std::uint64_t pushed = 0;       ///< crossings that it detected, with the body on the far side
  std::vector<Crossing> first{};  ///< crossings of both kinds, up to kCrossingsKept

  /// Advances to `next`; `met` are the pairs that the stepper detected. A pair in `met` counts only
  /// if neither body met a third. Another pair counts only if both moved straight by their
  /// velocity.
  void go_on(Tick tick, const sim::PhysicsWorld& next, std::span<const sim::BodyPair> met);
};

/// A comparison that steps a copy of a world by the discrete method. Between two steps only
/// velocities change, in both worlds.
struct Comparison {
  explicit Comparison(const sim::PhysicsWorld& world) : discrete{world}, tickbox{world} {}

  /// Steps the copy and counts crossings. Call this after each step of the simulation.
  void after_step(Tick tick, const sim::PhysicsWorld& world, const sim::StepReport& report);

  ComparedSide discrete;
  ComparedSide tickbox;
};

}  // namespace tickbox::commands
