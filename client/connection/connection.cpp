#include "client/connection/connection.h"

#include "core/assert.h"
#include "core/text.h"
#include "engine/entity_id.h"
#include "protocol/messages.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace tickbox::client {
namespace {

using net::PacketType;

/// Requires: a reason that a server sends.
std::string in_words(net::DisconnectReason reason) {
  return std::string{name_among<net::DisconnectReason::MatchEnded>(
      {"unknown", "left", "server is stopping",
       "the server received nothing from this client for too long", "removed by the server",
       "this client has connected from elsewhere", "the match has ended"},
      reason)};
}

constexpr std::unexpected kUnexpected{net::DropReason::Unexpected};

/// Checks what the net library does not know of a game: the most seats of a map, and the
/// generations of a seat. The client's seat is one of the map's.
bool is_possible(const net::Accept& accept) {
  return accept.map_seats <= engine::kSeatsMax && accept.player.value < accept.map_seats &&
         accept.generation < engine::kGenerations;
}

/// Returns a random time from 0 to kRequestJitter.
Duration drawn_jitter(Entropy& entropy) {
  return kRequestJitter * draw_number<std::uint16_t>(entropy) / UINT16_MAX;
}

}  // namespace

Handshake::Handshake(const Credential& credential, net::Cipher best, Entropy& entropy, Instant now)
    : credential_(credential), best_(best), entropy_(entropy), requested_at_(now) {
  const bool has_token = std::holds_alternative<net::ConnectToken>(credential_);
  begin(has_token ? PacketType::Hello : PacketType::Resume, now);
}

/// Makes `request` due. HELLO and CONNECT have the same pair, because the cookie is bound to it.
void Handshake::begin(PacketType request, Instant now) {
  if (request != PacketType::Connect) {
    pair_ = net::handshake_pair(net::draw<net::SecretKey>(entropy_));
    cookie_.reset();
    cookies_taken_ = 0;
  }
  request_ = request;
  began_ = now;
  next_request_ = now;
}

std::optional<ConstBytes> Handshake::poll_request(Instant now) {
  if (now < next_request_) return std::nullopt;
  // A stale request is replaced when it is due, so that clients stay out of step here, too.
  if (request_ != PacketType::Hello && now - began_ >= kRequestLife) {
    begin(request_ == PacketType::Connect ? PacketType::Hello : PacketType::Resume, now);
  }
  requested_at_ = now;
  next_request_ = now + kRequestRetry + drawn_jitter(entropy_);
  net::ConnectRequest request = net::make_request(request_, pair_.nonce);
  request.best_cipher = best_;
  if (request_ == PacketType::Hello) return net::encode_hello(request, packet_);
  if (request_ == PacketType::Connect) {
    return net::encode_connect(request, *cookie_, std::get<net::ConnectToken>(credential_),
                               packet_);
  }
  return net::encode_resume(request, std::get<net::ResumeTicket>(credential_), packet_,
                            cookie_.value_or(net::CookieBytes{}));
}

std::expected<void, net::DropReason> Handshake::receive_cookie(ConstBytes datagram, Instant now) {
  const auto answer = net::decode_cookie(datagram);
  if (!answer) return std::unexpected{answer.error()};
  const bool is_new = answer->cookie != cookie_ && cookies_taken_ < kCookiesTaken;
  if (answer->client_nonce != pair_.nonce || !is_new) return kUnexpected;
  cookie_ = answer->cookie;
  ++cookies_taken_;
  if (request_ == PacketType::Hello) begin(PacketType::Connect, now);
  next_request_ = now;
  return {};
}

const net::KeyPair& Handshake::keys() const {
  return std::visit([](const auto& held) -> const net::KeyPair& { return held.keys; }, credential_);
}

std::expected<net::Accepted, net::DropReason> Handshake::read_accept(ConstBytes datagram) const {
  if (request_ == PacketType::Hello) return kUnexpected;
  auto accepted = net::decode_accept(datagram, keys(), pair_, best_);
  if (accepted && !is_possible(accepted->accept)) {
    return std::unexpected{net::DropReason::Malformed};
  }
  return accepted;
}

