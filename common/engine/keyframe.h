#pragma once
// A keyframe: the whole state of a match after a tick, as bytes. FORMAT.md is the standard.

#include "core/bytes.h"
#include "engine/world.h"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <vector>

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
