#include "net/transport.h"

#include "core/text.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cstddef>

namespace tickbox::net {
namespace {

/// Returns the text of the address without its port. Source: RFC 5952.
std::string host_text(const Address& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const bool is_v4 = is_ipv4(address);
  const std::uint8_t* const ip = address.ip.data() + (is_v4 ? kIpv4Prefix.size() : 0);
  inet_ntop(is_v4 ? AF_INET : AF_INET6, ip, text.data(), text.size());
  return text.data();
}

std::unexpected<std::string> wrong(std::string_view text, std::string_view why) {
  return std::unexpected{"'" + std::string{text} + "' " + std::string{why} +
                         "; give an address such as 127.0.0.1:7777 or [::1]:7777"};
}

}  // namespace

bool is_loopback(const Address& address) {
  if (is_ipv4(address)) return address.ip[12] == 127;
  return std::all_of(address.ip.begin(), address.ip.end() - 1,
                     [](std::uint8_t byte) { return byte == 0; }) &&
         address.ip[15] == 1;
}

bool may_lead_to(const Address& from, const Address& to) {
  enum class Reach : std::uint8_t { Loopback, Link, All, None };
  const auto reach_of = [](const Address& address) {
    if (is_loopback(address)) return Reach::Loopback;
    const std::uint8_t first = address.ip[is_ipv4(address) ? 12 : 0];
    const std::uint8_t second = address.ip[is_ipv4(address) ? 13 : 1];
    if (is_ipv4(address)) {
      constexpr std::uint8_t kMulticast = 224;  // and all above: reserved, and broadcast
      if (first == 0 || first >= kMulticast) return Reach::None;
      return first == 169 && second == 254 ? Reach::Link : Reach::All;
    }
    if (first == 0xff || address.ip == std::array<std::uint8_t, 16>{}) return Reach::None;
    return first == 0xfe && (second & 0xc0U) == 0x80 ? Reach::Link : Reach::All;
  };
  const Reach reach = reach_of(to);
  return reach != Reach::None && reach_of(from) <= reach;
}

ConstBytes network_of(const Address& address) {
  constexpr std::size_t kIpv4NetworkBytes = kIpv4Prefix.size() + 3;
  constexpr std::size_t kIpv6NetworkBytes = 6;
  return as_bytes_of(address.ip).first(is_ipv4(address) ? kIpv4NetworkBytes : kIpv6NetworkBytes);
}

std::string to_string(const Address& address) {
  const std::string port = std::to_string(address.port);
  if (is_ipv4(address)) return host_text(address) + ":" + port;
  return "[" + host_text(address) + "]:" + port;
}

std::expected<Address, std::string> parse_address(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  const bool bracketed = text.starts_with('[');
  if (colon == std::string_view::npos || (bracketed && (colon == 0 || text[colon - 1] != ']'))) {
    return wrong(text, "has no port");
  }
  const auto port = parse_as<std::uint16_t>(text.substr(colon + 1));
  if (!port) return wrong(text, "has no port from 0 to 65535");

  Address address{.port = *port};
  std::string host{text.substr(0, colon)};
  if (bracketed) {
    host = host.substr(1, host.size() - 2);
    const bool is_v6 = inet_pton(AF_INET6, host.c_str(), address.ip.data()) == 1;
    if (!is_v6) return wrong(text, "is not an IPv6 address");
    return address;
  }
  if (host.contains(':')) return wrong(text, "has an IPv6 address without brackets");
  std::ranges::copy(kIpv4Prefix, address.ip.begin());
  if (inet_pton(AF_INET, host.c_str(), address.ip.data() + kIpv4Prefix.size()) != 1) {
    return wrong(text, "is not an IPv4 address");
  }
  return address;
}

}  // namespace tickbox::net
