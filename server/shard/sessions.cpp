// How clients connect: by a token to a free seat, or by a ticket to their own. How they move to
// another address. How sessions end: by disconnect, timeout or shutdown.

#include "core/assert.h"
#include "net/crypto.h"
#include "net/handshake.h"
#include "server/shard/shard.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace tickbox::server {
namespace {

template <class... Visitors>
struct Overloaded : Visitors... {
  using Visitors::operator()...;
};

}  // namespace

void Shard::on_stranger(const net::Datagram& datagram, Instant now) {
  const auto ask = net::decode_ask(datagram.bytes);
  if (!ask) return metrics_.drops.count(ask.error());
  if (ask->protocol != net::kProtocolVersion) {
    return refuse(datagram, *ask,
                  {{.reason = net::RefuseReason::Protocol,
                    .have = net::kProtocolVersion,
                    .limit = ask->protocol}},
                  now);
  }
  if (ask->schema != net::schema_hash()) {
    return refuse(datagram, *ask, {{.reason = net::RefuseReason::Schema}}, now);
  }
  const Verdict verdict = reception_.judge(*ask, datagram, {.instant = now, .today = today(now)});
  std::visit(
      Overloaded{[&](net::DropReason reason) { metrics_.drops.count(reason); },
                 [&](const net::CookieBytes& cookie) {
                   answer_stranger(datagram.back(),
                                   net::encode_cookie(ask->client_nonce, cookie, packet_), now);
                 },
                 [&](const Refused& refused) { refuse(datagram, *ask, refused, now); },
                 [&](const AskedAgain& again) { on_asked_again(again.connection, again.id, now); },
                 [&](const Newcomer& newcomer) { on_newcomer(datagram, *ask, newcomer, now); },
                 [&](const Returner& returner) { on_returner(datagram, *ask, returner, now); }},
      verdict);
}

void Shard::on_asked_again(std::uint32_t connection, const net::TokenId& id, Instant now) {
  Session* session = seats_.find(connection);
  if (session == nullptr || session->state != Session::State::Accepted || session->token != id) {
    return metrics_.drops.count(net::DropReason::Unexpected);
  }
  accept_again(*session, now);
}

/// Repeats the ACCEPT of a session, with a limit of its own. A sender that repeats another client's
/// CONNECT must not use up the limit of that client's packets.
void Shard::accept_again(Session& session, Instant now) {
  if (!session.accepts.take(kRepeatedAccepts, now)) {
    return metrics_.drops.count(net::DropReason::RateLimited);
  }
  transmit(session.route, session.accept_datagram());
}

void Shard::on_newcomer(const net::Datagram& datagram, const net::Ask& ask,
                        const Newcomer& newcomer, Instant now) {
  const net::TokenClaims& claims = newcomer.token.claims;
  const auto refuse_with = [&](const net::Refuse& answer) {
    refuse(datagram, ask, {answer, claims.client}, now);
  };
  if (stopping_) return refuse_with({.reason = net::RefuseReason::Draining});
  if (newcomer.replaces) {
    Session* before = seats_.find(*newcomer.replaces);
    if (before != nullptr && before->state == Session::State::Accepted &&
        before->token == newcomer.id) {
      let_go(seats_.of(*before));
    }
  }
  if (ask.wish == net::Wish::Audit) {
    if (const auto objection = objection_to_audit(claims.rights, nullptr)) {
      return refuse_with(*objection);
    }
  }
  Seat* seat = seats_.find_free();
  if (seat == nullptr) {
    const std::uint32_t held = seats_.held();
    return refuse_with(
        {.reason = net::RefuseReason::Full, .have = held, .limit = options_.max_clients});
  }
  Session& session = seats_.spare(*seat);
  const std::uint32_t connection = seats_.new_connection(session, entropy_);
  if (!reception_.admit(newcomer, datagram.from, ask.client_nonce, connection, today(now))) {
    return refuse_with({.reason = net::RefuseReason::TokensFull});
  }
  seat->held = true;
  seat->client = claims.client;
  seat->rights = claims.rights;
  seat->body = game::player_body(seat->player, room_.world().seat(seat->player).generation + 1);
  open_session(session, connection, {datagram.back(), ask.client_nonce, ask.wish},
               newcomer.token.keys, now);
  session.token = newcomer.id;
  metrics_.count(ConnectionResult::Accepted);
}

