#pragma once
// The tick log: everything that entered each tick of a match of any game, as bytes, and the whole
// world from time to time.
//
// The log of a room carries these bytes in records. A tick omits what a reader knows from the ticks
// before: an input that its player holds, and its source.
// FORMAT.md has every byte. The outer form is the same for all games: leaves, joins, inputs and
// outcomes, each with its size. Code that only carries a log does not need the game.
//
// A record lists its leaves and joins first: a reader without the game then knows who is in the
// room. The outcomes say when each takes effect, because the hook of one leave may decide for an
// entity that the next leave removes.

#include "core/bytes.h"
#include "core/ids.h"
#include "core/numbers.h"
#include "engine/keyframe.h"
#include "engine/log/tick_codec.h"
#include "engine/tick_record.h"
#include "engine/world.h"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <vector>

namespace tickbox::engine {

/// The most bytes of one tick. Seats do not bound a tick: a game may decide for any number of
/// entities. A reader refuses more, and a game that makes more is wrong. The limit is half of the
/// largest record of a recording.
inline constexpr std::size_t kTickBytesMax = std::size_t{8} << 20;

/// Returns enough bytes for a tick in which every player changes its input and has two outcomes of
/// the game or new states. It is what to reserve; a tick may have more.
[[nodiscard]] std::size_t tick_bytes_of(const GameTable& game, std::size_t seats);

/// Returns the bytes of an idle tick: they are always the same.
[[nodiscard]] ConstBytes idle_tick_bytes();

/// One tick of a log: everything that entered it, and the hash of the state after its step.
struct EncodedTick {
  Tick tick;
  /// None for an unfinished tick. As it was read, also none within a stretch of quiet or idle
  /// ticks: the hash of the stretch's last tick covers all. As a match gives it, none for an idle
  /// tick: the log asks for it when the stretch ends.
  std::optional<std::uint64_t> state_hash;
  bool is_quiet = false;  ///< nothing entered the tick, the room has no players, and it was stepped
  bool is_idle = false;   ///< the room has no players, and its world was not stepped
  ConstBytes bytes;       ///< as the tick log wrote them, and where it or the file has them
};

/// The source of a player's input in one tick.
struct PlayerSource {
  Player player;
  InputSource source = InputSource::Neutral;

  friend bool operator==(const PlayerSource&, const PlayerSource&) = default;
};

/// Where the inputs and joins of a tick come from.
struct TickOrigins {
  /// By player, of players in the room after the joins. The source of a player without one stays.
  std::span<const PlayerSource> sources;
  std::span<const std::uint64_t> clients;  ///< one for each join
};

/// The players in the room, and the source of each one's last input.
class HeldSources {
 public:
  /// Takes them from a world; keeps the memory. `sources`: by seat.
  /// Requires: a source for each seat.
  void begin(const World& world, std::span<const InputSource> sources);

  /// Takes them from a world, with every source neutral.
  void begin(const World& world);

  [[nodiscard]] std::size_t seats() const { return sources_.size(); }

  [[nodiscard]] std::size_t players() const { return players_; }

  [[nodiscard]] bool has(Player player) const {
    return player.seat < taken_.size() && taken_[player.seat] != 0;
  }

  /// By seat; neutral for a free seat.
  [[nodiscard]] std::span<const InputSource> sources() const { return sources_; }

  [[nodiscard]] InputSource source_of(Player player) const { return sources_[player.seat]; }

  /// Requires: the player is in the room.
  void set(Player player, InputSource source);
  void leave(Player player);
  /// Requires: a free seat. Its source is neutral.
  void join(Player player);

 private:
  std::vector<InputSource> sources_;  ///< by seat
  std::vector<std::uint8_t> taken_;   ///< by seat
  std::size_t players_ = 0;
};

/// The writer of a room's log.
class TickLog {
 public:
  /// Begins with the present world; every source is neutral.
  explicit TickLog(const World& world);

  /// Writes the record of the tick after the last one. The bytes are valid until the next call.
  /// Requires: a record that Stepper::step() wrote or that a reader read, of at most kTickBytesMax
  /// bytes. Cost: no allocation once warm.
  ConstBytes tick(const TickRecord& record, const TickOrigins& origins);

  /// Returns the tick written last.
  [[nodiscard]] Tick last() const { return tick_; }

