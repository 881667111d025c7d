#pragma once
// The flags that `connect` and `load` share: whom to play against, how, and over what link.

#include "client/bot.h"
#include "net/address.h"
#include "net/link_simulator.h"
#include "os/command_line.h"

#include <cstdint>
#include <optional>

namespace tickbox::apps {

struct PlayFlags {
  net::Address server{};
  client::BotKind bot = client::BotKind::Wander;
  std::optional<net::LinkConditions> link{};
  std::uint64_t seed = 1;
  bool insecure = true;  ///< by the published key: so far the only way
  os::CommonFlags common{};
  const CLI::App* program = nullptr;

  /// Given to the command, or to the program before it.
  [[nodiscard]] bool json() const;
  [[nodiscard]] bool quiet() const;
};

/// Adds HOST:PORT, --bot, --net, --seed and --insecure.  Requires: `flags` outlives `command`.
void add_play_flags(CLI::App& command, PlayFlags& flags);

}  // namespace tickbox::apps
