#include "tests/bench/net/bench_server.h"

#include "core/assert.h"
#include "engine/declared.h"
#include "games/arena/arena.h"
#include "protocol/messages.h"
#include "views/inputs.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

namespace tickbox::bench {
namespace {

constexpr std::uint32_t kSeats = 128;
constexpr std::uint64_t kSeed = 1;

/// Short, so that the server has space for the tokens of the next batch.
constexpr std::chrono::seconds kTokenLife{10};

net::Address server_address() {
  return net::parse_address("192.0.2.1:7777").value();
}

/// Returns the bits of `count` inputs, each of which changes every value. The first `looks` inputs
/// also change their look back, which takes a byte each.
std::vector<std::byte> input_bits(std::size_t count, std::size_t looks) {
  const TypeInfo& type = games::arena().input;
  std::array<std::vector<std::byte>, 2> values;
  for (std::vector<std::byte>& value : values) {
    value.resize(type.bytes);
    type.write_default(value.data());
  }
  for (const FieldInfo& field : type.fields()) {
    engine::set_value(field, 0, field.max, values[1]);
  }
  std::vector<views::GivenInput> inputs;
  for (std::size_t i = 0; i < count; ++i) {
    const auto look_back = static_cast<std::uint8_t>(std::min(i + 1, looks));
    inputs.push_back({.input = values[(i + 1) % 2], .look_back = look_back});
  }
  std::vector<std::byte> bytes;
  {
    engine::BitWriter out{bytes};
    views::write_inputs(games::arena(), inputs, out);
  }
  return bytes;
}

/// Returns the inputs of a datagram of `bytes`; one input if that is 0.
const std::vector<std::byte>& inputs_of(std::size_t bytes) {
  static std::map<std::size_t, std::vector<std::byte>> made;
  const auto [at, is_new] = made.try_emplace(bytes);
  if (!is_new) return at->second;
  protocol::MessageBuffer buffer;
  const std::size_t frame = net::kPacketOverheadBytes + protocol::encode_input({}, buffer).size();
  std::size_t count = 1;
  std::size_t looks = 0;
  const auto size = [&] { return frame + input_bits(count, looks).size(); };
  while (size() < bytes) {
    looks = ++count;
  }
  while (looks > 0 && size() > bytes) {
    --looks;
  }
  TICKBOX_ASSERT(bytes == 0 || size() == bytes);
  TICKBOX_ASSERT(count <= protocol::kInputsPerMessageMax);
  at->second = input_bits(count, looks);
  return at->second;
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
  const GameTable& game = games::arena();
  match_ = std::make_unique<server::Match>(
      game, engine::make_map(game, {.seats = kSeats}, kTickRate), kTickRate, kSeed);
  shard_ = std::make_unique<server::Shard>(
      server::ShardOptions{.tick_rate = kTickRate,
                           .max_clients = kSeats,
                           .admission = {.addresses = {server_address()}}},
      server::ShardParts{.transport = transport_,
                         .entropy = entropy_,
                         .calendar = calendar_,
                         .log = log_,
                         .rooms = {{.match = *match_}}},
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
  const auto accepted =
      net::decode_accept(exchange(from, connect), token.keys, pair_, net::Cipher::ChaCha20Poly1305);
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
  const protocol::InputMessage inputs{.first_tick = tick, .inputs = inputs_of(bytes)};
  return player.channel.seal_packet(net::PacketType::Input,
                                    protocol::encode_input(inputs, message_buffer), out);
}

}  // namespace tickbox::bench
