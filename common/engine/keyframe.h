#pragma once
// A keyframe: the whole state of a match after a tick, as bytes.
//
//   keyframe   tick u32, state hash u64, random u64, shared seed u64, next lineage: number,
//              room, secret, seats: count, elements, entities: count, elements
//     seat     generation << 1 | taken: number; of a taken seat: focus u64, x, y i32, state, input
//     entity   id u64, kind: number, traits u8, owner u16, x, y, vx, vy i32,
//              if it ignores a body: that body's id u64,
//              if it is kinematic: path u16, path ticks u32,
//              if it is carried: the carrier's id u64, state
//
// Traits: bits 0 and 1: how long it ignores its parent; bit 2: new; bit 3: kinematic; bit 4:
// carried. Room, secret, states and inputs are packed by the ranges of their fields and filled up
// to whole bytes. Numbers without a width are those of core/numbers.h.

#include "core/bytes.h"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <vector>

#include "engine/world.h"

namespace tickbox::engine {

/// The most entities of one keyframe.
inline constexpr std::size_t kEntitiesMax = std::size_t{4} * kSeatsMax;

/// The most pairs of bodies whose paths in the next tick touch. A step looks at each.
inline constexpr std::size_t kPairsMax = std::size_t{1} << 22;
/// The most bodies that one body may overlap although the step keeps it apart from them. Rules may
/// spawn entities into each other, but a pile of them would take seconds to step.
inline constexpr std::size_t kOverlapsPerBodyMax = 32;

enum class KeyframeError : std::uint8_t {
  Malformed,   ///< bytes that no writer makes of a world of this game and map
  Crowded,     ///< more overlaps than kOverlapsPerBodyMax, or more pairs than kPairsMax
  WrongState,  ///< a world whose hash is not the one that the keyframe names
};

/// A world as it was read, and the hash that its keyframe names.
struct Keyframe {
  World world;
  std::uint64_t state_hash = 0;
};

/// Writes a keyframe into `out` and replaces its content.
/// Requires: at most kEntitiesMax entities.
void encode_keyframe(const World& world, std::vector<std::byte>& out);

/// Reads a keyframe without a look at its hash. `like` has the game, the map, the tick rate and the
/// order of states in memory. Cost: about that of a step, also for bytes that an attacker chose.
[[nodiscard]] std::expected<Keyframe, KeyframeError> decode_keyframe(ConstBytes bytes,
                                                                     const World& like);

/// Reads a keyframe, and checks its hash.
[[nodiscard]] std::expected<World, KeyframeError> restore(ConstBytes bytes, const World& like);

}  // namespace tickbox::engine