std::expected<Refusal, net::DropReason> Handshake::read_refuse(ConstBytes datagram) const {
  const auto refuse = net::decode_refuse(datagram);
  if (!refuse) return std::unexpected{refuse.error()};
  if (refuse->client_nonce != pair_.nonce) return kUnexpected;
  const bool is_proven = net::has_proof(datagram);
  if (is_proven && !net::is_refused_by_server(datagram, keys().to_client)) {
    return std::unexpected{net::DropReason::Forged};
  }
  return Refusal{.refuse = *refuse, .is_proven = is_proven};
}

Connection::Connection(const ConnectionOptions& options, net::Transport& transport,
                       Entropy& entropy, Instant now)
    : options_(options), transport_(transport), entropy_(entropy), heard_(now) {
  TICKBOX_ASSERT(options_.token || options_.ticket);
  if (options_.ticket) {
    resume(now);
  } else {
    connect(now);
  }
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
  if (left_) finish_hand_over();
  if (opened->type == net::PacketType::Challenge) {
    on_challenge(opened->message);
    return std::nullopt;
  }
  if (opened->type == net::PacketType::Drain) {
    on_drain(opened->message, now);
    return std::nullopt;
  }
  return Message{.type = opened->type, .bytes = opened->message};
}

/// Answers a path check. The server sends it when packets arrive from a new address of this client,
/// real or forged.
void Connection::on_challenge(ConstBytes message) {
  if (const auto data = protocol::decode_path_check(message)) {
    send(net::PacketType::Response, protocol::encode_path_check(*data, message_buffer_));
  } else {
    drops_.count(data.error());
  }
}

/// Keeps the earliest end: a DRAIN that was long on its way would say a later one.
void Connection::on_drain(ConstBytes message, Instant now) {
  const auto drain = protocol::decode_drain(message);
  if (!drain) return drops_.count(drain.error());
  drains_to_ = std::min(drains_to_.value_or(Instant::max()), now + drain->left);
  if (!drain->onward) return;
  const bool may_move = failed_hand_overs_.count < kHandOversFailedMax &&
                        now >= failed_hand_overs_.again_at &&
                        net::may_lead_to(options_.server, drain->onward->servers[0]);
  if (may_move) hand_over(*drain->onward, now);
}

// --- hand-over ---

/// Connects to the next server. The present one receives nothing meanwhile, and keeps the player.
void Connection::hand_over(const net::ConnectToken& token, Instant now) {
  left_ = {.server = std::exchange(options_.server, token.servers[0]),
           .ticket = ticket(),
           .channel = channel_,
           .accept = accept_,
           .began_in_seat = began_in_seat_};
  options_.token = token;
  connect(now);
}

/// Leaves the first server: the next one plays with this client.
void Connection::finish_hand_over() {
  end_left_session();
  failed_hand_overs_ = {};
  ++moved_;
}

/// Ends the session at the server that hands this client over.
void Connection::end_left_session() {
  const net::Address next = std::exchange(options_.server, left_->server);
  send_disconnect(left_->channel, net::DisconnectReason::ClientLeft);
  options_.server = next;
  left_.reset();
}

/// Leaves the next server if it has accepted this client and the session has not begun, and returns
/// to the first one. Returns whether it does.
bool Connection::give_up_hand_over(net::DisconnectReason reason, Instant now) {
  if (!left_ || state_ != State::Connected) return false;
  send_disconnect(channel_, reason);
  return_to_left_server(now);
  return true;
}

/// Resumes the session at the server that hands this client over, because none has begun at the
/// next one.
void Connection::return_to_left_server(Instant now) {
  failed_hand_overs_.again_at = now + kHandOverRetry * (1 << failed_hand_overs_.count++);
  options_.server = left_->server;
  options_.ticket = left_->ticket;
  options_.token.reset();
  channel_ = left_->channel;
  accept_ = left_->accept;
  began_in_seat_ = left_->began_in_seat;
  is_proven_ = true;
  left_.reset();
  resume(now);
}

