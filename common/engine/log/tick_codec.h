#pragma once
// The outcomes of a tick as bytes, and whether a record fits a world. FORMAT.md is the standard;
// log/tick_log.h writes and reads whole ticks.

#include "core/bytes.h"
#include "core/numbers.h"
#include "engine/tick_record.h"
#include "engine/world.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace tickbox::engine {

/// The most bytes that a backend can put into a token.
inline constexpr std::size_t kUserDataMax = 128;

/// The most outcomes and strikes of one tick: enough for every player to leave and join, and for
/// every entity to be removed, spawned and decided upon.
inline constexpr std::size_t kOutcomesMax = std::size_t{16} * kSeatsMax;

/// What the first byte of an outcome says.
struct OutcomeHead {
  /// The number of a strike, among those of OutcomeKind.
  static constexpr std::uint8_t kStrike = static_cast<std::uint8_t>(OutcomeKind::Secret) + 1;
  static constexpr std::uint8_t kMost = static_cast<std::uint8_t>(OutcomeKind::Closed);

  std::uint8_t number = 0;  ///< of an OutcomeKind, or kStrike
  OutcomePhase phase = OutcomePhase::Joining;

  [[nodiscard]] bool is(OutcomeKind kind) const {
    return number == static_cast<std::uint8_t>(kind);
  }
};

/// What an outcome of a kind has beside its head, in the order of the bytes. All that writes, reads
/// or prints outcomes follows it.
struct OutcomeForm {
  std::string_view name;
  bool is_of_seat = false;
  bool has_type = false;   ///< of the entity's kind, the command, the decision or the result
  bool has_owner = false;  ///< the player of a spawned entity
  bool has_entity = false;
  bool has_place = false;
  bool has_way = false;     ///< a path or a velocity
  bool has_random = false;  ///< the state of the room's sequence
  bool has_value = false;   ///< of payload_type()
};

[[nodiscard]] const OutcomeForm& form_of(OutcomeKind kind);

/// Returns the type of what an outcome holds in its bytes; nullptr for none.
[[nodiscard]] const TypeInfo* payload_type(const GameTable& game, const Outcome& outcome);

/// Appends an outcome. That a player leaves or joins is its head alone: the lists of a tick say
/// who.
void write_outcome(const GameTable& game, const Outcome& outcome, ConstBytes bytes,
                   std::vector<std::byte>& out);
void write_strike(const Strike& strike, std::vector<std::byte>& out);

/// Reads the head of an outcome or strike. Fails: nothing, for a number that does not exist.
[[nodiscard]] std::optional<OutcomeHead> read_outcome_head(NumberReader& in);

/// Reads what follows the head of an outcome, and appends the outcome and its bytes to the record.
/// The reader fails for bytes that write_outcome() does not write.
/// Requires: the head is not of a leave, a join or a strike.
void read_outcome(const GameTable& game, OutcomeHead head, NumberReader& in, TickRecord& record);
void read_strike(NumberReader& in, TickRecord& record);

/// Reads a sparse value and appends it to `out`; the reader fails for one that is not valid.
void read_sparse(const TypeInfo& type, NumberReader& in, std::vector<std::byte>& out);

/// Returns whether a server can have written this record for the tick after `world`: what a replay
/// requires of it.
[[nodiscard]] bool is_valid(const World& world, const TickRecord& record);

}  // namespace tickbox::engine
