#pragma once
// A row in full as bits: an id, and what a row has behind it.
//
//   id         class 2, then
//     avatar     seat 12; 0, generation 4, or 1, generation 18; age of the spawn; count
//     else       0, lineage 12, or 1, lineage 22; age of the spawn; count
//     age        width 6 (0 to 32), ticks from the spawn to the snapshot in as many bits. Those of
//                an avatar are modulo 2^24
//     count      0, or 1, count 8
//   row        kind, in as many bits as numbers all kinds; new 1; place; velocity; state, sparse;
//              of an entity that another has spawned: 0, or 1, parent 1, ignored id 64;
//              of a kinematic body: path 16, ticks on it 32;
//              of another body: 0, or 1, carrier 64;
//              of an avatar: the input that its player holds, sparse
//     place      0, x and y 22 each from the origin, or 1, x and y 32 each
//     velocity   width 5 (0 to 31), x and y in as many bits each
//
// Signed numbers are two's complement in their width; of a velocity both are zigzag (0, −1, 1, −2).
// The owner follows from the id. "Sparse" is that of common/engine/FORMAT.md, without filling up.

#include "core/fixed.h"
#include "core/ids.h"
#include "engine/bits.h"
#include "views/rows.h"

#include <cstddef>
#include <optional>

namespace tickbox::views {

/// The bits of an x or a y from the origin, and the range that they hold: ±32 units.
inline constexpr unsigned kNearBits = 22;
inline constexpr std::int32_t kNear = 1 << (kNearBits - 1);

/// The bits that a row takes more if its place is not near the origin.
inline constexpr std::size_t kFarBits = 2 * (32 - kNearBits);

/// Returns whether a place is sent in kNearBits bits.
[[nodiscard]] constexpr bool is_near(Vec2 place, Vec2 origin) {
  const auto fits = [](std::int64_t a, std::int64_t b) { return a - b >= -kNear && a - b < kNear; };
  return fits(place.x, origin.x) && fits(place.y, origin.y);
}

/// Returns the bits of an id, at most 72.
[[nodiscard]] std::size_t id_bits(BodyId id, Tick now);

void put_id(BodyId id, Tick now, engine::BitWriter& out);

/// Fails: nothing, for bits that put_id() does not write.
[[nodiscard]] std::optional<BodyId> take_id(engine::BitReader& in, Tick now);

/// Returns the bits of a row without its id, if its place is near the origin.
[[nodiscard]] std::size_t near_row_bits(const GameTable& game, const RowRef& row);

/// Writes a row without its id.
void put_row(const GameTable& game, const RowRef& row, Vec2 origin, engine::BitWriter& out);

/// Appends a row with this id to `rows`. Fails: false, for bits that put_row() does not write, and
/// for a state that the game calls impossible.
[[nodiscard]] bool take_row(BodyId id, Vec2 origin, engine::BitReader& in, Rows& rows);

}  // namespace tickbox::views
