#pragma once
// Variants of the arena with one rule changed, for tests.

#include "games/arena/arena.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace tickbox::tests {

/// The arena itself, as the base of the variants.
class WrappedArena : public game::Rules {
 public:
  explicit WrappedArena(std::uint32_t ticks_per_second) : arena_(ticks_per_second) {}

  [[nodiscard]] std::string_view name() const override { return arena_.name(); }

  [[nodiscard]] sim::WorldSettings settings() const override { return arena_.settings(); }

  [[nodiscard]] sim::Body body_for(const game::EntityState& entity) const override {
    return arena_.body_for(entity);
  }

  [[nodiscard]] bool is_valid(const game::EntityState& entity, const game::Map& map,
                              Tick tick) const override {
    return arena_.is_valid(entity, map, tick);
  }

  [[nodiscard]] bool may_overlap(const sim::Body& a, const sim::Body& b) const override {
    return arena_.may_overlap(a, b);
  }

  [[nodiscard]] std::int32_t run_speed() const override { return arena_.run_speed(); }

  [[nodiscard]] std::optional<sim::Cast> ray_of(const game::World& world,
                                                const game::PlayerInput& given) const override {
    return arena_.ray_of(world, given);
  }

  void open(game::World& world) const override { arena_.open(world); }

  void leave(game::World& world, PlayerId player) const override { arena_.leave(world, player); }

  void join(game::World& world, std::span<const PlayerId> players) const override {
    arena_.join(world, players);
  }

  void apply_inputs(game::World& world, std::span<const game::PlayerInput> inputs,
                    game::TickEvents& events) const override {
    arena_.apply_inputs(world, inputs, events);
  }

  void after_step(game::World& world, const sim::StepReport& report, game::Authority authority,
                  game::TickEvents& events) const override {
    arena_.after_step(world, report, authority, events);
  }

  void place(game::World& world, game::Teleport teleport) const override {
    arena_.place(world, teleport);
  }

 private:
  game::Arena arena_;
};

/// An arena that does not promise to be closed under contact.
class ToldWhole final : public WrappedArena {
 public:
  using WrappedArena::WrappedArena;

  [[nodiscard]] bool closed_under_contact() const override { return false; }
};

/// An arena in which the player of seat N appears at spawn point N.
class SeatedArena : public WrappedArena {
 public:
  using WrappedArena::WrappedArena;

  void join(game::World& world, std::span<const PlayerId> players) const override {
    WrappedArena::join(world, players);
    for (const PlayerId player : players) {
      place(world, {.player = player, .place = player.value});
    }
  }
};

/// A SeatedArena that does not promise to be closed under contact.
class SeatedToldWhole final : public SeatedArena {
 public:
  using SeatedArena::SeatedArena;

  [[nodiscard]] bool closed_under_contact() const override { return false; }
};

}  // namespace tickbox::tests
