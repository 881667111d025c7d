#include "tests/golden/motion_hash.h"

namespace tickbox::golden {

void add_motion(StreamHasher& hasher, const sim::PhysicsWorld& world) {
  for (const sim::Body& body : world.movers()) {
    hasher.add(body.min.x);
    hasher.add(body.min.y);
    hasher.add(body.velocity.x);
    hasher.add(body.velocity.y);
  }
}

std::uint32_t motion_hash(const sim::PhysicsWorld& world) {
  StreamHasher hasher;
  add_motion(hasher, world);
  return static_cast<std::uint32_t>(hasher.digest());
}

}  // namespace tickbox::golden
