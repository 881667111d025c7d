#pragma once
// One socket, its sessions and its room, driven from outside: receive() fills buffers, tick() moves
// the world, send() sends it to the clients.
//
// Two laws keep it simple. Packets never step the world: they fill the sessions' input buffers. The
// world does not know that sessions exist: it takes leaves, joins and inputs by seat. The caller
// gives a shard the time. A shard has no clock, thread or socket of its own, so that a test can run
// it with its clients on a virtual clock.
//
// sessions.cpp handles connects, moves and departures, shard.cpp packets, ticks and snapshots,
// audits.cpp auditors, traces.cpp traces of desyncs.

#include "core/clock.h"
#include "core/entropy.h"
#include "core/tick_ring.h"
#include "net/transport.h"
#include "protocol/desync.h"
#include "protocol/messages.h"
#include "server/recording/black_box.h"
#include "server/recording/recorder.h"
#include "server/replication/audit_stream.h"
#include "server/replication/notices.h"
#include "server/replication/snapshot_planner.h"
#include "server/room/lag_compensation.h"
#include "server/room/room.h"
#include "server/shard/desync_tracer.h"
#include "server/shard/log.h"
#include "server/shard/metrics.h"
#include "server/shard/paced_logs.h"
#include "server/shard/reception.h"
#include "server/shard/seats.h"
#include "server/shard/session.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tickbox::server {

struct ShardOptions {
  std::uint32_t tick_rate = 60;       ///< per second
  std::uint32_t snapshot_rate = 0;    ///< per second, to each client; 0: one each tick
  std::uint32_t max_clients = 1'000;  ///< at most the seats of the room's map
  Sight sight;
  Rate snapshot_bytes = kSnapshotBytes;  ///< to each client; the burst is at least a datagram
  ReceptionOptions reception;
};

/// The objects that a shard uses and does not own.
struct ShardParts {
  net::Transport& transport;
  Entropy& entropy;
  const WallClock& calendar;
  Log& log;
  Room& room;
  Recorder* recorder = nullptr;
  protocol::DesyncSink* desyncs = nullptr;
  BlackBox* black_box = nullptr;
};

class Shard {
 public:
  /// `now`: the start of the server; tokens issued before it are refused.
  Shard(const ShardOptions& options, const ShardParts& parts, Instant now);

  /// Drains the transport into the sessions. Never steps.
  /// `next_deadline`: when the tick after the room's present one is due, for the margins sent to
  /// clients.
  void receive(Instant now, Instant next_deadline);

  /// Moves the room by one tick.
  void tick(Instant now);

  /// Sends the room's present tick to the clients.
  void send(Instant now);

  /// Disconnects all clients because the server stops, and takes no new ones.
  void stop(Instant now);

  /// Opens tokens with these keys from now on; existing sessions continue.
  void set_keys(net::KeyRing keys) { reception_.set_keys(std::move(keys)); }

  [[nodiscard]] bool stopping() const { return stopping_; }

  [[nodiscard]] std::size_t clients() const { return clients_; }

  /// Returns the number of seats that no newcomer gets: those of present players, and of players
  /// who may still return.
  [[nodiscard]] std::uint32_t seats_held() const { return seats_.held(); }

  [[nodiscard]] const Metrics& metrics() const { return metrics_; }

  [[nodiscard]] Metrics& metrics() { return metrics_; }

 private:
  struct Arrival {
    Instant now;
    Instant next_deadline;
  };

  /// The sender of a request, and what it asked for.
  struct Asker {
    net::Route route;
    net::HandshakeNonce nonce{};
    net::Wish wish = net::Wish::Play;
  };

  // Arrivals: sessions.cpp.
  void on_stranger(const net::Datagram& datagram, Instant now);
  void on_newcomer(const net::Datagram& datagram, const net::Ask& ask, const Newcomer& newcomer,
                   Instant now);
  void on_returner(const net::Datagram& datagram, const net::Ask& ask, const Returner& returner,
                   Instant now);
  void accept_again(Session& session, Instant now);
  void on_asked_again(std::uint32_t connection, const net::TokenId& id, Instant now);
  void open_session(Session& session, std::uint32_t connection, const Asker& asker,
                    const net::KeyPair& keys, Instant now);
  void refuse(const net::Datagram& datagram, const net::Ask& ask, Refused refused, Instant now);
  void answer_stranger(const net::Route& route, ConstBytes datagram, Instant now);
  void begin_to_play(Session& session, Instant now);

