#include "tests/bench/peers/enet_hosts.h"

#include <cmath>
#include <stdexcept>
#include <sys/socket.h>

namespace tickbox::bench {
namespace {

/// As the shard's socket has: the inputs of several ticks.
constexpr int kSocketBufferBytes = 4 * 1024 * 1024;

EnetHost make_host(const ENetAddress* address, std::size_t peers) {
  constexpr std::size_t kChannels = 1;
  constexpr enet_uint32 kUnlimited = 0;
  EnetHost host{enet_host_create(address, peers, kChannels, kUnlimited, kUnlimited)};
  if (host == nullptr) throw std::runtime_error{"ENet gets no socket or no memory"};
  return host;
}

/// ENet drops packets at their sender when round trips grow. Here it must carry all of them.
void keep_all(ENetPeer& peer) {
  peer.packetThrottleDeceleration = 0;
}

void send(ENetPeer& peer, const std::vector<std::byte>& bytes) {
  constexpr enet_uint32 kUnreliable = 0;
  ENetPacket* const packet = enet_packet_create(bytes.data(), bytes.size(), kUnreliable);
  if (packet == nullptr || enet_peer_send(&peer, 0, packet) != 0) {
    throw std::runtime_error{"ENet does not send"};
  }
}

}  // namespace

EnetServer::EnetServer(const EnetLoad& load)
    : load_(load), snapshot_(load.snapshot_bytes - kEnetHeadBytes) {
  ENetAddress address{};
  enet_address_set_host_ip(&address, "127.0.0.1");
  host_ = make_host(&address, load.clients);
  for (const int option : {SO_RCVBUFFORCE, SO_RCVBUF}) {
    if (::setsockopt(host_->socket, SOL_SOCKET, option, &kSocketBufferBytes, sizeof(int)) == 0) {
      break;
    }
  }
}

ENetAddress EnetServer::address() const {
  ENetAddress address{};
  if (enet_socket_get_address(host_->socket, &address) != 0) {
    throw std::runtime_error{"ENet's socket has no address"};
  }
  return address;
}

void EnetServer::receive(std::uint32_t milliseconds) {
  ENetEvent event{};
  while (enet_host_service(host_.get(), &event, milliseconds) > 0) {
    milliseconds = 0;
    if (event.type == ENET_EVENT_TYPE_CONNECT) keep_all(*event.peer);
    if (event.type != ENET_EVENT_TYPE_RECEIVE) continue;
    ++inputs_;
    enet_packet_destroy(event.packet);
  }
}

void EnetServer::send(int tick) {
  // Clients skip different ticks.
  constexpr double kGoldenRatio = 0.618;
  for (std::size_t i = 0; i < host_->peerCount; ++i) {
    ENetPeer& peer = host_->peers[i];
    if (peer.state != ENET_PEER_STATE_CONNECTED) continue;
    const double due = static_cast<double>(i) * kGoldenRatio + tick * load_.sent;
    if (std::floor(due + load_.sent) == std::floor(due)) continue;
    bench::send(peer, snapshot_);
    ++snapshots_;
  }
  enet_host_flush(host_.get());
}

EnetClients::EnetClients(const EnetLoad& load, const ENetAddress& server)
    : server_(server), input_(load.input_bytes - kEnetHeadBytes) {}

void EnetClients::add() {
  EnetHost& client = clients_.emplace_back(make_host(nullptr, 1));
  constexpr std::size_t kChannels = 1;
  if (enet_host_connect(client.get(), &server_, kChannels, 0) == nullptr) {
    throw std::runtime_error{"ENet does not connect"};
  }
}

void EnetClients::poll(std::size_t first, std::size_t step) {
  for (std::size_t i = first; i < clients_.size(); i += step) {
    ENetHost* const client = clients_[i].get();
    ENetEvent event{};
    while (enet_host_service(client, &event, 0) > 0) {
      if (event.type == ENET_EVENT_TYPE_CONNECT) keep_all(*event.peer);
      if (event.type == ENET_EVENT_TYPE_RECEIVE) enet_packet_destroy(event.packet);
    }
    if (client->peers->state != ENET_PEER_STATE_CONNECTED) continue;
    send(*client->peers, input_);
    enet_host_flush(client);
  }
}

}  // namespace tickbox::bench