void Shard::on_returner(const net::Datagram& datagram, const net::Ask& ask,
                        const Returner& returner, Instant now) {
  const net::Ticket& ticket = returner.ticket;
  const auto refuse_with = [&](const net::Refuse& answer) {
    refuse(datagram, ask, {answer, ticket.client}, now);
  };
  if (stopping_) return refuse_with({.reason = net::RefuseReason::Draining});
  TICKBOX_ASSERT(ticket.seat.value < options_.max_clients);
  Seat& seat = seats_.of(ticket.seat);
  if (!seat.held || seat.body != ticket.body || seat.good_ticket != ticket.serial ||
      seat.client != ticket.client || ticket.room != reception_.room()) {
    return refuse_with({.reason = net::RefuseReason::TicketOver});
  }
  if (ask.wish == net::Wish::Audit) {
    if (const auto objection = objection_to_audit(seat.rights, &seat)) {
      return refuse_with(*objection);
    }
  }
  Session& session = seats_.spare(seat);
  if (session.state == Session::State::Accepted && session.client_nonce == ask.client_nonce) {
    // The same bytes from another address are from somebody who saw them pass.
    if (session.route.peer != datagram.from) {
      return metrics_.drops.count(net::DropReason::Unexpected);
    }
    return accept_again(session, now);
  }
  open_session(session, seats_.new_connection(session, entropy_),
               {datagram.back(), ask.client_nonce, ask.wish}, ticket.keys, now);
  metrics_.count(ConnectionResult::Resumed);
}

/// Opens a session and answers with an ACCEPT; nobody else can derive its keys.
void Shard::open_session(Session& session, std::uint32_t connection, const Asker& asker,
                         const net::KeyPair& keys, Instant now) {
  Seat& seat = seats_.of(session);
  const auto server_nonce = net::draw<net::HandshakeNonce>(entropy_);
  const net::KeyPair session_keys = net::derive_session_keys(keys, asker.nonce, server_nonce);

  session = {.state = Session::State::Accepted,
             .seat = seat.player,
             .route = asker.route,
             .client_nonce = asker.nonce,
             .wish = asker.wish};
  session.channel = net::PacketChannel{session_keys, connection, net::Direction::ToClient};
  session.ticket_serial = ++seat.serials;
  session.heard = now;

  const net::Accept message{
      .player = seat.player,
      .body = seat.body,
      .tick_rate = options_.tick_rate,
      .tick = room_.world().tick,
      .rules = std::string{room_.rules().name()},
      .map_seats = room_.world().map()->seats,
      .map_hash = map_hash_,
      .boot = reception_.boot(),
      .room = reception_.room(),
      .ticket = reception_.ticket_for({.seat = seat.player,
                                       .body = seat.body,
                                       .serial = session.ticket_serial,
                                       .room = reception_.room(),
                                       .client = seat.client,
                                       .keys = net::derive_resume_keys(session_keys)})};
  const ConstBytes accept =
      net::encode_accept(message, connection, server_nonce, session_keys, packet_);
  std::ranges::copy(accept, session.accept.begin());
  session.accept_bytes = accept.size();
  transmit(asker.route, session.accept_datagram());
}

/// Begins to play: the keys are proven. Consumes the token, and takes over the seat.
void Shard::begin_to_play(Session& session, Instant now) {
  session.state = Session::State::Playing;
  session.inputs = InputBuffer{room_.world().tick};
  session.events = EventQueue{options_.tick_rate / kEventRepeatsPerSecond};
  session.views = std::make_unique<SentViews>(base_age_max(options_.tick_rate));
  if (session.wish == net::Wish::Audit) {
    session.audit = std::make_unique<AuditStream>(options_.tick_rate);
  }
  if (session.token) {
    reception_.consume(*session.token);
    session.token = std::nullopt;
  }
  Seat& seat = seats_.of(session);
  const bool resumes = seat.playing || seat.orphaned;
  if (Session* before = seats_.playing(seat)) {
    say_goodbye(*before, net::DisconnectReason::TakenOver);
    metrics_.count(net::DisconnectReason::TakenOver);
  } else {
    ++clients_;
  }
  for (Session& other : seats_.sessions_of(seat)) {
    if (&other != &session) seats_.reset(other);
  }
  seats_.take_over(seat, session);
  log_.event(resumes ? LogKind::Resumed : LogKind::Opened, Severity::Info, now, [&] {
    return fmt::format("session_{} seat={} client={} address={} clients={}",
                       resumes ? "resumed" : "opened", session.seat.value, seat.client,
                       net::to_string(session.route.peer), clients_);
  });
}

void Shard::refuse(const net::Datagram& datagram, const net::Ask& ask, Refused refused,
                   Instant now) {
  refused.answer.client_nonce = ask.client_nonce;
  metrics_.count(refused.answer.reason);
  refusals_.add(refused.answer.reason, refused.client, datagram.from);
  answer_stranger(datagram.back(), net::encode_refuse(refused.answer, packet_), now);
}

