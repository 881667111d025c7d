#pragma once
// The content of a snapshot, as bits: what makes the view of its tick from an older one, its base.
//
// No bytes if nothing happened since the base, or without a base if the view is empty; else
//
//   head       width of an index 4; one bit each: inputs, outcomes, room, exits, rows
//   inputs     for each tick since the base, the oldest first: causes, by index
//     cause      1, index, change of the input that the member's player holds
//     end        0
//   outcomes   for each tick since the base, the oldest first: causes, in the order of their effect
//     cause      1, index, 0, phase 1, number of the game's outcome, outcome, sparse
//                1, index, 1, seat of the shooter 12: a ray strikes the member
//     end        0
//   room       for each tick since the base, the oldest first: 0, or 1, the room's state, sparse;
//              without a base: the room's state, sparse
//   exits      0, then for each member that leaves the view: 1, index; 0; or
//              1, then for each member of the base: 1 if it leaves the view
//   rows       origin x 16, y 16, in units, then for each row: 1, then on a base 1, index, or 0,
//   id;
//              without a base: id; then the row; 0
//   zeros to a whole byte
//
// An index is the place of a member in the base, whose members are sorted by id. A change has for
// each value of the input one bit, and if it is set the new value; a flag or a press has no more
// than that bit. A phase is 0 before the players act, 1 at the end of the tick. Each number of
// outcome has as many bits as numbers them all. Ids and rows are those of row_codec.h.

#include "core/bytes.h"
#include "core/ids.h"
#include "engine/tick_record.h"
#include "views/row_codec.h"
#include "views/rows.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tickbox::views {

/// The most members of one view.
inline constexpr std::size_t kMembersMax = 1'024;

inline constexpr unsigned kIndexWidthBits = 4;
inline constexpr unsigned kHeadBits = kIndexWidthBits + 5;
inline constexpr unsigned kOriginBits = 16;

/// Returns the bits of an index into a base with this number of members.
[[nodiscard]] constexpr unsigned index_bits(std::size_t members) {
  return members > 1 ? static_cast<unsigned>(std::bit_width(members - 1)) : 0;
}

/// Which lists a content has.
struct Lists {
  bool inputs = false;
  bool outcomes = false;
  bool room = false;
  bool exits = false;
  bool rows = false;

  [[nodiscard]] bool any() const { return inputs || outcomes || room || exits || rows; }

  friend bool operator==(const Lists&, const Lists&) = default;
};

void put_head(unsigned index_bits, const Lists& lists, engine::BitWriter& out);

/// Writes exits in the shorter of both forms. `exits`: indices, ascending, at least one.
void put_exits(std::span<const std::uint16_t> exits, std::size_t members, engine::BitWriter& out);

/// Returns the most bits of the exits of a base with this number of members.
[[nodiscard]] constexpr std::size_t exit_bits_max(std::size_t members) {
  return 1 + members;
}

/// Returns the origin of the places in a snapshot for a view around `centre`: whole units.
[[nodiscard]] constexpr Vec2 origin_of(Vec2 centre) {
  return {centre.x / kUnit * kUnit, centre.y / kUnit * kUnit};
}

void put_origin(Vec2 origin, engine::BitWriter& out);

/// Writes the payload of an outcome or a strike: what follows the index.
void put_outcome(const GameTable& game, const engine::Outcome& outcome, ConstBytes bytes,
                 engine::BitWriter& out);
void put_strike(Player shooter, engine::BitWriter& out);

/// A content that was read. Its causes name their bits in the bytes that it was read from.
struct Content {
  explicit Content(const GameTable& game) : rows(game) {}

  struct Input {
    std::uint8_t ago = 0;  ///< ticks before the snapshot's
    std::uint16_t index = 0;
    std::size_t first = 0;  ///< bit of the change
  };

  struct Outcome {
    std::uint8_t ago = 0;
    std::uint16_t index = 0;
    bool is_strike = false;
    engine::OutcomePhase phase = engine::OutcomePhase::Joining;
    std::uint8_t type = 0;
    Player shooter;         ///< of a strike
    std::size_t first = 0;  ///< bit of the outcome's value
  };

  struct Room {
    std::uint8_t ago = 0;
    std::size_t first = 0;  ///< bit of the state
  };

  void clear();

  [[nodiscard]] bool has_news() const {
    return !inputs.empty() || !outcomes.empty() || !room.empty() || !rows.empty();
  }

  std::vector<Input> inputs;         ///< the oldest first, then by index
  std::vector<Outcome> outcomes;     ///< the oldest first
  std::vector<Room> room;            ///< the oldest first; without a base, one
  std::vector<std::uint16_t> exits;  ///< ascending
  Rows rows;                         ///< in full, by id
};

/// The base that a content builds on.
struct ContentBase {
  Tick tick;                   ///< of the snapshot
  std::uint32_t age = 0;       ///< ticks since the base; 0: no base
  const Rows* rows = nullptr;  ///< the members of the base; nullptr without one
};

/// Reads a content. Fails: false, for bytes that no server sends: values out of range, orders,
/// indices without a member, and bits behind the end.
[[nodiscard]] bool read_content(ConstBytes bytes, const ContentBase& base, Content& content);

}  // namespace tickbox::views
