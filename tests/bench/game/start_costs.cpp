#include "engine/stepper.h"
#include "games/platformer/platformer.h"
#include "tests/bench/frame.h"
#include "tests/bench/game/costs.h"

#include <vector>

namespace tickbox::bench {

double measure_start(std::uint16_t players, int ticks) {
  constexpr std::uint32_t kTickRate = 60;
  /// The heroes are no longer new, and stand.
  constexpr int kWarmUpTicks = 60;
  const GameTable& game = games::platformer();
  engine::World world{game, engine::make_map(game, {.seats = players}, kTickRate), kTickRate, 1};
  engine::Stepper stepper;
  stepper.open(world);
  std::vector<engine::Join> joins;
  for (std::uint16_t seat = 0; seat < players; ++seat) {
    joins.push_back({.player = {seat}, .user_data = {}});
  }
  engine::TickRecord record;
  stepper.step(world, {.leaves = {}, .joins = joins, .inputs = {}}, record);
  std::vector<double> steps;
  for (int tick = 0; tick < kWarmUpTicks + ticks; ++tick) {
    const std::uint64_t before = thread_time();
    stepper.step(world, {}, record);
    if (tick >= kWarmUpTicks) steps.push_back(static_cast<double>(thread_time() - before) / 1e3);
  }
  return median(steps);
}

}  // namespace tickbox::bench