void Connection::on_disconnect(ConstBytes message, Instant now) {
  const auto reason = protocol::decode_disconnect(message);
  if (!reason) {
    drops_.count(reason.error());
  } else if (left_) {
    return_to_left_server(now);
  } else if (*reason == net::DisconnectReason::TimedOut) {
    resume(now);  // only our packets were lost, and the server keeps the body
  } else {
    disconnected_ = *reason;
    if (match_has_ended()) ++matches_ended_;
    end(State::Closed, in_words(*reason));
  }
}

std::uint64_t Connection::send(net::PacketType type, ConstBytes message) {
  TICKBOX_ASSERT(state_ == State::Connected);
  transmit(channel_.seal_packet(type, message, packet_));
  return channel_.sent();
}

void Connection::transmit(ConstBytes datagram) {
  ++use_.packets_up;
  use_.bytes_up += datagram.size();
  transport_.send({options_.server}, datagram);
}

// --- the beginning of a session ---

void Connection::connect(Instant now) {
  begin(State::Connecting, *options_.token, now);
}

void Connection::connect_again(const net::ConnectToken& token, Instant now,
                               const std::optional<net::Address>& server) {
  TICKBOX_ASSERT(over() && sessions_ > 0);
  options_.server = server.value_or(options_.server);
  disconnected_.reset();
  refusal_.reset();
  reason_.clear();
  failed_ = false;
  options_.token = token;
  options_.ticket.reset();
  ticket_before_.reset();
  connect(now);
}

void Connection::resume(Instant now) {
  begin(State::Resuming, *options_.ticket, now);
}

void Connection::begin(State state, const Handshake::Credential& credential, Instant now) {
  state_ = state;
  started_ = now;
  handshake_.emplace(credential, options_.best_cipher, entropy_, now);
  doubt_.reset();
  send_request(now);
}

void Connection::send_request(Instant now) {
  if (const auto request = handshake_->poll_request(now)) transmit(*request);
}

void Connection::on_answer(ConstBytes datagram, Instant now) {
  const std::optional<net::PacketType> type = net::packet_type(datagram);
  if (handshake_ && type == net::PacketType::Cookie) {
    const auto taken = handshake_->receive_cookie(datagram, now);
    if (!taken) return drops_.count(taken.error());
    send_request(now);
  } else if (handshake_ && type == net::PacketType::Accept) {
    const auto accepted = handshake_->read_accept(datagram);
    if (!accepted) return drops_.count(accepted.error());
    on_accepted(*accepted, now);
  } else if (handshake_ && type == net::PacketType::Refuse) {
    const auto refuse = handshake_->read_refuse(datagram);
    if (!refuse) return drops_.count(refuse.error());
    on_refusal(*refuse, now);
  } else {
    drops_.count(type ? net::DropReason::Unexpected : net::DropReason::UnknownType);
  }
}

void Connection::on_accepted(const net::Accepted& accepted, Instant now) {
  const bool by_ticket = state_ == State::Resuming;
  accept_ = accepted.accept;
  channel_ = net::PacketChannel{accepted.keys, accepted.connection, net::Direction::ToServer,
                                accepted.cipher};
  if (by_ticket) ticket_before_ = options_.ticket;
  options_.ticket = {.sealed = accept_.ticket, .keys = net::derive_resume_keys(accepted.keys)};
  is_proven_ = false;
  drains_to_.reset();
  resumed_ += by_ticket ? 1 : 0;
  ++sessions_;
  if (!by_ticket) began_in_seat_ = sessions_;
  state_ = State::Connected;
  connect_time_ = now - handshake_->requested_at();
  handshake_.reset();
  doubt_.reset();
  heard_ = now;
}

void Connection::on_refusal(const Refusal& refusal, Instant now) {
  if (refusal.is_proven) return end_refused(refusal.refuse, now);
  const Instant since = doubt_ ? doubt_->since : now;
  doubt_ = {.refuse = refusal.refuse,
            .since = since,
            .until = since + doubt_of(refusal.refuse.reason, since)};
}

