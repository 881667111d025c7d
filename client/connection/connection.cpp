#include "client/connection/connection.h"

#include "core/assert.h"
#include "game/entity_state.h"
#include "protocol/messages.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace tickbox::client {
namespace {

std::string in_words(net::DisconnectReason reason) {
  switch (reason) {
    case net::DisconnectReason::ClientLeft:
      return "left";
    case net::DisconnectReason::ServerStopping:
      return "server is stopping";
    case net::DisconnectReason::TimedOut:
      return "the server received nothing from this client for too long";
    case net::DisconnectReason::Kicked:
      return "removed by the server";
    case net::DisconnectReason::TakenOver:
      return "this session was resumed from elsewhere";
  }
  return "unknown";
}

/// Checks what the handshake does not know of a game: the seat limit of a map and the owner of a
/// body.
bool is_possible(const net::Accept& accept) {
  return accept.map_seats <= game::kSeatsMax &&
         game::has_kind(accept.body, game::EntityKind::Player) &&
         game::player_of(accept.body) == accept.player;
}

/// Returns a random time from 0 to kRequestJitter.
Duration drawn_jitter(Entropy& entropy) {
  return kRequestJitter * draw_number<std::uint16_t>(entropy) / UINT16_MAX;
}

}  // namespace

Connection::Connection(const ConnectionOptions& options, net::Transport& transport,
                       Entropy& entropy, Instant now)
    : options_(options), transport_(transport), entropy_(entropy), started_(now), heard_(now) {
  TICKBOX_ASSERT(options_.token || options_.ticket);
  begin(options_.ticket ? State::Resuming : State::Greeting, now);
}

/// Begins the requests of `state`. HELLO and CONNECT have the same nonce, because the cookie is
/// bound to it.
void Connection::begin(State state, Instant now) {
  if (state != State::Asking) nonce_ = net::draw<net::HandshakeNonce>(entropy_);
  state_ = state;
  began_asking_ = now;
  ask(now);
}

void Connection::ask(Instant now) {
  asked_ = now;
  asks_again_ = now + kRequestRetry + drawn_jitter(entropy_);
  if (state_ == State::Greeting) {
    transmit(net::encode_hello(net::make_request(net::PacketType::Hello, nonce_), packet_));
  } else if (state_ == State::Asking) {
    transmit(net::encode_connect(net::make_request(net::PacketType::Connect, nonce_, options_.mode),
                                 cookie_, *options_.token, packet_));
  } else {
    transmit(net::encode_resume(net::make_request(net::PacketType::Resume, nonce_, options_.mode),
                                *options_.ticket, packet_));
  }
}

/// Repeats the request, or restarts it if it is stale. A restart also waits for the next due time,
/// so that clients restart out of step, too.
void Connection::ask_again(Instant now) {
  const bool is_stale = state_ != State::Greeting && now - began_asking_ >= kAttempt;
  if (!is_stale) return ask(now);
  begin(state_ == State::Asking ? State::Greeting : State::Resuming, now);
}

void Connection::transmit(ConstBytes datagram) {
  ++use_.packets_up;
  use_.bytes_up += datagram.size();
  transport_.send({options_.server}, datagram);
}

std::optional<Connection::Message> Connection::receive(Instant now) {
  while (const std::optional<net::Datagram> datagram = transport_.receive()) {
    ++use_.packets_down;
    use_.bytes_down += datagram->bytes.size();
    if (datagram->from != options_.server) {
      drops_.count(net::DropReason::UnknownConnection);
    } else if (state_ != State::Connected) {
      on_answer(datagram->bytes, now);
    } else if (auto message = on_packet(datagram->bytes, now)) {
      return message;
    }
  }
  return std::nullopt;
}

std::optional<Connection::Message> Connection::on_packet(ConstBytes datagram, Instant now) {
  const auto type = net::packet_type(datagram);
  if (type == net::PacketType::Accept || type == net::PacketType::Cookie) {
    return std::nullopt;  // the answer to a repeated request
  }
  const auto opened = channel_.open_packet(datagram, opened_);
  if (!opened) {
    drops_.count(opened.error());
    return std::nullopt;
  }
  heard_ = now;
  if (opened->type == net::PacketType::Disconnect) {
    on_disconnect(opened->message, now);
    return std::nullopt;
  }
  is_proven_ = true;
  ticket_before_.reset();
  options_.token.reset();
  if (opened->type == net::PacketType::Challenge) {
    answer_challenge(opened->message);
    return std::nullopt;
  }
  return Message{.type = opened->type, .bytes = opened->message};
}

void Connection::on_disconnect(ConstBytes message, Instant now) {
  const auto reason = protocol::decode_disconnect(message);
  if (!reason) {
    drops_.count(reason.error());
  } else if (*reason == net::DisconnectReason::TimedOut) {
    come_back(now);  // only our packets were lost, and the server keeps the body
  } else {
    end(State::Closed, in_words(*reason));
  }
}

