#pragma once
// The flags that `connect` and `load` share: the server, the bot, the link and the credentials. The
// file also has the output to which both report desyncs.

#include "cli/command_line.h"
#include "client/commands/key_file.h"
#include "client/commands/output.h"
#include "client/commands/play/client_shares.h"
#include "core/text.h"
#include "desync/files.h"
#include "net/connect_token.h"
#include "net/link_simulator.h"
#include "net/transport.h"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::commands {

/// The keys or the token that admit clients.
struct Credentials {
  /// The keys for the token of each client that has none: the published key unless a file is named.
  net::KeyRing keys = net::KeyRing::published();
  std::optional<net::ConnectToken> token{};
  std::vector<net::Address> servers{};  ///< those of the tokens; empty: the ones that are tried
};

/// The bot of a client without --bot.
inline constexpr std::string_view kUsualBot = "wander";

struct PlayFlags {
  HostPort server{};
  /// Styles of the games, or "mix", and links, each with or without a share of the clients.
  std::vector<std::string> bots{};
  std::vector<std::string> net{};
  std::uint64_t seed = 1;
  std::string desync_dir{};  ///< empty: no files
  std::string token{};       ///< a file; empty: none
  KeyFileFlags key_file{};
  std::optional<HostPort> token_server{};
  std::optional<std::uint64_t> client{};  ///< id of the first client; random if not given
  bool insecure = false;                  ///< the explicit form of the default without a file
  Output output{};
};

/// Adds HOST:PORT, --token, --key-file, --allow-exposed-keys, --token-server, --client, --insecure,
/// --bot, --net, --seed and --desync-dir. `without_bot`: who plays if --bot is not given, for the
/// help. Requires: `flags` outlives `command`, and its output has the games.
void add_play_flags(cli::CommandParser& command, PlayFlags& flags, const std::string& without_bot);

/// Returns the bots of --bot.
[[nodiscard]] std::vector<Portion<std::string>> bots_of(const PlayFlags& flags);

/// Returns the links of --net.
[[nodiscard]] std::vector<Portion<net::TwoWayLink>> links_of(const PlayFlags& flags);

/// Returns the server's addresses, at least one. Fails: with one line, if its name is not known.
/// Cost: may wait for a name server.
[[nodiscard]] std::expected<std::vector<net::Address>, std::string> find_servers(
    const PlayFlags& flags);

/// Returns the error in one line if two given flags of credentials exclude each other, or if
/// shares do; else nothing.
[[nodiscard]] std::optional<std::string> contradiction(const PlayFlags& flags);

/// Reads the token or the keys from the named file; without a file the keys are the published ones.
/// Fails: with one line. Cost: with --token-server may wait for a name server.
[[nodiscard]] std::expected<Credentials, std::string> read_credentials(const PlayFlags& flags);

/// A sink that prints a line for each of the first desyncs, unless --quiet is given. With
/// --desync-dir it also writes files, within the limits of desync::Files. Thread: any.
class DesyncOutput final : public desync::DesyncSink {
 public:
  /// Requires: `flags` and `clock` outlive the object. Fails: with one line.
  [[nodiscard]] static std::expected<std::unique_ptr<DesyncOutput>, std::string> open(
      const PlayFlags& flags, const Clock& clock);

  void record(const desync::Desync& desync) override;

 private:
  explicit DesyncOutput(const Output& output) : output_(output) {}

  const Output& output_;
  std::unique_ptr<desync::Files> files_;
  std::mutex mutex_;
  std::size_t printed_ = 0;
};

}  // namespace tickbox::commands
