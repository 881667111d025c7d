#pragma once
// A row in full as bits: an id, and what a row has behind it. FORMAT.md is the standard.

#include "core/fixed.h"
#include "core/ids.h"
#include "engine/bits.h"
#include "views/rows.h"

#include <cstddef>
#include <optional>

namespace tickbox::views {

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

/// Returns the number of bits of an id, at most 72.
[[nodiscard]] std::size_t id_bits(BodyId id, Tick now);

void write_id(BodyId id, Tick now, engine::BitWriter& out);

/// Fails: nothing, for bits that write_id() does not write.
[[nodiscard]] std::optional<BodyId> read_id(engine::BitReader& in, Tick now);

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
    return std::uint64_t{from} & engine::low_mask(kNearBits);
  };
  return from_origin(place.x, origin.x) << 1U | from_origin(place.y, origin.y) << (1 + kNearBits);
}

/// Writes a row without its id.
void write_row(const GameTable& game, const RowRef& row, Vec2 origin, engine::BitWriter& out);

/// Appends a row with this id to `rows`. Fails: false, for bits that write_row() does not write,
/// and for a state that the game calls impossible.
[[nodiscard]] bool read_row(BodyId id, Vec2 origin, engine::BitReader& in, Rows& rows);

/// Appends a row of which the motion is known. No code of the game runs, so the state may be one
/// that the game calls impossible. Fails: false, for bits that write_row() does not write.
[[nodiscard]] bool read_any_row(BodyId id, Motion motion, Vec2 origin, engine::BitReader& in,
                                Rows& rows);

}  // namespace tickbox::views
