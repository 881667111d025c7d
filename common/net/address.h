#pragma once
// The address of the sender or the receiver of a datagram, in one form for IPv4 (mapped) and IPv6.

#include "core/bytes.h"

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace tickbox::net {

struct Address {
  std::array<std::uint8_t, 16> ip{};  ///< IPv6, or IPv4 as ::ffff:a.b.c.d
  std::uint16_t port = 0;

  friend constexpr auto operator<=>(const Address&, const Address&) = default;
};

/// The first bytes of an IPv4 address; its own four follow.
inline constexpr std::array<std::uint8_t, 12> kIpv4Prefix{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

[[nodiscard]] constexpr bool is_ipv4(const Address& address) {
  return std::equal(kIpv4Prefix.begin(), kIpv4Prefix.end(), address.ip.begin());
}

[[nodiscard]] bool is_loopback(const Address& address);

/// Returns whether a server at `from` may lead its clients to `to`. Clients whose server is on
/// another machine have other loopback and link-local addresses than it. A server has no multicast,
/// broadcast or unspecified address.
[[nodiscard]] bool may_lead_to(const Address& from, const Address& to);

/// Returns the part that the addresses of one customer of a provider usually share: IPv4 /24, IPv6
/// /48.
[[nodiscard]] ConstBytes network_of(const Address& address);

/// Returns "127.0.0.1:7777" or "[::1]:7777".
[[nodiscard]] std::string to_string(const Address& address);

/// Reads the text that to_string() writes; does not look up names. Fails: with one line that says
/// what is wrong.
[[nodiscard]] std::expected<Address, std::string> parse_address(std::string_view text);

}  // namespace tickbox::net
