#pragma once
// The interface of a game: what it adds to the physics. A tick calls four functions: leave for each
// player who leaves, then join, apply_inputs and after_step. place() carries out a teleport: on the
// server when it is drawn, at a client when it arrives.
//
// A server sends causes, not effects, to its clients, so one body may influence another by contact
// only. The server decides all other effects and sends them as outcomes. A Teleport is the result
// of a search for a free place or of a draw from the room's random sequence. A Strike says which
// player a ray hits: a client sees the others some ticks late, and the server judges by that.

#include "core/ids.h"
#include "game/entity_state.h"
#include "game/input.h"
#include "game/map.h"
#include "game/world.h"
#include "sim/cast.h"
#include "sim/step.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace tickbox::game {

/// The end that steps. The server alone decides what a replay cannot derive, such as the place of a
/// respawn, and sends it.
enum class Authority : std::uint8_t { Server, Client };

struct Hit {
  PlayerId shooter;
  PlayerId victim;

  friend bool operator==(Hit, Hit) = default;
};

enum class Weapon : std::uint8_t {
  Gun,  ///< fires a bullet
  Ray,  ///< hits at once, judged by what its player saw
};

/// A player's input that fired a weapon; a button press that fires nothing is no shot.
struct Shot {
  PlayerId player;
  std::uint16_t aim = 0;
  Weapon weapon = Weapon::Gun;

  friend bool operator==(Shot, Shot) = default;
};

/// An outcome: a ray hits a player, judged by the past state that the shooter saw. Has no effect
/// without the shooter's shot.
struct Strike {
  PlayerId shooter;
  BodyId victim;  ///< the body of a player

  friend bool operator==(Strike, Strike) = default;
};

/// An outcome: the place to which the server teleported a player's body at the end of the tick.
struct Teleport {
  PlayerId player;
  std::uint16_t place = 0;  ///< index into Map::spawn_points

  friend bool operator==(Teleport, Teleport) = default;
};

/// The events of one tick beyond the physics' own report, in the order in which they happened.
struct TickEvents {
  std::vector<Shot> shots;
  std::vector<Hit> hits;            ///< each victim at most once
  std::vector<Teleport> teleports;  ///< on the server only; each player at most once
};

/// The rules of a game. Stateless: everything that changes is in the World. Thread: immutable, so
/// free to share.
/// Determinism: whole numbers only; random numbers only from the World's own sequence; bodies in
/// the order of their ids.
class Rules {
 public:
  virtual ~Rules() = default;

  [[nodiscard]] virtual std::string_view name() const = 0;
  [[nodiscard]] virtual sim::WorldSettings settings() const = 0;

  /// Returns an entity's body, with the properties of its kind. The inverse of World::entity() for
  /// the fields of the physics.
  [[nodiscard]] virtual sim::Body body_for(const EntityState& entity) const = 0;

  /// Returns whether a server of this game can have written an entity with this state after `tick`.
  /// Every state that an entity has after a tick of a match is valid.
  [[nodiscard]] virtual bool is_valid(const EntityState& entity, const Map& map,
                                      Tick tick) const = 0;

  /// Returns whether two bodies may overlap after a tick, although the step keeps them apart.
  [[nodiscard]] virtual bool may_overlap(const sim::Body& a, const sim::Body& b) const = 0;

  /// Returns whether bodies influence each other by contact alone. If false, the server sends
  /// bodies in full.
  [[nodiscard]] virtual bool closed_under_contact() const { return true; }

  /// Returns the highest speed of a player that runs, in sub-units per tick and axis.
  [[nodiscard]] virtual std::int32_t run_speed() const = 0;

  /// Returns the ray that a player's input would fire in the next step, if any; the ray ignores the
  /// shooter.
  [[nodiscard]] virtual std::optional<sim::Cast> ray_of(const World& world,
                                                        const PlayerInput& given) const = 0;

  /// Adds the first entities to an empty world at tick 0.
  virtual void open(World& world) const = 0;

  /// Requires: the seat is taken.
  virtual void leave(World& world, PlayerId player) const = 0;

  /// Adds all players who join in a tick, in this order. Requires: their seats are free.
  virtual void join(World& world, std::span<const PlayerId> players) const = 0;

  /// Applies every player's input. A player without one in `inputs` keeps running as before. Adds
  /// to `events`.
  virtual void apply_inputs(World& world, std::span<const PlayerInput> inputs,
                            TickEvents& events) const = 0;

  /// Applies the consequences of a step and of the hits already in `events`; adds to `events`.
  virtual void after_step(World& world, const sim::StepReport& report, Authority authority,
                          TickEvents& events) const = 0;

  /// Teleports a player's body to the place that the server decided. Does nothing if that body is
  /// not in this world.
  virtual void place(World& world, Teleport teleport) const = 0;
};

}  // namespace tickbox::game
