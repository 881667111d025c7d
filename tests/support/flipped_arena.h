#pragma once
// An arena in which a test flips a bit of a body at the end of a tick: the effect of faulty memory,
// a compiler bug or a missing cause. Given to a server, the room's world is wrong; given to a
// client, its view.

#include "tests/support/arena_wrappers.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>

namespace tickbox::tests {

/// Called with a world after each of its steps. A client calls it for the steps of its view and of
/// its prediction, for some ticks of the view more than once.
using AfterStep = std::function<void(game::World& world)>;

class FlippedArena final : public WrappedArena {
 public:
  FlippedArena(std::uint32_t ticks_per_second, AfterStep after)
      : WrappedArena(ticks_per_second), after_(std::move(after)) {}

  void after_step(game::World& world, const sim::StepReport& report, game::Authority authority,
                  game::TickEvents& events) const override {
    WrappedArena::after_step(world, report, authority, events);
    after_(world);
  }

 private:
  AfterStep after_;
};

/// Returns an arena in which one velocity is off by one at `tick`.
[[nodiscard]] inline std::shared_ptr<const game::Rules> arena_off_by_one(
    std::uint32_t ticks_per_second, Tick tick) {
  return std::make_shared<const FlippedArena>(ticks_per_second, [tick](game::World& world) {
    if (world.tick == tick) world.physics().movers().front().velocity.x ^= 1;
  });
}

/// Flips one bit of a field of a body, if the body is in the world. A flip of "id" gives the body
/// another id.
inline void flip(game::World& world, BodyId id, std::string_view field, unsigned bit) {
  const std::size_t index = world.index_of(id);
  if (index == world.size()) return;
  game::EntityState entity = world.entity(index);
  game::for_each_field(entity, [&](std::string_view name, auto& value) {
    using Value = std::remove_reference_t<decltype(value)>;
    if (name == field) {
      value = static_cast<Value>(static_cast<std::uint32_t>(value) ^ (std::uint32_t{1} << bit));
    }
  });
  sim::Body body = *world.physics().find(id);
  body.id = entity.id;
  body.min = entity.min;
  body.velocity = entity.velocity;
  world.remove(id);
  world.add(body, entity.traits);
}

}  // namespace tickbox::tests
