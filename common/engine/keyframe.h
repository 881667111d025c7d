#pragma once
// A keyframe: the whole state of a match after a tick, as bytes. FORMAT.md is the standard.

#include "core/bytes.h"
#include "engine/tick_record.h"
#include "engine/world.h"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <vector>

namespace tickbox::engine {

/// The most pairs of bodies whose paths in the next tick touch. A step looks at each.
inline constexpr std::size_t kPairsMax = std::size_t{1} << 22;

enum class KeyframeError : std::uint8_t {
  Malformed,   ///< bytes that no writer makes of a world of this game and map
  Crowded,     ///< more pairs than kPairsMax
  WrongState,  ///< a world whose hash is not the one that the keyframe names
};

/// A world as it was read, and what its keyframe says beside it.
struct Keyframe {
  World world;
  std::uint64_t state_hash = 0;
  std::vector<InputSource> sources;  ///< by seat: of the last input; neutral for a free seat
};

/// Returns enough bytes for a world's keyframe, even if every seat is taken and has three more
/// entities.
[[nodiscard]] std::size_t keyframe_bytes_of(const World& world);

/// Writes a keyframe into `out` and replaces its content. `sources`: by seat, of the last input;
/// that of a free seat is ignored.
/// Requires: at most kEntitiesMax entities; a source for each seat.
void encode_keyframe(const World& world, std::uint64_t state_hash,
                     std::span<const InputSource> sources, std::vector<std::byte>& out);

/// Writes a keyframe with the hash of the world, and with every source neutral.
void encode_keyframe(const World& world, std::vector<std::byte>& out);

/// Reads a keyframe without a look at its hash. `like` has the game, the map, the tick rate and the
/// order of states in memory. Cost: about that of a step, also for bytes that an attacker chose.
[[nodiscard]] std::expected<Keyframe, KeyframeError> decode_keyframe(ConstBytes bytes,
                                                                     const World& like);

/// Reads a keyframe, and checks its hash.
[[nodiscard]] std::expected<World, KeyframeError> restore(ConstBytes bytes, const World& like);

}  // namespace tickbox::engine
