#pragma once
// What a bot sees when it decides an input. BotView in tickbox/game.h reads it.

#include "core/ids.h"
#include "core/rng.h"
#include "engine/map.h"
#include "tickbox/game.h"
#include "tickbox/type_info.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace tickbox::detail {

/// What a bot gives beside its input.
struct BotCommand {
  std::optional<std::uint8_t> number;  ///< of the game's command; none: the bot sends no command
  alignas(std::uint64_t) std::array<std::byte, kTypeBytesMax> value{};
};

struct BotSight {
  Tick tick;  ///< in which the input is used
  std::uint32_t tick_rate = 0;
  Player me;
  const engine::Map* map = nullptr;
  const void* room = nullptr;     ///< the room's state in the newest view
  std::span<const SeenRow> seen;  ///< the newest view, by id
  std::span<const SeenRow> own;   ///< the player's avatars as predicted, by id
  Rng* random = nullptr;          ///< the bot's own sequence
  BotCommand* command = nullptr;  ///< of this tick
};

}  // namespace tickbox::detail
