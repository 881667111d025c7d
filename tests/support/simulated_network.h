#pragma once
// One server and its clients on a network that exists only in memory: a bad link for each client
// and direction.

#include "core/clock.h"
#include "net/link_simulator.h"
#include "net/transport.h"

#include <deque>
#include <memory>
#include <vector>

namespace tickbox::tests {

class SimulatedNetwork {
 public:
  /// Borrows the clock.
  explicit SimulatedNetwork(const Clock& clock);

  [[nodiscard]] net::Transport& server() { return server_; }

  [[nodiscard]] static net::Address server_address();

  /// A new client's end, behind links of these conditions. Lives as long as the network.
  net::Transport& add_client(const net::LinkConditions& conditions);

  /// A datagram from an address that is no client's, as an attacker sends it.
  void inject(const net::Address& from, ConstBytes bytes);

  [[nodiscard]] const net::LinkCounts& up(std::size_t client) const {
    return clients_[client]->up.counts();
  }

  [[nodiscard]] const net::LinkCounts& down(std::size_t client) const {
    return clients_[client]->down.counts();
  }

  /// Datagrams and bytes that the server sent to addresses of no client.
  [[nodiscard]] std::uint64_t bytes_to_strangers() const { return bytes_to_strangers_; }

 private:
  class ServerEnd final : public net::Transport {
   public:
    explicit ServerEnd(SimulatedNetwork& network) : network_(network) {}

    void send(const net::Address& to, ConstBytes bytes) override;
    std::optional<net::Datagram> receive() override;

   private:
    SimulatedNetwork& network_;
  };

  struct ClientEnd final : public net::Transport {
    ClientEnd(const Clock& clock_given, const net::Address& address_given,
              const net::LinkConditions& conditions, std::uint64_t number);
    void send(const net::Address& to, ConstBytes bytes) override;
    std::optional<net::Datagram> receive() override;

    const Clock& clock;
    net::Address address;
    net::LinkSimulator up;
    net::LinkSimulator down;
  };

  struct Injected {
    net::Address from;
    std::vector<std::byte> bytes;
  };

  const Clock& clock_;
  ServerEnd server_{*this};
  std::vector<std::unique_ptr<ClientEnd>> clients_;
  std::deque<Injected> injected_;
  std::vector<std::byte> current_;
  std::uint64_t bytes_to_strangers_ = 0;
};

}  // namespace tickbox::tests
