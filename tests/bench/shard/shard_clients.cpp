#include "tests/bench/shard/shard_clients.h"

#include "net/connect_token.h"

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
  one.world = &room.match.world();
  net::TokenClaims claims{.client = 1 + number, .room = room.id.value};
  claims.servers.push_back(server_);
  const WallTime today = calendar_.now();
  const client::ConnectionOptions connection{
      .server = server_,
      .token = net::issue_token(claims, today, today + std::chrono::minutes{1},
                                net::KeyRing::published(), entropy_)};
  const client::MakePlayer player =
      client::bot_player(of_.bot, number, of_.seed * 1'000'000 + number);
  if (of_.full != 0 && number / rooms_.size() % of_.full == 0) {
    one.full = std::make_unique<client::Client>(
        client::ClientOptions{.connection = connection, .player = player}, *one.link, entropy_,
        shared_, clock_.now());
  } else {
    one.light = std::make_unique<LightClient>(connection, player, *one.link, entropy_,
                                              shared_.assets, clock_.now());
  }
}

void ShardClients::poll(std::size_t slice) {
  for (std::size_t i = slice; i < clients_.size(); i += kSlices) {
    const One& one = clients_[i];
    if (one.full != nullptr) {
      one.full->poll(clock_.now());
    } else {
      one.light->poll(one.world->tick, clock_.now());
    }
  }
}

std::size_t ShardClients::dropped() const {
  return static_cast<std::size_t>(std::ranges::count_if(clients_, [](const One& one) {
    const client::Connection& connection = one.connection();
    return connection.state() != client::Connection::State::Connected || connection.sessions() != 1;
  }));
}

ShardClients::Hashes ShardClients::hashes() const {
  Hashes hashes;
  for (const One& one : clients_) {
    if (one.full == nullptr) continue;
    const client::ClientStats stats = one.full->stats();
    hashes.checked += stats.hashes_checked;
    hashes.wrong += stats.hashes_mismatched;
  }
  return hashes;
}

}  // namespace tickbox::bench
