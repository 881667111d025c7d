#pragma once
// The record of a tick as bytes: what a tick log carries. FORMAT.md is the standard.

#include "core/bytes.h"
#include "engine/tick_record.h"
#include "engine/world.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tickbox::engine {

/// The most bytes that a backend can put into a token.
inline constexpr std::size_t kUserDataMax = 128;

/// Writes a record into `out` and replaces its content.
void encode_tick(const GameTable& game, const TickRecord& record, std::vector<std::byte>& out);

/// Reads a record. Fails: nothing, for bytes that encode_tick() makes of no record of this game.
[[nodiscard]] std::optional<TickRecord> decode_tick(const GameTable& game, ConstBytes bytes);

/// Returns whether a server can have written this record for the tick after `world`: what a replay
/// requires of it.
[[nodiscard]] bool is_valid(const World& world, const TickRecord& record);

}  // namespace tickbox::engine
