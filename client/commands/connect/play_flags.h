#pragma once
// The flags that `connect` and `load` share: whom to play against, how, and over what link.

#include "cli/command_line.h"
#include "cli/exit_code.h"
#include "client/commands/connect/credentials.h"
#include "client/commands/connect/desync_reports.h"
#include "core/values.h"
#include "games/arena/bot.h"
#include "net/address.h"
#include "net/link_simulator.h"

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace tickbox::commands {

struct PlayFlags {
  HostPort server{};
  game::BotKind bot = game::BotKind::Wander;
  std::optional<net::LinkConditions> link{};
  std::uint64_t seed = 1;
  std::string desync_dir{};  ///< empty: no files
  CredentialFlags credentials{};
  cli::CommonFlags common{};
  const cli::Command* program = nullptr;

  /// Given to the command, or to the program before it.
  [[nodiscard]] bool json() const;
  [[nodiscard]] bool quiet() const;
};

/// The server's address.  Fails: where its name is not known, with one line.  Cost: may wait for a
/// name server.
[[nodiscard]] std::expected<net::Address, std::string> find_server(const PlayFlags& flags);

/// Adds HOST:PORT, --token, --key-file, --insecure, --bot, --net, --seed and --desync-dir.
/// Requires: `flags` outlives `command`.
void add_play_flags(cli::Command& command, PlayFlags& flags);

/// What is told of desyncs, as these flags want it. Borrows the clock.  Fails: with one line.
[[nodiscard]] std::expected<std::unique_ptr<DesyncReports>, std::string> desync_reports_of(
    const PlayFlags& flags, std::string_view command, const Clock& clock);

/// read_credentials(), with a warning on stderr when others may read the keys.
[[nodiscard]] std::expected<Credentials, std::string> credentials_of(const PlayFlags& flags,
                                                                     std::string_view command);

}  // namespace tickbox::commands
