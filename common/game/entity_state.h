#pragma once
// The state of one entity that is hashed, sent and recorded. One list of its fields serves the hash
// and the search for differences.

#include "core/fixed.h"
#include "core/hash.h"
#include "core/ids.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

namespace tickbox::game {

enum class EntityKind : std::uint8_t { Player, Crate, Bullet };
inline constexpr std::uint8_t kEntityKinds = 3;

/// The properties of an entity beyond those of a moving box. Its body's size, mass and layers
/// follow from the kind.
struct Traits {
  EntityKind kind = EntityKind::Player;
  std::uint8_t move = 0;   ///< of a player: the direction in which it runs until another input
  std::uint8_t timer = 0;  ///< ticks until a player may shoot again, or until a bullet despawns

  friend bool operator==(const Traits&, const Traits&) = default;
};

/// Positions in sub-units, velocities in sub-units per tick.
struct EntityState {
  BodyId id;
  Vec2 min;
  Vec2 velocity;
  Traits traits;

  friend bool operator==(const EntityState&, const EntityState&) = default;
};

/// Visits every replicated field, in the order in which it is hashed. The id comes first and seeds
/// the hash; it is hashed as its wire_id().
template <class Entity, class Visit>
constexpr void for_each_field(Entity& entity, Visit&& visit) {
  visit("id", entity.id.value);
  visit("kind", entity.traits.kind);
  visit("x", entity.min.x);
  visit("y", entity.min.y);
  visit("vx", entity.velocity.x);
  visit("vy", entity.velocity.y);
  visit("move", entity.traits.move);
  visit("timer", entity.traits.timer);
}

/// Returns XXH3-64 over the fields of one entity, seeded with its id.
[[nodiscard]] std::uint64_t entity_hash(const EntityState& entity);

/// The hash of a set of entities: the sum of their hashes modulo 2^64, so that the order of the
/// entities does not matter.
class ViewHash {
 public:
  void add(std::uint64_t hash_of_entity) { sum_ += hash_of_entity; }

  [[nodiscard]] std::uint64_t value() const { return sum_; }

 private:
  std::uint64_t sum_ = 0;
};

// An entity's id contains its kind and, for players and bullets, a seat. So both ends derive the
// same id for the same spawn. It has 32 bits: [31:30] kind; players [29:12] generation of the seat,
// [11:0] seat; crates [29:0] number; bullets [29:18] seat of the owner, [17:0] tick of the spawn.
// An owner spawns one bullet per tick at most; 2^18 ticks is far beyond a bullet's life.
inline constexpr int kSeatBits = 12;
inline constexpr std::uint32_t kSeatsMax = 1U << kSeatBits;
inline constexpr std::uint32_t kGenerations = 1U << 18;

[[nodiscard]] constexpr BodyId player_body(PlayerId player, std::uint32_t generation) {
  return {(generation % kGenerations) << kSeatBits | player.value};
}

[[nodiscard]] constexpr BodyId crate_body(std::uint32_t number) {
  return {1U << 30 | number};
}

[[nodiscard]] constexpr BodyId bullet_body(PlayerId owner, Tick born) {
  return {2U << 30 | std::uint32_t{owner.value} << 18 | (born.value & 0x3ffff)};
}

static_assert(player_body({kSeatsMax - 1}, kGenerations - 1) < crate_body(0) &&
                  crate_body((1U << 30) - 1) < bullet_body({0}, {0}),
              "by id, players come first and bullets last: a walk over those, or over all but "
              "those, ends at the first of another kind");

/// Returns whether the id belongs to an entity of this kind. The ids of a map's statics have no
/// kind.
[[nodiscard]] constexpr bool has_kind(BodyId id, EntityKind kind) {
  return id.value >> 30 == static_cast<std::uint32_t>(kind);
}

/// Returns whether the id belongs to an entity; the ids of a map's statics are larger.
[[nodiscard]] constexpr bool is_entity(BodyId id) {
  return id.value >> 30 < kEntityKinds;
}

/// Returns "player", "crate", "bullet" or "none", by the kind in the id.
[[nodiscard]] std::string_view kind_name(BodyId id);

/// Requires: the id of a player.
[[nodiscard]] constexpr std::uint32_t generation_of(BodyId player) {
  return wire_id(player) >> kSeatBits;
}

/// Returns the seat of a player's body, or of a bullet's owner. Requires: a player or a bullet.
[[nodiscard]] constexpr PlayerId player_of(BodyId id) {
  const bool bullet = has_kind(id, EntityKind::Bullet);
  return {static_cast<std::uint16_t>((bullet ? id.value >> 18 : id.value) & (kSeatsMax - 1))};
}

/// Returns the ticks since a bullet was spawned, modulo 2^18. Requires: the id of a bullet.
[[nodiscard]] constexpr std::uint32_t age_of(BodyId bullet, Tick now) {
  return (now.value - wire_id(bullet)) & 0x3ffff;
}

/// Returns whether the entities are sorted by id, each id once.
[[nodiscard]] inline bool have_ascending_ids(std::span<const EntityState> entities) {
  return std::ranges::adjacent_find(entities, std::ranges::greater_equal{}, &EntityState::id) ==
         entities.end();
}

/// Returns the entity with this id, or nullptr. Requires: sorted by id. Cost: one binary search.
[[nodiscard]] inline const EntityState* find_entity(std::span<const EntityState> entities,
                                                    BodyId id) {
  const auto found = std::ranges::lower_bound(entities, id, {}, &EntityState::id);
  return found != entities.end() && found->id == id ? &*found : nullptr;
}

}  // namespace tickbox::game
