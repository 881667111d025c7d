#pragma once
// What enters one tick of a match: the requests that the live server steps, and the record that a
// replay steps instead.
//
// The live server runs the hooks of the game (join, leave, decide) and judges rays. All that they
// change is written into the record as outcomes. A replay carries out the record and runs no hook.

#include "core/bytes.h"
#include "engine/row.h"
#include "tickbox/game_table.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace tickbox::engine {

/// The origin of a player's input in one tick. Logs and keyframes carry it; no step reads it.
enum class InputSource : std::uint8_t {
  Received,  ///< sent by the client, in time
  Repeated,  ///< the client's last input again
  Neutral,   ///< nothing pressed: the client is gone, or silent for too long
};

inline constexpr std::uint8_t kInputSources = 3;

/// The bits that a source takes in a log.
inline constexpr int kSourceBits = 2;
inline constexpr std::uint32_t kSourceMask = (1U << kSourceBits) - 1;
static_assert(kInputSources <= 1U << kSourceBits);

/// A player who joins, and what the backend put into its token.
struct Join {
  Player player;
  std::string_view user_data;
  std::optional<Tick> has_left_at{};  ///< when its client left this match last
};

/// A command that a player has sent.
struct Command {
  Player player;
  std::uint8_t type = 0;  ///< its number in the game's list
  ConstBytes bytes;       ///< as many as its type has, each field within its range
};

/// The input of a player for one tick.
struct PlayerInput {
  Player player;
  ConstBytes input;  ///< as many bytes as the game's Input has, each field within its range
};

/// A ray that a player's entity fires in this tick.
struct FiredRay {
  Player shooter;
  Ref from;
  Ray ray;
};

/// An outcome: a ray strikes an entity.
struct Strike {
  Player shooter;
  Ref victim;

  friend bool operator==(const Strike&, const Strike&) = default;
};

/// Judges the rays of a tick by what their players saw; appends what they strike.
using JudgeRays = std::function<void(std::span<const FiredRay> rays, std::vector<Strike>& strikes)>;

/// What the live server steps. All lists but that of commands are sorted by player, each player
/// once.
struct TickRequest {
  /// The next match opens: TickRecord::closes_match() of the tick before. Requires: every player
  /// leaves.
  bool opens_match = false;
  /// The tick is idle: its number passes, and the world is not stepped. Requires: is_empty(), and
  /// no player is in the room.
  bool is_idle = false;
  std::span<const Player> leaves;
  std::span<const Join> joins;  ///< of free seats, or of seats that are left in this tick
  std::span<const Command> commands =
      {};  ///< of players in the room, in the order of their arrival
  /// Of players in the room; a player without one keeps the input that it holds.
  std::span<const PlayerInput> inputs;
  const JudgeRays* judge = nullptr;  ///< nullptr: rays strike nothing

  /// Returns whether nothing enters the tick.
  [[nodiscard]] bool is_empty() const {
    return !opens_match && leaves.empty() && joins.empty() && commands.empty() && inputs.empty();
  }
};

enum class OutcomeKind : std::uint8_t {
  Left,            ///< a player leaves, and with it every entity that it controls
  Joined,          ///< a player joins; the bytes are what the backend put into its token
  Spawned,         ///< the server spawned an entity
  Removed,         ///< the server removed an entity
  Focused,         ///< a player's view is centred on an entity, on a place, or on its own entity
  Commanded,       ///< a player's command; what it has changed are outcomes of their own
  Decided,         ///< the game applies an outcome to an entity
  Seat,            ///< a player's state
  Room,            ///< the room's state
  Secret,          ///< the secret state, and the state of the room's random sequence
  Published = 11,  ///< a result of the match; 10 is the number of a strike in a log
  Closed,          ///< the match ends with this tick; in the next one another opens
};

/// When an outcome takes effect.
enum class OutcomePhase : std::uint8_t {
  Joining,   ///< before the players act: leaves, joins, commands, and what their hooks decide
  Deciding,  ///< at the end of the tick
};

/// The focus of a view that the game has not centred: the first entity that its player controls.
/// The id is no entity's; Focused alone has it.
inline constexpr Ref kOwnFocus{Ref::kNone - 1};

/// One outcome; its bytes are in the record.
struct Outcome {
  OutcomeKind kind = OutcomeKind::Spawned;
  OutcomePhase phase = OutcomePhase::Joining;
  /// The kind of the entity, or the number of the game's outcome, command or result.
  std::uint8_t type = 0;
  /// Who leaves, joins or commands; who controls the entity; whose focus or state it is.
  Player player;
  Ref ref;        ///< the entity
  Vec2 min;       ///< of a spawned entity; the place of a focus
  Vec2 velocity;  ///< of a spawned entity without a path, in sub-units per tick
  std::uint16_t path = kNoPath;
  std::uint64_t random = 0;  ///< Secret: the state of the random sequence
  std::size_t first = 0;     ///< of its bytes in TickRecord::bytes
  std::size_t size = 0;

  /// Returns the row of a spawned entity.
  [[nodiscard]] constexpr RowHead row() const {
    return {.id = body_id(ref),
            .min = min,
            .velocity = velocity,
            .path = path,
            .kind = type,
            .is_new = true};
  }

  friend bool operator==(const Outcome&, const Outcome&) = default;
};

/// What a replay steps, and what the tick log keeps. Clearing it keeps its memory.
struct TickRecord {
  /// An input that differs from the one that its player holds.
  struct Input {
    Player player;
    std::size_t first = 0;  ///< of its bytes

    friend bool operator==(const Input&, const Input&) = default;
  };

  bool is_idle = false;           ///< the world is not stepped; the lists are empty
  std::vector<Outcome> outcomes;  ///< in the order in which they take effect
  std::vector<Input> inputs;      ///< by player
  std::vector<Strike> strikes;    ///< in the order in which they take effect
  std::vector<std::byte> bytes;

  void clear() {
    is_idle = false;
    outcomes.clear();
    inputs.clear();
    strikes.clear();
    bytes.clear();
  }

  /// Returns whether the match ends with this tick.
  [[nodiscard]] bool closes_match() const {
    return std::ranges::find(outcomes, OutcomeKind::Closed, &Outcome::kind) != outcomes.end();
  }

  [[nodiscard]] ConstBytes bytes_of(const Outcome& outcome) const {
    return ConstBytes{bytes}.subspan(outcome.first, outcome.size);
  }

  friend bool operator==(const TickRecord&, const TickRecord&) = default;
};

// A request as a record. A recording ends with one if the step of its last tick never ended, for
// nothing else of that tick is known.

/// Writes a request into `record` and replaces its content: every input, also one that its player
/// holds. Leaves out when a client that joins has left before.
void write_request(const GameTable& game, const TickRequest& request, TickRecord& record);

/// The request that write_request() has written.
class RequestReader {
 public:
  /// Borrows the record.
  RequestReader(const GameTable& game, const TickRecord& record);

  /// Valid as long as this object and the record.
  [[nodiscard]] TickRequest request() const {
    return {.opens_match = opens_match_,
            .is_idle = is_idle_,
            .leaves = leaves_,
            .joins = joins_,
            .commands = commands_,
            .inputs = inputs_};
  }

 private:
  bool opens_match_ = false;
  bool is_idle_ = false;
  std::vector<Player> leaves_;
  std::vector<Join> joins_;
  std::vector<Command> commands_;
  std::vector<PlayerInput> inputs_;
};

}  // namespace tickbox::engine
