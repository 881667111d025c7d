#pragma once
// One server and its clients on a network that exists only in memory: a bad link for each client
// and direction.

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

  /// A new client's end, behind links of these conditions. Lives as long as the network.
  net::Transport& add_client(const net::LinkConditions& conditions);

  /// The client is on another network all of a sudden: it sends from there, and what is on its way
  /// to the old address gets lost.
  void move_client(std::size_t client, const net::Address& address);

  /// Takes a client's link down, both ways, or up again.
  void cut(std::size_t client);
  void mend(std::size_t client);

  /// The same of one direction.
  void cut_up(std::size_t client, bool is_cut) { clients_[client]->up_is_cut = is_cut; }

  void cut_down(std::size_t client, bool is_cut) { clients_[client]->down_is_cut = is_cut; }

  /// From now on a link loses so much more than its conditions say, in both directions and parts
  /// per million: 0 again ends a burst. What is lost so is in no link's counts.
  void lose_more(std::size_t client, std::uint32_t ppm) { clients_[client]->burst_ppm = ppm; }

  [[nodiscard]] std::uint64_t lost_in_bursts() const { return lost_in_bursts_; }

  /// Datagrams that were sent into a link that was cut.
  [[nodiscard]] std::uint64_t lost_in_cuts() const { return lost_in_cuts_; }

  /// From now on what reaches the client waits.
  void hold(std::size_t client);

  [[nodiscard]] std::size_t held(std::size_t client) const {
    return clients_[client]->waiting.size();
  }

  /// Hands over what `order` names of what waits, by its number, in that order; the rest is lost.
  /// Nothing waits any more.
  void deliver(std::size_t client, std::span<const std::size_t> order);

  /// From now on what reaches the server from this client waits; or all of it arrives at once.
  void hold_up(std::size_t client, bool is_held) { clients_[client]->up_is_held = is_held; }

  /// Told of every datagram as it is sent, and as it arrives; at a client, of those that have the
  /// server's address.
  struct Passed {
    enum class Where : std::uint8_t { ToServer, AtServer, FromServer, AtClient };

    Where where;
    net::Address client;
    ConstBytes bytes;
  };

  void watch(std::function<void(const Passed&)> watcher) { watcher_ = std::move(watcher); }

  /// A datagram from an address that is no client's, as an attacker sends it.
  void inject(const net::Address& from, ConstBytes bytes);

  /// The same at a client's end. It arrives at once, before all that is on its way.
  void inject_at_client(std::size_t client, const net::Address& from, ConstBytes bytes);

  [[nodiscard]] const net::Address& address(std::size_t client) const {
    return clients_[client]->address;
  }

  /// Whether a datagram waits to be received.
  [[nodiscard]] bool has_arrived(std::size_t client) const;
  [[nodiscard]] bool has_arrived_at_server() const;

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
    net::Address asked = server_address();          ///< the server's, of those that it has
    net::Address answered_from = server_address();  ///< the one of its newest answer
    net::LinkConditions conditions;
    std::uint64_t number;
    net::LinkSimulator up;
    net::LinkSimulator down;
    bool up_is_cut = false;
    bool up_is_held = false;
    bool down_is_cut = false;
    std::uint32_t burst_ppm = 0;
    Rng burst_rng;
    std::deque<Injected> injected;
    bool is_held = false;
    std::deque<std::vector<std::byte>> waiting;  ///< held, or delivered and not yet received
    std::vector<std::byte> current;
  };

  /// Whether a datagram gets as far as the link's own conditions.
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
  std::uint64_t bytes_to_strangers_ = 0;
  std::uint64_t lost_in_bursts_ = 0;
  std::uint64_t lost_in_cuts_ = 0;
};

}  // namespace tickbox::tests
