#pragma once
// A server of ENet and its clients, each a host with a socket of its own on loopback. They carry
// what a shard and its clients carry: unreliable packets of fixed sizes, without encryption.

#include <cstddef>
#include <cstdint>
#include <enet/enet.h>
#include <memory>
#include <vector>

namespace tickbox::bench {

struct EnetLoad {
  std::size_t clients = 400;
  double sent = 1;               ///< snapshots for each client and tick
  std::size_t input_bytes = 50;  ///< UDP payload, at least kEnetHeadBytes + 1; likewise:
  std::size_t snapshot_bytes = 90;
};

/// What ENet adds to an unreliable packet: the head of the datagram and that of the command.
inline constexpr std::size_t kEnetHeadBytes = 10;

struct CloseEnetHost {
  void operator()(ENetHost* host) const { enet_host_destroy(host); }
};

using EnetHost = std::unique_ptr<ENetHost, CloseEnetHost>;

class EnetServer {
 public:
  /// Throws std::runtime_error if there is no socket.
  explicit EnetServer(const EnetLoad& load);

  /// Takes all packets that have arrived. If there is none, waits for one up to `milliseconds`.
  void receive(std::uint32_t milliseconds = 0);

  /// Sends a snapshot to each client whose turn it is in this tick.
  void send(int tick);

  [[nodiscard]] std::size_t connected() const { return host_->connectedPeers; }

  [[nodiscard]] std::uint64_t inputs() const { return inputs_; }

  [[nodiscard]] std::uint64_t snapshots() const { return snapshots_; }

  /// Counts and bytes of its datagrams.
  [[nodiscard]] const ENetHost& host() const { return *host_; }

  [[nodiscard]] ENetAddress address() const;

 private:
  EnetLoad load_;
  EnetHost host_;
  std::vector<std::byte> snapshot_;
  std::uint64_t inputs_ = 0;
  std::uint64_t snapshots_ = 0;
};

class EnetClients {
 public:
  EnetClients(const EnetLoad& load, const ENetAddress& server);

  /// Adds a client, which begins to connect. Throws std::runtime_error if it gets no socket.
  void add();

  /// Lets client number `first` and each `step`-th after it receive, and send an input if
  /// connected.
  void poll(std::size_t first, std::size_t step);

  [[nodiscard]] std::size_t size() const { return clients_.size(); }

 private:
  ENetAddress server_;
  std::vector<std::byte> input_;
  std::vector<EnetHost> clients_;
};

}  // namespace tickbox::bench
