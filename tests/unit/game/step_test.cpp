#include "game/step.h"

#include "tests/support/staged_match.h"

#include <gtest/gtest.h>

#include <vector>

namespace tickbox::game {
namespace {

using tests::StagedMatch;

std::vector<PlayerInput> random_inputs(Rng& rng, std::uint16_t players) {
  std::vector<PlayerInput> inputs;
  for (std::uint16_t i = 0; i < players; ++i) {
    inputs.push_back({.player = {i},
                      .input = {.move = static_cast<std::uint8_t>(rng.below(9)),
                                .buttons = static_cast<std::uint8_t>(rng.below(2)),
                                .aim = static_cast<std::uint16_t>(rng.below(kAimDirections))}});
  }
  return inputs;
}

// Save and restore: a world put together again from its entities' fields, its seats and its random
// state goes on as the original does.
TEST(Step, GoesOnFromItsFieldsAlone) {
  StagedMatch match{8, 21};
  for (std::uint16_t i = 0; i < 8; ++i) {
    match.join({i});
  }
  Rng rng{5};
  match.ticks(100, random_inputs(rng, 8));

  World copy{match.map(), match.rules()->settings(), 0};
  copy.tick = match.world().tick;
  copy.rng = match.world().rng;
  std::ranges::copy(match.world().seats(), copy.seats().begin());
  for (const EntityState& entity : match.entities()) {
    copy.add(match.rules()->body_for(entity), entity.traits);
  }
  Stepper stepper;
  for (int i = 0; i < 300; ++i) {
    const std::vector<PlayerInput> inputs = random_inputs(rng, 8);
    match.tick(inputs);
    step(copy, *match.rules(), {.leaves = {}, .joins = {}, .inputs = inputs}, Authority::Server,
         stepper);
    ASSERT_EQ(state_hash(copy), state_hash(match.world())) << "tick " << copy.tick.value;
  }
}

TEST(Step, SeedsMakeDifferentMatches) {
  StagedMatch one{8, 1};
  StagedMatch other{8, 2};
  one.join({0});
  other.join({0});
  EXPECT_NE(state_hash(one.world()), state_hash(other.world()));
}

}  // namespace
}  // namespace tickbox::game
