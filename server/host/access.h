#pragma once
// By what a server lets in, and under which addresses: read from files and from the machine when it
// starts, and the keys again when it is asked to. A key that is not there yet can be made here.

#include "net/address.h"
#include "net/key_ring.h"
#include "server/host/options.h"

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

namespace tickbox::server {

/// One line when these options do not go together: without keys a server is for this machine alone.
[[nodiscard]] std::optional<std::string> contradiction(const Options& options);

enum class KeyFile : std::uint8_t {
  AsItWas,  ///< used, or its reader says what is wrong with it
  Created,  ///< with one fresh key
};

/// Makes the key file where that is wanted and it is not there. When the server starts, and never
/// again: a file that is missed later has been lost, and a fresh key would shut everybody out.
/// Requires: net::crypto_ready().  Fails: with one line.
[[nodiscard]] std::expected<KeyFile, std::string> create_key_file(const Options& options);

/// Those of the key file, or the published one.  Fails: with one line.
[[nodiscard]] std::expected<net::KeyRing, std::string> read_keys(const Options& options);

/// What tokens must name: what was said, or else where the socket is bound; a wildcard stands for
/// every address of its interfaces. Empty without keys: clients make their tokens themselves, and
/// may reach this server through a port forward.  Fails: with one line.
[[nodiscard]] std::expected<std::vector<net::Address>, std::string> public_addresses(
    const Options& options, const net::Address& bound);

/// Where a client on this machine reaches the server, for the commands that are printed.
[[nodiscard]] net::Address address_to_try(const Options& options, const net::Address& bound);

/// "keys=2 newest=3", for the log.
[[nodiscard]] std::string keys_in_words(const net::KeyRing& keys);

/// The host of --bind, without the brackets of an IPv6 address.
[[nodiscard]] std::string host_of(const std::string& bind);

/// Where a server runs, and who reaches it there.
enum class Surroundings : std::uint8_t { Machine, Container };

/// A log line that says what to do where a server in a container listens on loopback: only programs
/// in the same container, or in its network namespace, reach it.
[[nodiscard]] std::optional<std::string> loopback_hint(const net::Address& bound,
                                                       Surroundings surroundings);

}  // namespace tickbox::server
