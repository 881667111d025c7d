// Ratios, targets, and what makes a result unsound.

#include "tests/bench/physics/targets.h"

#include <gtest/gtest.h>

namespace tickbox::bench {
namespace {

Line line(EngineKind engine, double us) {
  return {.scene = SceneKind::Arena, .n = 1'000, .engine = engine, .us_per_tick = {us, 2 * us}};
}

TEST(Targets, TheLeastTimesAreComparedInTheSameWorld) {
  std::vector<Line> lines{line(EngineKind::Tickbox, 9), line(EngineKind::Box2d, 100),
                          line(EngineKind::Chipmunk, 30)};
  lines.push_back(line(EngineKind::Box2d, 1));
  lines.back().n = 50;
  const std::vector<Ratio> ratios = ratios_of(lines);
  ASSERT_EQ(ratios.size(), 2U);
  EXPECT_DOUBLE_EQ(ratios[0].ratio, 0.09);
  EXPECT_EQ(ratios[0].target, 0.10);
  EXPECT_TRUE(ratios[0].held());
  EXPECT_DOUBLE_EQ(ratios[1].ratio, 0.30);
  EXPECT_FALSE(ratios[1].held()) << "0.27 is the target";
}

TEST(Targets, AreSetForTheirOwnSizesOnly) {
  EXPECT_EQ(target_of(SceneKind::Rest, 10'000, EngineKind::Box2d), 0.05);
  EXPECT_EQ(target_of(SceneKind::Rest, 1'000, EngineKind::Box2d), std::nullopt);
  EXPECT_EQ(target_of(SceneKind::Rest, 10'000, EngineKind::Box2dSleeping), std::nullopt);
  EXPECT_EQ(target_of(SceneKind::Rest, 10'000, EngineKind::ChipmunkSleeping), std::nullopt);
}

TEST(Targets, OnlyTickboxIsHeldToItsPromises) {
  std::vector<Line> lines{line(EngineKind::Tickbox, 9), line(EngineKind::Box2d, 100)};
  lines[1].quality.overlaps_most = 5;
  lines[1].quality.tunnelled = 5;
  EXPECT_TRUE(is_sound(lines));
  for (const auto spoil :
       {+[](Line& l) { l.quality.overlaps_most = 1; }, +[](Line& l) { l.quality.tunnelled = 1; },
        +[](Line& l) { l.repeatable = false; }}) {
    std::vector<Line> spoiled = lines;
    spoil(spoiled[0]);
    EXPECT_FALSE(is_sound(spoiled));
  }
}

}  // namespace
}  // namespace tickbox::bench
