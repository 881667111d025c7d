// The articles' demonstrations as numbers: what tunnels where overlaps are looked for at the end of
// a tick only, and that nothing does where courses are swept.

#include "client/commands/sim/comparison.h"

#include "sim/step/overlaps.h"
#include "tests/unit/articles/scene.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace tickbox::test {
namespace {

using commands::Crossing;

commands::Comparison compare(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream{path}.rdbuf();
  const auto scenario = scenario::parse_scenario(text.str(), path);
  if (!scenario) throw std::runtime_error{scenario.error()};
  sim::World world = scenario::make_world(*scenario);
  commands::Comparison beside{world};
  sim::Stepper stepper;
  for (Tick tick{1}; tick.value <= std::min(scenario->ticks, 1'000U); tick = tick + 1) {
    for (const scenario::VelocityChange& change : scenario->changes) {
      if (change.tick != tick) continue;
      change.apply(*world.find_mover(change.id));
      change.apply(*beside.discrete.world.find_mover(change.id));
    }
    beside.after_step(tick, world, stepper.step(world));
  }
  return beside;
}

// The fast dot is at 16 + 3 · 333 1/3 after 3 ticks, beyond the wall at 776. The dot at 200 px/s is
// seen, and stopped.
TEST(Comparison, TheDiscreteDotAt20000PixelsPerSecondIsNotStopped) {
  const commands::Comparison compared = compare(Scene::path_of("dots.json"));
  EXPECT_EQ(compared.discrete.unseen, 1U);
  EXPECT_EQ(compared.discrete.first, (std::vector<Crossing>{{{3}, {4}, {3}}}));
  EXPECT_EQ(compared.tickbox.unseen, 0U);
}

TEST(Comparison, ADiscreteLagSpikeLeadsThroughTheWall) {
  const commands::Comparison compared = compare(Scene::path_of("lag_spike.json"));
  EXPECT_EQ(compared.discrete.first, (std::vector<Crossing>{{{1}, {2}, {1}}}));
}

// At 10 units a tick and more, the overlap is missed. At 1 it is seen, when the body already covers
// the platform: the nearest way out is the far side, a quarter of a unit away.
TEST(Comparison, DiscretelyNobodyStaysOnTheThinPlatform) {
  const commands::Comparison compared = compare(Scene::path_of("thin_platform.json"));
  EXPECT_EQ(compared.discrete.unseen, 4U);
  EXPECT_EQ(compared.discrete.pushed, 1U);
}

TEST(Comparison, TheDiscreteGoombaStaysInTheFloorOrInMario) {
  const commands::Comparison compared = compare(Scene::path_of("goomba_in_the_floor.json"));
  EXPECT_EQ(sim::find_overlaps(compared.discrete.world).size(), 1U);
}

TEST(Comparison, NothingTunnelsInAnySceneOfTheArticles) {
  std::size_t scenes = 0;
  std::uint64_t discrete = 0;
  for (const auto& entry : std::filesystem::directory_iterator{Scene::path_of("")}) {
    if (entry.path().extension() != ".json") continue;
    const commands::Comparison compared = compare(entry.path().string());
    EXPECT_EQ(compared.tickbox.unseen, 0U) << entry.path();
    EXPECT_EQ(compared.tickbox.pushed, 0U) << entry.path();
    discrete += compared.discrete.unseen;
    ++scenes;
  }
  EXPECT_GE(scenes, 30U);
  EXPECT_GE(discrete, 30U) << "or the scenes show nothing";
}

}  // namespace
}  // namespace tickbox::test
