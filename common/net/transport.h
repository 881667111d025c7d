#pragma once
// The only interface for sending and receiving datagrams: a real socket in the programs, a
// simulated network in the tests.

#include "core/bytes.h"
#include "core/clock.h"
#include "net/address.h"

#include <cstddef>
#include <optional>

namespace tickbox::net {

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
