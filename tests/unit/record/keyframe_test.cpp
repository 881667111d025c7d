#include "game/restore.h"
#include "games/arena/arena_map.h"
#include "games/catalog.h"
#include "tests/support/recorded_match.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>

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

/// The reason why the match's world is refused after `change`; nothing if it is restored.
std::optional<game::RestoreError> refusal_of(const RecordedMatch& match,
                                             const std::function<void(Keyframe&)>& change) {
  Keyframe keyframe = keyframe_of(match.world());
  change(keyframe);
  const auto restored = game::restore(keyframe.fields(), match.map(), match.rules());
  return restored ? std::nullopt : std::optional{restored.error()};
}

// Every world of a match can be restored: a recorder may write it at any tick.
TEST(Restore, TakesEveryWorldOfAMatch) {
  for (const std::uint32_t rate : {10U, 60U, 240U}) {
    RecordedMatch match{{.tick_rate = rate, .seats = 40, .seed = rate}};
    for (int i = 0; i < 600; ++i) {
      match.step();
      ASSERT_EQ(refusal_of(match, [](Keyframe&) {}), std::nullopt)
          << "tick " << i + 1 << " at " << rate << " Hz";
    }
  }
}

game::EntityState& first_of(game::EntityKind kind, Keyframe& keyframe) {
  return *std::ranges::find(keyframe.entities, kind,
                            [](const auto& entity) { return entity.traits.kind; });
}

TEST(Restore, RefusesBodiesThatOverlap) {
  const RecordedMatch match = match_of_40_ticks();
  EXPECT_EQ(refusal_of(match,
                       [](Keyframe& keyframe) {
                         game::EntityState& crate = first_of(game::EntityKind::Crate, keyframe);
                         const Vec2 place = keyframe.entities.back().min;
                         ASSERT_NE(crate.id, keyframe.entities.back().id);
                         crate.min = {.x = place.x + 1, .y = place.y};
                       }),
            game::RestoreError::Overlap);
  EXPECT_EQ(refusal_of(match,
                       [&match](Keyframe& keyframe) {
                         const sim::Body& wall = match.map()->statics->bodies().back();
                         first_of(game::EntityKind::Crate, keyframe).min = wall.min;
                       }),
            game::RestoreError::Overlap);
}

/// Adds a bullet of `owner`, fired in the last tick, inside the body `inside`.
void add_bullet(Keyframe& keyframe, PlayerId owner, const game::EntityState& inside) {
  keyframe.entities.push_back(
      {.id = game::bullet_body(owner, keyframe.tick),
       .min = {.x = inside.min.x + kUnit / 2, .y = inside.min.y + kUnit / 2},
       .velocity = {},
       .traits = {.kind = game::EntityKind::Bullet, .timer = tests::kMatchTickRate - 1}});
}

TEST(Restore, TakesABulletInsideItsShooterOnly) {
  RecordedMatch match{{.all_stay = true}};
  for (int i = 0; i < 40; ++i) {
    match.step();
  }
  const auto without_bullets = [](Keyframe& keyframe) {
    std::erase_if(keyframe.entities, [](const game::EntityState& entity) {
      return entity.traits.kind == game::EntityKind::Bullet;
    });
    ASSERT_GE(keyframe.entities.size(), 2U);
  };
  EXPECT_EQ(refusal_of(match,
                       [&](Keyframe& keyframe) {
                         without_bullets(keyframe);
                         const game::EntityState player = keyframe.entities[0];
                         add_bullet(keyframe, game::player_of(player.id), player);
                       }),
            std::nullopt);
  EXPECT_EQ(refusal_of(match,
                       [&](Keyframe& keyframe) {
                         without_bullets(keyframe);
                         const game::EntityState player = keyframe.entities[0];
                         add_bullet(keyframe, game::player_of(keyframe.entities[1].id), player);
                       }),
            game::RestoreError::Overlap);
}

TEST(Restore, RefusesStatesThatTheGameDoesNotHave) {
  const RecordedMatch match = match_of_40_ticks();
  const auto refused_with = [&match](game::EntityKind kind, auto change) {
    return refusal_of(match, [&](Keyframe& keyframe) { change(first_of(kind, keyframe)); }) ==
           game::RestoreError::ImpossibleEntity;
  };
  using game::EntityKind;
  EXPECT_TRUE(refused_with(EntityKind::Player, [](auto& it) { it.traits.timer = 6; }))
      << "a weapon is loaded after half a second";
  EXPECT_TRUE(refused_with(EntityKind::Player, [](auto& it) { it.velocity.x = 21 * kUnit; }));
  EXPECT_TRUE(refused_with(EntityKind::Crate, [](auto& it) { it.traits.timer = 1; }));
  EXPECT_TRUE(refused_with(EntityKind::Crate, [](auto& it) { it.velocity.y = -21 * kUnit; }));
  EXPECT_EQ(refusal_of(match,
                       [&match](Keyframe& keyframe) {
                         const auto crates = static_cast<std::uint32_t>(match.map()->crates.size());
                         std::erase_if(keyframe.entities, [](const game::EntityState& entity) {
                           return entity.traits.kind == EntityKind::Bullet;
                         });
                         keyframe.entities.push_back({.id = game::crate_body(crates),
                                                      .min = {},
                                                      .velocity = {},
                                                      .traits = {.kind = EntityKind::Crate}});
                       }),
            game::RestoreError::ImpossibleEntity)
      << "more crates than the map has";
}

/// A world at tick 100 without players, with bullets of all seats in one place. Nine bullets of a
/// seat have different ages.
Keyframe bullets_in_one_place(const game::Map& map) {
  Keyframe keyframe;
  keyframe.tick = {100};
  keyframe.seats.resize(map.seats);
  for (std::uint16_t seat = 0; seat < map.seats; ++seat) {
    for (std::uint8_t timer = 1; timer < 10; ++timer) {
      const Tick spawned{91U + timer};
      keyframe.entities.push_back({.id = game::bullet_body({seat}, spawned),
                                   .min = map.spawn_points.front(),
                                   .velocity = {},
                                   .traits = {.kind = game::EntityKind::Bullet, .timer = timer}});
    }
  }
  return keyframe;
}

// Bullets do not meet each other, but a step looks at each pair of them.
TEST(Restore, RefusesThousandsOfBulletsInOnePlace) {
  const auto rules = game::make_rules("arena", 10);
  const auto refusal = [&rules](std::uint32_t seats) -> std::optional<game::RestoreError> {
    const game::SharedMap map = game::make_arena_map(seats);
    const auto restored = game::restore(bullets_in_one_place(*map).fields(), map, *rules);
    return restored ? std::nullopt : std::optional{restored.error()};
  };
  EXPECT_EQ(refusal(300), std::nullopt);
  EXPECT_EQ(refusal(340), game::RestoreError::TooManyPairs);
}

}  // namespace
}  // namespace tickbox::record
