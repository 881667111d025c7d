#pragma once
// The same world seen in a mirror, with its axes exchanged, from elsewhere, or under other names.

#include "sim/step.h"
#include "sim/world.h"

namespace tickbox::test {

/// A way to look at a world, applied to everything that has a place, a direction or a name.
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
[[nodiscard]] sim::World seen(const sim::World& world, const Outlook& outlook);

[[nodiscard]] sim::StepReport seen(const sim::StepReport& report, const Outlook& outlook);

/// Whether every body and path keeps within the limits when looked at so. Bodies that stick out of
/// the world do not always.
[[nodiscard]] bool can_be_seen(const sim::World& world, const Outlook& outlook);

}  // namespace tickbox::test
