// Names to addresses by the system's resolver, which also works from a static binary in an empty
// root.

#include "os/net/resolve.h"

#include "core/values.h"
#include "os/net/interfaces.h"
#include "os/net/socket_address.h"
#include "os/process/system_error.h"

#include <cerrno>
#include <cstring>
#include <memory>
#include <netdb.h>

namespace tickbox::os {

std::expected<net::Address, std::string> resolve_host(const std::string& host, std::uint16_t port) {
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
  const addrinfo* chosen = nullptr;
  for (const addrinfo* each = found; each != nullptr; each = each->ai_next) {
    if (each->ai_family != AF_INET && each->ai_family != AF_INET6) continue;
    const bool first_ipv4 =
        each->ai_family == AF_INET && (chosen == nullptr || chosen->ai_family != AF_INET);
    if (chosen == nullptr || first_ipv4) chosen = each;
  }
  if (chosen == nullptr) {
    return std::unexpected{"cannot find host " + host + ": it has no IPv4 or IPv6 address"};
  }
  sockaddr_storage storage{};
  std::memcpy(&storage, chosen->ai_addr, chosen->ai_addrlen);
  net::Address address = from_socket_address(storage);
  address.port = port;
  return address;
}

std::expected<net::Address, std::string> resolve_host_port(std::string_view text) {
  const auto parsed = parse_host_port(text);
  if (!parsed) return std::unexpected{parsed.error()};
  return resolve_host(parsed->host, parsed->port);
}

std::expected<net::Address, std::string> resolve_destination(std::string_view text) {
  auto address = resolve_host_port(text);
  if (address && (is_wildcard(*address) || address->port == 0)) {
    return std::unexpected{
        std::string{text} +
        " is no address that a client reaches; name the server as its clients do"};
  }
  return address;
}

}  // namespace tickbox::os
