#pragma once
// Converts net::Address to the kernel's socket addresses, and back.

#include "net/address.h"

#include <sys/socket.h>

namespace tickbox::os {

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