  // Paths: sessions.cpp.
  void check_path(Session& session, const net::Datagram& datagram, Instant now);
  void on_response(Session& session, const net::Address& from, ConstBytes message, Instant now);

  // Auditors: audits.cpp.
  [[nodiscard]] bool has_auditor(const Seat& seat);
  [[nodiscard]] std::optional<net::Refuse> objection_to_audit(std::uint8_t rights, const Seat* own);
  void tell_auditors();
  void on_audit_ack(Session& session, const protocol::AuditAck& ack, Instant now);
  void send_audit(Session& session, Instant now);
  void send_piece(Session& session, const AuditStream::Piece& piece, Instant now);
  // Traces of desyncs: traces.cpp.
  void on_trace(Session& session, const net::PacketChannel::Opened& opened, Instant now);
  void note_compared(const protocol::Desync& desync, Instant now);
  void note_unfinished(const DesyncTracer::Unfinished& trace, Instant now);
  void expire_traces(Instant now);

  // Departures: sessions.cpp.
  void close(Session& session, net::DisconnectReason reason, Instant now);
  void say_goodbye(Session& session, net::DisconnectReason reason);
  void let_go(Seat& seat);
  void forgive_stall(Instant now);
  void close_silent_sessions(Instant now);

  // Packets, ticks, snapshots: shard.cpp.
  void on_datagram(const net::Datagram& datagram, const Arrival& arrival);
  void on_packet(const net::Datagram& datagram, const Arrival& arrival);
  void on_message(Session& session, const net::PacketChannel::Opened& opened,
                  const Arrival& arrival);
  void on_inputs(Session& session, const protocol::InputMessage& message, Instant now);
  void on_acks(Session& session, const protocol::InputMessage& message, Instant now);
  void log_drops(Instant now);
  void gather_commands();
  void take_input(Seat& seat, Tick next);
  void announce();
  [[nodiscard]] bool has_turn(const Session& session) const;
  [[nodiscard]] bool is_due(const Session& session, const ViewMembers* base) const;
  [[nodiscard]] std::optional<protocol::LinkStatus> status_for(Session& session) const;
  void send_snapshot(Session& session, Instant now);
  void count_snapshot(const Session& session, const ViewPlan& plan, std::size_t message_bytes);
  void send_packet(Session& session, net::PacketType type, ConstBytes message);
  void transmit(const net::Route& route, ConstBytes datagram);

  /// Returns the calendar time, counted from the start: jumps of the calendar do not matter.
  [[nodiscard]] WallTime today(Instant now) const {
    return began_.today + std::chrono::floor<std::chrono::milliseconds>(now - began_.instant);
  }

  [[nodiscard]] std::int16_t margin_of(Tick newest, const Arrival& arrival) const;

  ShardOptions options_;
  net::Transport& transport_;
  Entropy& entropy_;
  LimitedLog log_;
  Room& room_;
  Recorder* recorder_;
  BlackBox* black_box_;
  protocol::DesyncSink* desyncs_;

  std::uint64_t map_hash_;
  Now began_;
  Reception reception_;
  Seats seats_;
  std::size_t clients_ = 0;  ///< sessions in state Playing
  bool stopping_ = false;
  std::size_t taken_in_tick_ = 0;  ///< datagrams taken since the last tick
  RateLimit replies_;              ///< limit of replies to strangers

  std::vector<PlayerId> left_;  ///< players whose bodies leave in the next tick
  std::vector<PlayerId> joins_;
  std::vector<std::uint64_t> clients_joining_;  ///< the clients of joins_, in the same order
  std::vector<game::PlayerInput> inputs_;
  std::vector<game::InputSource> sources_;  ///< the sources of inputs_, in the same order
  LagCompensation lag_compensation_;
  Notices notices_;

  TickRing<Instant, protocol::kTicksRemembered> sent_at_;  ///< send time of each tick's snapshots

  std::size_t auditors_ = 0;  ///< auditors that play
  std::vector<std::byte> audit_keyframe_;
  std::vector<std::byte> audit_entry_;  ///< the entry that was encoded last

  SnapshotPlanner planner_;
  DesyncTracer tracer_;
  protocol::MessageEncoder encoder_;
  net::PacketBuffer packet_{};
  net::PacketBuffer opened_{};
  protocol::Snapshot snapshot_;
  Metrics metrics_;
  RefusalLog refusals_;
  net::DropCounts drops_logged_;
  Instant drops_logged_at_;
  Instant listened_;  ///< the time of the last tick
};

}  // namespace tickbox::server
