#pragma once
// Where datagrams come from and go to: addresses, in one form for IPv4 (mapped) and IPv6, and the
// only interface for sending and receiving datagrams. It is a real socket in the programs, a
// simulated network in the tests.

#include "core/bytes.h"
#include "core/clock.h"

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace tickbox::net {

/// The address of the sender or the receiver of a datagram.
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

/// The largest UDP payload ever sent. It fits every path that carries IPv6 (1,280 bytes), with
/// space for tunnels.
inline constexpr std::size_t kDatagramBytesMax = 1'200;

/// The two addresses that a datagram travels between.
struct Route {
  Address peer;
  Address local{};  ///< one of our own; zeros: the kernel picks it

  bool operator==(const Route&) const = default;
};

/// A received datagram. The bytes are valid until the next call to the same Transport.
struct Datagram {
  Address from;
  ConstBytes bytes;
  Address to{};       ///< our own address that received it; zeros if unknown
  Duration waited{};  ///< since its arrival, when the drain that received it began; 0 if unknown

  /// Returns the route for an answer. A peer accepts an answer only from the address to which the
  /// peer has sent.
  [[nodiscard]] Route back() const { return {.peer = from, .local = to}; }
};

class Transport {
 public:
  virtual ~Transport() = default;

  /// Sends a datagram or drops it: UDP promises nothing. A transport may keep it until flush().
  /// Requires: at most kDatagramBytesMax bytes.
  virtual void send(const Route& route, ConstBytes bytes) = 0;

  /// Sends what send() has kept.
  virtual void flush() {}

  /// Returns the next datagram that has arrived, or nothing. Never waits. A datagram longer than
  /// kDatagramBytesMax has kDatagramBytesMax + 1 bytes here, so that its reader can refuse it.
  virtual std::optional<Datagram> receive() = 0;
};

}  // namespace tickbox::net
