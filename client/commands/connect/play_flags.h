#pragma once
// The flags that `connect` and `load` share: the server, the bot, the link and the credentials; and
// the reports of views whose hash differs from the server's.

#include "cli/command_line.h"
#include "cli/desync_file.h"
#include "client/commands/output.h"
#include "core/values.h"
#include "games/arena/bot.h"
#include "net/address.h"
#include "net/connect_token.h"
#include "net/key_ring.h"
#include "net/link_simulator.h"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>

namespace tickbox::commands {

/// What lets clients in.
struct Credentials {
  /// Issues a token to each client that has none: the published one unless a file was named.
  net::KeyRing keys = net::KeyRing::published();
  std::optional<net::ConnectToken> token{};
};

struct PlayFlags {
  HostPort server{};
  game::BotKind bot = game::BotKind::Wander;
  std::optional<net::LinkConditions> link{};
  std::uint64_t seed = 1;
  std::string desync_dir{};  ///< empty: no files
  std::string token{};       ///< a file; empty for none
  std::string key_file{};    ///< a file; empty for none
  bool insecure = false;     ///< said aloud; the default where neither file is given
  Output output{};
};

/// Adds HOST:PORT, --token, --key-file, --insecure, --bot, --net, --seed and --desync-dir.
/// Requires: `flags` outlives `command`.
void add_play_flags(cli::Command& command, PlayFlags& flags);

/// The server's address.  Fails: where its name is not known, with one line.  Cost: may wait for a
/// name server.
[[nodiscard]] std::expected<net::Address, std::string> find_server(const PlayFlags& flags);

/// Two flags of credentials that exclude each other, in one line; nothing when there are none.
[[nodiscard]] std::optional<std::string> contradiction(const PlayFlags& flags);

/// Reads the file that was named, with a warning on stderr when others may read the keys.
/// Fails: with one line.
[[nodiscard]] std::expected<Credentials, std::string> read_credentials(const PlayFlags& flags);

/// Prints a line for each of the first desyncs, unless told to be quiet; with --desync-dir writes
/// their files.
class DesyncReports final : public protocol::DesyncSink {
 public:
  /// Borrows both.  Fails: with one line.
  [[nodiscard]] static std::expected<std::unique_ptr<DesyncReports>, std::string> open(
      const PlayFlags& flags, const Clock& clock);

  void note(const protocol::Desync& desync) override;

 private:
  explicit DesyncReports(const Output& output) : output_(output) {}

  const Output& output_;
  std::unique_ptr<cli::DesyncFiles> files_;
  std::size_t printed_ = 0;
};

}  // namespace tickbox::commands
