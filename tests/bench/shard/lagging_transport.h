#pragma once
// A socket behind a slow link. A datagram is received some time after its arrival. A datagram that
// is sent leaves at once. So a server gets a client's inputs in time, and its acknowledgements
// late.

#include "core/clock.h"
#include "net/transport.h"

#include <cstddef>
#include <deque>
#include <optional>
#include <vector>

namespace tickbox::bench {

class LaggingTransport final : public net::Transport {
 public:
  /// Borrows both. `lag`: counts from the receive() that takes a datagram from the socket.
  LaggingTransport(net::Transport& socket, const Clock& clock, Duration lag)
      : socket_(socket), clock_(clock), lag_(lag) {}

  void send(const net::Route& route, ConstBytes bytes) override { socket_.send(route, bytes); }

  std::optional<net::Datagram> receive() override;

 private:
  /// A datagram, with bytes of its own.
  struct Waiting {
    Instant due;
    net::Address from;
    net::Address to;
    std::vector<std::byte> bytes;
  };

  net::Transport& socket_;
  const Clock& clock_;
  Duration lag_;
  std::deque<Waiting> waiting_;
  Waiting received_;
};

}  // namespace tickbox::bench
