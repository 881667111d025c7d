#pragma once
// Addresses: from names, and those of this machine.

#include "net/address.h"

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::os {

/// Asks the resolver for `host`. Where a name has both kinds, IPv4 is taken: a server listens on
/// 127.0.0.1 unless told otherwise, and "localhost" must find it. Fails: with one line.  Cost: may
/// wait for a name server; at start-up only.
[[nodiscard]] std::expected<net::Address, std::string> resolve_host(const std::string& host,
                                                                    std::uint16_t port);

/// parse_host_port() and resolve_host() in one.
[[nodiscard]] std::expected<net::Address, std::string> resolve_host_port(std::string_view text);

/// The same for an address that others send to: no port 0, and none that stands for all of a
/// machine's.
[[nodiscard]] std::expected<net::Address, std::string> resolve_destination(std::string_view text);

// The addresses of this machine.

/// Those of its interfaces that are up, loopback among them, each once, all with `port`. Without
/// IPv6's link-local ones: they mean nothing without the interface they belong to.
/// Fails: with one line.
[[nodiscard]] std::expected<std::vector<net::Address>, std::string> interface_addresses(
    std::uint16_t port);

/// 0.0.0.0 or [::], which stand for every address of a machine.
[[nodiscard]] bool is_wildcard(const net::Address& address);

}  // namespace tickbox::os
