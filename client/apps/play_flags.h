#pragma once
// The flags that `connect` and `load` share: whom to play against, how, and over what link.

#include "client/apps/credentials.h"
#include "client/bot.h"
#include "net/address.h"
#include "net/link_simulator.h"
#include "os/command_line.h"

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace tickbox::apps {

struct PlayFlags {
  net::Address server{};
  client::BotKind bot = client::BotKind::Wander;
  std::optional<net::LinkConditions> link{};
  std::uint64_t seed = 1;
  CredentialFlags credentials{};
  os::CommonFlags common{};
  const CLI::App* program = nullptr;

  /// Given to the command, or to the program before it.
  [[nodiscard]] bool json() const;
  [[nodiscard]] bool quiet() const;
};

/// Adds HOST:PORT, --token, --key-file, --insecure, --bot, --net and --seed.  Requires: `flags`
/// outlives `command`.
void add_play_flags(CLI::App& command, PlayFlags& flags);

/// read_credentials(), with a warning on stderr when others may read the keys.
[[nodiscard]] std::expected<Credentials, std::string> credentials_of(const PlayFlags& flags,
                                                                     std::string_view command);

}  // namespace tickbox::apps
