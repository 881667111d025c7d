#pragma once
// One socket, its sessions and its rooms, driven from outside: receive() fills buffers, tick()
// steps the rooms, send() sends them to the clients.
//
// Two laws keep it simple. Packets never step a room: they fill the sessions' input buffers. A room
// does not know that sessions exist: it takes leaves, joins and inputs by player. The caller gives
// a shard the time. A shard has no clock, thread or socket of its own, so that a test can run it
// with its clients on a virtual clock.
//
// Two parts of a shard stand before it: InputReceiver takes inputs from messages, and MatchResults
// publishes what the game of a room publishes.

#include "core/bytes.h"
#include "core/clock.h"
#include "core/ids.h"
#include "core/rng.h"
#include "desync/desync.h"
#include "net/connect_token.h"
#include "net/packet.h"
#include "net/reasons.h"
#include "net/transport.h"
#include "protocol/messages.h"
#include "server/shard/connect/admission.h"
#include "server/shard/connect/connect_service.h"
#include "server/shard/connect/session_lifecycle.h"
#include "server/shard/context.h"
#include "server/shard/desync_reports.h"
#include "server/shard/hosted_room.h"
#include "server/shard/limits.h"
#include "server/shard/log.h"
#include "server/shard/metrics.h"
#include "server/shard/paced_logs.h"
#include "server/shard/replicator.h"
#include "server/shard/session.h"
#include "server/shard/session_table.h"
#include "server/shard/shard_status.h"
#include "server/shard/tick_time.h"
#include "tickbox/game_table.h"
#include "views/inputs.h"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string_view>
#include <vector>

namespace tickbox::server {

/// When a datagram arrived and when it was received, and when the next tick is due.
struct Arrival {
  Instant at;  ///< earlier than `now` by the time that it has waited in the socket
  Instant now;
  Instant next_deadline;
};

/// Receives the INPUT messages of clients: inputs, commands, what they acknowledge, and how many
/// hashes were wrong. It never steps.
class InputReceiver {
 public:
  InputReceiver(ShardContext& context, std::uint32_t tick_rate)
      : context_(context), tick_rate_(tick_rate) {}

  /// Receives an INPUT packet of a playing session. Fails: Malformed, if its message does not
  /// decode.
  [[nodiscard]] std::expected<void, net::DropReason> receive(
      Session& session, const net::PacketChannel::Opened& opened, const Arrival& arrival);

 private:
  void receive_acks(Session& session, const protocol::InputMessage& message,
                    const Arrival& arrival);
  void receive_full_view_request(Session& session, Instant now);
  void receive_inputs(Session& session, InputBuffer::Packet packet);
  void receive_commands(Session& session, Instant now);
  void count_mismatches(Session& session, std::uint32_t reported, Instant now);
  [[nodiscard]] std::int16_t margin_of(const Session& session, Tick newest,
                                       const Arrival& arrival) const;

  ShardContext& context_;
  std::uint32_t tick_rate_;
  protocol::InputMessage message_;    ///< the one in progress
  views::ReceivedInputs inputs_;      ///< those of the message
  views::ReceivedCommands commands_;  ///< the same
};

/// The results that games publish: each is a line of the log, and goes to a sink if there is one.
class MatchResults {
 public:
  /// `sink` takes each result as one line of JSON, with the end of the line. It may be nullptr.
  MatchResults(ShardContext& context, const WallClock& calendar, ByteSink* sink)
      : context_(context), calendar_(calendar), sink_(sink) {}

  /// Takes what a room's game has published in its last tick.
  void publish(const HostedRoom& room, Instant now);

 private:
  void publish(const HostedRoom& room, const TypeInfo& type, std::string_view values, Instant now);

  ShardContext& context_;
  const WallClock& calendar_;
  ByteSink* sink_;
};

struct ShardOptions {
  std::uint32_t tick_rate = 60;         ///< per second
  std::uint32_t snapshot_rate = 0;      ///< per second, to each client; 0: one each tick
  std::uint32_t snapshot_rate_far = 0;  ///< to each far client (kFarRoundTrip); 0: the same
  std::uint64_t plan_work = kPlanWorkPerSecond;  ///< of all plans, per second
  std::uint32_t max_clients = 1'000;             ///< of each room; at most the seats of its map
  Rate snapshot_bytes = kSnapshotBytes;  ///< to each client; the burst is at least a datagram
  std::uint32_t tick_end = kTickEnd;     ///< the shard stops at this tick of a room
  net::Cipher best_cipher = net::Cipher::ChaCha20Poly1305;  ///< of this processor, or a lesser one
  AdmissionOptions admission;
};

/// The objects that a shard uses and does not own.
struct ShardParts {
  net::Transport& transport;
  Entropy& entropy;
  const WallClock& calendar;
  Log& log;
  std::vector<RoomParts> rooms;  ///< that are open from the start; ids differ
  desync::DesyncSink* desyncs = nullptr;
  ByteSink* results = nullptr;  ///< of MatchResults
};

/// Its datagrams leave at the end of receive(), send() and stop().
class Shard {
 public:
  /// `now`: the start of the server; tokens issued before it are refused.
  Shard(const ShardOptions& options, const ShardParts& parts, Instant now);
  Shard(const Shard&) = delete;
  Shard& operator=(const Shard&) = delete;

  /// Drains the transport into the sessions, up to the limits of limits.h. Never steps.
  /// `next_deadline`: when the tick after the present one is due, for the margins sent to clients.
  void receive(Instant now, Instant next_deadline);

  /// Opens a room. Requires: its id is not that of an open room; the parts outlive it.
  void open_room(const RoomParts& parts);

