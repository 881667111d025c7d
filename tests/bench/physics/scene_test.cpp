// The worlds are what the README says: seeds, counts, and nothing that overlaps to begin with.

#include "tests/bench/physics/scene.h"

#include "tests/bench/physics/quality.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tickbox::bench {
namespace {

constexpr SceneKind kAll[] = {SceneKind::Arena, SceneKind::Platformer, SceneKind::Bullets,
                              SceneKind::Pile, SceneKind::Rest};

// The first output of splitmix64 seeded with 1'001'003, reckoned apart from this program.
TEST(Scene, DrawsAreSplitmix64OverKindAndSize) {
  Draws draws{1, 1'000};
  EXPECT_EQ(std::ldexp(draws.next(), 53), 2'091'780'523'596'096);
}

TEST(Scene, HasAsManyBodiesAsAskedForAndNoneOverlaps) {
  for (const SceneKind kind : kAll) {
    for (const int n : {1, 2, 3, 7, 10, 17, 20, 100, 333, 1'000, 2'500}) {
      const Scene scene = make_scene(kind, n);
      ASSERT_EQ(std::ssize(scene.bodies), n) << "S" << static_cast<int>(kind);
      const auto engine = make_tickbox(scene);
      EXPECT_EQ(find_overlaps(engine->geometry(), engine->poses(), 0).pairs, 0U)
          << "S" << static_cast<int>(kind) << " with " << n;
    }
  }
}

TEST(Scene, EveryTenthBodyAmongTheBulletsIsOne) {
  const Scene scene = make_scene(SceneKind::Bullets, 30);
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    const SceneBody& body = scene.bodies[i];
    EXPECT_EQ(body.role == Role::Bullet, i % 10 == 0);
    if (body.role == Role::Box) continue;
    EXPECT_NEAR(std::hypot(body.vx, body.vy), 3'000, 1e-6);
  }
}

TEST(Scene, TenThousandAtRestStandOnAboutTwentyThousandTiles) {
  const Scene scene = make_scene(SceneKind::Rest, 10'000);
  EXPECT_NEAR(static_cast<double>(scene.tiles.size()), 20'000, 1'000);
}

TEST(Scene, OnlyThePlatformerIsSteeredEachBodyTwiceASecond) {
  for (const SceneKind kind : kAll) {
    Scene scene = make_scene(kind, 50);
    std::vector<int> turned(50, 0);
    for (int tick = 0; tick < 60; ++tick) {
      scene.steer(tick, [&](std::size_t body, double vx) {
        ++turned[body];
        EXPECT_LE(std::abs(vx), 6);
      });
    }
    EXPECT_EQ(turned, std::vector<int>(50, kind == SceneKind::Platformer ? 2 : 0));
  }
}

}  // namespace
}  // namespace tickbox::bench
