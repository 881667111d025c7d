#include "game/restore.h"
#include "tests/support/recorded_match.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tickbox::record {
namespace {

using tests::RecordedMatch;

/// The world of a match after some ticks, as a reader gives it.
Keyframe keyframe_of(const game::World& world) {
  Keyframe keyframe;
  keyframe.tick = world.tick;
  keyframe.state_hash = game::state_hash(world);
  keyframe.random = world.rng.state();
  keyframe.seats.assign(world.seats().begin(), world.seats().end());
  world.append_entities(keyframe.entities);
  return keyframe;
}

RecordedMatch match_of_40_ticks() {
  RecordedMatch match;
  for (int i = 0; i < 40; ++i) {
    match.step();
  }
  return match;
}

TEST(Restore, GivesAWorldThatStepsOnAsTheOriginal) {
  RecordedMatch match = match_of_40_ticks();
  auto world =
      game::restore(keyframe_of(match.world()).fields(), match.map(), match.rules()).value();
  EXPECT_EQ(game::state_hash(world), game::state_hash(match.world()));
  game::Stepper stepper;
  for (int i = 0; i < 60; ++i) {
    const RecordedTick tick = match.step();
    game::step(world, match.rules(), tick.commands(), game::Authority::Server, stepper);
    ASSERT_EQ(game::state_hash(world), tick.state_hash) << "tick " << tick.tick.value;
  }
}

TEST(Restore, RefusesOtherSeatsThanTheMapHas) {
  const RecordedMatch match = match_of_40_ticks();
  auto keyframe = keyframe_of(match.world());
  keyframe.seats.emplace_back();
  EXPECT_EQ(game::restore(keyframe.fields(), match.map(), match.rules()).error(),
            game::RestoreError::WrongSeats);
}

TEST(Restore, RefusesBodiesOfUnknownSeats) {
  const RecordedMatch match = match_of_40_ticks();
  auto keyframe = keyframe_of(match.world());
  keyframe.entities.push_back({.id = game::bullet_body({tests::kMatchSeats}, {40}),
                               .min = {},
                               .velocity = {},
                               .traits = {.kind = game::EntityKind::Bullet}});
  EXPECT_EQ(game::restore(keyframe.fields(), match.map(), match.rules()).error(),
            game::RestoreError::UnknownSeat);
}

TEST(Restore, RefusesSeatsWithoutBodiesAndBodiesWithoutSeats) {
  const RecordedMatch match = match_of_40_ticks();
  const auto good = keyframe_of(match.world());
  ASSERT_EQ(good.entities.front().traits.kind, game::EntityKind::Player);
  const PlayerId player = game::player_of(good.entities.front().id);

  auto keyframe = good;
  keyframe.entities.erase(keyframe.entities.begin());
  EXPECT_EQ(game::restore(keyframe.fields(), match.map(), match.rules()).error(),
            game::RestoreError::SeatWithoutBody);
  keyframe = good;
  keyframe.seats[player.value].taken = false;
  EXPECT_EQ(game::restore(keyframe.fields(), match.map(), match.rules()).error(),
            game::RestoreError::SeatWithoutBody);
  keyframe = good;
  ++keyframe.seats[player.value].generation;
  EXPECT_EQ(game::restore(keyframe.fields(), match.map(), match.rules()).error(),
            game::RestoreError::SeatWithoutBody);
}

}  // namespace
}  // namespace tickbox::record
