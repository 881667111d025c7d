#pragma once
// A small match without a network: players by seat, inputs by hand.

#include "game/step.h"
#include "games/arena/arena.h"
#include "games/arena/arena_map.h"

#include <cstdint>
#include <vector>

namespace tickbox::game {

struct TestMatch {
  explicit TestMatch(std::uint32_t seats = 4, std::uint64_t seed = 1)
      : world(make_arena_map(seats), rules.settings(), seed) {
    rules.open(world);
  }

  void join(std::uint16_t player) {
    const std::vector<PlayerId> joins = {{player}};
    step(world, rules, {.leaves = {}, .joins = joins, .inputs = {}}, Authority::Server, stepper);
  }

  void leave(std::uint16_t player) {
    const std::vector<PlayerId> leaves = {{player}};
    step(world, rules, {.leaves = leaves, .joins = {}, .inputs = {}}, Authority::Server, stepper);
  }

  void tick(const std::vector<PlayerInput>& inputs = {}) {
    step(world, rules, {.leaves = {}, .joins = {}, .inputs = inputs}, Authority::Server, stepper);
  }

  void strike(const std::vector<PlayerInput>& inputs, const std::vector<Strike>& strikes) {
    step(world, rules, {.leaves = {}, .joins = {}, .inputs = inputs, .strikes = strikes},
         Authority::Server, stepper);
  }

  void ticks(int count, const std::vector<PlayerInput>& inputs) {
    for (int i = 0; i < count; ++i) {
      tick(inputs);
    }
  }

  [[nodiscard]] sim::Body& body(std::uint16_t player) {
    return *world.physics().find(world.body_of({player}));
  }

  /// The upper left corner of the field.
  [[nodiscard]] Vec2 corner() const {
    const sim::Body& upper_wall = world.map()->statics->bodies()[0];
    return {upper_wall.min.x + upper_wall.size.y, upper_wall.min.y + upper_wall.size.y};
  }

  /// Puts a player so many units from the corner. In the first block, rows 0 to 3 and column 0 to 2
  /// are open; a thin wall stands at x = 13, from y = 4 to 12.
  void place(std::uint16_t player, Vec2 units) {
    body(player).min = {corner().x + units.x * kUnit, corner().y + units.y * kUnit};
    body(player).velocity = {};
  }

  [[nodiscard]] std::size_t count(EntityKind kind) const {
    std::size_t found = 0;
    for (const Traits& traits : world.traits()) {
      found += traits.kind == kind ? 1 : 0;
    }
    return found;
  }

  Arena rules{60};
  World world;
  Stepper stepper;
};

/// Running to the right, without and with a shot to the right.
inline constexpr Input kRight{.move = 1};
inline constexpr Input kRayRight{.buttons = kButtonRay, .aim = 0};
inline constexpr Input kShootRight{.buttons = kButtonShoot, .aim = 0};

}  // namespace tickbox::game
