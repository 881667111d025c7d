#pragma once
// What a kind of game adds to the physics, as four moves within a tick: leave, join, inputs, after
// the step.
//
// A server tells its clients causes, not effects, so what one body does must reach another by
// contact only. What does not (a search for a free place, a draw from the room's random sequence)
// is the server's to decide, and travels as an outcome: a Placement. So is whom
// a ray strikes (a Strike): a client sees the others some ticks late, and the server judges by
// that.

#include "core/ids.h"
#include "game/entity_state.h"
#include "game/input.h"
#include "game/world.h"
#include "sim/cast.h"
#include "sim/step.h"

#include <cstdint>
#include <optional>
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

enum class Weapon : std::uint8_t {
  Gun,  ///< brings forth a bullet
  Ray,  ///< strikes at once what its player saw
};

/// A player's input that fired a weapon: one that only presses the button does not.
struct Shot {
  PlayerId player;
  std::uint16_t aim = 0;
  Weapon weapon = Weapon::Gun;

  friend bool operator==(Shot, Shot) = default;
};

/// An outcome: whom a ray strikes, judged by what its player saw, which is past. Without the shot
/// it is void.
struct Strike {
  PlayerId shooter;
  BodyId victim;  ///< a player's

  friend bool operator==(Strike, Strike) = default;
};

/// An outcome: where the server put a player's body when the tick was over.
struct Placement {
  PlayerId player;
  std::uint16_t place = 0;  ///< index into Map::spawn_points

  friend bool operator==(Placement, Placement) = default;
};

/// What happened in one tick beside the physics' own report, in the order in which it happened.
struct TickEvents {
  std::vector<Shot> shots;
  std::vector<Hit> hits;
  std::vector<Placement> placements;  ///< of the server only: each player at most once
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

  /// Whether bodies influence each other by contact alone. Of rules that say no, clients are told
  /// whole states.
  [[nodiscard]] virtual bool closed_under_contact() const { return true; }

  /// Sub-units per tick and axis that a player moves at most by itself.
  [[nodiscard]] virtual std::int32_t run_speed() const = 0;

  /// The ray that a player's input would fire in the next step, if any; it ignores the shooter.
  [[nodiscard]] virtual std::optional<sim::Cast> ray_of(const World& world,
                                                        const PlayerInput& given) const = 0;

  /// Furnishes an empty world at tick 0.
  virtual void open(World& world) const = 0;

  /// Requires: the seat is taken (leave), or free (join).
  virtual void leave(World& world, PlayerId player) const = 0;
  virtual void join(World& world, PlayerId player) const = 0;

  /// Lets every player act on its input; who has none in `inputs` runs on as it did. Adds to
  /// `events`.
  virtual void apply_inputs(World& world, std::span<const PlayerInput> inputs,
                            TickEvents& events) const = 0;

  /// Draws the consequences of a step and of the hits that `events` has already; adds to them.
  virtual void after_step(World& world, const sim::StepReport& report, Authority authority,
                          TickEvents& events) const = 0;

  /// Puts a player's body where the server decided. Whose body is not in this world is left alone.
  virtual void place(World& world, Placement placement) const = 0;
};

}  // namespace tickbox::game