void Connection::come_back(Instant now) {
  started_ = now;
  begin(State::Resuming, now);
}

/// Answers a path check. The server sends it when packets arrive from a new address of this client,
/// real or forged.
void Connection::answer_challenge(ConstBytes message) {
  if (const auto data = protocol::decode_path_check(message)) {
    send(net::PacketType::Response, protocol::encode_path_check(*data, message_buffer_));
  } else {
    drops_.count(data.error());
  }
}

void Connection::on_answer(ConstBytes datagram, Instant now) {
  const std::optional<net::PacketType> type = net::packet_type(datagram);
  if (type == net::PacketType::Cookie && state_ == State::Greeting) {
    on_cookie(datagram, now);
  } else if (type == net::PacketType::Accept &&
             (state_ == State::Asking || state_ == State::Resuming)) {
    on_accept(datagram, now);
  } else if (type == net::PacketType::Refuse && connecting()) {
    on_refuse(datagram, now);
  } else {
    drops_.count(type ? net::DropReason::Unexpected : net::DropReason::UnknownType);
  }
}

void Connection::on_cookie(ConstBytes datagram, Instant now) {
  const auto answer = net::decode_cookie(datagram);
  if (!answer) return drops_.count(answer.error());
  if (answer->client_nonce != nonce_) return drops_.count(net::DropReason::Unexpected);
  cookie_ = answer->cookie;
  begin(State::Asking, now);
}

void Connection::on_accept(ConstBytes datagram, Instant now) {
  const bool by_ticket = state_ == State::Resuming;
  auto accepted = net::decode_accept(
      datagram, by_ticket ? options_.ticket->keys : options_.token->keys, nonce_);
  if (!accepted) return drops_.count(accepted.error());
  if (!is_possible(accepted->accept)) return drops_.count(net::DropReason::Malformed);
  accept_ = std::move(accepted->accept);
  channel_ = net::PacketChannel{accepted->keys, accepted->connection, net::Direction::ToServer};
  if (by_ticket) ticket_before_ = options_.ticket;
  options_.ticket = {.sealed = accept_.ticket, .keys = net::derive_resume_keys(accepted->keys)};
  is_proven_ = false;
  resumed_ += by_ticket ? 1 : 0;
  ++sessions_;
  state_ = State::Connected;
  connect_time_ = now - asked_;
  heard_ = now;
}

void Connection::on_refuse(ConstBytes datagram, Instant now) {
  const auto refuse = net::decode_refuse(datagram);
  if (!refuse) return drops_.count(refuse.error());
  if (refuse->client_nonce != nonce_) return drops_.count(net::DropReason::Unexpected);
  if (state_ == State::Resuming && ticket_before_) {
    options_.ticket = std::exchange(ticket_before_, std::nullopt);
    return come_back(now);
  }
  if (state_ == State::Resuming && options_.token) {
    ticket_refusal_ = net::describe(*refuse);
    started_ = now;
    return begin(State::Greeting, now);
  }
  refused_ = refuse->reason;
  end(sessions_ == 0 ? State::Refused : State::Closed, net::describe(*refuse));
}

void Connection::update(Instant now) {
  if (state_ == State::Connected && now - heard_ >= kServerTimeout) {
    come_back(now);
  } else if (connecting() && now >= gives_up_at()) {
    give_up(now);
  } else if (connecting() && now >= asks_again_) {
    ask_again(now);
  }
}

Instant Connection::gives_up_at() const {
  return started_ + (sessions_ > 0 ? kResumeTimeout : kServerTimeout);
}

void Connection::give_up(Instant now) {
  const auto silent =
      std::chrono::duration_cast<std::chrono::seconds>(now - (sessions_ > 0 ? heard_ : started_));
  const std::string server = net::to_string(options_.server);
  if (sessions_ > 0) {
    end(State::Closed, fmt::format("no answer from {} for {} s", server, silent.count()));
  } else {
    end(State::Silent, fmt::format("no answer from {} after {} s; is a server running there?",
                                   server, silent.count()));
  }
}

std::uint64_t Connection::send(net::PacketType type, ConstBytes message) {
  TICKBOX_ASSERT(state_ == State::Connected);
  transmit(channel_.seal_packet(type, message, packet_));
  return channel_.sent();
}

void Connection::leave() {
  fail(in_words(net::DisconnectReason::ClientLeft));
}

void Connection::fail(std::string reason) {
  if (state_ == State::Connected) {
    for (int i = 0; i < net::kGoodbyes; ++i) {
      send(net::PacketType::Disconnect,
           protocol::encode_disconnect(net::DisconnectReason::ClientLeft, message_buffer_));
    }
  }
  if (!over()) end(State::Closed, std::move(reason));
}

void Connection::end(State state, std::string reason) {
  state_ = state;
  reason_ = std::move(reason);
}

Instant Connection::next_wakeup() const {
  return connecting() ? std::min(asks_again_, gives_up_at()) : heard_ + kServerTimeout;
}

}  // namespace tickbox::client
