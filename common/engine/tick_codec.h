#pragma once
// The record of a tick as bytes: what recordings, the black box and audits carry.
//
//   tick       no bytes if nothing entered; else
//              lists u8 (1: outcomes, 2: inputs, 4: strikes), then each list that is present, in
//              this order: count, elements
//     outcome  kind << 1 | phase u8, then by kind
//       left       seat
//       joined     seat, size, what the backend put into the token
//       spawned    kind of the entity: number, its controller's seat + 1: number, or 0, id u64,
//                  x, y i32, path + 1: number, or 0, state
//       removed    id u64
//       focused    seat, id u64, x, y i32
//       commanded  seat, number of the command, command
//       decided    number of the outcome, id u64, outcome
//       seat       seat, state
//       room       state
//       secret     state of the random sequence u64, state
//     input    seat, input
//     strike   the shooter's seat, the victim's id u64
//
// Inputs, states, commands and outcomes are sparse: for each value one bit, and if it is set the
// value, packed by its range; else the value is the one that the type has by default. They are
// filled up to whole bytes. Seats and counts are numbers of core/numbers.h, without a width.

#include "core/bytes.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/tick_record.h"
#include "engine/world.h"

namespace tickbox::engine {

/// The most bytes that a backend can put into a token.
inline constexpr std::size_t kUserDataMax = 128;

/// Writes a record into `out` and replaces its content.
void encode_tick(const GameTable& game, const TickRecord& record, std::vector<std::byte>& out);

/// Reads a record.  Fails: nothing, for bytes that encode_tick() makes of no record of this game.
[[nodiscard]] std::optional<TickRecord> decode_tick(const GameTable& game, ConstBytes bytes);

/// Returns whether a server can have written this record for the tick after `world`: what a replay
/// requires of it.
[[nodiscard]] bool is_valid(const World& world, const TickRecord& record);

}  // namespace tickbox::engine
