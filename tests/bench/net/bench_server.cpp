#include "tests/bench/net/bench_server.h"

#include "core/assert.h"
#include "games/arena/arena_map.h"
#include "games/catalog.h"
#include "protocol/messages.h"

#include <algorithm>

namespace tickbox::bench {
namespace {

constexpr std::uint32_t kTickRate = 60;
constexpr std::uint32_t kSeats = 128;
constexpr std::uint64_t kSeed = 1;

/// Short, so that the server has space for those of the next batch.
constexpr std::chrono::seconds kTokenLife{10};

net::Address server_address() {
  return net::parse_address("192.0.2.1:7777").value();
}

}  // namespace

void MemoryTransport::send(const net::Route& /*route*/, ConstBytes bytes) {
  ++sent_;
  std::ranges::copy(bytes, answer_.begin());
  answer_bytes_ = bytes.size();
}

std::optional<net::Datagram> MemoryTransport::receive() {
  if (next_ == arrived_.size()) return std::nullopt;
  const Arrived& arrived = arrived_[next_++];
  return net::Datagram{.from = arrived.from,
                       .bytes = ConstBytes{arrived.datagram}.first(arrived.bytes)};
}

void MemoryTransport::add(const net::Address& from, ConstBytes bytes) {
  TICKBOX_ASSERT(bytes.size() <= net::kDatagramBytesMax);
  Arrived& arrived = arrived_.emplace_back();
  arrived.from = from;
  arrived.bytes = bytes.size();
  std::ranges::copy(bytes, arrived.datagram.begin());
}

void MemoryTransport::clear() {
  arrived_.clear();
  next_ = 0;
}

BenchServer::BenchServer() {
  TICKBOX_ASSERT(net::crypto_ready());
  room_ = std::make_unique<server::Room>(game::make_arena_map(kSeats),
                                         game::make_rules("arena", kTickRate), kSeed, kTickRate);
  shard_ = std::make_unique<server::Shard>(
      server::ShardOptions{.tick_rate = kTickRate,
                           .max_clients = kSeats,
                           .admission = {.addresses = {server_address()}}},
      server::ShardParts{.transport = transport_,
                         .entropy = entropy_,
                         .calendar = calendar_,
                         .log = log_,
                         .rooms = {{.room = *room_}}},
      clock_.now());
}

void BenchServer::pass_second() {
  transport_.clear();
  clock_.advance(std::chrono::seconds{1});
  shard_->tick(clock_.now());
}

void BenchServer::receive() {
  shard_->receive(clock_.now(), clock_.now() + tick_duration(kTickRate));
}

ConstBytes BenchServer::exchange(const net::Address& from, ConstBytes datagram) {
  add(from, datagram);
  receive();
  return transport_.answer();
}

net::ConnectToken BenchServer::make_token() {
  net::TokenClaims claims{.client = ++clients_};
  claims.servers.push_back(server_address());
  return net::issue_token(claims, calendar_.now(), calendar_.now() + kTokenLife,
                          net::KeyRing::published(), entropy_);
}

ConstBytes BenchServer::make_connect(const net::Address& from, const net::ConnectToken& token,
                                     net::PacketBuffer& out) {
  const net::HandshakeNonce nonce = make_nonce();
  const auto cookie = net::decode_cookie(
      exchange(from, net::encode_hello(net::make_request(net::PacketType::Hello, nonce), out)));
  TICKBOX_ASSERT(cookie && cookie->client_nonce == nonce);
  return net::encode_connect(net::make_request(net::PacketType::Connect, nonce), cookie->cookie,
                             token, out);
}

Player BenchServer::let_in(const net::Address& from) {
  net::PacketBuffer out{};
  const net::ConnectToken token = make_token();
  const ConstBytes connect = make_connect(from, token, out);
  const auto accepted = net::decode_accept(exchange(from, connect), token.keys, pair_);
  TICKBOX_ASSERT(accepted);
  Player player{.address = from,
                .keys = accepted->keys,
                .channel = {accepted->keys, accepted->connection, net::Direction::ToServer},
                .ticket = {.sealed = accepted->accept.ticket,
                           .keys = net::derive_resume_keys(accepted->keys)}};
  add(from, make_input(player, next_tick(), 0, out));
  receive();
  return player;
}

net::Address sender(std::uint32_t number) {
  net::Address address{.port = 40'000};
  address.ip[10] = address.ip[11] = 0xff;
  address.ip[12] = 10;
  address.ip[13] = static_cast<std::uint8_t>(number >> 8U);
  address.ip[14] = static_cast<std::uint8_t>(number);
  address.ip[15] = 1;
  return address;
}

ConstBytes make_input(Player& player, Tick tick, std::size_t bytes, net::PacketBuffer& out) {
  protocol::MessageBuffer message_buffer;
  protocol::InputMessage inputs{.first_tick = tick};
  inputs.inputs.push_back({});
  const ConstBytes message = protocol::encode_input(inputs, message_buffer);
  // Bytes that nothing points to are ignored.
  std::vector<std::byte> padded{message.begin(), message.end()};
  padded.resize(std::max(message.size() + net::kPacketOverheadBytes, bytes) -
                net::kPacketOverheadBytes);
  return player.channel.seal_packet(net::PacketType::Input, padded, out);
}

}  // namespace tickbox::bench
