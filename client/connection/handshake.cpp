#include "client/connection/handshake.h"

#include "engine/entity_id.h"

namespace tickbox::client {
namespace {

using net::PacketType;

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

}  // namespace tickbox::client
