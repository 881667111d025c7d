#pragma once
// The tick log: what entered each tick of a match, as bytes, and the whole world now and then.
//
// Recordings, the black box and audits carry these bytes; each frames them in its own way. A tick
// leaves out what follows from the tick before: the stick of a player stays where it is, no button
// is pressed, and its inputs come from where the last one came from.
//
//   tick       no bytes where nothing entered; else
//              lists u8 (1: leaves, 2: joins, 4: inputs, 8: outcomes), and of each list that is
//              there, in this order: count, elements
//     leave    seat
//     join     seat, size, bytes: client id u64; a later version may append to them
//     input    seat, size << 2 | source, bytes; size 0: the stick stays, no button
//     outcome  size, bytes
//   keyframe   tick u32, state hash u64, random u64,
//              seats: count, elements: generation << 3 | source << 1 | taken, score
//              entities: count, elements: size, bytes
//
//   bytes of an input     buttons << 4 | move u8; with a button: aim u16; with a ray: look back u8
//   bytes of an outcome   a ray strikes a player: shooter's seat u16, victim's body u32
//   bytes of an entity    id u32, x, y, vx, vy i32, move u8, timer u8
//
// Sources: 0 received, 1 repeated, 2 neutral. Numbers without a width are as core/numbers.h has
// them. Seats of a list rise; each is written as the gap to the one before, less one. The sizes
// make the bytes of inputs, outcomes and entities opaque to whoever only carries them.

#include "core/bytes.h"
#include "core/ids.h"
#include "core/numbers.h"
#include "game/entity_state.h"
#include "game/input.h"
#include "game/restore.h"
#include "game/step.h"
#include "game/world.h"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <vector>

namespace tickbox::game {

/// Entities of one keyframe: of a room of 4,096 players, each with two bullets in flight, and
/// as many crates.
inline constexpr std::size_t kLoggedEntitiesMax = std::size_t{4} * kSeatsMax;

/// Bytes of an entity with their size; of a seat: a generation of 18 bits with three more, and a
/// score of 32.
inline constexpr std::size_t kLoggedEntityBytes = 1 + 22;
inline constexpr std::size_t kLoggedSeatBytesMax = 3 + 5;

/// Of one keyframe: all of that.
inline constexpr std::size_t kKeyframeBytesMax =
    32 + kLoggedSeatBytesMax * kSeatsMax + kLoggedEntityBytes * kLoggedEntitiesMax;

/// Of one tick, whatever so many seats do in it: each leaves, joins, presses a button and strikes.
[[nodiscard]] constexpr std::size_t tick_bytes_max(std::size_t seats) {
  return 16 + (2 + (2 + 1 + 8) + (2 + 1 + 4) + (1 + 6)) * seats;
}

/// One tick of a log.
struct TickEntry {
  Tick tick;
  ConstBytes bytes;
  std::uint64_t state_hash = 0;  ///< after the step
  bool is_quiet = false;         ///< nothing entered it, and nobody is in the room
};

/// Where the commands of a tick come from: one source for each input, one client id for each join.
struct CommandOrigins {
  std::span<const InputSource> sources;
  std::span<const std::uint64_t> clients;
};

/// Writes the log of a room.
class TickLog {
 public:
  /// Begins with the world as it is, every source neutral.
  explicit TickLog(const World& world);

  /// Writes what is to enter the tick after the last one; valid until the next call.
  /// Requires: lists by seat, strikes by shooter; whoever has an input is in the room.
  /// Cost: no allocation once warm.
  ConstBytes tick(const TickCommands& commands, const CommandOrigins& origins);

  /// The tick written last.
  [[nodiscard]] Tick last() const { return tick_; }

  /// What tick() returned last.
  [[nodiscard]] ConstBytes bytes() const { return bytes_; }

  /// As TickEntry::is_quiet, of that tick.
  [[nodiscard]] bool is_quiet() const { return bytes_.empty() && players_ == 0; }

