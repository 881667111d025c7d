#include "tests/bench/shard/shard_clients.h"

#include "net/connect_token.h"
#include "net/crypto.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace tickbox::bench {
namespace {

/// Some tens of snapshots: a client drains its socket in every tick.
constexpr std::size_t kClientBufferBytes = std::size_t{64} * 1024;

}  // namespace

net::Address loopback_address() {
  net::Address address;
  std::ranges::copy(net::kIpv4Prefix, address.ip.begin());
  address.ip[12] = 127;
  address.ip[15] = 1;
  return address;
}

ShardClients::ShardClients(const ShardCase& of, const GameTable& game, net::Address server,
                           const tests::VirtualClock& clock,
                           std::span<const server::RoomParts> rooms)
    : of_(of),
      game_(&game),
      server_(server),
      clock_(clock),
      rooms_(rooms),
      calendar_(clock),
      entropy_(of.seed),
      shared_({&game_, 1}) {}

void ShardClients::add() {
  const std::size_t number = clients_.size();
  const server::RoomParts& room = rooms_[number % rooms_.size()];
  auto socket =
      os::UdpTransport::open({.bind = loopback_address(), .buffer_bytes = kClientBufferBytes});
  if (!socket) throw std::runtime_error{socket.error()};
  One& one = clients_.emplace_back(One{.socket = *std::move(socket)});
  one.link = std::make_unique<LaggingTransport>(*one.socket, clock_,
                                                tick_duration(kTickRate) * (of_.lag - 1));
  net::TokenClaims claims{.client = 1 + number, .room = room.id.value};
  claims.servers.push_back(server_);
  const WallTime today = calendar_.now();
  const client::ConnectionOptions connection{
      .server = server_,
      .token = net::issue_token(claims, today, today + std::chrono::minutes{1},
                                net::KeyRing::published(), entropy_),
      .best_cipher = net::best_cipher()};
  const bool is_full = of_.full != 0 && number / rooms_.size() % of_.full == 0;
  const client::ClientOptions options{
      .connection = connection,
      .mode = is_full ? client::ClientMode::Full : client::ClientMode::Light,
      .player = client::bot_player(of_.bot, number, of_.seed * 1'000'000 + number)};
  one.client =
      std::make_unique<client::Client>(options, *one.link, entropy_, shared_, clock_.now());
}

void ShardClients::poll(std::size_t slice) {
  for (std::size_t i = slice; i < clients_.size(); i += kSlices) {
    clients_[i].client->poll(clock_.now());
  }
}

std::size_t ShardClients::dropped() const {
  return static_cast<std::size_t>(std::ranges::count_if(clients_, [](const One& one) {
    const client::Connection& connection = one.client->connection();
    return connection.state() != client::Connection::State::Connected || connection.sessions() != 1;
  }));
}

ShardClients::Hashes ShardClients::hashes() const {
  Hashes hashes;
  for (const One& one : clients_) {
    const client::ClientStats stats = one.client->stats();
    hashes.checked += stats.hashes_checked;
    hashes.wrong += stats.hashes_mismatched;
  }
  return hashes;
}

}  // namespace tickbox::bench
