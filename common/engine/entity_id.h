#pragma once
// The layout of an entity's id. Server and client derive the same id for the same spawn, and ids
// break ties in the physics, so their order is part of the rules.
//
//   class 0  avatars         generation of the seat 18, seat 12, tick of the spawn 24, count 8
//   class 1  by the server   lineage 22, tick of the spawn 32, count 8
//   class 2  by entities     lineage 22, tick of the spawn 32, count 8
//   class 3  walls           number 62
//
// The class is in the highest two bits. The lineage of an avatar is its player's seat. Each
// other entity that the server spawns gets a lineage of its own, a number from kSeatsMax on. An
// entity of class 2 has the lineage of the entity that spawned it. The count distinguishes the
// spawns of one lineage and class in one tick.

#include "core/ids.h"
#include "tickbox/fields.h"

#include <cstddef>
#include <cstdint>

namespace tickbox::engine {

inline constexpr int kSeatBits = 12;
inline constexpr std::uint32_t kSeatsMax = 1U << kSeatBits;
inline constexpr int kGenerationBits = 18;
inline constexpr std::uint32_t kGenerations = 1U << kGenerationBits;
inline constexpr int kLineageBits = 22;
inline constexpr std::uint32_t kLineages = 1U << kLineageBits;

/// Returns the generation of the next player of a seat.
[[nodiscard]] constexpr std::uint32_t next_generation(std::uint32_t generation) {
  return (generation + 1) % kGenerations;
}

/// The most entities of a room after a tick.
inline constexpr std::size_t kEntitiesMax = std::size_t{4} * kSeatsMax;
/// The most spawns of one lineage and class in one tick.
inline constexpr std::uint32_t kSpawnsPerTick = 256;

enum class IdClass : std::uint8_t { Controlled, ByServer, ByEntity, Wall };

inline constexpr int kClassShift = 62;
inline constexpr int kLineageShift = 40;
inline constexpr int kTickShift = 8;
inline constexpr int kGenerationShift = 44;
inline constexpr int kSeatShift = 32;
inline constexpr std::uint32_t kAvatarTicks = 1U << 24;

[[nodiscard]] constexpr IdClass class_of(BodyId id) {
  return static_cast<IdClass>(id.value >> kClassShift);
}

[[nodiscard]] constexpr bool is_entity(BodyId id) {
  return class_of(id) != IdClass::Wall;
}

/// The spawn from which an id is made.
struct Spawned {
  std::uint32_t lineage = 0;
  Tick tick;
  std::uint32_t count = 0;  ///< below kSpawnsPerTick
};

[[nodiscard]] constexpr BodyId controlled_id(std::uint32_t generation, Spawned spawned) {
  return {std::uint64_t{generation % kGenerations} << kGenerationShift |
          std::uint64_t{spawned.lineage} << kSeatShift |
          std::uint64_t{spawned.tick.value % kAvatarTicks} << kTickShift | spawned.count};
}

[[nodiscard]] constexpr BodyId spawned_id(IdClass by, Spawned spawned) {
  return {static_cast<std::uint64_t>(by) << kClassShift |
          std::uint64_t{spawned.lineage} << kLineageShift |
          std::uint64_t{spawned.tick.value} << kTickShift | spawned.count};
}

[[nodiscard]] constexpr BodyId wall_id(std::uint64_t number) {
  return {std::uint64_t{3} << kClassShift | number};
}

/// Requires: is_entity(id).
[[nodiscard]] constexpr std::uint32_t lineage_of(BodyId id) {
  return class_of(id) == IdClass::Controlled
             ? static_cast<std::uint32_t>(id.value >> kSeatShift & (kSeatsMax - 1))
             : static_cast<std::uint32_t>(id.value >> kLineageShift & (kLineages - 1));
}

/// Requires: the id of an avatar.
[[nodiscard]] constexpr std::uint32_t generation_of(BodyId avatar) {
  return static_cast<std::uint32_t>(avatar.value >> kGenerationShift & (kGenerations - 1));
}

/// Requires: the id of an entity that is no avatar.
[[nodiscard]] constexpr Tick spawn_tick_of(BodyId id) {
  return {static_cast<std::uint32_t>(id.value >> kTickShift & 0xffff'ffff)};
}

[[nodiscard]] constexpr BodyId body_id(Ref ref) {
  return {ref.id};
}

[[nodiscard]] constexpr Ref ref_of(BodyId id) {
  return {id.value};
}

}  // namespace tickbox::engine
