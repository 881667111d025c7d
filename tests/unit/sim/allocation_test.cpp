// A warm step asks nothing of the heap.

#include "core/rng.h"
#include "tests/support/allocations.h"
#include "tests/unit/sim/scene.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <ostream>
#include <vector>

namespace tickbox::test {
namespace {

TEST(Step, AllocatesNothingOnceWarm) {
#ifdef TICKBOX_AUDIT
  GTEST_SKIP() << "the audit of each step allocates";
#endif
  Rng rng{1};
  std::vector<sim::Body> bodies = {
      wall(1'000, at(-20, 20), at(40, 1)), wall(1'001, at(-20, -20), at(40, 1)),
      wall(1'002, at(-21, -20), at(1, 41)), wall(1'003, at(20, -20), at(1, 41))};
  for (std::uint32_t n = 0; n < 150; ++n) {
    const Vec2 corner = at(-19 + 2.5 * (n % 15), -19 + 2.5 * (n / 15));
    const Vec2 velocity = {static_cast<std::int32_t>(rng.below(40'000)) - 20'000,
                           static_cast<std::int32_t>(rng.below(40'000)) - 20'000};
    bodies.push_back(bouncing(moving(box(n, corner, at(1, 1)), velocity), 200));
  }
  Scene scene{{.gravity = {0, 546}}, bodies};
  const sim::World at_start = scene.world();
  scene.step(200);
  scene.world() = at_start;
  const std::uint64_t before = tests::allocations();
  std::size_t contacts = 0;
  for (int tick = 0; tick < 200; ++tick) {
    contacts += scene.step().contacts.size();
  }
  EXPECT_EQ(tests::allocations(), before);
  EXPECT_GT(contacts, 1'000U);
}

}  // namespace
}  // namespace tickbox::test
