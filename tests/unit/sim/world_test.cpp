// The world's list of movers, its hash and its statics.

#include "sim/world.h"

#include "tests/unit/sim/scene.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <ostream>
#include <vector>

namespace tickbox::test {
namespace {

TEST(PhysicsWorld, KeepsMoversInTheOrderOfTheirIds) {
  Scene scene{{box(5, at(0, 0), at(1, 1)), box(2, at(4, 0), at(1, 1)), box(9, at(8, 0), at(1, 1))}};
  EXPECT_TRUE(scene.world().remove({5}));
  EXPECT_FALSE(scene.world().remove({5}));
  EXPECT_EQ(scene.world().find({5}), nullptr);
  ASSERT_EQ(scene.world().movers().size(), 2U);
  EXPECT_EQ(scene.world().movers()[0].id, BodyId{2});
  EXPECT_EQ(scene.world().movers()[1].id, BodyId{9});
}

TEST(PhysicsWorld, TakesAndLosesSeveralBodiesAtOnce) {
  const auto body = [](std::uint32_t id, sim::Kind kind) {
    sim::Body made = box(id, at(static_cast<int>(4 * id), 0), at(1, 1));
    made.kind = kind;
    return made;
  };
  Scene scene{{body(2, sim::Kind::Dynamic), body(6, sim::Kind::Dynamic)}};
  scene.world().add(std::vector{body(1, sim::Kind::Kinematic), body(4, sim::Kind::Fixed),
                                body(5, sim::Kind::Dynamic), body(9, sim::Kind::Dynamic)});
  const auto ids = [&] {
    std::vector<std::uint64_t> found;
    for (const sim::Body& mover : scene.world().movers()) {
      found.push_back(mover.id.value);
    }
    return found;
  };
  EXPECT_EQ(ids(), (std::vector<std::uint64_t>{1, 2, 5, 6, 9}));
  EXPECT_NE(scene.world().fixed().find({4}), nullptr);
  EXPECT_EQ(scene.world().movers()[2].min, body(5, sim::Kind::Dynamic).min);
  scene.world().remove(std::vector<BodyId>{{1}, {3}, {4}, {6}});
  EXPECT_EQ(ids(), (std::vector<std::uint64_t>{2, 5, 9}));
  EXPECT_TRUE(scene.world().fixed().empty());
}

TEST(PhysicsWorld, HashesEveryFieldOfABody) {
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

TEST(PhysicsWorld, HashesItsStaticsAndSettings) {
  const std::vector<sim::Body> bodies = {box(1, at(0, 0), at(1, 1)), wall(2, at(5, 5), at(1, 1))};
  std::vector<sim::Body> other = bodies;
  other[1].min.x += 1;
  const std::uint64_t hash = state_hash(Scene{bodies}.world());
  EXPECT_EQ(hash, state_hash(Scene{bodies}.world()));
  EXPECT_NE(hash, state_hash(Scene{other}.world()));
  EXPECT_NE(hash, state_hash(Scene{{.gravity = {0, 1}}, bodies}.world()));
  EXPECT_NE(hash, state_hash(Scene{{.border = sim::Border::Remove}, bodies}.world()));
}

TEST(Statics, HaveAsManyPathsAsBodiesCanName) {
  const sim::Statics statics{{}, std::vector<sim::Path>(sim::kNoPath, sim::Path{{{0, 0}}, 0})};
  EXPECT_EQ(statics.paths().size(), sim::kNoPath);
}

TEST(Statics, AreFoundIfAsWideAsTheWorldOrFarFromAllOthers) {
  Scene scene{{wall(1, {-kWorldLimit, units(5)}, {sim::kSizeLimit, 1}),
               wall(2, {units(12'000), units(-12'000)}, {1, units(9)}),
               moving(box(3, at(-9'000, 0), at(1, 1)), at(0, 4'000)),
               moving(box(4, at(11'000, -12'000), at(1, 1)), at(4'000, 0))}};
  scene.step();
  EXPECT_EQ(scene.place(3), at(-9'000, 4));
  EXPECT_EQ(scene.place(4), at(11'999, -12'000));
}

TEST(Statics, TellWhetherABoxWouldOverlapThem) {
  const sim::Statics statics{
      {wall(1, at(0, 0), at(4, 1)), wall(2, {-kWorldLimit, units(50)}, {sim::kSizeLimit, 1})}};
  EXPECT_TRUE(overlaps_any(statics, at(3, 0.5), at(1, 1)));
  EXPECT_FALSE(overlaps_any(statics, at(4, 0), at(1, 1)));
  EXPECT_FALSE(overlaps_any(statics, at(1, 1), at(2, 5)));
  EXPECT_TRUE(overlaps_any(statics, at(-700, 49.5), at(1, 1)));
  EXPECT_FALSE(overlaps_any(statics, at(700, 49.5), at(1, 1)));
}

}  // namespace
}  // namespace tickbox::test
