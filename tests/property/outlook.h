#pragma once
// Views of the same world: in a mirror, with its axes exchanged, moved, or under other names.

#include "sim/step.h"
#include "sim/world.h"

namespace tickbox::test {

/// A transformation of a world that applies to every position, direction and name.
struct Outlook {
  const char* name = "";
  bool left_for_right = false;
  bool up_for_down = false;
  bool transposed = false;  ///< before the mirrors
  Vec2 shift{};             ///< after all else
  bool renamed = false;     ///< other ids, in the same order
};

[[nodiscard]] sim::Body seen(const sim::Body& body, const Outlook& outlook);

/// Requires: can_be_seen().
[[nodiscard]] sim::PhysicsWorld seen(const sim::PhysicsWorld& world, const Outlook& outlook);

[[nodiscard]] sim::StepReport seen(const sim::StepReport& report, const Outlook& outlook);

/// Whether every body and path is still within the limits after the transformation. Bodies that
/// stick out of the world may not be.
[[nodiscard]] bool can_be_seen(const sim::PhysicsWorld& world, const Outlook& outlook);

}  // namespace tickbox::test
