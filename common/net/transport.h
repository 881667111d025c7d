#pragma once
// The one way datagrams leave and arrive; a real socket in the programs, a simulated network in the
// tests.

#include "core/bytes.h"
#include "net/address.h"

#include <cstddef>
#include <optional>

namespace tickbox::net {

/// Largest UDP payload ever sent: passes every path that carries IPv6 (1,280) with room for
/// tunnels.
inline constexpr std::size_t kDatagramBytesMax = 1'200;

/// The two addresses that a datagram travels between.
struct Route {
  Address peer;
  Address local{};  ///< one of our own; zeros: the one that the kernel picks
};

/// A datagram as it came. The bytes are valid until the next call to the same Transport.
struct Datagram {
  Address from;
  ConstBytes bytes;
  Address to{};  ///< which of our own addresses it came to; zeros where that is not known

  /// A peer takes an answer only from the address that it has sent to.
  [[nodiscard]] Route back() const { return {.peer = from, .local = to}; }
};

class Transport {
 public:
  virtual ~Transport() = default;

  /// Sends at once or drops: UDP promises nothing.  Requires: at most kDatagramBytesMax bytes.
  virtual void send(const Route& route, ConstBytes bytes) = 0;

  /// The next datagram that has arrived, or nothing. Never waits. One that was longer than
  /// kDatagramBytesMax comes with kDatagramBytesMax + 1 bytes, so that its reader can tell.
  virtual std::optional<Datagram> receive() = 0;
};

}  // namespace tickbox::net
