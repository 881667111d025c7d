// The list of fixed bodies and its memory. How they move others is a law of tests/property.

#include "sim/cast.h"
#include "tests/support/allocations.h"
#include "tests/unit/sim/scene.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace tickbox::test {
namespace {

constexpr sim::WorldSettings kFalling{.gravity = {0, 546}};

constexpr sim::Body brick(std::uint32_t id, Vec2 min, Vec2 size) {
  return {.id = {id}, .kind = sim::Kind::Fixed, .min = min, .size = size};
}

constexpr sim::Body coin(std::uint32_t id, Vec2 min, Vec2 size) {
  sim::Body body = brick(id, min, size);
  body.sensor = true;
  return body;
}

TEST(FixedBodies, OfAWorldThatIsAssignedAreCopiedIntoItsMemory) {
#ifdef TICKBOX_AUDIT
  GTEST_SKIP() << "the audit of each step allocates";
#endif
  Scene like{kFalling, {box(1, at(0, 0), at(1, 1)), brick(2, at(0, 1), at(1, 1))}};
  sim::PhysicsWorld world = like.world();
  sim::PhysicsStepper stepper;
  for (const bool is_warm : {false, true}) {
    world = like.world();
    const std::uint64_t before = tests::allocations();
    stepper.step(world);
    EXPECT_EQ(world.find({1})->min, at(0, 0)) << "the step forgets what it has seen of the brick";
    world.remove({2});
    for (std::uint32_t id = 10; id < 60; ++id) {
      world.add(coin(id, at(20 + id, 0), at(0.5, 0.5)));
    }
    stepper.step(world);
    if (is_warm) {
      EXPECT_EQ(tests::allocations(), before);
    }
    EXPECT_GT(world.find({1})->min.y, 0);
  }
  EXPECT_NE(like.world().find({2}), nullptr);
}

// Before the fix, the world gave its memory away: a match whose first fixed body came late
// allocated in that tick.
TEST(FixedBodies, KeepTheirMemoryWhenTheWorldIsAssignedOneWithoutAny) {
#ifdef TICKBOX_AUDIT
  GTEST_SKIP() << "the audit of each step allocates";
#endif
  Scene like{kFalling, {box(1, at(0, 0), at(1, 1))}};
  sim::PhysicsWorld world = like.world();
  for (const bool is_warm : {false, true}) {
    world = like.world();
    EXPECT_TRUE(world.fixed().empty());
    EXPECT_EQ(sim::state_hash(world), sim::state_hash(like.world()));
    const std::uint64_t before = tests::allocations();
    world.add(brick(2, at(0, 1), at(1, 1)));
    if (is_warm) {
      EXPECT_EQ(tests::allocations(), before);
    }
  }
}

// Before the fix, a client that predicts a game with coins allocated at every view.
TEST(FixedBodies, KeepTheirMemoryWhenTheWorldIsCleared) {
#ifdef TICKBOX_AUDIT
  GTEST_SKIP() << "the audit of each step allocates";
#endif
  Scene scene{kFalling, {box(1, at(0, 0), at(1, 1)), brick(2, at(0, 1), at(1, 1))}};
  sim::PhysicsWorld& world = scene.world();
  {
    const sim::PhysicsWorld other = world;
    world.clear();
    EXPECT_EQ(world.find({2}), nullptr);
    EXPECT_NE(other.find({2}), nullptr) << "both shared it";
  }
  sim::PhysicsStepper stepper;
  const auto step_on_bricks = [&](int y) {
    world.clear();
    world.add(box(1, at(0, 0), at(1, 1)));
    for (std::uint32_t id = 2; id < 42; ++id) {
      world.add(brick(id, at(id - 2, y), at(1, 1)));
    }
    stepper.step(world);
  };
  step_on_bricks(1);
  EXPECT_EQ(world.find({1})->min, at(0, 0));
  const std::uint64_t before = tests::allocations();
  step_on_bricks(3);
  EXPECT_EQ(tests::allocations(), before);
  EXPECT_GT(world.find({1})->min.y, 0) << "the step forgets the bricks of before";
}

TEST(FixedBodies, AreFoundAfterMoreChangesThanAreFollowed) {
  Scene scene{kFalling, {box(1, at(0, 0), at(1, 1)), brick(2, at(0, 1), at(1, 1))}};
  scene.step(5);
  scene.world().remove({2});
  for (std::uint32_t id = 1'000; id < 1'500; ++id) {
    scene.world().add(coin(id, at(100 + id % 30, id / 30), at(0.5, 0.5)));
  }
  scene.step();
  EXPECT_GT(scene.place(1).y, 0);
}

TEST(FixedBodies, AreFoundByTheirIdsInWhateverOrderTheyWereAdded) {
  Scene scene{{brick(5, at(0, 0), at(1, 1)), coin(2, at(4, 0), at(1, 1)),
               box(3, at(8, 0), at(1, 1)), brick(1, at(12, 0), at(1, 1))}};
  Scene other{{coin(2, at(4, 0), at(1, 1)), brick(1, at(12, 0), at(1, 1)),
               brick(5, at(0, 0), at(1, 1)), box(3, at(8, 0), at(1, 1))}};
  const sim::PhysicsWorld& world = scene.world();
  std::vector<std::uint64_t> ids;
  for (const sim::Body& body : world.fixed().by_id()) {
    ids.push_back(body.id.value);
  }
  EXPECT_EQ(ids, (std::vector<std::uint64_t>{1, 2, 5}));
  EXPECT_EQ(world.movers().size(), 1U);
  EXPECT_EQ(world.find({2})->min, at(4, 0));
  EXPECT_EQ(world.find({4}), nullptr);
  EXPECT_EQ(world.find_mover({2}), nullptr);
  EXPECT_EQ(state_hash(world), state_hash(other.world()));
}

TEST(FixedBodies, AreInTheHashOnlyWhileThereAreAny) {
  Scene scene{{box(1, at(0, 0), at(1, 1))}};
  const std::uint64_t bare = state_hash(scene.world());
  scene.world().add(coin(2, at(4, 0), at(1, 1)));
  const std::uint64_t with_one = state_hash(scene.world());
  EXPECT_NE(with_one, bare);
  scene.world().remove({2});
  EXPECT_EQ(state_hash(scene.world()), bare);
  scene.world().add(coin(2, at(4, 1), at(1, 1)));
  EXPECT_NE(state_hash(scene.world()), with_one);
  const std::vector<BodyId> both = {{1}, {2}};
  scene.world().remove(both);
  EXPECT_TRUE(scene.world().fixed().empty() && scene.world().movers().empty());
  scene.world().add(coin(2, at(4, 1), at(1, 1)));
  scene.world().clear();
  EXPECT_EQ(scene.world().find({2}), nullptr);
}

TEST(FixedBodies, AreHitByCasts) {
  Scene scene{{brick(1, at(10, 0), at(1, 1)), coin(2, at(5, 0), at(1, 1)),
               brick(3, {-(1 << 30), units(40)}, {sim::kSizeLimit, units(1)})}};
  sim::Caster caster;
  caster.rebuild(scene.world());
  const sim::Cast ray{.from = at(0, 0.5), .way = at(20, 0)};
  EXPECT_EQ(caster.nearest(ray)->body, BodyId{1});
  sim::Cast with_ghosts = ray;
  with_ghosts.ghosts = sim::CastGhosts::Counted;
  std::vector<sim::CastHit> hits;
  caster.all(with_ghosts, hits);
  ASSERT_EQ(hits.size(), 2U);
  EXPECT_EQ(hits[0].body, BodyId{2});
  EXPECT_EQ(hits[1].body, BodyId{1});
  EXPECT_EQ(caster.nearest({.from = at(-100, 0), .way = at(0, 100)})->body, BodyId{3});
  EXPECT_FALSE(caster.nearest({.from = at(0, 3), .way = at(4'000, 20)}));
}

TEST(FixedBodies, CostAWarmStepNoMemory) {
#ifdef TICKBOX_AUDIT
  GTEST_SKIP() << "the audit of each step allocates";
#endif
  std::vector<sim::Body> bodies = {wall(1, at(-10, 20), at(100, 1)),
                                   wall(2, at(-11, -90), at(1, 120)),
                                   wall(3, at(90, -90), at(1, 120))};
  for (std::uint32_t i = 0; i < 60; ++i) {
    bodies.push_back(bouncing(moving(box(100 + i, at(i, 0), at(0.5, 0.5)), {3'000, 0}), 200));
    bodies.push_back(coin(200 + i, at(i, 15), at(0.5, 0.5)));
    bodies.push_back(brick(300 + i, at(i, 19), at(0.5, 0.5)));
  }
  Scene scene{kFalling, bodies};
  scene.step();
  std::size_t begun = 0;
  for (std::uint32_t tick = 0; tick < 300; ++tick) {
    if (tick % 6 == 0) scene.world().remove({200 + tick / 6});
    const std::uint64_t before = tests::allocations();
    begun += scene.step().begin.size();
    EXPECT_EQ(tests::allocations(), before) << "tick " << tick;
  }
  EXPECT_GT(begun, 20U);
}

}  // namespace
}  // namespace tickbox::test
