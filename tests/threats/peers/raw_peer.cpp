#include "tests/threats/peers/raw_peer.h"

#include "views/inputs.h"

#include <algorithm>

namespace tickbox::tests {
namespace {

constexpr std::chrono::milliseconds kStep{1};

/// Of its own for every address, so that two peers never draw the same nonces.
std::uint64_t seed_of(const net::Address& address) {
  std::uint64_t seed = address.port;
  for (const std::uint8_t byte : address.ip) {
    seed = seed * 257 + byte;
  }
  return seed;
}

}  // namespace

RawPeer::RawPeer(Harness& harness, Wire& wire, const net::Address& address)
    : harness_(harness), wire_(wire), address_(address), entropy_(seed_of(address)) {
  inbox().clear();
}

std::optional<net::CookieBytes> RawPeer::say_hello() {
  pair_ = net::handshake_pair(net::draw<net::SecretKey>(entropy_));
  send(net::encode_hello(net::make_request(net::PacketType::Hello, pair_.nonce), packet_));
  harness_.run_for(kStep);
  for (const Bytes& datagram : inbox()) {
    const auto answer = net::decode_cookie(datagram);
    if (answer && answer->client_nonce == pair_.nonce) return answer->cookie;
  }
  return std::nullopt;
}

Bytes RawPeer::make_connect(const net::ConnectToken& token) {
  const net::CookieBytes cookie = say_hello().value_or(net::CookieBytes{});
  return copy_of(net::encode_connect(net::make_request(net::PacketType::Connect, pair_.nonce),
                                     cookie, token, packet_));
}

Bytes RawPeer::make_resume(const net::ResumeTicket& ticket) {
  pair_ = net::handshake_pair(net::draw<net::SecretKey>(entropy_));
  return copy_of(
      net::encode_resume(net::make_request(net::PacketType::Resume, pair_.nonce), ticket, packet_));
}

Answer RawPeer::ask(ConstBytes datagram, const net::KeyPair& keys) {
  const std::size_t before = inbox().size();
  send(datagram);
  harness_.run_for(kStep);
  Answer answer;
  for (std::size_t i = before; i < inbox().size(); ++i) {
    const Bytes& received = inbox()[i];
    if (const auto refuse = net::decode_refuse(received)) {
      answer.refused = *refuse;
      answer.refusal_is_proven =
          net::has_proof(received) && net::is_refused_by_server(received, keys.to_client);
    }
    if (auto accepted = net::decode_accept(received, keys, pair_, net::Cipher::ChaCha20Poly1305)) {
      channel_ = net::PacketChannel{accepted->keys, accepted->connection, net::Direction::ToServer};
      accepted_ = *accepted;
      answer.accepted = std::move(*accepted);
    }
  }
  return answer;
}

Answer RawPeer::connect(const net::ConnectToken& token) {
  return ask(make_connect(token), token.keys);
}

Answer RawPeer::resume(const net::ResumeTicket& ticket) {
  return ask(make_resume(ticket), ticket.keys);
}

void RawPeer::send_sealed(net::PacketType type, ConstBytes message) {
  send(channel_.seal_packet(type, message, packet_));
}

void RawPeer::send_inputs(const protocol::InputMessage& message) {
  send_sealed(net::PacketType::Input, protocol::encode_input(message, message_buffer_));
}

void RawPeer::say_goodbye(net::DisconnectReason reason) {
  send_sealed(net::PacketType::Disconnect, protocol::encode_disconnect(reason, message_buffer_));
}

std::size_t RawPeer::received(net::PacketType type) {
  return static_cast<std::size_t>(std::ranges::count_if(
      inbox(), [type](const Bytes& datagram) { return net::packet_type(datagram) == type; }));
}

net::ResumeTicket RawPeer::ticket() const {
  return {.sealed = accepted_->accept.ticket, .keys = net::derive_resume_keys(accepted_->keys)};
}

void RawPeer::move(const net::Address& address) {
  address_ = address;
  inbox().clear();
}

std::vector<std::byte> input_bits(const GameTable& game,
                                  std::span<const std::vector<std::byte>> inputs) {
  std::vector<views::GivenInput> given;
  for (const std::vector<std::byte>& input : inputs) {
    given.push_back({.input = input});
  }
  std::vector<std::byte> bits;
  engine::BitWriter out{bits};
  views::write_inputs(game, given, out);
  return bits;
}

net::ConnectToken make_token(Harness& harness, const net::KeyRing& ring, std::uint64_t client,
                             const TokenPlan& plan) {
  // Drawn from the client id: different for two clients, and never what the harness draws.
  SeededEntropy entropy{0x7eed'0000 + client};
  net::TokenClaims claims{.client = client, .room = plan.room, .servers = {}, .user = {}};
  claims.servers.push_back(plan.server);
  const WallTime issued = harness.calendar().now() - plan.age;
  return net::issue_token(claims, issued, issued + plan.life, ring, entropy);
}

}  // namespace tickbox::tests
