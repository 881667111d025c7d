#pragma once
// net::Address as the kernel wants it, and back.

#include "net/address.h"

#include <sys/socket.h>

namespace tickbox::os {

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;
};

[[nodiscard]] bool is_ipv4(const net::Address& address);

/// A sockaddr_in for an IPv4-mapped address, a sockaddr_in6 for any other.
[[nodiscard]] SocketAddress to_ipv4_or_ipv6(const net::Address& address);

/// A sockaddr_in6 for every address: what an IPv6 socket speaks to.
[[nodiscard]] SocketAddress to_ipv6(const net::Address& address);

/// Requires: a sockaddr_in or sockaddr_in6.
[[nodiscard]] net::Address from_socket_address(const sockaddr_storage& storage);

}  // namespace tickbox::os
