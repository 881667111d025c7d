#pragma once
// One server and its clients on a network in memory, with a bad link for each client and direction.

#include "core/clock.h"
#include "core/rng.h"
#include "net/link_simulator.h"
#include "net/transport.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace tickbox::tests {

class SimulatedNetwork {
 public:
  /// Borrows the clock.
  explicit SimulatedNetwork(const Clock& clock);

  [[nodiscard]] net::Transport& server() { return server_; }

  [[nodiscard]] static net::Address server_address();

  /// Adds a client behind links with these conditions. The transport lives as long as the network.
  net::Transport& add_client(const net::LinkConditions& conditions);

  /// Moves the client to another network: it sends from the new address, and packets in flight to
  /// the old address are lost.
  void move_client(std::size_t client, const net::Address& address);

  /// Takes a client's link down in both directions, or up again.
  void cut(std::size_t client);
  void mend(std::size_t client);

  /// Takes one direction down, or up again.
  void cut_up(std::size_t client, bool is_cut) { clients_[client]->up_is_cut = is_cut; }

  void cut_down(std::size_t client, bool is_cut) { clients_[client]->down_is_cut = is_cut; }

  /// Adds packet loss to a link in both directions, in parts per million; 0 ends the burst. These
  /// losses are in no link's counts.
  void lose_more(std::size_t client, std::uint32_t ppm) { clients_[client]->burst_ppm = ppm; }

  [[nodiscard]] std::uint64_t lost_in_bursts() const { return lost_in_bursts_; }

  /// Datagrams that were sent into a link that was down.
  [[nodiscard]] std::uint64_t lost_in_cuts() const { return lost_in_cuts_; }

  /// Holds all datagrams that reach the client from now on.
  void hold(std::size_t client);

  [[nodiscard]] std::size_t held(std::size_t client) const {
    return clients_[client]->waiting.size();
  }

  /// Delivers the held datagrams whose numbers are in `order`, in that order, and loses the others.
  /// Ends the hold.
  void deliver(std::size_t client, std::span<const std::size_t> order);

  /// A datagram as the watcher gets it: when it is sent, and when it arrives. At a client it
  /// includes only datagrams with the server's address.
  struct Passed {
    enum class Where : std::uint8_t { ToServer, AtServer, FromServer, AtClient };

    Where where;
    net::Address client;
    ConstBytes bytes;
  };

  void watch(std::function<void(const Passed&)> watcher) { watcher_ = std::move(watcher); }

  /// Sends the server a datagram from any address, as an attacker would.
  void inject(const net::Address& from, ConstBytes bytes);

  /// Sends a client such a datagram. It arrives at once, before all datagrams in flight.
  void inject_at_client(std::size_t client, const net::Address& from, ConstBytes bytes);

  [[nodiscard]] const net::Address& address(std::size_t client) const {
    return clients_[client]->address;
  }

  /// Whether a datagram is ready to be received.
  [[nodiscard]] bool has_arrived(std::size_t client) const;
  [[nodiscard]] bool has_arrived_at_server() const;

  [[nodiscard]] const net::LinkCounts& up(std::size_t client) const {
    return clients_[client]->up.counts();
  }

  [[nodiscard]] const net::LinkCounts& down(std::size_t client) const {
    return clients_[client]->down.counts();
  }

 private:
  class ServerEnd final : public net::Transport {
   public:
    explicit ServerEnd(SimulatedNetwork& network) : network_(network) {}

    void send(const net::Route& route, ConstBytes bytes) override;
    std::optional<net::Datagram> receive() override;

   private:
    SimulatedNetwork& network_;
  };

  struct Injected {
    net::Address from;
    std::vector<std::byte> bytes;
  };

  struct ClientEnd final : public net::Transport {
    ClientEnd(SimulatedNetwork& network_given, const net::Address& address_given,
              const net::LinkConditions& conditions_given, std::uint64_t number_given);
    void send(const net::Route& route, ConstBytes bytes) override;
    std::optional<net::Datagram> receive() override;

    SimulatedNetwork& network;
    net::Address address;
    net::Address asked = server_address();          ///< the server's address to which it sent last
    net::Address answered_from = server_address();  ///< the server's address of the newest answer
    net::LinkConditions conditions;
    std::uint64_t number;
    net::LinkSimulator up;
    net::LinkSimulator down;
    bool up_is_cut = false;
    bool down_is_cut = false;
    std::uint32_t burst_ppm = 0;
    Rng burst_rng;
    std::deque<Injected> injected;
    bool is_held = false;
    std::deque<std::vector<std::byte>> waiting;  ///< held, or delivered and not received yet
    std::vector<std::byte> current;
  };

  /// Whether a datagram reaches the link simulator: not if the link is down, or in a burst of loss.
  bool enters(ClientEnd& end, bool is_cut);

  void pass(Passed::Where where, const net::Address& client, ConstBytes bytes) const {
    if (watcher_) watcher_({.where = where, .client = client, .bytes = bytes});
  }

  const Clock& clock_;
  ServerEnd server_{*this};
  std::vector<std::unique_ptr<ClientEnd>> clients_;
  std::deque<Injected> injected_;
  std::vector<std::byte> current_;
  std::function<void(const Passed&)> watcher_;
  std::uint64_t lost_in_bursts_ = 0;
  std::uint64_t lost_in_cuts_ = 0;
};

}  // namespace tickbox::tests
