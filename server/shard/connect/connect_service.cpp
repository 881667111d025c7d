#include "server/shard/connect/connect_service.h"

#include "core/assert.h"
#include "net/crypto.h"

#include <algorithm>
#include <memory>
#include <string>

namespace tickbox::server {
namespace {

static_assert(engine::kGameNameMax <= net::kGameNameMax, "an ACCEPT names the game");

template <class... Visitors>
struct Overloaded : Visitors... {
  using Visitors::operator()...;
};

bool matches(const HostedRoom& room, RoomId named) {
  return named == RoomId{} || named == room.id();
}

/// Returns whether the session's client has shown this token and has not proven its keys yet.
bool is_attempt_with(const Session& session, const net::TokenId& token) {
  return session.attempt && session.attempt->token && session.attempt->token->id == token;
}

}  // namespace

void ConnectService::receive(const net::Datagram& datagram, const Now& now) {
  const auto request = net::decode_request(datagram.bytes);
  if (!request) return context_.metrics.drops.count(request.error());
  const Incoming incoming{*request, datagram, now};
  if (request->protocol != net::kProtocolVersion) {
    return refuse(incoming, {{.reason = net::RefuseReason::Protocol,
                              .have = net::kProtocolVersion,
                              .limit = request->protocol}});
  }
  if (request->schema != net::schema_hash()) {
    return refuse(incoming, {{.reason = net::RefuseReason::Schema}});
  }
  std::visit(Overloaded{[&](net::DropReason reason) { context_.metrics.drops.count(reason); },
                        [&](const net::CookieBytes& cookie) {
                          reply(incoming,
                                net::encode_cookie(request->client_nonce, cookie, packet_));
                        },
                        [&](const Refused& refused) { refuse(incoming, refused); },
                        [&](const RepeatedRequest& repeated) { on_repeated(incoming, repeated); },
                        [&](const TokenAccepted& accepted) { on_token(incoming, accepted); },
                        [&](const ResumeAccepted& accepted) { on_ticket(incoming, accepted); }},
             parts_.admission.judge(*request, datagram, now));
}

void ConnectService::on_repeated(const Incoming& incoming, const RepeatedRequest& repeated) {
  Session* session = parts_.sessions.find(repeated.connection);
  if (session == nullptr || !is_attempt_with(*session, repeated.id)) {
    return context_.metrics.drops.count(net::DropReason::Unexpected);
  }
  accept_again(*session, incoming.now.instant);
}

/// Repeats the ACCEPT of a session, with a limit of its own. A sender that repeats another client's
/// CONNECT must not use up the limit of that client's packets.
void ConnectService::accept_again(Session& session, Instant now) {
  if (!session.attempt->repeats.consume(kRepeatedAccepts, now)) {
    return context_.metrics.drops.count(net::DropReason::RateLimited);
  }
  context_.send(session.route, session.attempt->accept);
}

void ConnectService::on_token(const Incoming& incoming, const TokenAccepted& accepted) {
  const net::TokenClaims& claims = accepted.token.claims;
  const auto refuse_with = [&](const net::Refuse& answer) {
    refuse(incoming, {answer, claims.client, accepted.token.keys.to_client});
  };
  if (stopping_) return refuse_with({.reason = net::RefuseReason::Draining});
  const Instant now = incoming.now.instant;
  Place place = find_place(accepted);
  if (draining_ && (place.seat == nullptr || !place.seat->held)) {
    return refuse_with({.reason = net::RefuseReason::Draining});
  }
  if (place.seat == nullptr) return refuse_with(full({claims.room}));
  if (is_overloaded_ && !place.seat->held) {
    return refuse_with({.reason = net::RefuseReason::Overloaded});
  }
  if (place.seat->taken_over && now - *place.seat->taken_over < kTakeoverInterval) {
    return context_.metrics.drops.count(net::DropReason::RateLimited);
  }
  Session* const pending = place.seat->pending;
  if (pending != nullptr && pending->attempt->token &&
      pending->attempt->token->head.issued > accepted.token.head.issued) {
    return refuse_with({.reason = net::RefuseReason::TokenUsed});
  }
  // A client that refuses each ACCEPT holds no seat between them.
  if (!agreements_of_token_.consume(accepted.id, kAgreementsOfSeat, now)) {
    return context_.metrics.drops.count(net::DropReason::RateLimited);
  }
  if (place.seat->held && !may_agree(*place.seat, now)) return;
  const auto keys = agree(incoming, accepted.token.keys);
  if (!keys) return;
  if (pending != nullptr) {
    parts_.lifecycle.close(*pending, net::DisconnectReason::TakenOver, now);
    if (!place.seat->held) place = find_seat(claims);
    TICKBOX_ASSERT(place.seat != nullptr);  // the one of the closed session, if no other
  }
  if (parts_.sessions.is_full()) return refuse_with(full({claims.room}));
  Session& session = parts_.sessions.open(context_.entropy);
  if (!parts_.admission.admit(accepted, incoming.datagram.from, incoming.request.client_nonce,
                              parts_.sessions.connection_of(session), incoming.now.today)) {
    parts_.sessions.close(session);
    return refuse_with({.reason = net::RefuseReason::TokensFull});
  }
  auto& [room, seat] = place;
  if (!seat->held) {
    room->seats().hold(*seat, claims.client);
    seat->key_id = accepted.token.head.key_id;
    seat->user = claims.user;
    seat->generation =
        engine::next_generation(room->world().seats()[seat->player.value].generation);
  }
  open_session(incoming, session, *room, *seat, *keys).token = admitted_token(accepted);
  context_.metrics.count(ConnectionResult::Accepted);
}

/// Returns the seat of the pending attempt with the same token, if there is one; otherwise that of
/// find_seat().
ConnectService::Place ConnectService::find_place(const TokenAccepted& accepted) {
  Session* const before = accepted.replaces ? parts_.sessions.find(*accepted.replaces) : nullptr;
  if (before == nullptr || !is_attempt_with(*before, accepted.id)) {
    return find_seat(accepted.token.claims);
  }
  return {.room = before->room, .seat = &before->room->seats().seat_of(before->player)};
}

/// Returns whether the holder of a seat may begin another session; otherwise counts a drop.
bool ConnectService::may_agree(Seat& seat, Instant now) {
  const bool may = seat.agreements.consume(kAgreementsOfSeat, now);
  if (!may) context_.metrics.drops.count(net::DropReason::RateLimited);
  return may;
}

void ConnectService::on_ticket(const Incoming& incoming, const ResumeAccepted& accepted) {
  const net::Ticket& ticket = accepted.ticket;
  const auto refuse_with = [&](const net::Refuse& answer) {
    refuse(incoming, {answer, ticket.client, ticket.keys.to_client});
  };
  if (stopping_) return refuse_with({.reason = net::RefuseReason::Draining});
  HostedRoom* room = find_room({ticket.room});
  if (room == nullptr) return refuse_with({.reason = net::RefuseReason::TicketOver});
  TICKBOX_ASSERT(ticket.seat.value < room->seats().count());
  Seat& seat = room->seats().seat_of(ticket.seat);
  if (!seat.held || seat.generation != ticket.generation || seat.good_ticket != ticket.serial ||
      seat.client != ticket.client) {
    return refuse_with({.reason = net::RefuseReason::TicketOver});
  }
  if (Session* pending = seat.pending) {
    if (pending->attempt->client_nonce == incoming.request.client_nonce) {
      // The same bytes from another address are from somebody who saw them pass.
      if (pending->route.peer != incoming.datagram.from) {
        return context_.metrics.drops.count(net::DropReason::Unexpected);
      }
      return accept_again(*pending, incoming.now.instant);
    }
  }
  if (!may_agree(seat, incoming.now.instant)) return;
  if (seat.pending == nullptr && parts_.sessions.is_full()) {
    return context_.metrics.drops.count(net::DropReason::RateLimited);
  }
  const auto keys = agree(incoming, ticket.keys);
  if (!keys) return;
  if (seat.pending != nullptr) parts_.lifecycle.discard(*seat.pending);
  open_session(incoming, parts_.sessions.open(context_.entropy), *room, seat, *keys);
  context_.metrics.count(ConnectionResult::Resumed);
}

HostedRoom* ConnectService::find_room(RoomId id) {
  const auto found = std::ranges::find(parts_.rooms, id, &HostedRoom::id);
  return found != parts_.rooms.end() ? &*found : nullptr;
}

/// Returns the first seat that the client holds, if it holds as many as one client may. Otherwise
/// returns the first free seat of the fullest room that has one: players meet, and rooms become
/// empty. Only the room that the token names counts, or all if it names none.
ConnectService::Place ConnectService::find_seat(const net::TokenClaims& claims) {
  Place own;
  Place free;
  std::uint32_t held = 0;
  std::uint32_t fullest = 0;
  for (HostedRoom& room : parts_.rooms) {
    if (!matches(room, {claims.room})) continue;
    const std::uint32_t players = room.seats().held();
    Seat* const seat = room.seats().find_free();
    if (seat != nullptr && (free.seat == nullptr || players > fullest)) {
      free = {&room, seat};
      fullest = players;
    }
    for (Seat& each : room.seats().all()) {
      if (!each.held || each.client != claims.client) continue;
      if (own.seat == nullptr) own = {&room, &each};
      ++held;
    }
  }
  return held >= parts_.admission.seats_per_client() ? own : free;
}

net::Refuse ConnectService::full(RoomId named) {
  net::Refuse answer{.reason = net::RefuseReason::Full};
  for (HostedRoom& room : parts_.rooms) {
    if (!matches(room, named)) continue;
    answer.have += room.seats().held();
    answer.limit += room.seats().count();
  }
  return answer;
}

/// Derives the keys of a session from the keys of the token or ticket and both ends' nonces.
/// Fails: nothing, if a limit is reached or the client's nonce has a small order; the request is
/// dropped. Cost: two scalar multiplications.
std::optional<ConnectService::AgreedKeys> ConnectService::agree(const Incoming& incoming,
                                                                const net::KeyPair& keys) {
  if (!agreements_.consume(kAgreements, incoming.now.instant)) {
    context_.metrics.drops.count(net::DropReason::RateLimited);
    return std::nullopt;
  }
  const net::HandshakeNonce& client_nonce = incoming.request.client_nonce;
  const net::HandshakePair own = net::handshake_pair(net::draw<net::SecretKey>(context_.entropy));
  const auto agreed = net::agree(own, client_nonce);
  if (!agreed) {
    context_.metrics.drops.count(net::DropReason::Malformed);
    return std::nullopt;
  }
  return AgreedKeys{.server_nonce = own.nonce,
                    .session = net::derive_session_keys(keys, client_nonce, own.nonce, *agreed)};
}

/// Makes `session` the pending one of a seat and answers with an ACCEPT. Only a holder of the keys
/// of the token or ticket can derive the session's keys from the ACCEPT, and only with the secret
/// of the client's nonce.
Attempt& ConnectService::open_session(const Incoming& incoming, Session& session, HostedRoom& room,
                                      Seat& seat, const AgreedKeys& keys) {
  TICKBOX_ASSERT(seat.pending == nullptr);
  const std::uint32_t connection = parts_.sessions.connection_of(session);
  session.room = &room;
  session.player = seat.player;
  session.route = incoming.datagram.back();
  session.attempt = std::make_unique<Attempt>();
  Attempt& attempt = *session.attempt;
  attempt.client_nonce = incoming.request.client_nonce;
  const net::Cipher cipher = std::min(incoming.request.best_cipher, best_cipher_);
  session.channel = net::PacketChannel{keys.session, connection, net::Direction::ToClient, cipher};
  attempt.ticket_serial = ++seat.serials;
  session.heard = incoming.now.instant;
  seat.pending = &session;

  const net::Accept message{
      .player = seat.player,
      .generation = seat.generation,
      .tick_rate = tick_rate_,
      .tick = room.tick(),
      .game = room.identity().game,
      .game_version = room.identity().version,
      .game_hash = room.identity().game_hash,
      .map_seats = room.identity().map_seats,
      .map_hash = room.identity().map_hash,
      .shared_seed = room.world().shared_seed,
      .boot = parts_.admission.boot(),
      .room = room.id().value,
      .ticket = parts_.admission.ticket_for({.seat = seat.player,
                                             .generation = seat.generation,
                                             .serial = attempt.ticket_serial,
                                             .room = room.id().value,
                                             .client = seat.client,
                                             .keys = net::derive_resume_keys(keys.session)})};
  const ConstBytes accept =
      net::encode_accept(message, connection, keys.server_nonce, keys.session, packet_, cipher);
  attempt.accept.resize(accept.size());
  std::ranges::copy(accept, attempt.accept.begin());
  context_.send(session.route, attempt.accept);
  return attempt;
}

void ConnectService::refuse(const Incoming& incoming, const Refused& refused) {
  net::Refuse answer = refused.answer;
  answer.client_nonce = incoming.request.client_nonce;
  if (recent_refusals_.is_first(incoming.datagram.from, refused.client, answer.reason,
                                incoming.now.instant)) {
    context_.metrics.count(answer.reason);
    refusals_.add(answer.reason, refused.client, incoming.datagram.from);
  } else {
    ++context_.metrics.refusals_repeated;
  }
  reply(incoming, refused.proof ? net::encode_refuse(answer, *refused.proof, packet_)
                                : net::encode_refuse(answer, packet_));
}

void ConnectService::on_refused(Session& session, net::RefuseReason reason, Instant now) {
  context_.metrics.count(reason);
  refusals_.add(reason, session.room->seats().seat_of(session.player).client, session.route.peer);
  parts_.lifecycle.close(session, net::DisconnectReason::ClientLeft, now);
}

/// Answers a sender that has no session, within the limit of all such answers.
void ConnectService::reply(const Incoming& incoming, ConstBytes datagram) {
  if (!replies_.consume(kRepliesToStrangers, incoming.now.instant)) {
    return context_.metrics.drops.count(net::DropReason::RateLimited);
  }
  context_.send(incoming.datagram.back(), datagram);
}

}  // namespace tickbox::server
