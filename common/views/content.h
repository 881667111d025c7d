#pragma once
// The content of a snapshot, as bits: what makes the view of its tick from an older one, its base.
// It has the causes of what the client replays, the members that leave, and rows in full. FORMAT.md
// is the standard.

#include "core/bytes.h"
#include "core/ids.h"
#include "engine/tick_record.h"
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

void write_head(unsigned index_bits, const Lists& lists, engine::BitWriter& out);

/// Writes exits in the shorter of both forms. `exits`: indices, ascending, at least one.
void write_exits(std::span<const std::uint16_t> exits, std::size_t members, engine::BitWriter& out);

/// Returns the bits of the number of an outcome.
[[nodiscard]] unsigned outcome_bits(const GameTable& game);

/// Returns the most bits of the exits of a base with this number of members.
[[nodiscard]] constexpr std::size_t exit_bits_max(std::size_t members) {
  return 1 + members;
}

/// Returns the origin of the places in a snapshot for a view around `centre`: whole units.
[[nodiscard]] constexpr Vec2 origin_of(Vec2 centre) {
  return {centre.x / kUnit * kUnit, centre.y / kUnit * kUnit};
}

void write_origin(Vec2 origin, engine::BitWriter& out);

/// Writes the payload of an outcome or a strike: what follows the index.
void write_outcome(const GameTable& game, const engine::Outcome& outcome, ConstBytes bytes,
                   engine::BitWriter& out);
void write_strike(Player shooter, engine::BitWriter& out);

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
  std::optional<Vec2> origin;        ///< of the rows: the view's centre in whole units
};

/// The base that a content builds on.
struct ContentBase {
  Tick tick;                   ///< of the snapshot
  std::uint32_t age = 0;       ///< ticks since the base; 0: no base
  const Rows* rows = nullptr;  ///< the members of the base; nullptr without one
};

/// Reads a content. Fails: false, for bytes that no server sends: values out of range, wrong
/// orders, indices without a member, and bits behind the end.
[[nodiscard]] bool read_content(ConstBytes bytes, const ContentBase& base, Content& content);

}  // namespace tickbox::views
