#pragma once
// A socket that is asked for datagrams only after a poll set has found some. A client is polled at
// each of its ticks, mostly with nothing to receive, and the system call to learn so costs as much
// as one that receives.

#include "net/transport.h"

#include <optional>

namespace tickbox::commands {

class ReadyTransport final : public net::Transport {
 public:
  /// Borrows `socket`.
  explicit ReadyTransport(net::Transport& socket) : socket_(socket) {}

  void send(const net::Route& route, ConstBytes bytes) override { socket_.send(route, bytes); }

  std::optional<net::Datagram> receive() override {
    if (!is_ready_) return std::nullopt;
    auto datagram = socket_.receive();
    is_ready_ = datagram.has_value();
    return datagram;
  }

  /// Lets receive() ask the socket, until it has no more.
  void set_ready() { is_ready_ = true; }

 private:
  net::Transport& socket_;
  bool is_ready_ = false;
};

}  // namespace tickbox::commands