void Shard::answer_stranger(const net::Route& route, ConstBytes datagram, Instant now) {
  if (!replies_.take(kRepliesToStrangers, now)) {
    return metrics_.drops.count(net::DropReason::RateLimited);
  }
  transmit(route, datagram);
}

// A client can move: from Wi-Fi to a mobile network, or behind a router that forgot its port. Its
// packets still open, but the address can be an attacker's, who replays packets. So the address is
// challenged before anything larger is sent there.

void Shard::check_path(Session& session, const net::Datagram& datagram, Instant now) {
  if (!session.path || session.path->route.peer != datagram.from) {
    session.path = {.route = datagram.back(),
                    .data = draw_number<std::uint64_t>(entropy_),
                    .challenged = now - kChallengeInterval};
  }
  UnprovenPath& path = *session.path;
  path.heard += datagram.bytes.size();
  if (now - path.challenged < kChallengeInterval) return;
  const ConstBytes message = encoder_.path_check(path.data);
  const std::uint64_t size = message.size() + net::kPacketOverheadBytes;
  if (path.sent + size > kUnprovenAnswers * path.heard) return;
  path.sent += size;
  path.challenged = now;
  transmit(path.route, session.channel.seal_packet(net::PacketType::Challenge, message, packet_));
}

void Shard::on_response(Session& session, const net::Address& from, ConstBytes message,
                        Instant now) {
  const auto data = protocol::decode_path_check(message);
  if (!data) return metrics_.drops.count(data.error());
  const bool answers =
      session.path && session.path->route.peer == from && session.path->data == *data;
  if (!answers) return metrics_.drops.count(net::DropReason::Unexpected);
  session.route = session.path->route;
  session.path = std::nullopt;
  metrics_.count(ConnectionResult::Moved);
  log_.event(LogKind::Moved, Severity::Info, now, [&] {
    return fmt::format("session_moved seat={} address={}", session.seat.value,
                       net::to_string(from));
  });
}

/// Moves the deadlines of clients by the time for which this server was stalled.
void Shard::forgive_stall(Instant now) {
  const Duration missed = now - std::exchange(listened_, now);
  if (missed <= kStall) return;
  for (Seat& seat : seats_.all()) {
    if (!seat.held) continue;
    for (Session& session : seats_.sessions_of(seat)) {
      session.heard = std::min(session.heard + missed, now);
    }
    if (seat.orphaned) *seat.orphaned += missed;
  }
}

void Shard::close_silent_sessions(Instant now) {
  for (Seat& seat : seats_.all()) {
    if (!seat.held) continue;
    for (Session& session : seats_.sessions_of(seat)) {
      if (session.state != Session::State::Free && now - session.heard > kSessionTimeout) {
        close(session, net::DisconnectReason::TimedOut, now);
      }
    }
    if (seat.orphaned && now - *seat.orphaned > kBodyKept) let_go(seat);
  }
}

void Shard::say_goodbye(Session& session, net::DisconnectReason reason) {
  for (int i = 0; i < net::kGoodbyes; ++i) {
    send_packet(session, net::PacketType::Disconnect, encoder_.disconnect(reason));
  }
}

/// Ends a session. Its body stays for a while if its client has timed out.
void Shard::close(Session& session, net::DisconnectReason reason, Instant now) {
  Seat& seat = seats_.of(session);
  const bool was_playing = seats_.playing(seat) == &session;
  if (was_playing) {
    if (reason != net::DisconnectReason::ClientLeft) say_goodbye(session, reason);
    --clients_;
    metrics_.count(reason);
    log_.event(LogKind::Closed, Severity::Info, now, [&] {
      const auto silent =
          std::chrono::duration_cast<std::chrono::milliseconds>(now - session.heard).count();
      return fmt::format("session_closed seat={} reason={} silent_ms={} clients={}",
                         session.seat.value, net::name_of(reason), silent, clients_);
    });
  }
  if (const auto unfinished = tracer_.forget(session)) note_unfinished(*unfinished, now);
  if (reason == net::DisconnectReason::ClientLeft) seats_.depart(session, now);
  seats_.reset(session);
  if (was_playing && reason == net::DisconnectReason::TimedOut) {
    seat.playing = std::nullopt;
    seat.orphaned = now;
  } else if (was_playing || !(seat.playing || seat.orphaned)) {
    let_go(seat);
  }
}

void Shard::let_go(Seat& seat) {
  if (seat.in_world) left_.push_back(seat.player);
  seats_.release(seat);
}

void Shard::stop(Instant now) {
  stopping_ = true;
  for (Session& session : seats_.sessions()) {
    if (session.state != Session::State::Free) {
      close(session, net::DisconnectReason::ServerStopping, now);
    }
  }
}

}  // namespace tickbox::server