  /// Returns the bytes that tick() returned last.
  [[nodiscard]] ConstBytes bytes() const { return bytes_; }

  /// Returns EncodedTick::is_quiet for the tick written last.
  [[nodiscard]] bool is_quiet() const { return bytes_.empty() && held_.players() == 0; }

  /// Returns EncodedTick::is_idle for the tick written last.
  [[nodiscard]] bool is_idle() const { return is_idle_; }

  /// Writes the world into `out` and replaces its content.
  /// Requires: the world after the tick written last; at most kEntitiesMax entities.
  void keyframe(const World& world, std::uint64_t state_hash, std::vector<std::byte>& out) const;

 private:
  /// An input that differs from the tick before, or its source.
  struct Change {
    Player player;
    InputSource source = InputSource::Neutral;
    ConstBytes input;  ///< none if only its source has changed
  };

  void gather_moves(const TickRecord& record);
  void gather_changes(const TickRecord& record, std::span<const PlayerSource> sources);
  void write_leaves();
  void write_joins(const TickRecord& record, std::span<const std::uint64_t> clients);
  void write_inputs();
  void write_outcomes(const TickRecord& record);

  const GameTable* game_;
  Tick tick_;
  bool is_idle_ = false;  ///< the tick written last
  HeldSources held_;
  std::vector<Outcome> leaves_;     ///< of the tick that is written
  std::vector<Outcome> joins_;      ///< of the tick that is written
  std::vector<Change> changed_;     ///< of the tick that is written
  std::vector<std::byte> outcome_;  ///< the bytes of one outcome
  std::vector<std::byte> bytes_;    ///< of the tick written last
};

/// One tick as it was read, decoded.
struct DecodedTick {
  TickRecord record;
  std::vector<Player> leaves;          ///< those of the record, by seat
  std::vector<Player> joins;           ///< those of the record, by seat
  std::vector<std::uint64_t> clients;  ///< one for each join
  /// Of every player in the room after the joins, by seat: what the tick's bytes omit is here.
  std::vector<PlayerSource> sources;

  /// Returns the origins, which are valid as long as this object.
  [[nodiscard]] TickOrigins origins() const { return {.sources = sources, .clients = clients}; }
};

enum class LogError : std::uint8_t {
  Malformed,  ///< bytes that no writer makes of a tick of this game
};

/// A reader of a log: a world first, then the ticks after it in order.
class TickLogReader {
 public:
  /// `game` must live longer.
  explicit TickLogReader(const GameTable& game) : game_(&game) {}

  /// `sources`: by seat, as a keyframe has them.
  void begin(const World& world, std::span<const InputSource> sources) {
    held_.begin(world, sources);
  }

  /// Begins with a world in which every source is neutral.
  void begin(const World& world) { held_.begin(world); }

  void begin(const Keyframe& keyframe) { begin(keyframe.world, keyframe.sources); }

  /// Reads the next tick into `tick`, which keeps its memory. After a failure the reader is
  /// unusable until begin(). Whether the tick fits a world is for is_valid() to say.
  /// Fails: also if a player leaves or has an input and is not in the room; if a player joins and
  /// is in the room; if a source changes nothing; if an idle tick has players. Leaves take effect
  /// before joins.
  [[nodiscard]] std::expected<void, LogError> read(ConstBytes bytes, DecodedTick& tick);

 private:
  void read_leaves(NumberReader& in, DecodedTick& tick);
  void read_joins(NumberReader& in, DecodedTick& tick);
  void read_inputs(NumberReader& in, DecodedTick& tick);
  void read_outcomes(NumberReader& in, DecodedTick& tick);
  [[nodiscard]] bool read_outcome(ConstBytes bytes, DecodedTick& tick);
  [[nodiscard]] bool read_leave(DecodedTick& tick);
  [[nodiscard]] bool read_join(DecodedTick& tick);

  /// The parts of a tick, in the order in which they take effect.
  enum class Part : std::uint8_t { Joining, Strikes, Deciding };

  const GameTable* game_;
  HeldSources held_;
  std::vector<ConstBytes> user_data_;  ///< of each join of the tick that is read
  std::size_t leaves_done_ = 0;        ///< leaves that have taken effect
  std::size_t joins_done_ = 0;         ///< joins that have taken effect
  Part part_ = Part::Joining;
};

}  // namespace tickbox::engine