  /// Closes a room: ends the sessions of its clients, with reason match_ended, and does not use its
  /// parts any more. Returns whether there was such a room.
  bool close_room(RoomId id, Instant now);

  /// Returns a room that is to be closed because it is empty (HostedRoom::poll_empty), if one is.
  [[nodiscard]] std::optional<RoomId> find_empty_room(Instant now);

  /// Steps each room by one tick. Stops the shard if a room has reached its last tick.
  void tick(Instant now);

  /// Sends the present tick of each room to its clients.
  void send(Instant now);

  /// Adds the time that the last tick has taken, with its send() if there was one. If ticks go on
  /// to take more than their time, snapshots become rarer, and then joins are refused
  /// (LoadControl). A shard whose caller does not call this never counts as overloaded.
  void add_tick_time(const TickTime& time, Instant now);

  /// Takes no new clients from now on, and tells those that play that the server stops at `end`.
  /// Those that hold a seat may still return. The caller stops the server then.
  void drain(Instant end);

  /// Hands the clients over to the server with this address: sends each that plays a token for it.
  /// Returns the rooms whose match can move; their clients wait for hand_over_room(). Requires:
  /// drain() was called.
  [[nodiscard]] std::vector<RoomId> hand_over(const net::Address& next, Instant now);

  /// Freezes a room for kFrozenMax at most, and returns its match. Returns nothing if the match
  /// cannot move any more.
  [[nodiscard]] std::optional<MovedMatch> freeze_match(RoomId id, Instant now);

  /// Hands the clients of a room over. Thaws it, unless its match goes on there. Does nothing if
  /// there is no such room. Requires: as hand_over().
  void hand_over_room(RoomId id, const Onward& onward, Instant now);

  /// Gives the players of a match that has moved into a room their seats (HostedRoom). Freezes the
  /// room until the first of them plays, for kFrozenMax at most.
  void seat_players(RoomId id, const MovedMatch& moved, Instant now);

  /// Disconnects all clients because the server stops, and takes no new ones.
  void stop(Instant now);

  /// Opens tokens with these keys from now on. Kicks the clients that a removed key has admitted:
  /// closes their sessions, and ends their tickets. Returns how many.
  std::size_t set_keys(net::KeyRing keys, Instant now);

  /// Refuses these clients from now on, and no others. Kicks those that are here. Returns how
  /// many.
  std::size_t set_denied(DenyList denied, Instant now);

  /// Kicks a client: closes its sessions, and ends its tickets. With another token it may return.
  /// Returns the number of its seats.
  std::size_t kick(std::uint64_t client, Instant now);

  [[nodiscard]] bool stopping() const { return connects_.stopping(); }

  /// Returns the number of clients that play. One that is accepted plays from its first packet on.
  [[nodiscard]] std::size_t clients() const { return lifecycle_.clients(); }

  /// Returns the number of seats that no newcomer gets: those of present players, and of players
  /// who may still return.
  [[nodiscard]] std::uint32_t seats_held() const;

  /// Replaces the content of `to` by the clients that play, by room and seat. Cost: looks at every
  /// seat; allocates only if `to` has less memory than that.
  void copy_clients(std::vector<ClientStatus>& to, Instant now) const;

  /// Replaces the content of `to` by the client ids of the seats that are held: as many as
  /// seats_held(). Cost: as copy_clients().
  void copy_seat_holders(std::vector<std::uint64_t>& to) const;

  /// Replaces the content of `to` by the open rooms, in the order in which they were opened. Cost:
  /// looks at every seat; allocates only if `to` has less memory than that.
  void copy_rooms(std::vector<RoomStatus>& to) const;

  /// Returns the number of entities in all rooms.
  [[nodiscard]] std::uint64_t entities() const;

  [[nodiscard]] const Metrics& metrics() const { return context_.metrics; }

  [[nodiscard]] Metrics& metrics() { return context_.metrics; }

 private:
  void on_datagram(const net::Datagram& datagram, const Arrival& arrival);
  void on_packet(const net::Datagram& datagram, const Arrival& arrival);
  std::expected<void, net::DropReason> on_message(Session& session, const net::Datagram& datagram,
                                                  const net::PacketChannel::Opened& opened,
                                                  const Arrival& arrival);
  [[nodiscard]] static std::optional<net::RefuseReason> refusal_in(
      const net::PacketChannel::Opened& opened);
  std::expected<void, net::DropReason> on_disconnect(Session& session, ConstBytes message,
                                                     Instant now);
  void on_malformed(Session& session, Instant now);
  void log_drops(Instant now);
  void stop_at_end(Instant now);
  void send_drain(Instant now);
  [[nodiscard]] HostedRoom* find_room(RoomId id);

  /// Returns the calendar time, counted from the start: jumps of the calendar do not matter.
  [[nodiscard]] WallTime today(Instant now) const {
    return began_.today + std::chrono::floor<std::chrono::milliseconds>(now - began_.instant);
  }

  net::Transport& transport_;
  Now began_;
  ShardContext context_;
  ShardOptions options_;
  RoomList rooms_;
  SessionTable sessions_;
  Admission admission_;
  DesyncService desyncs_;
  SessionLifecycle lifecycle_;
  ConnectService connects_;
  PathValidator paths_;
  InputReceiver inputs_;
  Replicator replicator_;
  MatchResults results_;
  LoadControl load_;
  OverloadLog overload_log_;

  net::PacketBuffer opened_{};
  std::size_t taken_in_tick_ = 0;  ///< datagrams taken since the last tick
  net::DropCounts drops_logged_;
  Instant drops_logged_at_;
  std::optional<Instant> drains_to_;  ///< set while it drains
  std::optional<Instant> drain_told_;
};

}  // namespace tickbox::server
