#pragma once
// The flags that `connect` and `load` share: the server, the bot, the link and the credentials. The
// file also has the output to which both report desyncs.

#include "cli/command_line.h"
#include "client/commands/credential_files.h"
#include "client/commands/output.h"
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
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tickbox::commands {

// Which client has which value of an option that may be given several times, each value for a share
// of the clients: --net 25%:4g, --bot 75%:wander --bot 25%:still.

/// Of all clients, in parts per million. Empty: all that no other value is for.
using ClientShare = std::optional<std::uint32_t>;

/// A value, and how many of the clients have it.
template <class Value>
struct Portion {
  ClientShare share{};
  Value value{};
};

/// The value of one client.
template <class Value>
struct ClientValue {
  const Value* value = nullptr;  ///< nullptr: no value is for this client
  std::size_t number = 0;        ///< of the clients with the same value, those before it
};

/// Splits "25%:4g" into the share and the value. Fails: with one line, if what is before the colon
/// is no share.
[[nodiscard]] std::expected<Portion<std::string_view>, std::string> split_share(
    std::string_view text);

/// Returns what is wrong with these shares together, in one line: more than all clients, or two
/// that are empty. An empty text if nothing is. `example`: a value with a share, for the text.
[[nodiscard]] std::string fault_of(std::span<const ClientShare> shares, std::string_view example);

/// Returns for each client the place of its value, or nothing. Each value has its share of the
/// clients, to within one. Which ones have it is drawn: by their numbers alone, all clients of a
/// room could have the same. Requires: nothing is wrong with the shares.
[[nodiscard]] std::vector<std::optional<std::size_t>> places_of_clients(
    std::span<const ClientShare> shares, std::size_t clients, std::uint64_t seed);

template <class Value>
[[nodiscard]] std::vector<ClientShare> shares_of(const std::vector<Portion<Value>>& values) {
  std::vector<ClientShare> shares;
  shares.reserve(values.size());
  for (const Portion<Value>& each : values) {
    shares.push_back(each.share);
  }
  return shares;
}

/// Returns the value of each client. Requires: as places_of_clients(), and `values` outlives the
/// result.
template <class Value>
[[nodiscard]] std::vector<ClientValue<Value>> values_of_clients(
    const std::vector<Portion<Value>>& values, std::size_t clients, std::uint64_t seed) {
  std::vector<ClientValue<Value>> all;
  all.reserve(clients);
  std::vector<std::size_t> given(values.size() + 1);
  for (const std::optional<std::size_t> place :
       places_of_clients(shares_of(values), clients, seed)) {
    all.push_back({.value = place ? &values[*place].value : nullptr,
                   .number = given[place.value_or(values.size())]++});
  }
  return all;
}

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
/// --bot, --net, --seed and --desync-dir. Requires: `flags` outlives `command`, and its output has
/// the games.
void add_play_flags(cli::CommandParser& command, PlayFlags& flags);

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
