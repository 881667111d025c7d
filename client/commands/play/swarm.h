#pragma once
// Clients with real sockets on one thread: one client for `connect`, hundreds for `load`.
//
// A swarm may have a part of the clients of a run. Each of them is what it would be in one swarm of
// all: its id, room, link, player, place in the sample and time to begin follow from its number in
// the run.
//
// A turn waits for a datagram or for the next tick of a client, whichever is first, and polls only
// the clients concerned. A datagram begins a turn at the earliest kTurnMin after the last one: a
// server answers all its clients at once, and one turn for fifty datagrams costs less than fifty
// turns.
//
// A client whose match has ended joins the next one with a new token, unless the swarm was given
// the client's token. With `rejoin` the same is true of a client whose server stopped or was silent
// for too long.
//
// The clients share their distributions, and those that are not in the sample are light ones.
// Clients that follow one another share a socket, unless the run has simulated links.

#include "client/client.h"
#include "client/commands/play/input_script.h"
#include "client/commands/play/play_flags.h"
#include "core/clock.h"
#include "core/histogram.h"
#include "core/rng.h"
#include "engine/entity_id.h"
#include "engine/identity.h"
#include "net/crypto.h"
#include "net/handshake.h"
#include "net/link_simulator.h"
#include "net/transport.h"
#include "os/net/udp_transport.h"
#include "os/process/steady_clock.h"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tickbox::commands {

// A socket that several clients share, so that one system call receives for many of them. It finds
// the client of each datagram by its connection id, or by the nonce of the request that it answers.
// An ACCEPT has a new id and no nonce: it is offered to those that wait for one, in the order of
// their requests, until one of them takes it. A server answers in that order, so the first one
// mostly does.

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

