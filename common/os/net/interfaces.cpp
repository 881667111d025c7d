#include "os/net/interfaces.h"

#include "os/net/socket_address.h"
#include "os/process/system_error.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ifaddrs.h>
#include <memory>
#include <net/if.h>
#include <netinet/in.h>

namespace tickbox::os {
namespace {

/// fe80::/10.
bool is_link_local(const net::Address& address) {
  return address.ip[0] == 0xfe && (address.ip[1] & 0xc0) == 0x80;
}

}  // namespace

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
    sockaddr_storage storage{};
    std::memcpy(&storage, each->ifa_addr,
                family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6));
    net::Address address = from_socket_address(storage);
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

}  // namespace tickbox::os
