#pragma once
// The state of a match: the physics' bodies with their traits, the seats, the random sequence and
// the tick.

#include "core/ids.h"
#include "core/rng.h"
#include "game/entity_state.h"
#include "game/map.h"
#include "sim/world.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tickbox::game {

/// A player's place in a room. The generation distinguishes this player's body from those of
/// earlier players in the seat.
struct SeatState {
  std::uint32_t generation = 0;
  std::uint32_t score = 0;
  bool taken = false;

  friend bool operator==(const SeatState&, const SeatState&) = default;
};

class World {
 public:
  /// Makes an empty world at tick 0. Requires: map->seats ≤ kSeatsMax.
  World(SharedMap map, sim::WorldSettings settings, std::uint64_t seed);

  Tick tick;
  Rng rng;

  [[nodiscard]] const SharedMap& map() const { return map_; }

  [[nodiscard]] sim::World& physics() { return physics_; }

  [[nodiscard]] const sim::World& physics() const { return physics_; }

  [[nodiscard]] std::span<SeatState> seats() { return seats_; }

  [[nodiscard]] std::span<const SeatState> seats() const { return seats_; }

  /// Requires: player.value < seats().size().
  [[nodiscard]] SeatState& seat(PlayerId player);
  [[nodiscard]] const SeatState& seat(PlayerId player) const;
  /// Returns the id of the body of the player in this seat, whether the body is in this world or
  /// not.
  [[nodiscard]] BodyId body_of(PlayerId player) const;

  // The entities in the order of their ids: entity i is physics().movers()[i] with traits()[i].
  [[nodiscard]] std::size_t size() const { return traits_.size(); }

  [[nodiscard]] std::span<Traits> traits() { return traits_; }

  [[nodiscard]] std::span<const Traits> traits() const { return traits_; }

  [[nodiscard]] EntityState entity(std::size_t index) const;

  /// Appends all entities to `out`. Cost: no allocation if `out` has enough capacity.
  void append_entities(std::vector<EntityState>& out) const;

  /// Returns the index of an entity, or size() if there is none with this id. Cost: one binary
  /// search.
  [[nodiscard]] std::size_t index_of(BodyId id) const;

  /// Requires: no entity has this id.
  void add(const sim::Body& body, const Traits& traits);
  /// Returns false if no entity has this id.
  bool remove(BodyId id);
  /// Removes all entities; keeps memory, seats, tick and random state.
  void clear_entities();

 private:
  SharedMap map_;
  sim::World physics_;
  std::vector<Traits> traits_;
  std::vector<SeatState> seats_;
};

/// Returns XXH3-64 over tick, random state, seats and all entities in the order of their ids.
[[nodiscard]] std::uint64_t state_hash(const World& world);

}  // namespace tickbox::game
