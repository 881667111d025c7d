#pragma once
// The arena, whose rules fail an assertion in one tick, in the middle of its step.

#include "core/assert.h"
#include "tests/support/arena_wrappers.h"

namespace tickbox::tests {

class FailingArena final : public WrappedArena {
 public:
  /// In the step that makes `tick`.
  FailingArena(std::uint32_t ticks_per_second, Tick tick)
      : WrappedArena(ticks_per_second), fails_at_(tick) {}

  void apply_inputs(game::World& world, std::span<const game::PlayerInput> inputs,
                    game::TickEvents& events) const override {
    WrappedArena::apply_inputs(world, inputs, events);
    const bool the_planted_failure = world.tick == fails_at_;
    TICKBOX_ASSERT(!the_planted_failure);
  }

 private:
  Tick fails_at_;
};

}  // namespace tickbox::tests