  /// Writes the world into `out`, in place of what is there.
  /// Requires: the world after the tick written last; at most kLoggedEntitiesMax entities.
  void keyframe(const World& world, std::uint64_t state_hash, std::vector<std::byte>& out) const;

 private:
  /// An input that says something else than the tick before.
  struct Change {
    PlayerId player;
    Input input;
    InputSource source = InputSource::Neutral;
    bool is_held = false;  ///< only its source is another
  };

  void forget(PlayerId player);
  void note_changes(const TickCommands& commands, std::span<const InputSource> sources);

  Tick tick_;
  std::vector<std::uint8_t> sticks_;  ///< by seat: where the stick is
  std::vector<InputSource> sources_;  ///< by seat: of the last input
  std::size_t players_ = 0;           ///< in the room
  std::vector<Change> changed_;       ///< in the tick written last
  std::vector<std::byte> bytes_;      ///< of it
};

/// A whole world after `tick`.
struct LoggedWorld {
  Tick tick;
  std::uint64_t state_hash = 0;
  std::uint64_t random = 0;  ///< state of the world's random sequence
  std::vector<Seat> seats;
  std::vector<InputSource> sources;   ///< by seat: of the last input; neutral where nobody is
  std::vector<EntityState> entities;  ///< by id, no id twice

  /// Valid as long as this.
  [[nodiscard]] WorldFields fields() const {
    return {.tick = tick, .random = random, .seats = seats, .entities = entities};
  }

  friend bool operator==(const LoggedWorld&, const LoggedWorld&) = default;
};

/// Room for a world's keyframe, also when every player has some bullets more in flight.
[[nodiscard]] std::size_t keyframe_bytes_of(const World& world);

/// Writes a keyframe into `out`, in place of what is there.
void encode_keyframe(const LoggedWorld& world, std::vector<std::byte>& out);

enum class LogError : std::uint8_t {
  Malformed,  ///< other bytes than are written of any tick or world
};

/// Reads into `world`, which keeps its memory.
[[nodiscard]] std::expected<void, LogError> decode_keyframe(ConstBytes bytes, LoggedWorld& world);

/// What entered one tick, with what its bytes leave out.
struct LoggedTick {
  std::vector<PlayerId> leaves;
  std::vector<PlayerId> joins;
  std::vector<std::uint64_t> clients;  ///< of joins, one for one
  std::vector<PlayerInput> inputs;     ///< of everybody in the room: significant()
  std::vector<InputSource> sources;    ///< of inputs, one for one
  std::vector<Strike> strikes;         ///< each shooter at most once

  /// Valid as long as this.
  [[nodiscard]] TickCommands commands() const {
    return {.leaves = leaves, .joins = joins, .inputs = inputs, .strikes = strikes};
  }

  friend bool operator==(const LoggedTick&, const LoggedTick&) = default;
};

/// The world after `tick`, in which it was stepped to.
[[nodiscard]] LoggedWorld logged_world(const World& world, std::uint64_t state_hash,
                                       const LoggedTick& tick);

/// Reads a log: a keyframe first, then the ticks after it, one after the other.
class TickLogReader {
 public:
  void begin(const LoggedWorld& world);

  /// Reads the next tick into `tick`, which keeps its memory. After a failure only begin() helps.
  /// Fails: also for a leave or an input of somebody who is not in the room, a join of somebody who
  /// is, and an input that changes nothing.
  [[nodiscard]] std::expected<void, LogError> read(ConstBytes bytes, LoggedTick& tick);

 private:
  struct Held {
    bool is_there = false;
    std::uint8_t move = 0;
    InputSource source = InputSource::Neutral;
  };

  void read_leaves(NumberReader& in, LoggedTick& tick);
  void read_joins(NumberReader& in, LoggedTick& tick);
  void read_inputs(NumberReader& in, LoggedTick& tick);
  void read_outcomes(NumberReader& in, LoggedTick& tick) const;

  std::vector<Held> held_;         ///< by seat
  std::vector<PlayerId> players_;  ///< in the room, by seat
};

}  // namespace tickbox::game
