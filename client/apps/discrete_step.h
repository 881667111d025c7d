#pragma once
// The plain way to keep boxes apart, which the simulation is not: move everything, then look for
// overlaps, and push out of them. Stepped beside the simulation it shows what passes unseen.

#include "sim/step.h"
#include "sim/world.h"

#include <vector>

namespace tickbox::apps {

/// Steps a world discretely: velocities as in the simulation, whole ways at once, then for each
/// pair that overlaps the penetration vector of the Minkowski difference, once. Who is pushed loses
/// its velocity along it. Of two dynamic bodies each goes half the way. No responses, no friction,
/// no riders, no waiting; kinematic bodies go where they go.
///
/// Source: Hamaluik, Simple AABB Collision Detection Using the Minkowski Difference (2014).
class DiscreteStepper {
 public:
  void step(sim::World& world);

  /// Whom the last step pushed apart, and whom it held back at the border; in no order.
  [[nodiscard]] const std::vector<sim::BodyPair>& pushed() const { return pushed_; }

 private:
  void move(sim::World& world);
  void meet_border(sim::World& world);
  void find_pairs(const sim::World& world);

  std::vector<sim::Body> before_;  ///< the movers when the tick began, by id
  std::vector<sim::BodyPair> found_;
  std::vector<sim::BodyPair> pushed_;
};

}  // namespace tickbox::apps
