#pragma once
// Who decides a client's inputs: a bot, a person, a script or a test.

#include "bots/bot.h"
#include "core/bytes.h"
#include "engine/identity.h"

#include <cstdint>
#include <expected>
#include <functional>
#include <span>
#include <string>

namespace tickbox::client {

/// What is decided for one tick, valid until the next decision.
struct Decision {
  // NOLINTNEXTLINE(google-explicit-constructor): most send an input alone
  Decision(ConstBytes given, std::span<const bots::PlayerCommand> also = {})
      : input(given), commands(also) {}

  ConstBytes input;                               ///< a value of the game's input type
  std::span<const bots::PlayerCommand> commands;  ///< sent with it; lost while ten others wait
};

/// Decides for one tick. It is called once for each tick that the client runs, in their order.
using Decide = std::function<Decision(const bots::Seen&)>;

/// Makes the `Decide` for what a room plays. Fails: a reason in words, which ends the connection.
using MakePlayer = std::function<std::expected<Decide, std::string>(const engine::GameOnMap&)>;

/// Returns the factory of a bot. `style`: a name as bots::parse_style() reads it. `number`: the
/// client's, which chooses its style of a mix.
[[nodiscard]] MakePlayer bot_player(std::string style, std::uint64_t number, std::uint64_t seed);

}  // namespace tickbox::client