/// The largest number of clients in one process: the most seats that a server can have.
inline constexpr std::size_t kClientsMax = engine::kSeatsMax;
/// The time after which a client without an answer tries the next address of the server.
inline constexpr Duration kNextAddressAfter = std::chrono::milliseconds{1'500};

/// The lifetime of the tokens that clients make: long enough to connect, and short, so that a
/// server has little to remember. A server may allow less.
inline constexpr std::chrono::seconds kTokenLife{60};

/// The client ids of a run without --client are below 2^53, so that a double represents them
/// exactly.
inline constexpr std::uint64_t kFirstClientMax = (std::uint64_t{1} << 53) - kClientsMax;

/// The minimum time from a turn to one that a datagram begins. On average it adds half of this to a
/// round trip.
inline constexpr Duration kTurnMin = std::chrono::microseconds{500};

/// The most clients of one socket. A run then takes 0.82 of the processor time that it takes with a
/// socket for each client, and 0.87 with 16.
inline constexpr std::size_t kClientsOfSocket = 64;

/// Which clients make their views and check the hashes, while the others are light. It picks
/// clients, not snapshots: a view needs the views before it.
struct HashSample {
  std::uint32_t one_in = 1;  ///< of this number of clients one checks; 0: none does
  std::uint64_t seed = 0;

  /// Returns whether a client checks: one of `one_in` clients from a multiple of it. Which one is
  /// drawn: each Nth client is in the same room, and one room would have all that check.
  [[nodiscard]] constexpr bool contains(std::size_t client) const {
    if (one_in == 0) return false;
    return client % one_in == Rng{seed + client / one_in}.below(one_in);
  }
};

/// The clients of a run.
struct SwarmOptions {
  /// The addresses of the server, in the order in which a client tries them. Requires: at least one
  std::vector<net::Address> servers;
  engine::Games games{};                      ///< those that the clients can play
  Credentials credentials{};                  ///< Requires: one client if there is a token
  std::optional<net::ResumeTicket> ticket{};  ///< of that one client; tried first
  std::optional<std::uint64_t>
      first_client{};  ///< its id; the others count up. Random if not given
  std::size_t clients = 1;
  Duration ramp{};  ///< the time over which the connects are spread
  /// Styles by name. Those that no bot is for wander. Requires: fault_of() finds nothing wrong.
  std::vector<Portion<std::string>> bots{};
  Playback* playback = nullptr;  ///< replaces the bot. Requires: as many clients as it has
  /// Bad ones, each with a random stream for each of its clients. Requires: as `bots`.
  std::vector<Portion<net::TwoWayLink>> links{};
  std::uint64_t seed = 1;
  bool rejoin = false;                    ///< Requires: no token, no ticket and no playback
  desync::DesyncSink* desyncs = nullptr;  ///< shared by all clients
  /// The clients name the rooms from 1 to this number in turn; 0: none. Requires: no token.
  std::uint32_t rooms = 0;
  /// Of the server. Room N is in shard (N − 1) mod `shards`, whose port is as many above.
  std::uint32_t shards = 1;
  /// The full clients; the others are light. Requires: all, if a player looks at its view.
  HashSample sample{};
};

/// Clients that follow one another in a run.
struct SwarmPart {
  std::size_t first = 0;  ///< number of the first one in the run
  std::size_t clients = 0;
};

/// The number of clients in each state.
struct SwarmStates {
  std::size_t connecting = 0;  ///< connecting, or not started yet
  std::size_t connected = 0;   ///< in a match, or joining the next one
  std::size_t never_connected = 0;
  std::size_t dropped = 0;    ///< lost their connection, perhaps only for now
  std::size_t returning = 0;  ///< the dropped ones that try to resume or to connect again

  void add(const SwarmStates& other);
};

/// Clients are numbered from 0 here. Thread: one at a time.
class Swarm {
 public:
  /// Opens the sockets of `part`. Requires: the clock outlives the swarm. Fails: with one line.
  [[nodiscard]] static std::expected<std::unique_ptr<Swarm>, std::string> open(
      const SwarmOptions& options, const Clock& clock, const SwarmPart& part);

  /// Opens the sockets of all clients.
  [[nodiscard]] static std::expected<std::unique_ptr<Swarm>, std::string> open(
      const SwarmOptions& options, const Clock& clock) {
    return open(options, clock, {.clients = options.clients});
  }

  /// Waits, at most until `until`, for a client that is due or has a datagram. Polls all such
  /// clients.
  void turn(Instant until);

  /// Disconnects every client, and waits for the packets still in a simulated link.
  void leave();

  [[nodiscard]] std::size_t size() const { return slots_.size(); }

  [[nodiscard]] SwarmStates states() const;

  /// Returns the address to which a client sends.
  [[nodiscard]] net::Address server(std::size_t number) const {
    return of_shard(number, options_.servers[slots_[number].server]);
  }

  /// Returns the id of the run's first client; those of the others follow. Empty with a token.
  [[nodiscard]] std::optional<std::uint64_t> first_client() const {
    return issues_tokens() ? std::optional{first_client_} : std::nullopt;
  }

  /// Returns a client; nullptr before it was started.
  [[nodiscard]] const client::Client* client(std::size_t number) const {
    return slots_[number].client.get();
  }

  /// Returns the distributions of all clients, without their open waits (Client::counts()).
  [[nodiscard]] const client::Distributions& distributions() const { return distributions_; }

  /// Returns whether a client is or was connected.
  [[nodiscard]] bool was_connected(std::size_t number) const {
    return slots_[number].was_connected;
  }

  /// Returns the simulated link of a client; nullptr without one.
  [[nodiscard]] const net::ImpairedTransport* link(std::size_t number) const {
    return slots_[number].link.get();
  }

  /// Returns the number of matches that have ended: the most that any client has seen.
  [[nodiscard]] std::uint64_t matches_ended() const;

  /// Returns the number of hand-overs that have brought a client to another server.
  [[nodiscard]] std::uint64_t moved() const;

  /// Returns whether the connection of any client is over.
  [[nodiscard]] bool any_over() const { return first_over() != nullptr; }

  /// Returns the reason of the first client whose connection is over, in words; empty if there is
  /// none.
  [[nodiscard]] std::string first_reason() const;

  /// Returns the server's reason if the client of first_reason() was refused.
  [[nodiscard]] std::optional<net::RefuseReason> first_refusal() const;

  /// Returns the outages in microseconds: the time from the last answer of the server to the next
  /// seat of a client that lost its connection or was handed over, or until now if it has none.
  [[nodiscard]] Histogram outages() const;

  /// Returns the number of outages that ended with a seat.
  [[nodiscard]] std::uint64_t rejoined() const { return outages_.count(); }

  /// The time from when a client was due until it was polled, in microseconds.
  [[nodiscard]] const Histogram& lateness() const { return lateness_; }

  /// The time in which a client was due for more than a tick and was not polled.
  [[nodiscard]] Duration time_late() const { return time_late_; }

  void clear_lateness() {
    lateness_ = {};
    time_late_ = {};
  }

 private:
  struct Slot {
    std::size_t socket = 0;  ///< of sockets_
    std::unique_ptr<net::ImpairedTransport> link;
    std::unique_ptr<client::Client> client;
    bool was_connected = false;
    std::size_t server = 0;            ///< of SwarmOptions::servers
    Instant started;                   ///< time of the first request to that server
    bool has_new_token = false;        ///< replaces a token made before the server started
    std::optional<Instant> lost_at{};  ///< the server's last answer, while an outage lasts
    Instant rejoin_at;                 ///< the earliest time to connect again
  };

  /// A socket, and the first of the clients that may use it.
  struct Socket {
    std::unique_ptr<SharedSocket> shared;
    std::size_t first = 0;
    std::size_t server = 0;  ///< of SwarmOptions::servers
  };

  Swarm(const SwarmOptions& options, const Clock& clock, const SwarmPart& part,
        os::PollSet&& poll_set);

  [[nodiscard]] std::expected<void, std::string> find_socket(std::size_t number, std::size_t to);
  [[nodiscard]] net::Transport& socket_end(std::size_t number);
  void start(std::size_t number, Instant now);
  [[nodiscard]] client::ClientMode mode_of(std::size_t number) const;
  [[nodiscard]] client::MakePlayer player_for(std::size_t number);
  [[nodiscard]] net::ConnectToken token_for(std::size_t number);
  [[nodiscard]] std::uint32_t room_of(std::size_t number) const;
  [[nodiscard]] net::Address of_shard(std::size_t number, net::Address first) const;
  void poll(std::size_t number);
  void flush();
  void renew_token(std::size_t number, Instant now);
  void try_next_address(std::size_t number, Instant now);
  void record_outage(Slot& slot, Instant now);
  void count_lateness(Instant due, Instant now, Duration period);
  [[nodiscard]] const client::Connection* first_over() const;
  [[nodiscard]] bool may_rejoin(const Slot& slot) const;

  [[nodiscard]] bool issues_tokens() const { return !options_.credentials.token; }

  [[nodiscard]] std::size_t in_run(std::size_t number) const { return first_ + number; }

  SwarmOptions options_;
  const Clock& clock_;
  os::PollSet poll_set_;
  os::SystemEntropy entropy_;
  std::size_t first_;  ///< number of the first client in the run
  std::uint64_t first_client_;
  std::optional<std::size_t> answered_;         ///< the address of the server that has answered
  Duration token_life_ = kTokenLife;            ///< as long as the server allows
  std::vector<ClientValue<std::string>> bots_;  ///< of the run
  std::vector<ClientValue<net::TwoWayLink>> links_;  ///< the same; nullptr: a good one
  client::Distributions distributions_;
  client::Shared shared_;
  std::vector<Socket> sockets_;
  std::vector<Slot> slots_;
  std::vector<Instant> due_;  ///< by client
  Instant last_turn_;
  Histogram lateness_;
  Duration time_late_{};
  Instant late_to_;    ///< end of the time counted in time_late_
  Histogram outages_;  ///< those that have ended
};

}  // namespace tickbox::commands
