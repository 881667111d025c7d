// Fills and reads the two socket address structures by memcpy, as their storage has another type.

#include "os/net/socket_address.h"

#include "core/assert.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cstring>
#include <netinet/in.h>

namespace tickbox::os {
SocketAddress to_ipv4_or_ipv6(const net::Address& address) {
  if (!net::is_ipv4(address)) return to_ipv6(address);
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  v4.sin_port = htons(address.port);
  std::memcpy(&v4.sin_addr, address.ip.data() + net::kIpv4Prefix.size(), sizeof v4.sin_addr);
  SocketAddress result{.size = sizeof v4};
  std::memcpy(&result.storage, &v4, sizeof v4);
  return result;
}

SocketAddress to_ipv6(const net::Address& address) {
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  v6.sin6_port = htons(address.port);
  std::memcpy(&v6.sin6_addr, address.ip.data(), sizeof v6.sin6_addr);
  SocketAddress result{.size = sizeof v6};
  std::memcpy(&result.storage, &v6, sizeof v6);
  return result;
}

net::Address from_socket_address(const sockaddr& socket) {
  net::Address address;
  if (socket.sa_family == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, &socket, sizeof v4);
    std::ranges::copy(net::kIpv4Prefix, address.ip.begin());
    std::memcpy(address.ip.data() + net::kIpv4Prefix.size(), &v4.sin_addr, sizeof v4.sin_addr);
    address.port = ntohs(v4.sin_port);
    return address;
  }
  TICKBOX_ASSERT(socket.sa_family == AF_INET6);
  sockaddr_in6 v6{};
  std::memcpy(&v6, &socket, sizeof v6);
  std::memcpy(address.ip.data(), &v6.sin6_addr, sizeof v6.sin6_addr);
  address.port = ntohs(v6.sin6_port);
  return address;
}

}  // namespace tickbox::os