/// Returns the time for which a REFUSE without proof is doubted that arrived at `since`.
Duration Connection::doubt_of(net::RefuseReason reason, Instant since) const {
  if (!net::is_final(reason)) return kRefusalDoubted;
  return std::clamp(since - started_, kFinalRefusalDoubted, kRefusalDoubted);
}

void Connection::end_refused(const net::Refuse& refuse, Instant now) {
  if (left_) return return_to_left_server(now);
  if (state_ == State::Resuming && ticket_before_) {
    options_.ticket = std::exchange(ticket_before_, std::nullopt);
    return resume(now);
  }
  if (state_ == State::Resuming && options_.token) {
    ticket_refusal_ = net::describe(refuse);
    return connect(now);
  }
  refusal_ = refuse;
  end(sessions_ == 0 ? State::Refused : State::Closed, net::describe(refuse));
}

// --- its end ---

void Connection::update(Instant now) {
  if (state_ == State::Connected && now - heard_ >= kServerTimeout) {
    if (!give_up_hand_over(net::DisconnectReason::ClientLeft, now)) resume(now);
  } else if (doubt_ && now >= doubt_->until) {
    end_refused(net::Refuse{doubt_->refuse}, now);
  } else if (handshake_ && now >= gives_up_at()) {
    give_up(now);
  } else if (handshake_) {
    send_request(now);
  }
}

Instant Connection::gives_up_at() const {
  const bool had_session = state_ == State::Resuming && sessions_ > 0;
  return started_ + (had_session ? kResumeTimeout : kServerTimeout);
}

void Connection::give_up(Instant now) {
  if (left_) return return_to_left_server(now);
  const auto silent =
      std::chrono::duration_cast<std::chrono::seconds>(now - (sessions_ > 0 ? heard_ : started_));
  const std::string server = net::to_string(options_.server);
  if (sessions_ > 0) {
    end(State::Closed, fmt::format("no answer from {} for {} s", server, silent.count()));
  } else {
    end(State::Silent,
        fmt::format("no answer from {} after {} s; is a server running there? Its path must carry "
                    "datagrams of {} bytes",
                    server, silent.count(), net::kRequestBytes));
  }
}

void Connection::leave() {
  part(in_words(net::DisconnectReason::ClientLeft));
}

void Connection::fail(std::string reason, Instant now) {
  if (give_up_hand_over(net::DisconnectReason::ClientLeft, now)) return;
  failed_ = failed_ || !over();
  part(std::move(reason));
}

void Connection::part(std::string reason) {
  if (state_ == State::Connected) send_disconnect(channel_, net::DisconnectReason::ClientLeft);
  if (left_) end_left_session();
  if (!over()) end(State::Closed, std::move(reason));
}

void Connection::refuse(net::RefuseReason refusal, std::string reason, Instant now) {
  const net::DisconnectReason goodbye = net::disconnect_for(refusal);
  if (give_up_hand_over(goodbye, now)) return;
  send_disconnect(channel_, goodbye);
  refusal_ = net::Refuse{.reason = refusal};
  end(sessions_ == 1 ? State::Refused : State::Closed, std::move(reason));
}

void Connection::send_disconnect(net::PacketChannel& channel, net::DisconnectReason reason) {
  for (int i = 0; i < net::kGoodbyes; ++i) {
    transmit(channel.seal_packet(net::PacketType::Disconnect,
                                 protocol::encode_disconnect(reason, message_buffer_), packet_));
  }
}

void Connection::end(State state, std::string reason) {
  state_ = state;
  handshake_.reset();
  doubt_.reset();
  reason_ = std::move(reason);
}

Instant Connection::next_wakeup() const {
  if (!handshake_) return heard_ + kServerTimeout;
  const Instant next = std::min(handshake_->next_request(), gives_up_at());
  return doubt_ ? std::min(next, doubt_->until) : next;
}

}  // namespace tickbox::client
