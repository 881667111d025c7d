#pragma once
// Resolves names to addresses, lists the addresses of this machine, and has addresses as the
// system's calls for sockets take them.

#include "net/transport.h"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <vector>

namespace tickbox::os {

/// The most addresses of a name that are used.
inline constexpr std::size_t kAddressesOfName = 4;

/// Resolves `host` to its addresses, each once: IPv4 and IPv6 in turn, IPv4 first, because a server
/// listens on 127.0.0.1 by default, and "localhost" must find it. At most kAddressesOfName.
/// Fails: with one line. Cost: may wait for a name server; at start-up only.
[[nodiscard]] std::expected<std::vector<net::Address>, std::string> resolve_all(
    const std::string& host, std::uint16_t port);

/// Returns `addresses` in the order of resolve_all().
[[nodiscard]] std::vector<net::Address> in_turn(const std::vector<net::Address>& addresses);

/// Returns the first address of resolve_all().
[[nodiscard]] std::expected<net::Address, std::string> resolve_host(const std::string& host,
                                                                    std::uint16_t port);

/// Calls parse_host_port(), then resolve_host().
[[nodiscard]] std::expected<net::Address, std::string> resolve_host_port(std::string_view text);

/// Returns the address, if others can send to it. Fails: with one line, for port 0, and for a
/// wildcard, multicast, broadcast or IPv6 link-local address.
[[nodiscard]] std::expected<net::Address, std::string> as_destination(const net::Address& address);

/// Calls resolve_host_port(), then as_destination().
[[nodiscard]] std::expected<net::Address, std::string> resolve_destination(std::string_view text);

// The addresses of this machine.

/// Returns the addresses of all interfaces that are up, with loopback, each once and with `port`.
/// IPv6 link-local addresses are left out: they mean nothing without their interface.
/// Fails: with one line.
[[nodiscard]] std::expected<std::vector<net::Address>, std::string> interface_addresses(
    std::uint16_t port);

/// Returns whether the address is 0.0.0.0 or [::], which mean every address of a machine.
[[nodiscard]] bool is_wildcard(const net::Address& address);

// Addresses as the system's calls for sockets take them.

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;
};

/// Returns a sockaddr_in for an IPv4-mapped address, a sockaddr_in6 for any other.
[[nodiscard]] SocketAddress to_ipv4_or_ipv6(const net::Address& address);

/// Returns a sockaddr_in6 for every address, as an IPv6 socket needs it.
[[nodiscard]] SocketAddress to_ipv6(const net::Address& address);

/// Requires: a sockaddr_in or sockaddr_in6.
[[nodiscard]] net::Address from_socket_address(const sockaddr& socket);

[[nodiscard]] inline net::Address from_socket_address(const sockaddr_storage& storage) {
  return from_socket_address(reinterpret_cast<const sockaddr&>(storage));
}

}  // namespace tickbox::os
