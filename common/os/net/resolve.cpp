// Resolves names with the system's resolver, which also works in a static binary in an empty root.
// Fills and reads the two socket address structures by memcpy, as their storage has another type.

#include "os/net/resolve.h"

#include "core/assert.h"
#include "core/text.h"
#include "os/process/system_error.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <ifaddrs.h>
#include <memory>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <utility>

namespace tickbox::os {
namespace {

/// Returns whether the address is in fe80::/10.
bool is_link_local(const net::Address& address) {
  return address.ip[0] == 0xfe && (address.ip[1] & 0xc0) == 0x80;
}

/// Returns whether a datagram to the address reaches one machine, and the same one from anywhere.
bool is_of_one_machine(const net::Address& address) {
  if (is_wildcard(address) || is_link_local(address)) return false;
  // 224.0.0.0/4 is multicast. Above it are reserved addresses and the broadcast.
  return net::is_ipv4(address) ? address.ip[12] < 224 : address.ip[0] != 0xff;
}

}  // namespace

std::vector<net::Address> in_turn(const std::vector<net::Address>& addresses) {
  std::vector<net::Address> kinds[2];
  for (const net::Address& each : addresses) {
    auto& kind = kinds[net::is_ipv4(each) ? 0 : 1];
    if (std::ranges::find(kind, each) == kind.end()) kind.push_back(each);
  }
  std::vector<net::Address> ordered;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    for (const auto& kind : kinds) {
      if (i < kind.size() && ordered.size() < kAddressesOfName) ordered.push_back(kind[i]);
    }
  }
  return ordered;
}

std::expected<std::vector<net::Address>, std::string> resolve_all(const std::string& host,
                                                                  std::uint16_t port) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  if (const int code = getaddrinfo(host.c_str(), nullptr, &hints, &found); code != 0) {
    const std::string reason = code == EAI_SYSTEM ? reason_of(errno) : gai_strerror(code);
    return std::unexpected{"cannot find host " + host + ": " + reason +
                           "; check the name or give an address"};
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner{found, &freeaddrinfo};
  std::vector<net::Address> addresses;
  for (const addrinfo* each = found; each != nullptr; each = each->ai_next) {
    if (each->ai_family != AF_INET && each->ai_family != AF_INET6) continue;
    net::Address address = from_socket_address(*each->ai_addr);
    address.port = port;
    addresses.push_back(address);
  }
  if (addresses.empty()) {
    return std::unexpected{"cannot find host " + host + ": it has no IPv4 or IPv6 address"};
  }
  return in_turn(addresses);
}

std::expected<net::Address, std::string> resolve_host(const std::string& host, std::uint16_t port) {
  auto addresses = resolve_all(host, port);
  if (!addresses) return std::unexpected{std::move(addresses.error())};
  return addresses->front();
}

std::expected<net::Address, std::string> resolve_host_port(std::string_view text) {
  const auto parsed = parse_host_port(text);
  if (!parsed) return std::unexpected{parsed.error()};
  return resolve_host(parsed->host, parsed->port);
}

std::expected<net::Address, std::string> as_destination(const net::Address& address) {
  if (address.port != 0 && is_of_one_machine(address)) return address;
  return std::unexpected{net::to_string(address) +
                         " is not an address that a client can reach; give the server's address "
                         "as its clients see it"};
}

std::expected<net::Address, std::string> resolve_destination(std::string_view text) {
  auto address = resolve_host_port(text);
  return address ? as_destination(*address) : address;
}

std::expected<std::vector<net::Address>, std::string> interface_addresses(std::uint16_t port) {
  ifaddrs* first = nullptr;
  if (getifaddrs(&first) != 0) {
    return std::unexpected{"cannot list this machine's addresses: " + reason_of(errno)};
  }
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owner{first, &freeifaddrs};
  std::vector<net::Address> addresses;
  for (const ifaddrs* each = first; each != nullptr; each = each->ifa_next) {
    if (each->ifa_addr == nullptr || (each->ifa_flags & IFF_UP) == 0) continue;
    const int family = each->ifa_addr->sa_family;
    if (family != AF_INET && family != AF_INET6) continue;
    net::Address address = from_socket_address(*each->ifa_addr);
    address.port = port;
    if (!is_link_local(address)) addresses.push_back(address);
  }
  std::ranges::sort(addresses);
  const auto repeats = std::ranges::unique(addresses);
  addresses.erase(repeats.begin(), repeats.end());
  return addresses;
}

bool is_wildcard(const net::Address& address) {
  constexpr net::Address kAnyIpv6{};
  constexpr net::Address kAnyIpv4{.ip = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0, 0, 0}};
  return address.ip == kAnyIpv6.ip || address.ip == kAnyIpv4.ip;
}

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
