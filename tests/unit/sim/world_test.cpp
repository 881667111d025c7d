// The world's list of movers and its hash.

#include "sim/world.h"

#include "tests/unit/sim/scene.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <ostream>
#include <vector>

namespace tickbox::test {
namespace {

TEST(World, KeepsMoversInTheOrderOfTheirIds) {
  Scene scene{{box(5, at(0, 0), at(1, 1)), box(2, at(4, 0), at(1, 1)), box(9, at(8, 0), at(1, 1))}};
  EXPECT_TRUE(scene.world().remove({5}));
  EXPECT_FALSE(scene.world().remove({5}));
  EXPECT_EQ(scene.world().find({5}), nullptr);
  ASSERT_EQ(scene.world().movers().size(), 2U);
  EXPECT_EQ(scene.world().movers()[0].id, BodyId{2});
  EXPECT_EQ(scene.world().movers()[1].id, BodyId{9});
}

TEST(World, HashesEveryFieldOfABody) {
  const std::vector<std::function<void(sim::Body&)>> changes = {
      [](sim::Body& b) { b.response = sim::Response::Stop; },
      [](sim::Body& b) { b.min.x += 1; },
      [](sim::Body& b) { b.min.y += 1; },
      [](sim::Body& b) { b.size.x += 1; },
      [](sim::Body& b) { b.size.y += 1; },
      [](sim::Body& b) { b.velocity.x += 1; },
      [](sim::Body& b) { b.velocity.y += 1; },
      [](sim::Body& b) { b.mass += 1; },
      [](sim::Body& b) { b.restitution += 1; },
      [](sim::Body& b) { b.gravity_scale += 1; },
      [](sim::Body& b) { b.layers += 1; },
      [](sim::Body& b) { b.collides_with -= 1; },
      [](sim::Body& b) { b.ignores = {3}; },
  };
  const sim::Body plain = box(1, at(0, 0), at(1, 1));
  std::vector<std::uint64_t> hashes = {state_hash(Scene{{plain}}.world())};
  for (const auto& change : changes) {
    sim::Body changed = plain;
    change(changed);
    const std::uint64_t hash = state_hash(Scene{{changed}}.world());
    EXPECT_EQ(std::count(hashes.begin(), hashes.end(), hash), 0) << "change " << hashes.size();
    hashes.push_back(hash);
  }
}

TEST(World, HashesItsStaticsAndSettings) {
  const std::vector<sim::Body> bodies = {box(1, at(0, 0), at(1, 1)), wall(2, at(5, 5), at(1, 1))};
  std::vector<sim::Body> other = bodies;
  other[1].min.x += 1;
  const std::uint64_t hash = state_hash(Scene{bodies}.world());
  EXPECT_EQ(hash, state_hash(Scene{bodies}.world()));
  EXPECT_NE(hash, state_hash(Scene{other}.world()));
  EXPECT_NE(hash, state_hash(Scene{{.gravity = {0, 1}}, bodies}.world()));
  EXPECT_NE(hash, state_hash(Scene{{.border = sim::Border::Remove}, bodies}.world()));
}

TEST(World, DoesNotDependOnTheOrderInWhichBodiesCame) {
  const sim::Body a = moving(box(1, at(0, 0), at(1, 1)), at(1, 0));
  const sim::Body b = box(2, at(1.5, 0), at(1, 1));
  Scene first{{a, b}};
  Scene second{{b, a}};
  first.step(5);
  second.step(5);
  EXPECT_EQ(state_hash(first.world()), state_hash(second.world()));
}

}  // namespace
}  // namespace tickbox::test
