#pragma once
// One socket, its sessions and its room, driven from outside: receive fills buffers, tick moves the
// world, send tells it.
//
// Two laws keep it simple. Packets never step the world: they fill the sessions' input buffers. And
// the world never knows that sessions exist: it takes leaves, joins and inputs by seat. Whoever
// drives a shard gives it the time; it has no clock, thread or socket of its own, so that a test
// can run it with its clients on a virtual clock.

#include "core/clock.h"
#include "core/entropy.h"
#include "net/messages.h"
#include "net/transport.h"
#include "server/interest.h"
#include "server/log.h"
#include "server/metrics.h"
#include "server/recorder.h"
#include "server/room.h"
#include "server/session.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tickbox::server {

struct ShardOptions {
  std::uint32_t tick_rate = 60;       ///< per second
  std::uint32_t max_clients = 1'000;  ///< at most the seats of the room's map
};

/// What a shard uses and does not own.
struct ShardParts {
  net::Transport& transport;
  Entropy& entropy;
  Log& log;
  Room& room;
  Recorder* recorder = nullptr;
};

/// Datagrams taken in one receive(): so that a flood cannot hold up the tick. 4 ms of work at about
/// 1 µs each.
inline constexpr std::size_t kReceiveBudget = 4'096;

class Shard {
 public:
  Shard(const ShardOptions& options, const ShardParts& parts);

  /// Drains the transport into the sessions. Never steps.
  /// `next_deadline`: when the tick after the room's present one is due, for the margins clients
  /// are told.
  void receive(Instant now, Instant next_deadline);

  /// Moves the room by one tick.
  void tick(Instant now);

  /// Tells every client of the room's present tick.
  void send(Instant now);

  /// Tells all clients that the server stops, and takes no new ones.
  void stop(Instant now);

  [[nodiscard]] bool stopping() const { return stopping_; }

  [[nodiscard]] std::size_t clients() const { return clients_; }

  [[nodiscard]] const Metrics& metrics() const { return metrics_; }

  [[nodiscard]] Metrics& metrics() { return metrics_; }

 private:
  struct Arrival {
    Instant now;
    Instant next_deadline;
  };

  void on_datagram(const net::Datagram& datagram, const Arrival& arrival);
  void on_connect(const net::Datagram& datagram, Instant now);
  void on_packet(const net::Datagram& datagram, const Arrival& arrival);
  void on_inputs(Session& session, const net::InputMessage& message);
  void accept(const net::Address& from, const net::Connect& connect, Instant now);
  void refuse(const net::Address& to, const net::Connect& connect, net::RefuseReason reason);
  void close(Session& session, net::DisconnectReason reason, Instant now);
  void close_silent_sessions(Instant now);
  void gather_commands();
  void send_snapshot(Session& session, Instant now);
  void send_packet(Session& session, net::PacketType type, ConstBytes message);
  void transmit(const net::Address& to, ConstBytes datagram);
  Session* session_of(std::uint32_t connection);
  Session* session_from(const net::Address& address, const net::HandshakeNonce& client_nonce);
  [[nodiscard]] std::int16_t margin_of(Tick newest, const Arrival& arrival) const;

  ShardOptions options_;
  net::Transport& transport_;
  Entropy& entropy_;
  Log& log_;
  Room& room_;
  Recorder* recorder_;

  std::vector<Session> sessions_;  ///< the session at index i has seat i
  std::vector<std::uint32_t>
      connections_;          ///< its present connection id: generation · kSeatsMax + seat
  std::size_t clients_ = 0;  ///< sessions Playing
  bool stopping_ = false;

  std::vector<PlayerId> left_;  ///< whose bodies leave in the next tick
  std::vector<PlayerId> joins_;
  std::vector<game::PlayerInput> inputs_;
  std::vector<InputSource> sources_;

  Interest interest_;
  net::MessageEncoder encoder_;
  net::PacketBuffer packet_{};
  net::PacketBuffer opened_{};
  std::vector<game::EntityState> fragment_;
  Metrics metrics_;
};

}  // namespace tickbox::server
