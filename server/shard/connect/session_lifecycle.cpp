#include "server/shard/connect/session_lifecycle.h"

#include "core/assert.h"
#include "net/handshake.h"
#include "protocol/messages.h"
#include "server/shard/hosted_room.h"
#include "server/shard/limits.h"

#include <algorithm>
#include <utility>

namespace tickbox::server {
namespace {

/// Calls `visit(session)` for the sessions of a seat; `visit` may close the session.
template <class Visit>
void for_each_session(const Seat& seat, Visit visit) {
  for (Session* session : {seat.playing, seat.pending}) {
    if (session != nullptr) visit(*session);
  }
}

}  // namespace

SessionLifecycle::SessionLifecycle(ShardContext& context, const SessionParts& parts,
                                   std::uint32_t tick_rate, Instant now)
    : context_(context), parts_(parts), tick_rate_(tick_rate), ticked_(now) {}

void SessionLifecycle::begin_to_play(Session& session, Instant now) {
  session.state = Session::State::Playing;
  const GameTable& game = session.room->world().game();
  session.inputs.emplace(game, session.room->tick());
  session.snapshots.events.emplace(tick_rate_ / kEventRepeatsPerSecond);
  session.snapshots.views.emplace(base_age_max(tick_rate_));
  session.snapshots.base_age = BaseAge{tick_rate_};
  session.snapshots.receipts.begin(net::draw<net::ShortKey>(context_.entropy), now);
  Seat& seat = session.room->seats().seat_of(session.player);
  const bool resumes = seat.playing != nullptr || seat.orphaned;
  if (const auto& token = session.attempt->token) {
    parts_.admission.consume(*token);
    seat.key_id = token->head.key_id;
    if (resumes) seat.taken_over = now;
  }
  if (seat.playing != nullptr) {
    send_disconnect(*seat.playing, net::DisconnectReason::TakenOver);
    context_.metrics.count(net::DisconnectReason::TakenOver);
    parts_.desyncs.end(*seat.playing, now);
    discard(*seat.playing);
  } else {
    ++clients_;
  }
  Seats::promote_pending(seat);
  session.attempt.reset();
  session.began = now;
  session.room->thaw();
  context_.log.event(resumes ? LogKind::Resumed : LogKind::Opened, Severity::Info, now, [&] {
    return LogEvent{resumes ? "session_resumed" : "session_opened",
                    {{"room", session.room->id().value},
                     {"seat", session.player.value},
                     {"client", std::to_string(seat.client)},
                     {"address", net::to_string(session.route.peer)},
                     {"cipher", net::name_of(session.channel.cipher())},
                     {"clients", clients_}}};
  });
}

void SessionLifecycle::send_disconnect(Session& session, net::DisconnectReason reason) {
  for (int i = 0; i < net::kGoodbyes; ++i) {
    context_.send(session, net::PacketType::Disconnect,
                  protocol::encode_disconnect(reason, context_.message_buffer));
  }
}

void SessionLifecycle::close(Session& session, net::DisconnectReason reason, Instant now) {
  HostedRoom& room = *session.room;
  Seat& seat = room.seats().seat_of(session.player);
  const bool was_playing = seat.playing == &session;
  const bool client_left = reason == net::DisconnectReason::ClientLeft;
  if (was_playing) {
    if (!client_left) send_disconnect(session, reason);
    --clients_;
    context_.metrics.count(reason);
    context_.log.event(LogKind::Closed, Severity::Info, now, [&] {
      const auto silent =
          std::chrono::duration_cast<std::chrono::milliseconds>(now - session.heard).count();
      const double played = std::chrono::duration<double>(now - session.began).count();
      return LogEvent{"session_closed",
                      {{"room", room.id().value},
                       {"seat", session.player.value},
                       {"client", std::to_string(seat.client)},
                       {"reason", net::name_of(reason)},
                       {"tick", room.tick().value},
                       {"played_s", Decimal{played, 1}},
                       {"silent_ms", silent},
                       {"clients", clients_}}};
    });
  }
  parts_.desyncs.end(session, now);
  if (client_left) parts_.sessions.record_departure(session, now);
  discard(session);
  if (was_playing && reason == net::DisconnectReason::TimedOut) {
    seat.orphaned = now;
  } else if (was_playing || (seat.playing == nullptr && !seat.orphaned)) {
    release(room, seat);
  }
}

void SessionLifecycle::discard(Session& session) {
  Seat& seat = session.room->seats().seat_of(session.player);
  (seat.playing == &session ? seat.playing : seat.pending) = nullptr;
  if (session.attempt && session.attempt->token) {
    parts_.admission.free(session.attempt->token->id);
  }
  parts_.sessions.close(session);
}

void SessionLifecycle::release(HostedRoom& room, Seat& seat) {
  for_each_session(seat, [this](Session& session) { discard(session); });
  room.release(seat);
}

std::size_t SessionLifecycle::kick(const IsOut& is_out, Instant now) {
  std::size_t kicked = 0;
  for (HostedRoom& room : parts_.rooms) {
    for (Seat& seat : room.seats().all()) {
      if (!seat.held) continue;
      Session* const pending = seat.pending;
      if (is_out(seat.client, seat.key_id)) {
        ++kicked;
        if (seat.playing != nullptr) close(*seat.playing, net::DisconnectReason::Kicked, now);
        if (seat.held) release(room, seat);  // its client was lost, or has not proven its keys
      } else if (pending != nullptr && pending->attempt->token &&
                 is_out(seat.client, pending->attempt->token->head.key_id)) {
        // Another key has sealed the token of the pending session.
        close(*pending, net::DisconnectReason::Kicked, now);
      }
    }
  }
  return kicked;
}

void SessionLifecycle::expire(Instant now) {
  forgive_stall(now);
  for (HostedRoom& room : parts_.rooms) {
    if (room.seats().held() == 0) continue;
    for (Seat& seat : room.seats().all()) {
      if (!seat.held) continue;
      for_each_session(seat, [&](Session& session) {
        if (now - session.heard <= kSessionTimeout) return;
        close(session, net::DisconnectReason::TimedOut, now);
      });
      if (seat.orphaned && now - *seat.orphaned > kBodyKept) release(room, seat);
    }
  }
}

/// Moves the deadlines of clients by the time for which this server was stalled.
void SessionLifecycle::forgive_stall(Instant now) {
  const Duration missed = now - std::exchange(ticked_, now);
  if (missed <= kShortStall) return;
  for (HostedRoom& room : parts_.rooms) {
    if (room.seats().held() == 0) continue;
    for (Seat& seat : room.seats().all()) {
      for_each_session(seat, [&](Session& session) {
        session.snapshots.receipts.forgive(missed, now);
        if (missed > kStall) session.heard = std::min(session.heard + missed, now);
      });
      if (missed > kStall && seat.orphaned) *seat.orphaned += missed;
    }
  }
}

void SessionLifecycle::end_match(HostedRoom& room, Instant now) {
  ++context_.metrics.matches_ended;
  context_.log.event(LogKind::MatchEnded, Severity::Info, now, [&] {
    return LogEvent{"match_ended",
                    {{"room", room.id().value},
                     {"tick", room.tick().value},
                     {"players", room.seats().in_world()}}};
  });
  for (Seat& seat : room.seats().all()) {
    if (!seat.in_world) continue;
    if (seat.playing != nullptr) close(*seat.playing, net::DisconnectReason::MatchEnded, now);
    if (seat.held) release(room, seat);  // its client was lost
  }
}

void SessionLifecycle::end_room(HostedRoom& room, Instant now) {
  for (Seat& seat : room.seats().all()) {
    if (seat.playing != nullptr) close(*seat.playing, net::DisconnectReason::MatchEnded, now);
    if (seat.held) release(room, seat);  // its client was lost, or has not proven its keys
  }
}

void SessionLifecycle::send_drain(HostedRoom& room, Duration left, WallTime today) {
  protocol::Drain drain{
      .left = std::chrono::ceil<std::chrono::milliseconds>(std::max(left, Duration::zero()))};
  for (const Seat& seat : room.seats().all()) {
    if (seat.playing == nullptr) continue;
    if (const auto& onward = room.onward()) {
      // One that is not in the match takes any free seat.
      const RoomId next = seat.in_world ? onward->room : RoomId{};
      net::TokenClaims claims{
          .client = seat.client, .room = next.value, .servers = {}, .user = seat.user};
      claims.servers.push_back(onward->server);
      drain.onward = parts_.admission.issue_token(claims, today);
    }
    context_.send(*seat.playing, net::PacketType::Drain,
                  protocol::encode_drain(drain, context_.message_buffer));
  }
}

void SessionLifecycle::close_all(Instant now) {
  for (HostedRoom& room : parts_.rooms) {
    for (Seat& seat : room.seats().all()) {
      if (seat.pending != nullptr) close(*seat.pending, net::DisconnectReason::ServerStopping, now);
      if (seat.playing != nullptr) close(*seat.playing, net::DisconnectReason::ServerStopping, now);
    }
  }
}

void PathValidator::on_packet(Session& session, const net::Datagram& datagram, bool is_newest,
                              Instant now) {
  if (session.path_check && now > session.path_check->expires) session.path_check.reset();
  const bool from_elsewhere = datagram.from != session.route.peer;
  if (!session.path_check && from_elsewhere && is_newest && now >= session.next_path_check) {
    session.path_check = PathCheck{.route = datagram.back(),
                                   .new_number = draw_number<std::uint64_t>(context_.entropy),
                                   .old_number = draw_number<std::uint64_t>(context_.entropy),
                                   .began = now,
                                   .asked = now - kChallengeInterval,
                                   .expires = now + kPathCheckLife};
  }
  if (!session.path_check) return;
  PathCheck& check = *session.path_check;
  const bool from_there = datagram.from == check.route.peer;
  if (from_there) check.received += datagram.bytes.size();
  if (from_there && check.moves_at && now >= *check.moves_at) return move(session, now);
  if (now - check.asked >= kChallengeInterval) ask(session, now);
}

void PathValidator::ask(Session& session, Instant now) {
  PathCheck& check = *session.path_check;
  check.asked = now;
  challenge(session, session.route, check.old_number);
  const bool may_send = check.sent + kChallengeBytes <= kUnprovenAnswers * check.received;
  if (check.moves_at || !may_send) return;
  check.sent += kChallengeBytes;
  challenge(session, check.route, check.new_number);
}

void PathValidator::challenge(Session& session, const net::Route& route, std::uint64_t number) {
  const ConstBytes message = protocol::encode_path_check(number, context_.message_buffer);
  TICKBOX_ASSERT(message.size() + net::kPacketOverheadBytes <= kChallengeBytes);
  context_.send(route, session.channel.seal_packet(net::PacketType::Challenge, message, packet_));
}

std::expected<void, net::DropReason> PathValidator::on_response(Session& session,
                                                                const net::Address& from,
                                                                ConstBytes message, Instant now) {
  const auto number = protocol::decode_path_check(message);
  if (!number) return std::unexpected(number.error());
  if (!session.path_check) return std::unexpected(net::DropReason::Unexpected);
  PathCheck& check = *session.path_check;
  if (*number == check.old_number) {
    // From any address: the client receives what is sent to the session's address.
    context_.metrics.count(ConnectionResult::Stayed);
    end(session, now);
    return {};
  }
  if (*number != check.new_number || from != check.route.peer) {
    return std::unexpected(net::DropReason::Unexpected);
  }
  if (check.moves_at) return {};
  const Duration round_trip = now - check.began;
  check.moves_at = now + std::max((kPathRoundTrips - 1) * round_trip, kOldPathSilence);
  check.expires = *check.moves_at + kPathCheckLife;
  return {};
}

void PathValidator::move(Session& session, Instant now) {
  session.route = session.path_check->route;
  sessions_.renew(session, context_.entropy);
  end(session, now);
  context_.metrics.count(ConnectionResult::Moved);
  context_.log.event(LogKind::Moved, Severity::Info, now, [&] {
    return LogEvent{"session_moved",
                    {{"room", session.room->id().value},
                     {"seat", session.player.value},
                     {"address", net::to_string(session.route.peer)}}};
  });
}

void PathValidator::end(Session& session, Instant now) {
  session.path_check.reset();
  session.next_path_check = now + kMoveInterval;
}

}  // namespace tickbox::server
