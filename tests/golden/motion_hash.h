#pragma once
// A hash of how the bodies of a world move. Neither ids nor the state of a game are part of it, so
// it stays the same when these change their form.

#include "core/hash.h"
#include "sim/world.h"

#include <cstdint>

namespace tickbox::golden {

/// Adds the position and the velocity of every mover of `world`, in the order of ids.
void add_motion(StreamHasher& hasher, const sim::PhysicsWorld& world);

/// The lower half of XXH3-64 over the motion of `world`.
[[nodiscard]] std::uint32_t motion_hash(const sim::PhysicsWorld& world);

}  // namespace tickbox::golden
