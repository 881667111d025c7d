#pragma once
// Begins and ends sessions, and moves them to new addresses of their clients. A session begins to
// play when its client has proven its keys. It ends on takeover, disconnect, timeout, kick, the end
// of the match or shutdown.

#include "core/bytes.h"
#include "core/clock.h"
#include "net/reasons.h"
#include "net/transport.h"
#include "server/shard/connect/admission.h"
#include "server/shard/context.h"
#include "server/shard/desync_reports.h"
#include "server/shard/hosted_room.h"
#include "server/shard/session.h"
#include "server/shard/session_table.h"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <optional>

namespace tickbox::server {

/// The parts of a shard that a session touches when it begins or ends. All are borrowed.
struct SessionParts {
  SessionTable& sessions;
  RoomList& rooms;
  Admission& admission;
  DesyncService& desyncs;
};

class SessionLifecycle {
 public:
  /// `now`: the start of the server.
  SessionLifecycle(ShardContext& context, const SessionParts& parts, std::uint32_t tick_rate,
                   Instant now);

  /// Makes an accepted session the one that plays in its seat, and consumes its token. The session
  /// that has played there ends with reason taken_over.
  void begin_to_play(Session& session, Instant now);

  /// Ends a session. Its player stays for kBodyKept if its client has timed out.
  void close(Session& session, net::DisconnectReason reason, Instant now);

  /// Closes a session without a DISCONNECT. Its seat no longer has it, and its token is free if its
  /// client has not proven its keys.
  void discard(Session& session);

  /// Closes the sessions of a seat without a DISCONNECT, and makes the seat free.
  void release(HostedRoom& room, Seat& seat);

  /// Closes sessions that have timed out, and frees the seats of clients that did not return. A
  /// time for which this server was stalled does not count. Call it once a tick.
  void expire(Instant now);

  /// Returns whether a client is kicked, by its id and the id of the key of its token.
  using IsOut = std::function<bool(std::uint64_t client, std::uint32_t key_id)>;

  /// Closes the sessions of the held seats for which `is_out` returns true, with reason kicked, and
  /// makes these seats free. Their tickets are no longer valid. Returns the number of seats. In
  /// other seats, closes a pending session if `is_out` returns true for the key of its token.
  std::size_t kick(const IsOut& is_out, Instant now);

  /// Closes the sessions of a match that the game has ended, and makes their seats free. A client
  /// that is not in the world yet plays in the next match.
  void end_match(HostedRoom& room, Instant now);

  /// Ends the sessions of a room that closes, and makes its seats free.
  void end_room(HostedRoom& room, Instant now);

  /// Tells the clients that play in a room that the server stops after this time. If they are
  /// handed over, each gets a token for the next server, with its id and its user bytes.
  void send_drain(HostedRoom& room, Duration left, WallTime today);

  /// Closes all sessions because the server stops.
  void close_all(Instant now);

  /// Returns the number of sessions that play.
  [[nodiscard]] std::size_t clients() const { return clients_; }

 private:
  void forgive_stall(Instant now);
  void send_disconnect(Session& session, net::DisconnectReason reason);

  ShardContext& context_;
  SessionParts parts_;
  std::uint32_t tick_rate_;
  Instant ticked_;  ///< the time of the last tick
  std::size_t clients_ = 0;
};

/// Moves a session to a new address of its client: from Wi-Fi to a mobile network, or behind a
/// router that forgot its port. The packets open, but an attacker can have forwarded them. So two
/// addresses are asked before the session moves. The new one must answer: else the server would
/// send to anybody. The old one must be silent: else the client is still there, and the packets
/// were forwarded.
class PathValidator {
 public:
  /// Borrows both.
  PathValidator(ShardContext& context, SessionTable& sessions)
      : context_(context), sessions_(sessions) {}

  /// Takes note of a packet that the session's keys have opened. `is_newest`: it has the session's
  /// newest sequence. Begins a check, asks again, or moves the session.
  void on_packet(Session& session, const net::Datagram& datagram, bool is_newest, Instant now);

  /// Takes the answer to a CHALLENGE. Fails: Malformed; Unexpected, if it answers nothing asked.
  [[nodiscard]] std::expected<void, net::DropReason> on_response(Session& session,
                                                                 const net::Address& from,
                                                                 ConstBytes message, Instant now);

 private:
  void ask(Session& session, Instant now);
  void challenge(Session& session, const net::Route& route, std::uint64_t number);
  void move(Session& session, Instant now);
  void end(Session& session, Instant now);

  ShardContext& context_;
  SessionTable& sessions_;
  net::PacketBuffer packet_{};
};

}  // namespace tickbox::server
