#pragma once
// The arena by rules that do not promise to be closed under contact: whole states are told of it.

#include "game/arena.h"

namespace tickbox::tests {

class ToldWhole final : public game::Rules {
 public:
  explicit ToldWhole(std::uint32_t ticks_per_second) : arena_(ticks_per_second) {}

  [[nodiscard]] std::string_view name() const override { return "told_whole"; }

  [[nodiscard]] bool closed_under_contact() const override { return false; }

  [[nodiscard]] sim::WorldSettings settings() const override { return arena_.settings(); }

  [[nodiscard]] sim::Body body_for(const game::EntityState& entity) const override {
    return arena_.body_for(entity);
  }

  void open(game::World& world) const override { arena_.open(world); }

  void leave(game::World& world, PlayerId player) const override { arena_.leave(world, player); }

  void join(game::World& world, PlayerId player) const override { arena_.join(world, player); }

  void apply_inputs(game::World& world, std::span<const game::PlayerInput> inputs,
                    game::TickEvents& events) const override {
    arena_.apply_inputs(world, inputs, events);
  }

  void after_step(game::World& world, const sim::StepReport& report, game::Authority authority,
                  game::TickEvents& events) const override {
    arena_.after_step(world, report, authority, events);
  }

  void place(game::World& world, game::Placement placement) const override {
    arena_.place(world, placement);
  }

 private:
  game::Arena arena_;
};

}  // namespace tickbox::tests
