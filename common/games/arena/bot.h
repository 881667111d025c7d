#pragma once
// Bots: players that decide their inputs from a seed and from what their client sees.

#include "core/rng.h"
#include "game/entity_state.h"
#include "game/input.h"
#include "game/player.h"

#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tickbox::game {

enum class BotKind : std::uint8_t {
  Wander,  ///< a new direction, or none, every 30 to 90 ticks; shoots once a second on average
  Chase,   ///< runs after the nearest player and shoots at it, with gun or ray
  Still,   ///< does nothing
  Stress,  ///< random stick, buttons and aim every tick
  Mix,     ///< a quarter of the clients for each kind, by the client's number
};

/// Reads "wander", "chase", "still", "stress" or "mix". Fails: with one line that lists them.
[[nodiscard]] std::expected<BotKind, std::string> parse_bot_kind(std::string_view text);

/// Returns the kind that client `number` plays: `kind`, or for Mix one of the others in turn.
[[nodiscard]] BotKind bot_kind_of(BotKind kind, std::uint64_t number);

class Bot {
 public:
  /// Requires: kind is not Mix.
  Bot(BotKind kind, std::uint64_t seed, std::uint32_t ticks_per_second);

  /// Returns the input for the next tick. `own`: the own body as predicted; `seen`: the newest
  /// view.
  [[nodiscard]] Input decide(const std::optional<EntityState>& own,
                             std::span<const EntityState> seen);

 private:
  [[nodiscard]] Input wander();
  [[nodiscard]] Input chase(const EntityState& own, std::span<const EntityState> seen);

  BotKind kind_;
  Rng rng_;
  std::uint32_t ticks_per_second_;
  std::uint8_t move_ = 0;
  std::uint64_t ticks_left_ = 0;
};

/// Returns a bot that plays instead of a person. Requires: kind is not Mix.
[[nodiscard]] MakePlayer bot_player(BotKind kind, std::uint64_t seed);

}  // namespace tickbox::game
