#pragma once
// The tick log: the commands that entered each tick of a match, as bytes, and the whole world from
// time to time.
//
// Recordings, the black box and audits carry these bytes; each frames them in its own way. A tick
// omits everything that has not changed since the tick before. By default the stick of a player
// keeps its direction, no button is pressed, and its input has the same source as its last one.
//
//   tick       no bytes if nothing entered; else
//              lists u8 (1: leaves, 2: joins, 4: inputs, 8: outcomes), then each list that is
//              present, in this order: count, elements
//     leave    seat
//     join     seat, size, bytes: client id u64; a later version may append to them
//     input    seat, size << 2 | source, bytes; size 0: the stick stays, no button
//     outcome  size, bytes
//   keyframe   keyframe.h
//
//   bytes of an input     buttons << 4 | move u8; with a button: aim u16; with a ray: look back u8
//   bytes of an outcome   a ray strikes a player: shooter's seat u16, victim's body u32
//
// Sources: 0 received, 1 repeated, 2 neutral. Numbers without a width are those of core/numbers.h.
// The seats of a list ascend; each is written as the gap to the seat before it, minus one. The
// sizes make the bytes of inputs and outcomes opaque to code that only carries them.

#include "core/bytes.h"
#include "core/ids.h"
#include "core/numbers.h"
#include "game/input.h"
#include "game/keyframe.h"
#include "game/step.h"
#include "game/world.h"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <vector>

namespace tickbox::game {

/// Returns the most bytes of one tick with `seats` seats. The worst case: in each seat one player
/// leaves, and another joins, fires a ray and strikes.
[[nodiscard]] constexpr std::size_t tick_bytes_max(std::size_t seats) {
  return 16 + (2 + (2 + 1 + 8) + (2 + 1 + 4) + (1 + 6)) * seats;
}

/// One tick of a log.
struct TickEntry {
  Tick tick;
  ConstBytes bytes;
  std::uint64_t state_hash = 0;  ///< after the step
  bool is_quiet = false;         ///< nothing entered the tick, and the room has no players
};

/// The origins of a tick's commands: one source for each input, one client id for each join.
struct CommandOrigins {
  std::span<const InputSource> sources;
  std::span<const std::uint64_t> clients;
};

/// The input that each seat holds from one tick to the next, which a log omits.
struct HeldInputs {
  std::vector<std::uint8_t> sticks;  ///< by seat: the direction of the stick
  std::vector<InputSource> sources;  ///< by seat: the source of the last input

  /// Takes the inputs held after a keyframe; keeps the memory.
  void begin(const LoggedWorld& world);

  /// Resets the input of a seat whose player joins or leaves.
  void forget(PlayerId player);

  [[nodiscard]] std::size_t seats() const { return sticks.size(); }
};

/// The writer of a room's log.
class TickLog {
 public:
  /// Begins with the present world; every source is neutral.
  explicit TickLog(const World& world);

  /// Writes the commands of the tick after the last one. The bytes are valid until the next call.
  /// Requires: lists sorted by seat, strikes by shooter; each player with an input is in the room.
  /// Cost: no allocation once warm.
  ConstBytes tick(const TickCommands& commands, const CommandOrigins& origins);

  /// Returns the tick written last.
  [[nodiscard]] Tick last() const { return tick_; }

  /// Returns the bytes that tick() returned last.
  [[nodiscard]] ConstBytes bytes() const { return bytes_; }

  /// Returns TickEntry::is_quiet for the tick written last.
  [[nodiscard]] bool is_quiet() const { return bytes_.empty() && players_ == 0; }

  /// Writes the world into `out` and replaces its content.
  /// Requires: the world after the tick written last; at most kLoggedEntitiesMax entities.
  void keyframe(const World& world, std::uint64_t state_hash, std::vector<std::byte>& out) const;

 private:
  /// An input that differs from the tick before.
  struct Change {
    PlayerId player;
    Input input;
    InputSource source = InputSource::Neutral;
    bool is_held = false;  ///< only its source has changed
  };

  void note_changes(const TickCommands& commands, std::span<const InputSource> sources);

  Tick tick_;
  HeldInputs held_;
  std::size_t players_ = 0;       ///< players in the room
  std::vector<Change> changed_;   ///< in the tick written last
  std::vector<std::byte> bytes_;  ///< of the tick written last
};

/// The commands of one tick, including those that its bytes omit.
struct LoggedTick {
  std::vector<PlayerId> leaves;
  std::vector<PlayerId> joins;
  std::vector<std::uint64_t> clients;  ///< one for each join
  std::vector<PlayerInput> inputs;   ///< of every player in the room, as significant() returns them
  std::vector<InputSource> sources;  ///< one for each input
  std::vector<Strike> strikes;       ///< each shooter at most once

  /// Returns the commands, which are valid as long as this object.
  [[nodiscard]] TickCommands commands() const {
    return {.leaves = leaves, .joins = joins, .inputs = inputs, .strikes = strikes};
  }

  friend bool operator==(const LoggedTick&, const LoggedTick&) = default;
};

/// Returns the log's form of `world`, which the commands in `tick` have just stepped to its present
/// tick.
[[nodiscard]] LoggedWorld logged_world(const World& world, std::uint64_t state_hash,
                                       const LoggedTick& tick);

/// A reader of a log: a keyframe first, then the ticks after it in order.
class TickLogReader {
 public:
  void begin(const LoggedWorld& world);

  /// Reads the next tick into `tick`, which keeps its memory. After a failure the reader is
  /// unusable until begin().
  /// Fails: also if a player leaves or has an input and is not in the room; if a player joins and
  /// is in the room; if an input changes nothing. Leaves count before joins.
  [[nodiscard]] std::expected<void, LogError> read(ConstBytes bytes, LoggedTick& tick);

 private:
  void read_leaves(NumberReader& in, LoggedTick& tick);
  void read_joins(NumberReader& in, LoggedTick& tick);
  void read_inputs(NumberReader& in, LoggedTick& tick);
  void read_outcomes(NumberReader& in, LoggedTick& tick) const;

  HeldInputs held_;
  std::vector<PlayerId> players_;  ///< players in the room, sorted by seat
};

}  // namespace tickbox::game
