#pragma once
// Who can reach a server, and with which keys. The keys come from the key file, which --create-key
// creates here if it is missing; WatchedFile reads it again when it changes. The public addresses
// come from the options or from the machine's interfaces. Also the options that exclude each other.

#include "core/clock.h"
#include "core/log_event.h"
#include "net/connect_token.h"
#include "net/transport.h"
#include "os/files/private_file.h"
#include "server/host/base/options.h"
#include "server/shard/log.h"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::server {

/// Returns one line if options exclude each other, if the snapshot rate does not fit the tick rate,
/// or if --bind or --admin-bind is no address. So is an address of --bind other than loopback
/// without keys or --allow-strangers, or of --admin-bind without a token.
[[nodiscard]] std::optional<std::string> contradiction(const Options& options);

enum class KeyFile : std::uint8_t {
  AsItWas,  ///< unchanged; its first read reports what is wrong with it
  Created,  ///< with one fresh key
};

/// Creates the key file if that is requested and it is missing. Call it only at the start: a file
/// that is missing later has been lost, and a fresh key would lock all clients out.
/// Requires: net::crypto_ready(). Fails: with one line.
[[nodiscard]] std::expected<KeyFile, std::string> create_key_file(const Options& options);

/// Returns whether the keys of an exposed file are read.
[[nodiscard]] os::Exposed exposed_keys(const Options& options);

/// The time for which a name that is not found is looked up again: an orchestrator may start a
/// server before its name is known.
inline constexpr Duration kLookupPatience = std::chrono::seconds{30};
inline constexpr Duration kLookupPause = std::chrono::seconds{1};

/// What a lookup uses.
struct Lookup {
  std::function<std::expected<net::Address, std::string>(std::string_view host_port)> resolve;
  /// Asks Agones for the address of each shard.
  std::function<std::expected<std::vector<net::Address>, std::string>()> own_addresses;
  std::function<void(Duration)> pause;
  const Clock& clock;
  Log& log;
};

/// The addresses of --public-address.
struct GivenAddresses {
  std::vector<net::Address> named;
  std::vector<net::Address> by_shard;  ///< those of kAgonesAddress; empty: not given
};

/// Returns the addresses of --public-address, if there are keys. Fails: with one line, if one is
/// not found within kLookupPatience.
[[nodiscard]] std::expected<GivenAddresses, std::string> given_addresses(const Options& options,
                                                                         const Lookup& lookup);

/// Returns the addresses that tokens for a shard must name: the `given` ones, those that were named
/// with the port of the shard, which is as many above as its number; or else the bound address; for
/// a wildcard, every address of its interfaces; and the one that stands for --name. Returns none
/// without keys: clients then make their tokens themselves, and may reach this server through a
/// port forward. Fails: with one line, if the machine does not say which interfaces it has.
[[nodiscard]] std::expected<std::vector<net::Address>, std::string> public_addresses(
    const Options& options, const GivenAddresses& given, const net::Address& bound,
    std::size_t shard);

/// Returns the bound address, with loopback for a wildcard.
[[nodiscard]] net::Address on_this_machine(const net::Address& bound);

/// Returns the address at which a client on this machine reaches the server, for printed commands.
[[nodiscard]] std::string address_to_try(const Options& options, const net::Address& bound);

/// Returns keys=2 newest=3, for the log.
[[nodiscard]] LogFields keys_as_fields(const net::KeyRing& keys);

/// Returns the host of --bind, without the brackets of an IPv6 address.
[[nodiscard]] std::string host_of(const std::string& bind);

/// The place where a server runs, which decides who can reach it.
enum class Surroundings : std::uint8_t { Machine, Container };

/// Returns an event with advice if a server in a container listens on loopback. Only programs in
/// the same container, or in its network namespace, reach it then.
[[nodiscard]] std::optional<LogEvent> loopback_hint(const net::Address& bound,
                                                    Surroundings surroundings);

}  // namespace tickbox::server
