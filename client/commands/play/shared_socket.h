#pragma once
// A socket that several clients share, so that one system call receives for many of them. It finds
// the client of each datagram by its connection id, or by the nonce of the request that it answers.
// An ACCEPT has a new id and no nonce: it is offered to those that wait for one, in the order of
// their requests, until one of them takes it. A server answers in that order, so the first one
// mostly does.

#include "client/client.h"
#include "net/crypto.h"
#include "net/transport.h"
#include "os/net/udp_transport.h"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tickbox::commands {

/// Thread: one.
class SharedSocket {
 public:
  /// Opens a socket of the address family of `server` for at most `clients` clients. Fails: with
  /// one line.
  [[nodiscard]] static std::expected<std::unique_ptr<SharedSocket>, std::string> open(
      const net::Address& server, std::size_t clients);

  SharedSocket(const SharedSocket&) = delete;
  SharedSocket& operator=(const SharedSocket&) = delete;

  [[nodiscard]] const os::UdpTransport& socket() const { return *socket_; }

  /// Returns the transport of a client. It receives what deliver() has set there.
  [[nodiscard]] net::Transport& end_of(std::size_t client) { return ends_[client]; }

  /// Sends what the clients have sent, at the end of a turn.
  void flush() { socket_->flush(); }

  /// Receives for this client from now on what its connection, as it is now, waits for.
  void follow(std::size_t client, const client::Connection& connection);

  /// Receives nothing more for this client.
  void leave(std::size_t client) {
    connections_[client] = 0;
    places_[client] = {};
  }

  /// Receives datagrams that have arrived: whole batches with one for each client. Not all, because
  /// clients that are slower than their server never see the last one. Calls `poll(client)` for
  /// each one when it is at the client's end.
  template <class Poll>
  void deliver(Poll&& poll) {
    for (std::size_t i = 0; i < batches() * os::kReceiveBatch; ++i) {
      const std::optional<net::Datagram> datagram = socket_->receive();
      if (!datagram) return;
      if (const std::optional<std::size_t> owner = owner_of(*datagram)) {
        ends_[*owner].set(*datagram);
        poll(*owner);
        continue;
      }
      const State state = state_for(*datagram);
      std::uint64_t order = 0;  // of the client before
      while (const auto client = next_in(state, order)) {
        const std::uint32_t connection = connections_[*client];
        order = places_[*client].requested;
        ends_[*client].set(*datagram);
        poll(*client);
        if (connections_[*client] != connection) break;  // it has taken the datagram
      }
    }
  }

 private:
  class End final : public net::Transport {
   public:
    End(SharedSocket& shared, std::size_t client) : shared_(&shared), client_(client) {}

    void send(const net::Route& route, ConstBytes bytes) override {
      shared_->send(client_, route, bytes);
    }

    void flush() override { shared_->flush(); }

    std::optional<net::Datagram> receive() override {
      return std::exchange(datagram_, std::nullopt);
    }

    void set(const net::Datagram& datagram) { datagram_ = datagram; }

   private:
    SharedSocket* shared_;
    std::size_t client_;
    std::optional<net::Datagram> datagram_;
  };

  enum class State : std::uint8_t { Away, Connecting, Connected };

  struct Place {
    State state = State::Away;
    net::Address server;          ///< of the newest session
    std::uint64_t requested = 0;  ///< number of its newest request
    net::HandshakeNonce nonce{};  ///< of that request
  };

  SharedSocket(std::unique_ptr<os::UdpTransport> socket, std::size_t clients);

  [[nodiscard]] std::size_t batches() const {
    return (ends_.size() + os::kReceiveBatch - 1) / os::kReceiveBatch;
  }

  void send(std::size_t client, const net::Route& route, ConstBytes bytes);
  /// Returns the client in this state whose request is the first after `order`.
  [[nodiscard]] std::optional<std::size_t> next_in(State state, std::uint64_t order) const;
  [[nodiscard]] std::optional<std::size_t> owner_of(const net::Datagram& datagram) const;
  [[nodiscard]] static State state_for(const net::Datagram& datagram);

  std::unique_ptr<os::UdpTransport> socket_;
  std::vector<std::uint32_t> connections_;  ///< by client: id of the newest session
  std::vector<Place> places_;               ///< by client
  std::vector<End> ends_;                   ///< by client
  std::uint64_t requests_ = 0;
};

}  // namespace tickbox::commands
