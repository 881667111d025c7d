#pragma once
// What a kind of game adds to the physics, as four moves within a tick: leave, join, inputs, after
// the step.

#include "core/ids.h"
#include "game/entity_state.h"
#include "game/input.h"
#include "game/world.h"
#include "sim/step.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace tickbox::game {

/// Who steps. What a replay cannot derive (where somebody appears again) is decided by the server
/// alone and sent.
enum class Authority : std::uint8_t { Server, Replica };

struct Hit {
  PlayerId shooter;
  PlayerId victim;

  friend bool operator==(Hit, Hit) = default;
};

/// What happened in one tick beside the physics' own report, in the order in which it happened.
struct TickEvents {
  std::vector<Hit> hits;
};

/// Stateless: everything that changes lives in the World.   Thread: immutable, so free to share.
/// Determinism: whole numbers only, no draw but from the World's own random sequence, bodies in the
/// order of their ids.
class Rules {
 public:
  virtual ~Rules() = default;

  [[nodiscard]] virtual std::string_view name() const = 0;
  [[nodiscard]] virtual sim::WorldSettings settings() const = 0;

  /// The body that an entity has by its kind. The inverse of World::entity() for what the physics
  /// knows.
  [[nodiscard]] virtual sim::Body body_for(const EntityState& entity) const = 0;

  /// Furnishes an empty world at tick 0.
  virtual void open(World& world) const = 0;

  /// Requires: the seat is taken (leave), or free (join).
  virtual void leave(World& world, PlayerId player) const = 0;
  virtual void join(World& world, PlayerId player) const = 0;

  /// Lets every player act on its input; who has none in `inputs` acts on the one it holds.
  virtual void apply_inputs(World& world, std::span<const PlayerInput> inputs) const = 0;

  /// Draws the consequences of a step; adds to `events`.
  virtual void after_step(World& world, const sim::StepReport& report, Authority authority,
                          TickEvents& events) const = 0;
};

}  // namespace tickbox::game
