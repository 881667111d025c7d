#pragma once
// A row in full as bits: an id, and what a row has behind it. Keyframes, snapshots and whole views
// have rows in these bits. FORMAT.md is the standard.

#include "core/fixed.h"
#include "core/ids.h"
#include "engine/bits.h"
#include "engine/row.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace tickbox::engine {

/// The most bits of an id, and of a whole row without its state.
inline constexpr std::size_t kIdBitsMax = 72;
inline constexpr std::size_t kWholeRowBitsMax = kIdBitsMax + 2 + 8 + 1 + 65 + 67 + 66 + 65;

/// The number of bits of an x or a y from the origin, and the range that they hold: ±32 units.
inline constexpr unsigned kNearBits = 22;
inline constexpr std::int32_t kNear = 1 << (kNearBits - 1);

/// The number of bits of a place near the origin.
inline constexpr unsigned kNearPlaceBits = 1 + 2 * kNearBits;

/// The number of bits that a row takes more if its place is not near the origin.
inline constexpr std::size_t kFarBits = std::size_t{2} * (32 - kNearBits);

/// Returns whether a place is sent in kNearBits bits.
[[nodiscard]] constexpr bool is_near(Vec2 place, Vec2 origin) {
  const auto fits = [](std::int64_t a, std::int64_t b) { return a - b >= -kNear && a - b < kNear; };
  return fits(place.x, origin.x) && fits(place.y, origin.y);
}

/// Returns the number of bits of an id, at most kIdBitsMax.
[[nodiscard]] std::size_t id_bits(BodyId id, Tick now);

void write_id(BodyId id, Tick now, BitWriter& out);

/// Fails: nothing, for bits that write_id() does not write.
[[nodiscard]] std::optional<BodyId> read_id(BitReader& in, Tick now);

/// Returns how a row moves. Requires: a state that the game calls possible.
[[nodiscard]] inline Motion motion_of(const KindTable& kind, ConstBytes state) {
  return kind.body(state.data()).motion;
}

/// Returns the number of bits of a row between its id and its place.
[[nodiscard]] unsigned bits_before_place(const GameTable& game);

/// Returns a place near the origin as the kNearPlaceBits bits that are sent: all 0 at the origin.
[[nodiscard]] constexpr std::uint64_t near_place(Vec2 place, Vec2 origin) {
  const auto from_origin = [](std::int32_t a, std::int32_t b) {
    const auto from = static_cast<std::uint32_t>(a) - static_cast<std::uint32_t>(b);
    return std::uint64_t{from} & low_mask(kNearBits);
  };
  return from_origin(place.x, origin.x) << 1U | from_origin(place.y, origin.y) << (1 + kNearBits);
}

/// Writes a row without its id and its input.
void write_row(const GameTable& game, const RowRef& row, Vec2 origin, BitWriter& out);

/// The state of a row that is read.
struct RowState {
  alignas(std::uint64_t) std::array<std::byte, kTypeBytesMax> bytes;
};

/// Reads a row, without an input, that is valid as long as `state`. Fails: nothing, for bits that
/// write_row() does not write, and for a state that the game calls impossible.
[[nodiscard]] std::optional<RowRef> read_row(const GameTable& game, BodyId id, Vec2 origin,
                                             BitReader& in, RowState& state);

/// Writes a row with its id and how it moves: a reader needs no code of the game.
void write_whole_row(const GameTable& game, const RowRef& row, Tick now, BitWriter& out);

/// Reads what write_whole_row() has written. No code of the game runs, so the state may be one that
/// the game calls impossible, and `motion` another than the game says. Fails: nothing, for bits
/// that write_whole_row() does not write.
[[nodiscard]] std::optional<RowRef> read_whole_row(const GameTable& game, Tick now, BitReader& in,
                                                   RowState& state, Motion& motion);

}  // namespace tickbox::engine
