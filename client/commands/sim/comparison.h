#pragma once
// A world stepped twice: by the simulation, and by a plain discrete method beside it. Bodies that
// came through others are counted in both in the same way, from places alone.

#include "sim/step.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tickbox::commands {

/// Moves everything its whole way, then pushes each pair that overlaps apart, once, by the
/// penetration vector of the Minkowski difference; of two dynamic bodies each goes half the way. A
/// push ends the velocity along it, and so does the border. No responses, friction, riders or
/// waiting. Returns the pairs pushed apart, by ids.
/// Source: Hamaluik, Simple AABB Collision Detection Using the Minkowski Difference (2014).
std::vector<sim::BodyPair> step_discretely(sim::World& world);

/// The face by which a box went into another.
struct Passage {
  sim::Axis axis = 0;
  bool from_low = false;  ///< by the face with the lower coordinate

  friend bool operator==(const Passage&, const Passage&) = default;
};

/// How `body` came through `other` within a tick: apart before and after, and inside in between. By
/// a corner, it is the axis of larger speed, then y. Nothing for those that only touch, or move by
/// more than the world's width relative to each other.
[[nodiscard]] std::optional<Passage> passage_through(const sim::Motion& body,
                                                     const sim::Motion& other);

/// One body that came through another.
struct Crossing {
  Tick tick{};
  BodyId body{};  ///< the dynamic one; of two, the lower id
  BodyId through{};

  friend bool operator==(const Crossing&, const Crossing&) = default;
};

/// Crossings that are kept one by one; the others are only counted.
inline constexpr std::size_t kCrossingsKept = 32;

/// One way of stepping, and who came through whom by it.
struct ComparedSide {
  sim::World world;               ///< after the last step
  std::uint64_t unseen = 0;       ///< crossings of which the stepper saw nothing
  std::uint64_t pushed = 0;       ///< were seen, and put on the far side all the same
  std::vector<Crossing> first{};  ///< of both, up to kCrossingsKept

  /// Goes on to `next`, where the stepper saw the pairs `met`. A pair is judged where both went
  /// straight, as their velocity says, or met each other alone.
  void go_on(Tick tick, const sim::World& next, std::span<const sim::BodyPair> met);
};

/// Steps a copy of a world beside it. Between two steps only velocities change, in both worlds.
struct Comparison {
  explicit Comparison(const sim::World& world) : discrete{world}, tickbox{world} {}

  /// After each step of the simulation.
  void after_step(Tick tick, const sim::World& world, const sim::StepReport& report);

  ComparedSide discrete;
  ComparedSide tickbox;
};

}  // namespace tickbox::commands
