#pragma once
// A keyframe of the tick log: the whole world after a tick, as bytes.
//
//   keyframe   tick u32, state hash u64, random u64,
//              seats: count, elements: generation << 3 | source << 1 | taken, score
//              entities: count, elements: size, bytes
//
//   bytes of an entity    id u32, x, y, vx, vy i32, move u8, timer u8
//
// Sources: 0 received, 1 repeated, 2 neutral. Numbers without a width are those of core/numbers.h.
// The sizes make the bytes of entities opaque to code that only carries them.

#include "core/bytes.h"
#include "core/ids.h"
#include "game/entity_state.h"
#include "game/input.h"
#include "game/restore.h"
#include "game/world.h"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <vector>

namespace tickbox::game {

/// The most entities of one keyframe: 4,096 players, each with two bullets in flight, and as many
/// crates as players.
inline constexpr std::size_t kLoggedEntitiesMax = std::size_t{4} * kSeatsMax;

/// The bytes of an entity with its size, and the most bytes of a seat. A seat has a generation of
/// 18 bits with three bits more, and a score of 32 bits.
inline constexpr std::size_t kLoggedEntityBytes = 1 + 22;
inline constexpr std::size_t kLoggedSeatBytesMax = 3 + 5;

/// The most bytes of one keyframe: its head, all seats and all entities.
inline constexpr std::size_t kKeyframeBytesMax =
    32 + kLoggedSeatBytesMax * kSeatsMax + kLoggedEntityBytes * kLoggedEntitiesMax;

/// The bits that an input source takes in a log.
inline constexpr int kSourceBits = 2;
inline constexpr std::uint32_t kSourceMask = (1U << kSourceBits) - 1;
static_assert(kInputSources <= 1U << kSourceBits);

/// A whole world after `tick`.
struct LoggedWorld {
  Tick tick;
  std::uint64_t state_hash = 0;
  std::uint64_t random = 0;  ///< state of the world's random sequence
  std::vector<SeatState> seats;
  std::vector<InputSource> sources;   ///< by seat: of the last input; neutral for a free seat
  std::vector<EntityState> entities;  ///< sorted by id, no id twice

  /// Returns the fields, which are valid as long as this object.
  [[nodiscard]] WorldFields fields() const {
    return {.tick = tick, .random = random, .seats = seats, .entities = entities};
  }

  friend bool operator==(const LoggedWorld&, const LoggedWorld&) = default;
};

/// Returns enough bytes for a world's keyframe, even if every player has three more bullets in
/// flight.
[[nodiscard]] std::size_t keyframe_bytes_of(const World& world);

/// Writes a keyframe into `out` and replaces its content. `sources`: by seat, of the last input.
/// Requires: at most kLoggedEntitiesMax entities.
void encode_keyframe(const World& world, std::uint64_t state_hash,
                     std::span<const InputSource> sources, std::vector<std::byte>& out);
void encode_keyframe(const LoggedWorld& world, std::vector<std::byte>& out);

enum class LogError : std::uint8_t {
  Malformed,  ///< bytes that no writer makes of a tick or world
};

/// Reads a keyframe into `world`, which keeps its memory.
[[nodiscard]] std::expected<void, LogError> decode_keyframe(ConstBytes bytes, LoggedWorld& world);

}  // namespace tickbox::game
